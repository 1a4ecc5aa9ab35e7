"""The book: the course as a site to read, search and download from. `make book` builds it."""
