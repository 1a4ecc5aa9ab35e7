"""What `grader` is in a submission's process at grading: nothing.

The comparison happens outside, so a chapter's own checks have nothing to do there. This file's text
becomes `grader/__init__.py` in the student's process.
"""


def check(name):
    """Say that the comparison happens elsewhere."""
    print(f"{name}: compared with torch.autograd by the grader, outside this process.")


graded = check
