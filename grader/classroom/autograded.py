"""What an autograded notebook holds: the trusted verdict, written into its graded cells and read back.

nbgrader finds the scores in the outputs; the results themselves are kept in metadata, under `MARK`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import nbformat
from nbformat import NotebookNode

from ..ask.exercise import Exercise
from ..chapters import exercises
from ..publish.course import release_notebook
from ..run.execution.outputs import stream
from ..run.judge import Verdict, refuse
from ..run.submission import grade_id, restore
from ..verdict import inert, render
from ..verdict.assess import Result, from_dict, not_graded
from .words import counted
from .worth import worth

MOST_LINES, MOST_FRAMES = 900, 90  # of a cell's output: nbgrader cuts a thousand lines, and a hundred of a traceback
MOST_OUTPUTS = 300  # of a notebook: each takes half a millisecond where it is shown
MARK = "minigrad"  # our key in metadata: `restore` removes whatever a submission puts there


def write_into(
    nb: NotebookNode,
    verdict: Verdict,
    asked: tuple[Exercise, ...],
    given: frozenset[str] | None = None,
    points: Mapping[str, float] | None = None,
) -> NotebookNode:
    """Write outputs, results and scores into a restored notebook; a graded cell without a result gets no credit.

    Args:
        nb: the notebook, which is changed.
        verdict: the judge's.
        asked: the chapter's exercises.
        given: the sources of the release's cells; read from the course's folder if None.
        points: exercise → what it is worth in the class, where not as in the course.
    """
    happened = {str(index): state for index, state in verdict.happened.items()}
    nb.metadata[MARK] = {**nb.metadata.get(MARK, {}), "happened": happened, "limits": verdict.limits}
    results = {result.exercise: result for result in verdict.results}
    exercise_of = {exercise.graded_cell: exercise for exercise in asked}
    if given is None:
        given = sources(release_notebook(asked[0].chapter)) if asked else frozenset()
    room, outputs, area = inert.MOST_OF_NOTEBOOK, MOST_OUTPUTS, inert.MOST_AREA
    for index, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            if cell.source not in given:
                shown = inert.beginning(cell.source, room)
                room -= len(shown)
                cell.source = (inert.markdown if cell.cell_type == "markdown" else inert.raw)(shown)
            continue
        exercise = exercise_of.get(grade_id(cell))
        if exercise:
            judged = results.get(exercise.name) or not_graded(exercise, "not graded: there is no verdict")
            result = worth(judged, points or {})
            cell.metadata.nbgrader["points"] = result.max_score
            cell.outputs = _score_outputs(result)
            cell.metadata[MARK] = result.as_dict()
        else:
            printed = verdict.outputs.get(index, [])
            cell.outputs = [_inert(output) for output in printed[:outputs]]
            outputs -= len(cell.outputs)
            area = _fewer_pictures(cell.outputs, area)
            if more := len(printed) - len(cell.outputs):
                cell.outputs.append(stream("stderr", f"… left out here: {counted(more, 'more output')}.\n"))
            if index in verdict.notes:
                cell.outputs.append(stream("stdout", f"The grader: {verdict.notes[index]}\n"))
    return nb


@dataclass(frozen=True)
class Autograded:
    """An autograded notebook, ready to be written.

    Attributes:
        text: the file's, as nbgrader writes it; "" where nbgrader is to shorten it, or to say what is wrong.
        cells: the cells that nbgrader has rows of, as JSON: of each, what a row is made from.
    """

    text: str = ""
    cells: str = "[]"


def unreadable(release: NotebookNode, reason: str) -> NotebookNode:
    """What stands for a submission that cannot be read: the untouched release, with the reason."""
    nb: NotebookNode = restore(release, release)
    nb.metadata[MARK] = {"unreadable": reason}
    return nb


def finished(
    nb: NotebookNode,
    verdict: Verdict,
    chapter: int,
    given: frozenset[str] | None = None,
    points: Mapping[str, float] | None = None,
) -> Autograded:
    """The autograded notebook of a submission.

    Args:
        nb: the restored submission, which is changed.
        verdict: the verdict on it.
        chapter: its number.
        given: the sources of the release's cells; read from the course's folder if None.
        points: exercise → what it is worth in the class, where not as in the course.
    """
    nb = write_into(nb, verdict, exercises(chapter), given, points)
    try:
        nbformat.validate(nb)
        fits = not any(map(_is_long, nb.cells))
    except nbformat.ValidationError:
        fits = False
    if not fits:
        return Autograded()
    cells = [_of_rows(cell) for cell in nb.cells if grade_id(cell)]
    return Autograded(nbformat.v4.writes(nb) + "\n", json.dumps(cells))


def refused(release: NotebookNode, reason: str, chapter: int, points: Mapping[str, float] | None = None) -> Autograded:
    """The autograded notebook of a submission that cannot be read; arguments as of `unreadable` and `finished`."""
    given = sources(release)
    return finished(unreadable(release, reason), refuse(chapter, reason), chapter, given, points)


def _of_rows(cell: NotebookNode) -> dict[str, Any]:
    """A cell without what no row is made from: nobody asks what a graded cell's source is, or what another shows."""
    marks = cell.metadata.nbgrader
    source = cell.source if marks.get("solution") or marks.get("task") else ""
    outputs = cell.get("outputs", []) if marks.get("grade") else []
    return {"cell_type": cell.cell_type, "source": source, "outputs": outputs, "metadata": {"nbgrader": marks}}


