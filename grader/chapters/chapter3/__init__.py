"""Chapter 3: what it asks, known mistakes, right answers and a sample class."""
