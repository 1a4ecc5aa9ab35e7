from grader import light  # noqa: F401 - before anything imports nbformat