def _is_long(cell: NotebookNode) -> bool:
    """Whether nbgrader may cut a cell's output."""
    outputs = cell.get("outputs", [])
    lines = sum(output.get("text", "").count("\n") + 1 for output in outputs)
    frames = max((len(output.get("traceback", [])) for output in outputs), default=0)
    return bool(lines > MOST_LINES or frames > MOST_FRAMES)


INERT = ("text/plain", "image/png", "image/jpeg")  # what an output may show: nothing that a browser runs


def sources(release: NotebookNode) -> frozenset[str]:
    """The sources of a notebook's cells."""
    return frozenset(cell.source for cell in release.cells)


def _inert(output: dict[str, Any]) -> NotebookNode:
    """A submission's output without HTML, SVG, JavaScript or anything else that could run in a reader's browser."""
    copy: NotebookNode = nbformat.from_dict(output)
    if "data" in copy:
        shown = {kind: _shown(kind, copy.data[kind]) for kind in INERT if isinstance(copy.data.get(kind), str)}
        copy.data = {kind: data for kind, data in shown.items() if data}
        copy.metadata = {}
    return copy


def _fewer_pictures(outputs: list[NotebookNode], area: int) -> int:
    """Leave out the pictures for whose pixels a page has no room; returns how many pixels are left."""
    for output in outputs:
        for kind in [kind for kind in output.get("data", {}) if kind.startswith("image/")]:
            size = inert.area(kind, output.data[kind])
            if size <= area:
                area -= size
            else:
                del output.data[kind]
                output.data.setdefault("text/plain", "… a picture is left out here: it has too many pixels.")
    return area


def _shown(kind: str, data: str) -> str:
    return data if kind == "text/plain" else inert.picture(kind, data)


def _score_outputs(result: Result) -> list[NotebookNode]:
    """The outputs in which nbgrader finds the score: a number is that many points, an error none."""
    words = stream("stdout", render.report(result) + "\n")
    if result.state != "graded":
        error = nbformat.v4.new_output("error", ename="NotGraded", evalue=render.plain(result.state), traceback=[])
        return [words, error]
    number: dict[str, object] = {"output_type": "execute_result", "execution_count": None, "metadata": {}}
    return [words, nbformat.from_dict(number | {"data": {"text/plain": repr(result.score)}})]


def results_in(nb: NotebookNode, chapter: int) -> list[Result]:
    """The results that `write_into` left in an autograded notebook, one for each exercise.

    nbgrader writes that notebook before there is a verdict: a run that was killed then leaves it without.
    """
    why = "not graded yet: a run was stopped before there was a verdict: run grader autograde"
    found = {grade_id(cell): cell.metadata[MARK] for cell in nb.cells if MARK in cell.metadata}
    return [
        _in_order(from_dict(found[e.graded_cell]), e) if e.graded_cell in found else not_graded(e, why)
        for e in exercises(chapter)
    ]


def _in_order(result: Result, exercise: Exercise) -> Result:
    """The result with its parts in the exercise's order: a notebook's metadata is written in the alphabet's."""
    parts = [*exercise.points]
    order = sorted(result.findings.items(), key=lambda one: parts.index(one[0]) if one[0] in parts else len(parts))
    return replace(result, findings=dict(order))
