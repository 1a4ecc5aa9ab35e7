"""The class in rows: one a student and exercise, from nbgrader's gradebook and the autograded notebooks."""

from __future__ import annotations

import contextlib
import csv
import functools
import json
import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from rich import box
from rich.table import Table
from rich.text import Text

from ..chapters import exercises
from ..chapters.answers import BANK
from ..classroom import edition
from ..classroom.autograded import MARK, results_in
from ..classroom.classroom import Classroom, grades, name_problem
from ..classroom.ledger import is_new, looked_file
from ..classroom.settings import read_settings
from ..classroom.words import counted, how_late
from ..publish.course import assignment, notebook_name
from ..run.submission import stopped
from ..run.verdicts import grader_version, write_whole
from ..verdict import inert, render
from ..verdict.assess import Result, from_dict, not_graded
from ..verdict.diagnose import misconceptions_named
from ..verdict.inert import one_line
from .noticed import noticed

YET = "not graded yet"
COMPUTED = "=+\\-@＝＋－＠"  # with what a formula begins, also in the width of Chinese letters


@dataclass(frozen=True)
class Row:
    """One exercise of one student.

    Attributes:
        student: nbgrader's id of the student.
        chapter, exercise: which exercise.
        score, max_score: points; a manual grade comes before the grader's.
        state: `graded`; `not graded`, where the work itself prevented it; `not graded yet`, where `grader autograde`
            has to run first.
        diagnosis: what was found, in words; or why it is not graded.
        seconds_late: how late the submission came, by its timestamp.txt and the chapter's due date; 0 if in time.
        penalty: the points that nbgrader's late policy takes from the whole submission.
        noticed: what the instructor may want to look at, which costs nothing; "" for nothing.
    """

    student: str
    chapter: int
    exercise: str
    score: float
    max_score: float
    state: str
    diagnosis: str
    seconds_late: float = 0.0
    penalty: float = 0.0
    noticed: str = ""


@dataclass(frozen=True)
class Common:
    """A misconception, and in how many students' work it was found.

    Attributes:
        name: its label.
        students: how many.
        advice: its sentence.
        who: the students, by name.
    """

    name: str
    students: int
    advice: str
    who: tuple[str, ...] = ()


def class_rows(folder: Path, gradebook: Gradebook, chapters: Iterable[int] | None = None) -> list[Row]:
    """All rows of a class, by chapter and student.

    Args:
        folder: the classroom.
        gradebook: its gradebook, open.
        chapters: which; every chapter that the gradebook knows, and that counts in the class, if None.
    """
    wanted = sorted(chapters or counting_chapters(folder, gradebook))
    return [row for chapter in wanted for row in _chapter_rows(Classroom(folder), gradebook, chapter)]


def counting_chapters(folder: Path, gradebook: Gradebook) -> list[int]:
    """The chapters that count and that the gradebook knows; assignments of the instructor's own are none."""
    names = {assignment(chapter): chapter for chapter in read_settings(folder).chapters}
    return sorted(names[known.name] for known in gradebook.assignments if known.name in names)


def _chapter_rows(classroom: Classroom, gradebook: Gradebook, chapter: int) -> list[Row]:
    rows, points = [], grades(gradebook, chapter)
    worths = edition.points(classroom, chapter)
    late = lateness(gradebook, chapter)
    for student in classroom.students(chapter):
        looked = _read(classroom, student, chapter)
        for exercise, result in zip(exercises(chapter), looked.results, strict=True):
            if result.state == "graded" and exercise.graded_cell not in points.get(student, {}):
                result = not_graded(exercise, f"{YET}: the gradebook has no grade: run grader autograde")
            if (most := worths.get(exercise.name, exercise.max_score)) == 0:
                continue  # it does not count
            own, score = points.get(student, {}).get(exercise.graded_cell, (0.0, 0.0))
            state = result.state.partition(":")[0]
            diagnosis = render.diagnosis(result, looked.stopped.get(exercise.name, "")).removeprefix(f"{state}: ")
            if score != own:
                diagnosis = f"points given by hand. {diagnosis}"
            about = (student, chapter, exercise.name, score, most, state, diagnosis)
            rows.append(Row(*about, *late.get(student, (0.0, 0.0)), looked.odd.get(exercise.name, "")))
    return rows


