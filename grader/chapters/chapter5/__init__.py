"""Chapter 5: what it asks, known mistakes, right answers and a sample class."""
