"""A week on a hub; `make hub-week` runs it."""
