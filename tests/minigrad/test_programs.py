"""Programs as people write them for torch run unchanged on minigrad, and come to the same."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted(path.stem for path in (Path(__file__).parent / "programs").glob("[a-z]*.py"))
RUN = """
import importlib, json, sys
sys.path.insert(0, {folder!r})
if {stand_in}:
    import minigrad
    sys.modules["torch"] = minigrad
print(json.dumps({{name: importlib.import_module(name).main() for name in {names}}}))
if {stand_in}:
    import torch.nn, torch.utils.data
    assert torch.nn is minigrad.nn and torch.utils.data.DataLoader is minigrad.utils.data.DataLoader
    assert not any(name.startswith("torch.") and "minigrad" not in repr(m) for name, m in sys.modules.items())
"""


@pytest.fixture(scope="module")
def found():
    def run(stand_in):
        folder = str(Path(__file__).parent / "programs")
        code = RUN.format(folder=folder, stand_in=stand_in, names=PROGRAMS)
        done = subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", code], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return {True: run(True), False: run(False)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_for_torch_comes_to_the_same(found, name):
    (losses, rest), (expected, expected_rest) = found[True][name], found[False][name]
    assert len(expected) >= 20
    assert losses == pytest.approx(expected, abs=1e-5)
    assert len(rest) == len(expected_rest)
    for mine, theirs in zip(rest, expected_rest, strict=True):
        assert mine == (pytest.approx(theirs, abs=1e-4) if isinstance(theirs, float) else theirs)
    assert losses[-1] < losses[0]
