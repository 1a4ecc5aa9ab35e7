"""How fast: `python -m tests.bench` compares minigrad with its peers, as ratios of one interleaved run."""
