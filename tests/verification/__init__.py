"""The grader, verified: `python -m tests.verification` (`make verify`) writes grader/VERIFICATION.md."""
