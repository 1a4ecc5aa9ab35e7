"""Pictures in notebooks, each with the same content in words."""
