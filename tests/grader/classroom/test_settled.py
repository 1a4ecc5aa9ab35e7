"""Whatever a mark depends on is moved, in any order: the next run gives the marks of a class that begins now."""

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grader.chapters import exercises
from grader.classroom import edition
from grader.classroom.classroom import Classroom
from grader.classroom.demo import solution_notebook
from grader.classroom.grading import Crew, autograde
from grader.classroom.marks import marks
from grader.classroom.work import restored
from grader.publish.course import assignment, notebook_name, release_notebook
from grader.run.submission import digest, grade_id
from tests.grader.classroom.test_gradebook_writer import drawn

STUDENTS = ("ada", "bo")
EXERCISES = exercises(1)
DAYS = st.integers(1, 9)
MOVES = st.one_of(
    st.tuples(st.just("due"), DAYS | st.none()),
    st.tuples(st.just("extension"), st.sampled_from(STUDENTS), DAYS | st.none()),
    st.tuples(st.just("more_time"), st.sampled_from(STUDENTS), st.sampled_from([0, 12, 48])),
    st.tuples(st.just("late"), st.sampled_from(["per_day", "most"]), st.sampled_from([0.0, 0.25, 0.5])),
    st.tuples(st.just("grace"), st.sampled_from([0, 60, 3000])),
    st.tuples(st.just("points"), st.sampled_from([one.name for one in EXERCISES]), st.sampled_from([None, 0, 3, 12])),
    st.tuples(st.just("follow"), st.booleans()),
    st.tuples(st.just("by hand"), st.sampled_from(STUDENTS), st.sampled_from(EXERCISES), st.sampled_from([0.0, 1.5])),
    st.tuples(st.just("hand in"), st.sampled_from(STUDENTS), DAYS | st.just(0)),
    st.tuples(st.just("secret"), st.sampled_from([1, 2])),
    st.tuples(st.sampled_from(["grader", "release", "upgrade"])),
)
# One move of each kind, and some of them undone.
EACH = [
    *(("due", 3), ("late", "per_day", 0.25), ("extension", "ada", 5), ("more_time", "bo", 12), ("grace", 3000)),
    *(("points", "mul", 12), ("points", "paths", 0), ("by hand", "ada", EXERCISES[1], 1.5), ("follow", False)),
    *(
        ("grader",),
        ("release",),
        ("hand in", "bo", 8),
        ("hand in", "ada", 0),
        ("upgrade",),
        ("secret", 2),
        ("late", "most", 0.25),
    ),
    *(("due", None), ("extension", "ada", None), ("more_time", "bo", 0), ("points", "paths", None)),
]


class World:
    """The course that is installed: its grader, a judge that answers otherwise in each version, and its release."""

    def __init__(self, folder, monkeypatch):
        self.grader = self.release = 1
        monkeypatch.setattr(edition, "grader_version", lambda chapter: f"grader {self.grader}")
        monkeypatch.setattr(edition, "release_path", lambda chapter: folder / f"release{self.release}.ipynb")
        self._folder = folder
        self._write()

    def move(self, what):
        """Bring one of them up to date."""
        setattr(self, what, getattr(self, what) + 1)
        self._write()

    def _write(self):
        notebook = release_notebook(1)
        cells = [cell for cell in notebook.cells if grade_id(cell).endswith("-graded")]
        cells[0].source += f"  # release {self.release}"
        nbformat.write(notebook, self._folder / f"release{self.release}.ipynb")

    def judge(self, job):
        """A verdict that hangs on all that a verdict may hang on."""
        about = f"{digest(restored(job))} {job.release} {job.secret!r} {job.follow_through} {self.grader}"
        return drawn(job, about)


