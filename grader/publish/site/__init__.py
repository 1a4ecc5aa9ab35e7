"""The course for a browser, with nothing to install: JupyterLite beside the book. `make site` builds it."""
