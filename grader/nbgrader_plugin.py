"""What nbgrader loads: its own pipeline, with our reading, our verdict and our explanation in it.

`nbgrader_config.py` names these classes. nbgrader keeps the gradebook, formgrader, manual grades,
feedback and export.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.converters import base
from nbgrader.plugins import ExportPlugin
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from . import inert, render, verdicts
from .assess import Result, from_dict, not_graded
from .course import chapter_of, read_secret, release_notebook
from .errors import CourseError
from .execution.outputs import stream
from .exercise import Exercise, exercises
from .folders import MOST_BYTES, tree
from .judge import Verdict, judge, refuse, verdict_from_json
from .submission import Unreadable, grade_id, read_notebook, restore

MARK = "minigrad"  # our key in metadata: `restore` removes whatever a submission puts there


def _own_files(folder: str, exclude: list[str]) -> list[str]:
    """nbgrader's `find_all_files` without links, devices and what is too large or too deep: it copies what it finds."""
    found = tree(Path(folder))
    if found.cut:
        return []
    own = {os.path.normpath(path) for path in found.files if path.stat().st_size <= MOST_BYTES}
    return [path for path in _find_all_files(folder, exclude) if os.path.normpath(path) in own]


_find_all_files, base.find_all_files = base.find_all_files, _own_files


class SubmissionExporter(NotebookExporter):
    """Read a submission whatever it is: a file that is no notebook becomes the release, with the reason."""

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Read, and on a damaged file put the untouched release in its place and note why."""
        try:
            if any(path.is_symlink() for path in (Path(filename), *Path(filename).parents[:2])):
                raise Unreadable("it is a link, or in one, which is not followed")
            notebook = read_notebook(Path(filename))
        except Unreadable as error:
            notebook = release_notebook(chapter_of(resources["nbgrader"]["assignment"]))
            resources[MARK] = str(error)
        return self.from_notebook_node(notebook, resources=resources, **kwargs)


class Restore(NbGraderPreprocessor):
    """First when sanitizing: the course's cells as the course wrote them, the student's among them."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Restore the submission; one that cannot be is the release, marked with the reason."""
        release = release_notebook(chapter_of(resources["nbgrader"]["assignment"]))
        reason = resources.pop(MARK, "")
        try:
            nb = restore(nb, release)
        except Unreadable as error:
            nb, reason = restore(release, release), str(error)
        if reason:
            nb.metadata[MARK] = {"unreadable": reason}
        return nb, resources


