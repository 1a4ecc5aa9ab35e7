"""What is asked: what an exercise is, and what right and wrong answers to it are."""
