"""What holds for every test: read before anything imports NumPy or torch, and inherited by kernels and workers."""

import atexit
import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from grader import light  # noqa: F401 - before anything imports nbformat

# The tests run in as many processes as there are cores. Threads on top of them wait for each other: matrix products
# of a few thousand numbers then take several times as long.
for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(library, "1")

# Some images of containers say that no module is kept as it was compiled. A run starts two hundred processes, each of
# which would compile the course again, and pytest all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Let the collector call nobody: hypothesis times it, which a probe that listens would hear in its own place."""
    gc.callbacks.clear()


# No test fails because the machine is busy.
settings.register_profile("course", deadline=None)
settings.load_profile("course")

# `MINIGRAD_WITHOUT=bwrap python -m pytest tests/grader/run` runs tests as on a machine that has no such command: what
# is started from here finds, by PATH, all others.
if without := os.environ.get("MINIGRAD_WITHOUT"):
    found = {path.name: path for folder in os.get_exec_path()[::-1] for path in Path(folder).glob("*")}
    others = Path(tempfile.mkdtemp(prefix="without-"))
    atexit.register(shutil.rmtree, others, ignore_errors=True)
    for name, path in found.items():
        if name != without:
            (others / name).symlink_to(path)
    os.environ["PATH"] = str(others)

# What takes a minute or more is begun first, the longest before the others: what is short fills the end of the run,
# where a worker would else be left alone with the last long file.
LONG = (
    "tests/notebooks/test_running.py",
    "tests/grader/run/attacks/test_attacks.py",
    "tests/grader/classroom/test_demo.py",
    "tests/grader/run/execution/test_hostile.py",
    "tests/grader/publish/test_bundle.py",
    "tests/grader/classroom/test_settled.py",
    "tests/grader/chapters/test_samples.py",
    "tests/verification/test_verification.py",
    "tests/grader/chapters/test_chapters.py",
    "tests/grader/classroom/test_resume.py",
    "tests/grader/classroom/test_cluster.py",
    "tests/notebooks/test_building.py",
)


def pytest_collection_modifyitems(items):
    """Put the long files first; `--no-loadscope-reorder` keeps this order."""
    places = {file: place for place, file in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONG)))


@pytest.fixture(scope="session")
def empty_gradebook(tmp_path_factory):
    """The file of a gradebook that knows nobody yet. Copied, it is a new one: to make one takes nbgrader four seconds.

    Nor is a copy told of a chapter by nbgrader, which takes a third of a second, but by what the first became when it was.
    """
    from grader.classroom.classroom import Classroom
    from grader.publish.course import course_root
    from grader.publish.database import alembic_here

    room = Classroom(tmp_path_factory.mktemp("empty"))
    with alembic_here(), room.gradebook():
        file = room.folder / "gradebook.db"
    new, told, enroll = file.read_bytes(), {}, Classroom.enroll

    def enroll_once(room, chapter, points=None):
        mine = room.folder / file.name
        if room.database or not mine.is_file() or mine.read_bytes() != new:
            return enroll(room, chapter, points)
        what = course_root(), chapter, *sorted((points or {}).items())
        if what in told:
            mine.write_bytes(told[what])
        else:
            enroll(room, chapter, points)
            told[what] = mine.read_bytes()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Classroom, "enroll", enroll_once)
        yield file
