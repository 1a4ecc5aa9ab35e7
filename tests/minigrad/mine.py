"""minigrad's own tests, run on a learner's engine: `python -m tests.minigrad.mine` (`make mine`).

Tests and engine are copied to a folder where the engine is called `minigrad`: the tests cannot meet another one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from minigrad.workshop import shelf

ROOT = Path(__file__).resolve().parents[2]


def run(
    engine: Path, *options: str, capture: bool = False, tests: str = "tests/minigrad"
) -> subprocess.CompletedProcess[str]:
    """Run the tests in tests/minigrad, without those of the workshop, on the package in the folder `engine`."""
    with tempfile.TemporaryDirectory(prefix="mine") as scratch:
        here = Path(scratch)
        others = shutil.ignore_patterns("__pycache__", "grader", "notebooks", "bench", "workshop", "test_project.py")
        shutil.copytree(engine, here / "minigrad", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "tests", here / "tests", ignore=others)
        shutil.copy(ROOT / "pyproject.toml", here)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, tests]
        return subprocess.run(
            command, cwd=here, env={**os.environ, "PYTHONPATH": scratch}, text=True, capture_output=capture
        )


def main() -> int:
    """Run them on `my_minigrad/`, or on the folder that is named; the exit code is pytest's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=shelf.folder(), help="a package; my_minigrad/ if none")
    engine = parser.parse_args().folder
    if not (engine / "__init__.py").is_file():
        print(f"There is no engine in {engine}: it grows there when a check in a notebook says that a part is right.")
        return 2
    return run(engine).returncode


if __name__ == "__main__":
    sys.exit(main())
