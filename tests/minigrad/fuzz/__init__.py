"""Random programs, run on torch and on minigrad, and all that can be seen of them compared.

    python -m tests.minigrad.fuzz --programs 10000

A program is a list of statements in Python, so a failing one is printed as it stands: a snippet to run.
"""