def lateness(gradebook: Gradebook, chapter: int) -> dict[str, tuple[float, float]]:
    """Student → how many seconds late the submission came, and the points that it costs."""
    try:
        found = gradebook.find_assignment(assignment(chapter)).submissions
    except MissingEntry:
        return {}
    return {one.student_id: (one.total_seconds_late, one.late_submission_penalty or 0.0) for one in found}


def total(rows: list[Row]) -> float:
    """The points of one student that count, after the late penalty."""
    return max(0.0, sum(row.score for row in rows) - rows[0].penalty)


def results(classroom: Classroom, student: str, chapter: int) -> list[Result]:
    """The results in a student's autograded notebook; without one, why there are none."""
    return _read(classroom, student, chapter).results


def went(result: Result, stopped: str = "") -> str:
    """How an exercise went: `right`, `waits` (right, for another definition is not yet), `not done`, `wrong` or `open`.

    Args:
        result: the verdict.
        stopped: the error that the student's own cell ended with; "" if it ran.
    """
    if result.state != "graded":
        return "open"
    if result.right:
        return "waits" if any(finding.waits for finding in result.findings.values()) else "right"
    undone = all(finding.kind == "not done" for finding in result.findings.values() if not finding.right)
    return "not done" if undone and not stopped else "wrong"


def states(classroom: Classroom, student: str, chapter: int) -> dict[str, str]:
    """Exercise → how it went, of one student."""
    looked = _read(classroom, student, chapter)
    return {result.exercise: went(result, looked.stopped.get(result.exercise, "")) for result in looked.results}


@dataclass(frozen=True)
class _Looked:
    """What a report needs of an autograded notebook.

    Attributes:
        results: one for each exercise.
        stopped: exercise → the error that its own cell ended with.
        odd: exercise → what is odd about its points.
        happened: which bounds were run into.
    """

    results: list[Result]
    stopped: dict[str, str] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)
    happened: list[str] = field(default_factory=list)


def _read(classroom: Classroom, student: str, chapter: int) -> _Looked:
    """What a student's autograded notebook says; without one, why there are no results."""
    if problem := name_problem(student):
        return _Looked([not_graded(exercise, f"not graded: {problem}") for exercise in exercises(chapter)])
    path, pending = classroom.autograded(student, chapter), waits(classroom, student, chapter)
    why = f"not graded: {notebook_name(chapter)} is missing from the submission"
    if path.is_file() and not pending:
        try:
            status, given = path.stat(), edition.release_file(classroom, chapter).stat()
            state = (status.st_mtime_ns, status.st_size, given.st_mtime_ns, given.st_size)
            return _look(classroom, student, chapter, (*state, grader_version(chapter)))
        except Exception:  # of a damaged file, JSON, key and attribute errors of many kinds
            only = "" if read_settings(classroom.folder).anonymous else f" --student {shlex.quote(student)}"
            again = f"run grader autograde --again --chapter {chapter}{only}"
            why = f"{YET}: its autograded notebook is damaged: {again}"
    if pending and (problem := _unfit(classroom, student, chapter)):
        why = f"not graded: {problem}"
    elif pending:
        again = "it was handed in again after it was graded: " if path.is_file() else ""
        why = f"{YET}: {again}run grader autograde"
    return _Looked([not_graded(exercise, why) for exercise in exercises(chapter)])


def _unfit(classroom: Classroom, student: str, chapter: int) -> str:
    """Why a submission cannot be graded; "" if it can. The student's name is the row's to say, or nobody's."""
    problem = classroom.unfit(student, chapter).removeprefix(f"{one_line(str(classroom.folder / 'submitted'))}/")
    about = problem.removeprefix(one_line(student))
    return f"its folder{about}" if about.startswith(" ") else about.removeprefix("/")


