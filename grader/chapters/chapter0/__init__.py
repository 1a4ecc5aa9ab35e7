"""Chapter 0: what it asks, known mistakes, right answers and a sample class."""
