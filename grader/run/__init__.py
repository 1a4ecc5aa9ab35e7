"""One submission: read, run outside the grader's process, judged."""
