# `python -c NBGRADER` is `python -m nbgrader`, but for an import of two seconds that nobody needs (`grader.light`).
NBGRADER = "from grader import light; from nbgrader.apps.nbgraderapp import main; main()"
