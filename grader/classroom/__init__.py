"""A class: what is handed in, graded, and told to nbgrader."""
