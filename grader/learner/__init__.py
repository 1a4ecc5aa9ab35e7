"""What a learner's own process does: `check`, and the spare kernel that it starts in."""
