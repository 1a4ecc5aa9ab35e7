"""Why a student has these points: the inputs that were drawn, the student's numbers beside torch's, and the rule.

For the instructor alone: it shows numbers that the next hand-in will not be asked for, and torch's answers to them.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..ask.exercise import Exercise
from ..chapters import exercises
from ..classroom import edition
from ..classroom.classroom import Classroom, grades
from ..classroom.marks import marks
from ..classroom.settings import read_settings
from ..classroom.words import counted
from ..classroom.worth import DIGITS, worth
from ..errors import CourseError
from ..publish.course import notebook_name, read_secret
from ..run.judge import Heard, Verdict, judge
from ..run.submission import Unreadable, read_notebook, restore
from ..verdict import render
from ..verdict.assess import Result, as_usual, expected
from ..verdict.compare import asked_for, first_difference, tolerance
from ..verdict.diagnose import of_part
from ..verdict.evidence import BadEvidence, Seen, read
from ..verdict.inert import one_line

MOST_NUMBERS, MOST_CHARACTERS, MOST_OF_ONE = 20, 10_000, 1_000  # of an array, of all inputs, of one
MOST_OF_VALUE = 2_000  # characters: twenty numbers along each of eight axes are many
Answers = list[tuple[dict[str, Any], str, list[str]]]  # what a probe was given, what came back, which parts were lent


def explain(
    classroom: Classroom, chapter: int, student: str, name: str = "", everything: bool = False, called: str = ""
) -> Iterator[str]:
    """The story of a student's points, in lines: the submission is run again, on the inputs of its grading.

    Args:
        classroom: the class.
        chapter: the chapter.
        student: whose submission.
        name: of the exercise; all of the chapter's if "".
        everything: all inputs, also where no answer differs; else the first case alone that is answered otherwise.
        called: what the student is called in sentences; the id, if "".

    Raises:
        CourseError: there is no such submission, it cannot be read, or the chapter has no such exercise.
    """
    chosen = [exercise for exercise in exercises(chapter) if name in ("", exercise.name)]
    if not chosen:
        known = ", ".join(exercise.name for exercise in exercises(chapter))
        raise CourseError(f"Chapter {chapter} has no exercise {name}; it has {known}.")
    answers: dict[str, Answers] = {}

    def heard(exercise: Exercise, inputs: dict[str, Any], answer: str, lent: list[str]) -> None:
        answers.setdefault(exercise.name, []).append((inputs, answer, lent))

    verdict = _judged_again(classroom, chapter, student, heard, called or student)
    given = _given(classroom, chapter, student)
    points = edition.points(classroom, chapter)
    for exercise in chosen:
        result = next(result for result in verdict.results if result.exercise == exercise.name)
        found, told = worth(result, points), given.get(exercise.graded_cell)
        yield from _of_exercise(exercise, found, answers.get(exercise.name, []), told, everything)
    if read_settings(classroom.folder).follow_through:
        follow = "It is judged with minigrad's own definitions in the place of those that are wrong."
    else:
        follow = "follow_through = false in course.toml: what fails on the student's own engine gets nothing."
    yield f"The rule: a part that is right has all of its points, and one that is not has none. {follow}"
    if (mark := marks(classroom, chapter).get(student)) and mark.penalty:
        late = read_settings(classroom.folder).late
        yield f"The chapter's mark: {mark}. The rule of lateness: {late or 'nbgrader_config.py'}."


def _judged_again(classroom: Classroom, chapter: int, student: str, heard: Heard, called: str) -> Verdict:
    path = classroom.submitted(student, chapter) / notebook_name(chapter)
    if student not in classroom.students(chapter):
        raise CourseError(f"There is no submission of chapter {chapter} by {called} in {classroom.folder}.")
    if stray := classroom.stray(student, chapter):
        raise CourseError(f"It is not run: {called}{stray.removeprefix(one_line(student))}.")  # it begins with the id
    release = edition.release(classroom, chapter)
    try:
        notebook = restore(read_notebook(path), release)
    except Unreadable as error:
        where = path if called == student else f"What {called} handed in"
        raise CourseError(f"{where} cannot be read: {error}.") from None
    secret, follow = read_secret(classroom.folder), read_settings(classroom.folder).follow_through
    return judge(notebook, release, chapter, student, secret, classroom.unsafe, follow_through=follow, heard=heard)


def _given(classroom: Classroom, chapter: int, student: str) -> dict[str, tuple[float, float]]:
    """Graded cell → the grader's points in the gradebook, and those that count."""
    if not classroom.has_gradebook():
        return {}
    with classroom.gradebook() as gradebook:
        return grades(gradebook, chapter).get(student, {})


