"""Kill the writer anywhere, run it again: rows and files are those of a run that nobody killed.

`python -m tests.grader.classroom.kills --kills 200`. A moment is a call of the writing process's to a function in C: to
the file system, to SQLite, to anything. It is drawn from all of a whole run, on new work and on work that was graded,
changed and marked by hand.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.classroom import gradebook_writer
from grader.classroom.classroom import Classroom
from grader.classroom.grading import Crew, autograde
from grader.classroom.ledger import Ledger
from grader.publish.course import read_secret
from tests.grader.classroom.test_gradebook_writer import change, drawn, files, hand_in, rows

STUDENTS = 8
BATCH = 3  # so that some are committed, some waiting and some not read yet


def run(room: Classroom, chapter: int, last: int = 0) -> int:
    """Grade in a process of its own, which is killed at its call number `last`, or never; how many calls it made.

    Raises:
        RuntimeError: it ended otherwise.
    """
    incoming, outgoing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(incoming)
        status = 1
        try:
            gradebook_writer.BATCH = BATCH
            os.write(outgoing, str(_calls(room, chapter, last)).encode())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(outgoing)
    with open(incoming) as said:
        calls = said.read()
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended not in (0, -signal.SIGKILL if last else 0):
        raise RuntimeError(f"the process ended with {ended}")
    return int(calls or last)


def _calls(room: Classroom, chapter: int, last: int) -> int:
    made = 0

    def count(frame: object, event: str, what: object) -> None:
        nonlocal made
        if event == "c_call":
            made += 1
            if made == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    autograde(room, chapter, crew=Crew(lambda: ThreadPoolExecutor(1), 1, drawn))
    sys.setprofile(None)
    return made


class Trials:
    """Classes in one folder, one after another: paths are in what is compared.

    Args:
        folder: takes them.
        gradebook: the file of an empty one.
        chapter: which is graded.
    """

    def __init__(self, folder: Path, gradebook: Path, chapter: int = 1) -> None:
        self._room, self._chapter = Classroom(folder / "room", unsafe=True), chapter
        self._begins = [folder / "new", folder / "changed"]
        self._room.make_folder()
        (self._room.folder / "secret").write_bytes(b"s" * 32)
        shutil.copy(gradebook, self._room.folder)
        names = hand_in(self._room, chapter)
        for name in names[STUDENTS:]:
            shutil.rmtree(self._room.folder / "submitted" / name)
        self._keep(self._begins[0])
        run(self._room, chapter)
        change(self._room, chapter, names)
        self._keep(self._begins[1])
        self._whole = {}
        for begin in self._begins:
            self._begin(begin)
            self._whole[begin] = run(self._room, chapter), self._state()

    def _keep(self, begin: Path) -> None:
        shutil.copytree(self._room.folder, begin, symlinks=True)

    def _begin(self, begin: Path) -> None:
        shutil.rmtree(self._room.folder)
        shutil.copytree(begin, self._room.folder, symlinks=True)

    def _state(self) -> list[object]:
        ledger = Ledger(self._room, self._chapter, read_secret(self._room.folder))
        settled = {student: ledger.settled(student) for student in self._room.students(self._chapter)}
        return [settled, rows(self._room, self._chapter), files(self._room)]

    def kill(self, chance: random.Random) -> tuple[str, int]:
        """Kill a run, once or twice, and let the next one end; which class, and at which call.

        Raises:
            AssertionError: what it leaves differs from what a whole run leaves.
        """
        begin = chance.choice(self._begins)
        calls, whole = self._whole[begin]
        self._begin(begin)
        moments = [chance.randint(1, calls) for _ in range(chance.choice((1, 1, 2)))]
        for last in moments:
            run(self._room, self._chapter, last)
        run(self._room, self._chapter)
        assert self._state() == whole, f"{begin.name} class, killed at call {moments} of {calls}: not the same"
        return begin.name, moments[0]


def main() -> None:
    """Kill as often as is asked for."""
    from grader.publish.database import alembic_here

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kills") as name:
        empty = Classroom(Path(name) / "empty")
        empty.folder.mkdir()
        with alembic_here(), empty.gradebook():
            pass
        trials, chance = Trials(Path(name), empty.folder / "gradebook.db"), random.Random(options.seed)
        for number in range(1, options.kills + 1):
            trials.kill(chance)
            print(f"\r{number} of {options.kills} kills: the same rows, files and ledger", end="", flush=True)
    print()


if __name__ == "__main__":
    main()