@functools.lru_cache(maxsize=20_000)  # a report asks several times
def _look(classroom: Classroom, student: str, chapter: int, state: tuple[int | str, ...]) -> _Looked:
    """What an autograded notebook says in this state; it is read, and its code looked at, once.

    Raises:
        Exception: of any kind, on a damaged notebook.
    """
    place = looked_file(classroom, student, chapter)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        kept = json.loads(place.read_text("utf-8"))
        if tuple(kept.pop("state")) == state:
            return _Looked(**kept | {"results": [from_dict(result) for result in kept["results"]]})
    # The grader has written it: nbformat has looked at it then.
    notebook = nbformat.v4.reads(classroom.autograded(student, chapter).read_text("utf-8"))
    found, happened = results_in(notebook, chapter), notebook.metadata.get(MARK, {}).get("happened", {})
    odd = noticed(notebook, _release(edition.release_file(classroom, chapter)), found)
    looked = _Looked(found, stopped(notebook), odd, sorted({*happened.values()}))
    with contextlib.suppress(OSError):  # who may only read the class's folder looks again
        results = [result.as_dict() for result in found]
        write_whole(place, json.dumps({"state": state, **vars(looked), "results": results}))
    return looked


@functools.lru_cache(maxsize=16)
def _release(path: Path) -> nbformat.NotebookNode:
    read: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    return read


def waits(classroom: Classroom, student: str, chapter: int) -> bool:
    """Whether the student handed something in that was not graded since."""
    handed_in = classroom.submitted(student, chapter) / notebook_name(chapter)
    if not classroom.autograded(student, chapter).is_file():
        return handed_in.is_file()
    return is_new(classroom, student, chapter)


def misconceptions(classroom: Classroom, chapter: int, rows: list[Row]) -> list[Common]:
    """The misconceptions that were found in a chapter, the most common first; what follows from one is not one."""
    students: dict[str, set[str]] = {}
    for student in dict.fromkeys(row.student for row in rows):
        for result in results(classroom, student, chapter):
            for one in (m for f in result.findings.values() for m in misconceptions_named(f.cause)):
                students.setdefault(one.name, set()).add(student)
    found = [
        Common(m.name, len(students[m.name]), m.advice, tuple(sorted(students[m.name])))
        for bank in BANK.values()
        for m in bank
        if m.name in students
    ]
    return sorted(found, key=lambda one: (-one.students, one.name))


def as_json(
    classroom: Classroom, chapter: int, rows: list[Row], named: Callable[[str], str] = str
) -> dict[str, object]:
    """A chapter for machines: every student with each exercise, what happened, and how common each misconception is."""
    students: dict[str, dict[str, object]] = {}
    for student in dict.fromkeys(row.student for row in rows):
        own = [row for row in rows if row.student == student]
        causes = _causes(results(classroom, student, chapter))
        exercises = [{**asdict(row), "misconceptions": causes.get(row.exercise, [])} for row in own]
        for exercise in exercises:
            for key in ("student", "chapter", "seconds_late", "penalty"):
                del exercise[key]
        points = {"score": total(own), "max_score": sum(row.max_score for row in own)}
        points |= {"seconds_late": own[0].seconds_late, "penalty": own[0].penalty}
        happened = _read(classroom, student, chapter).happened
        students[named(student)] = {**points, "happened": happened, "exercises": exercises}
    common = {one.name: one.students for one in misconceptions(classroom, chapter, rows)}
    return {"chapter": chapter, "students": students, "misconceptions": common}


def _causes(found: list[Result]) -> dict[str, list[str]]:
    """Exercise → the misconceptions that were named."""
    named = {r.exercise: sorted({f.cause for f in r.findings.values() if f.cause}) for r in found}
    return {exercise: causes for exercise, causes in named.items() if causes}


