"""The course as it is given away: notebooks, bundles and the book."""
