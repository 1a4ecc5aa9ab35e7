"""A course folder, and `run`: sources in, results out, in the sandbox and without."""

from pathlib import Path

import pytest

from grader.run.execution import Limits, Step, run_steps, sandbox_problem

SANDBOX = pytest.param(
    False,
    id="sandbox",
    marks=[pytest.mark.sandbox, pytest.mark.skipif(bool(sandbox_problem()), reason=str(sandbox_problem()))],
)
UNSAFE = pytest.param(True, id="unsafe")
# Small, so that a test of a limit is short.
SMALL = {
    "cell_seconds": 1.5,
    "patience": 100.0,  # a busy machine takes time; what is about the clock on the wall says so
    "total_seconds": 20,
    "memory_bytes": 1000 << 20,
    "output_bytes": 10_000,
    "output_total_bytes": 50_000,
    "answer_bytes": 1000,
    "processes": 32,
}


@pytest.fixture(scope="session")
def course(tmp_path_factory):
    """A course of one module, whose files are readable."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "minigrad").mkdir()
    (folder / "minigrad" / "__init__.py").write_text("name = 'the course'\n")
    return folder


@pytest.fixture
def run(course: Path):
    """Run sources as steps; one that starts with "ask:" is a probe."""

    def _run(*sources, unsafe=False, on_step=None, **limits):
        steps = [
            Step(number, source.removeprefix("ask:"), "ask" if source.startswith("ask:") else "run")
            for number, source in enumerate(sources)
        ]
        return run_steps(steps, course, Limits(**SMALL | limits), unsafe, on_step)

    return _run


def text(result) -> str:
    """All that a step's outputs say."""
    parts = []
    for output in result.outputs:
        parts += [output.get("text", ""), *output.get("traceback", []), output.get("data", {}).get("text/plain", "")]
    return "".join(parts)