def write_csv(path: Path, rows: list[Row]) -> None:
    """Write the rows; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows({name: safe(value) for name, value in asdict(row).items()} for row in rows)


def safe(value: object) -> object:
    """The value for a spreadsheet: text that it would take for a formula gets an apostrophe before it."""
    if not isinstance(value, str):
        return value
    text = in_one_cell(inert.printable(value))
    return f"'{text}" if re.match(rf"\s*[{COMPUTED}]|[\t\r]", text) else text


def in_one_cell(text: str) -> str:
    """The text with an apostrophe before a formula where a semicolon, a tab or a bar begins a new cell."""
    return re.sub(rf"[;\t|\r\n](?=[\s\"]*[{COMPUTED}])", lambda found: f"{found[0]}'", text)


def summary(rows: list[Row]) -> str:
    """The class in a sentence."""
    students = list(dict.fromkeys(row.student for row in rows))
    graded = {name: [row.state == "graded" for row in rows if row.student == name] for name in students}
    whole, some = sum(map(all, graded.values())), sum(map(any, graded.values()))
    part = f"{some - whole} graded in part, " if some > whole else ""
    mean = _mean(rows, [name for name in students if any(graded[name])], len(students))
    return (
        f"{counted(len(students), 'student')}: {whole} graded in full, {part}{len(students) - some} not graded{mean}."
    )


def _mean(rows: list[Row], graded: list[str], students: int) -> str:
    """The mean of those who were graded, in words; "" where nobody was."""
    if not graded:
        return ""
    mean = sum(total([row for row in rows if row.student == name]) for name in graded) / len(graded)
    most = sum(row.max_score for row in rows) / students
    whose = "mean" if len(graded) == students else f"mean of the {len(graded)} graded:"
    return f"; {whose} {mean:.1f} of {most:g}"


def table(
    rows: list[Row], width: int, long: bool = False, worst_first: bool = False, named: Callable[[str], str] = str
) -> Table:
    """A table for the terminal: a line a student, with what was found first; a column an exercise if it is wide.

    Args:
        rows: the class.
        width: the terminal's, in characters.
        long: all that was found, in as many lines as it takes.
        worst_first: those with the fewest points first; by name otherwise.
        named: what a student is called.
    """
    names = list(dict.fromkeys(row.exercise for row in rows)) if width >= WIDE else []
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=not long)
    shown.add_column(
        "student",
        overflow="fold" if long else "ellipsis",
        no_wrap=not long,
        max_width=None if long else 24 if width < WIDE else 40,
    )
    off = ["late"] if any(row.penalty for row in rows) else []  # a column for what lateness takes off
    for title in ("score", *off, *names):
        shown.add_column(title, justify="right", no_wrap=True)
    shown.add_column("state and diagnosis", overflow="fold" if long else "ellipsis", no_wrap=not long, ratio=1)
    students: dict[str, list[Row]] = {}
    for row in rows:
        students.setdefault(row.student, []).append(row)
    for student, own in sorted(students.items(), key=lambda one: total(one[1])) if worst_first else students.items():
        most = sum(row.max_score for row in own)
        score = Text(f"{total(own):g}/{most:g}", style=_style(total(own), most))
        points = [f"−{own[0].penalty:g}" if own[0].penalty else ""] * len(off)
        points += [f"{row.score:g}" if row.state == "graded" else "–" for row in own if row.exercise in names]
        words, late = _words(own), _late(own[0])
        more = f"{len(words)} things, first " if len(words) > 1 else ""
        said = "\n".join([*words, *late]) if long else "; ".join([*late, more + words[0]])
        shown.add_row(Text(render.plain(named(student), 40)), score, *points, Text(said))
    return shown


def _style(points: float, most: float) -> str:
    """A colour for what the number beside it says in full."""
    return "green" if points >= most else "yellow" if points else "red"


WIDE = 120


def _words(rows: list[Row]) -> list[str]:
    """What a student's exercises come to; the same sentence is said once."""
    said: dict[str, list[str]] = {}
    for row in rows:
        if row.state != "graded" or row.score < row.max_score:
            state = "" if row.state == "graded" else f"{row.state}: "
            said.setdefault(state + row.diagnosis, []).append(row.exercise)
    lines = [f"{'all' if len(names) == len(rows) else ', '.join(names)}: {words}" for words, names in said.items()]
    odd: dict[str, list[str]] = {}
    for row in rows:
        if row.noticed:
            odd.setdefault(row.noticed, []).append(row.exercise)
    looks = [f"look at {', '.join(names)}: {words}" for words, names in odd.items()]
    return [*(lines or ["graded: all right"]), *looks]


def _late(row: Row) -> list[str]:
    """How late the submission came, in words."""
    if not row.seconds_late:
        return []
    penalty = f"; the penalty is {counted(row.penalty, 'point')}" if row.penalty else ""
    return [f"late by {how_late(row.seconds_late)}{penalty}"]
