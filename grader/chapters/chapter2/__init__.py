"""Chapter 2: what it asks, known mistakes, right answers and a sample class."""
