"""What is said about a class: reports, feedback, exports."""