class Judge(NbGraderPreprocessor):
    """In the place of nbgrader's Execute: write the trusted verdict into the graded cells.

    nbgrader then reads the scores where it always does, in those cells' outputs.
    """

    classroom = Unicode("classroom", help="Folder of the class: secret and verdicts.").tag(config=True)
    unsafe = Bool(False, help="Run submissions without a sandbox where there is none.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Look the verdict up, or make it, and write it into the notebook."""
        about = resources["nbgrader"]
        chapter = chapter_of(about["assignment"])
        if reason := nb.metadata.get(MARK, {}).get("unreadable"):
            verdict = refuse(chapter, reason)
        else:
            verdict = self.verdict(nb, chapter, about["student"])
        return write_into(nb, verdict, exercises(chapter)), resources

    def verdict(self, nb: NotebookNode, chapter: int, student: str) -> Verdict:
        """The verdict on a restored submission, made now if it was not made before."""
        folder = Path(self.classroom)
        secret = read_secret(folder)
        name = verdicts.key(nb, chapter, student, secret)
        found = verdicts.load(folder / "verdicts", name)
        if found is None:
            text = judge(nb, release_notebook(chapter), chapter, student, secret, unsafe=self.unsafe).as_json()
            verdicts.save(folder / "verdicts", name, text)
            found = verdict_from_json(text)  # as it will be read again, without what no file can hold
        return found


def write_into(nb: NotebookNode, verdict: Verdict, asked: tuple[Exercise, ...]) -> NotebookNode:
    """Write outputs, results and scores into a restored notebook; a graded cell without a result gets no credit."""
    happened = {str(index): state for index, state in verdict.happened.items()}
    nb.metadata[MARK] = {**nb.metadata.get(MARK, {}), "happened": happened, "limits": verdict.limits}
    results = {result.exercise: result for result in verdict.results}
    exercise_of = {exercise.graded_cell: exercise for exercise in asked}
    given = given_sources(asked[0].chapter) if asked else set()
    room = inert.MOST_OF_NOTEBOOK
    for index, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            if cell.source not in given:
                shown = inert.beginning(cell.source, room)
                room -= len(shown)
                cell.source = (inert.markdown if cell.cell_type == "markdown" else inert.raw)(shown)
            continue
        exercise = exercise_of.get(grade_id(cell))
        if exercise:
            result = results.get(exercise.name) or not_graded(exercise, "not graded: there is no verdict")
            cell.outputs = _score_outputs(result)
            cell.metadata[MARK] = result.as_dict()
        else:
            cell.outputs = [_inert(output) for output in verdict.outputs.get(index, [])]
            if index in verdict.notes:
                cell.outputs.append(stream("stdout", f"The grader: {verdict.notes[index]}\n"))
    return nb


@functools.lru_cache(maxsize=16)
def given_sources(chapter: int) -> frozenset[str]:
    """The sources of the release's cells, which the course wrote."""
    return frozenset(cell.source for cell in release_notebook(chapter).cells)


INERT = ("text/plain", "image/png", "image/jpeg")  # what an output may show: nothing that a browser runs


def _inert(output: Any) -> NotebookNode:
    """A submission's output without HTML, SVG, JavaScript or anything else that could run in a reader's browser."""
    output = nbformat.from_dict(output)
    if "data" in output:
        shown = {kind: _shown(kind, output.data[kind]) for kind in INERT if isinstance(output.data.get(kind), str)}
        output.data = {kind: data for kind, data in shown.items() if data}
        output.metadata = {}
    return output


def _shown(kind: str, data: str) -> str:
    return data if kind == "text/plain" else inert.picture(kind, data)


def _score_outputs(result: Result) -> list[NotebookNode]:
    """The outputs in which nbgrader finds the score: a number is that many points, an error none."""
    words = stream("stdout", render.report(result) + "\n")
    if result.state != "graded":
        error = nbformat.v4.new_output("error", ename="NotGraded", evalue=render.plain(result.state), traceback=[])
        return [words, error]
    number = {"output_type": "execute_result", "execution_count": None, "metadata": {}}
    return [words, nbformat.from_dict(number | {"data": {"text/plain": repr(result.score)}})]


def results_in(nb: NotebookNode, chapter: int) -> list[Result]:
    """The results that `write_into` left in an autograded notebook, one for each exercise.

    nbgrader writes that notebook before there is a verdict: a run that was killed then leaves it without.
    """
    why = "not graded yet: a run was stopped before there was a verdict: run grader autograde"
    found = {grade_id(cell): cell.metadata[MARK] for cell in nb.cells if MARK in cell.metadata}
    return [
        from_dict(found[e.graded_cell]) if e.graded_cell in found else not_graded(e, why) for e in exercises(chapter)
    ]


def chapters_asked(names: Iterable[Any]) -> list[int]:
    """The chapters of `nbgrader export --assignment`; a name that is none ends the command with its sentence."""
    try:
        return [chapter_of(str(name)) for name in names]
    except CourseError as error:  # nbgrader would show where in the code it was raised
        raise SystemExit(f"grader: {error}") from None


class ExerciseExport(ExportPlugin):
    """`nbgrader export --exporter=grader.nbgrader_plugin.ExerciseExport`: one row a student and exercise."""

    classroom = Unicode("classroom", help="Folder of the class.").tag(config=True)

    def export(self, gradebook: Any) -> None:
        """Write the rows as CSV to `--to`, by default `grades.csv` in the classroom."""
        from .report import class_rows, write_csv

        folder = Path(self.classroom)
        wanted = chapters_asked(self.assignment) or None
        rows = class_rows(folder, gradebook, wanted)
        students = {str(name) for name in self.student}
        write_csv(Path(self.to or folder / "grades.csv"), [r for r in rows if not students or r.student in students])
