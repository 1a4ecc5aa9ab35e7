"""Whatever a mark depends on is moved, in any order: the next run gives the marks of a class that begins now."""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.chapters import exercises
from grader.classroom.classroom import Classroom
from grader.classroom.demo import solution_notebook
from grader.classroom.marks import marks
from grader.publish.course import assignment, notebook_name
from tests.grader.classroom.test_marks import said

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
    st.tuples(st.just("hand in"), st.sampled_from(STUDENTS), DAYS),
)


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
    by_hand: dict[tuple[str, str], float] = field(default_factory=dict)
    handed_in: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STUDENTS, 4))

    def move(self, kind, *how):
        """Change one of them."""
        if kind in ("due", "grace", "follow"):
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
    (room.folder / "secret").write_bytes(b"s" * 32)
    shutil.copy(gradebook, room.folder)
    return room


def apply(room, rules):
    """Write the rules down where an instructor writes them, and the hand-ins where they are collected."""
    (room.folder / "course.toml").write_text(rules.toml())
    for student, day in rules.handed_in.items():
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True, exist_ok=True)
        notebook = solution_notebook(1)
        notebook.cells.append(nbformat.v4.new_markdown_cell(f"{student}, {day}"))
        nbformat.write(notebook, path)
        (path.parent / "timestamp.txt").write_text(f"2026-12-0{day} 18:30 UTC")


def mark_by_hand(room, rules):
    with room.gradebook() as gradebook:
        for (student, cell), points in rules.by_hand.items():
            (notebook,) = gradebook.find_submission(assignment(1), student).notebooks
            grade = next((one for one in notebook.grades if one.name == cell), None)
            if grade:  # of an exercise that counts
                grade.manual_score = points
        gradebook.db.commit()


@pytest.mark.timeout(600)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(MOVES, min_size=1, max_size=5))
def test_a_run_after_any_moves_gives_the_marks_of_a_new_class(empty_gradebook, moves):
    rules = Rules()
    with tempfile.TemporaryDirectory() as folder:
        room, new = (class_in(Path(folder, name), empty_gradebook) for name in ("room", "new"))
        apply(room, rules)
        said(room)
        for move in moves:
            rules.move(*move)
            apply(room, rules)
            mark_by_hand(room, rules)
            said(room)
        apply(new, rules)
        said(new)
        mark_by_hand(new, rules)
        said(new)
        assert marks(room, 1) == marks(new, 1)
        assert said(room) == [], "and nothing is left to change"