def _of_exercise(
    exercise: Exercise,
    result: Result,
    answers: Answers,
    given: tuple[float, float] | None,
    everything: bool = False,
) -> Iterator[str]:
    yield f"{exercise.name} – {exercise.title}: {result.score:g} of {counted(result.max_score, 'point')}"
    if given and given[0] != result.score:
        yield f"  The gradebook has {given[0]:g}: it was graded before something changed; grader autograde tells it."
    if given and given[1] != given[0]:
        more = f"; the grader would now give {result.score:g}" if result.score > given[1] else ""
        yield f"  What counts was given by hand: {counted(given[1], 'point')}{more}."
    if not result.max_score:
        yield "  It does not count: course.toml says 0 points."
    if result.state != "graded":
        yield f"  {render.plain(result.state)}"
    share = result.max_score / exercise.max_score
    for part, finding in result.findings.items():
        most = round(exercise.points[part] * share, DIGITS)
        yield f"  {part}: {most if finding.right else 0:g} of {most:g}. {render.plain(finding.sentence())}"
        if finding.cause:
            yield f"    It rests on: every answer is that of the known mistake {finding.cause}, on the same inputs."
        elif finding.comparison:
            yield f"    {finding.comparison}"
        for inputs, answer, lent in answers:
            if part not in inputs:
                continue
            on = f"with minigrad's own {' and '.join(lent)}" if lent else "on the student's own engine"
            yield f"    Asked {on}:"
            yield from _beside(exercise, part, inputs, answer, everything)


def _beside(exercise: Exercise, part: str, inputs: dict[str, Any], answer: str, everything: bool) -> Iterator[str]:
    """The first of the student's values that differs, beside torch's, and what was drawn for it."""
    if everything:
        yield f"      all inputs: {_shortened(json.dumps(inputs[part]))}"
    try:
        seen = read(answer)
    except BadEvidence as error:
        yield f"      What came back is no evidence: {error}."
        return
    truth = as_usual(exercise, inputs, seen, expected(exercise, inputs))
    mine, torchs = of_part(seen, part), of_part(truth, part)
    allowed = tolerance(exercise.name, part)
    for got, want in zip(asked_for(mine), asked_for(torchs), strict=False):
        if not first_difference([got], [want], allowed).right:
            case = _shortened(json.dumps(_case(exercise, part, inputs[part], want)), MOST_OF_ONE)
            yield f"      input: {case}{'' if everything else ' (--all shows more)'}"
            yield f"      {want.place}: the student's {_value(got)}; torch's {_value(want)}"
            return
    yield f"      All as torch's, to {allowed:.0e} of their size: {counted(min(len(mine), len(torchs)), 'value')}."


def _case(exercise: Exercise, part: str, cases: Any, want: Seen) -> Any:
    """The first case of a part's that torch answers so, asked by itself; all of them, where none is by itself."""
    for case in cases if isinstance(cases, list) and len(cases) > 1 else []:
        with contextlib.suppress(Exception):  # of a probe that asks for all cases at once
            alone = asked_for(of_part(expected(exercise, {part: [case]}), part))
            if any(one.place == want.place and first_difference([one], [want], 0.0).right for one in alone):
                return case
    return cases


def _value(one: Seen) -> str:
    if one.values is not None:
        shown = np.array2string(one.values, precision=8, threshold=MOST_NUMBERS, separator=", ")
        return f"{one.kind} {_shortened(' '.join(shown.split()), MOST_OF_VALUE)}"
    said = one.flags.get("message", one.flags.get("value", ""))
    return render.plain(f"{one.kind} {one.flags.get('type', '')} {said}".strip())


def _shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
