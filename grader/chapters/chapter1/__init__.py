"""Chapter 1: what it asks, known mistakes, right answers and a sample class."""