@dataclass
class Rules:
    """What an instructor has decided, and what students have handed in."""

    due: int | None = None
    extension: dict[str, int | None] = field(default_factory=dict)
    more_time: dict[str, int] = field(default_factory=dict)
    late: dict[str, float] = field(default_factory=dict)
    grace: int = 0
    points: dict[str, int | None] = field(default_factory=dict)
    follow: bool = True
    secret: int = 1
    by_hand: dict[tuple[str, str], float] = field(default_factory=dict)
    handed_in: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STUDENTS, 4))  # day; 0 where nothing says

    def move(self, kind, *how):
        """Change one of them."""
        if kind in ("due", "grace", "follow", "secret"):
            setattr(self, kind, how[0])
        elif kind == "by hand":
            self.by_hand[how[0], how[1].graded_cell] = how[2]
        elif kind == "hand in":
            self.handed_in[how[0]] = how[1]
        else:
            getattr(self, kind)[how[0]] = how[1]

    def toml(self):
        """The class's file."""
        lines = [f"follow_through = {str(self.follow).lower()}", "[points.chapter1]"]
        lines += [f"{name} = {worth}" for name, worth in self.points.items() if worth is not None]
        lines += ["[due]", f"chapter1 = 2026-12-0{self.due}T12:00:00Z"] if self.due else []
        lines += ["[extensions.chapter1]"]
        lines += [f"{who} = 2026-12-0{day}T18:00:00Z" for who, day in self.extension.items() if day]
        lines += ["[more_time]", *(f"{who} = {hours}" for who, hours in self.more_time.items())]
        lines += ["[late]", f"grace_minutes = {self.grace}", *(f"{name} = {x}" for name, x in self.late.items())]
        return "\n".join(lines) + "\n"


def class_in(folder, gradebook):
    room = Classroom(folder, unsafe=True)
    room.make_folder()
    shutil.copy(gradebook, room.folder)
    return room


def apply(room, rules):
    """Write the rules down where an instructor writes them, and the hand-ins where they are collected."""
    (room.folder / "course.toml").write_text(rules.toml())
    (room.folder / "secret").write_text(f"{rules.secret}" * 32)
    for student, day in rules.handed_in.items():
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True, exist_ok=True)
        notebook = solution_notebook(1)
        notebook.cells.append(nbformat.v4.new_markdown_cell(f"{student}, {day}"))
        nbformat.write(notebook, path)
        stamp = path.parent / "timestamp.txt"
        stamp.unlink(missing_ok=True)
        if day:
            stamp.write_text(f"2026-12-0{day} 18:30 UTC")


def mark_by_hand(room, rules):
    with room.gradebook() as gradebook:
        for (student, cell), points in rules.by_hand.items():
            (notebook,) = gradebook.find_submission(assignment(1), student).notebooks
            grade = next((one for one in notebook.grades if one.name == cell), None)
            if grade:  # of an exercise that counts
                grade.manual_score = points
        gradebook.db.commit()


def graded(room, world):
    """Grade a class; what was said of marks that have changed."""
    lines = []
    crew = Crew(lambda: ThreadPoolExecutor(1), 1, world.judge)
    assert autograde(room, 1, crew=crew, changed=lines.append) == {}
    return lines


# Points by hand where lateness costs something: the penalty is a share of them.
LATE = [
    ("due", 3),
    ("late", "per_day", 0.25),
    ("by hand", "ada", EXERCISES[1], 1.5),
    ("by hand", "bo", EXERCISES[4], 0.0),
]


@pytest.mark.timeout(600)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(EACH)
@example(LATE)
@given(st.lists(MOVES, min_size=1, max_size=5))
def test_a_run_after_any_moves_gives_the_marks_of_a_new_class(empty_gradebook, moves):
    rules = Rules()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as monkeypatch:
        world = World(Path(folder), monkeypatch)
        room, new = (class_in(Path(folder, name), empty_gradebook) for name in ("room", "new"))
        apply(room, rules)
        graded(room, world)
        for kind, *how in moves:
            if kind in ("grader", "release"):
                before = marks(room, 1)
                world.move(kind)
                assert graded(room, world) == [] and marks(room, 1) == before, "until it is upgraded"
                continue
            if kind == "upgrade":
                edition.upgrade(room)
            else:
                rules.move(kind, *how)
            apply(room, rules)
            mark_by_hand(room, rules)
            graded(room, world)
        edition.upgrade(room)
        graded(room, world)
        apply(new, rules)
        graded(new, world)
        mark_by_hand(new, rules)
        graded(new, world)
        assert marks(room, 1) == marks(new, 1)
        assert graded(room, world) == [], "and nothing is left to change"
