"""What nbgrader loads: its own pipeline, with our reading, our verdict and our explanation in it.

`nbgrader_config.py` names these classes. nbgrader keeps the gradebook, formgrader, manual grades,
feedback and export.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader import coursedir
from nbgrader.converters import GenerateFeedback, base
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from ..chapters import exercises
from ..publish.course import chapter_of, read_secret, release_notebook
from ..run import verdicts
from ..run.folders import MOST_BYTES, tree
from ..run.judge import Verdict, judge, refuse, verdict_from_json
from ..run.submission import Unreadable, digest, read_notebook, restore
from . import edition
from .autograded import MARK, sources, unreadable, write_into
from .classroom import Classroom, time_in
from .settings import read_settings


def own_files(folder: str, exclude: list[str]) -> list[str]:
    """nbgrader's `find_all_files` without links, devices and what is too large or too deep: it copies what it finds."""
    found = tree(Path(folder))
    if found.cut:
        return []
    own = {os.path.normpath(path) for path in found.files if path.stat().st_size <= MOST_BYTES}
    return [path for path in _find_all_files(folder, exclude) if os.path.normpath(path) in own]


SECRET, MOST_OF_SECRET = "submission_secret.txt", 128  # what nbgrader's exchange writes on handing in: as many digits


def files_beside_a_page(self: GenerateFeedback, assignment_id: str, student_id: str) -> None:
    """In the place of nbgrader's `init_assignment` for feedback: beside the page lie the course's pictures alone.

    nbgrader copies all that was handed in, such as an index.html with scripts, to where the student's page is served; a
    page shows nothing of it. The time of the submission is written anew, for nbgrader to tell an older page by, and the
    number by which its exchange finds the page.
    """
    places, target = self.coursedir, Path(self._format_dest(assignment_id, student_id))
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)
    source = places.format_path(places.source_directory, ".", assignment_id)
    for path in own_files(source, [*places.ignore, "*.ipynb"]):
        copy = target / os.path.relpath(path, source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    with contextlib.suppress(Exception):  # of a text that is no time, by which no page is older than another
        if when := places.get_existing_timestamp(self._format_source(assignment_id, student_id)):
            (target / "timestamp.txt").write_text(f"{when} UTC\n", "utf-8")
    with contextlib.suppress(OSError, ValueError):  # the exchange finds the student's own page by it
        secret = (Path(self._format_source(assignment_id, student_id)) / SECRET).read_bytes()[:MOST_OF_SECRET]
        (target / SECRET).write_text(bytes.fromhex(secret.decode("ascii")).hex(), "ascii")


_find_all_files, base.find_all_files = base.find_all_files, own_files
coursedir.parse_utc = time_in
GenerateFeedback.init_assignment = files_beside_a_page


class SubmissionExporter(NotebookExporter):
    """Read a submission whatever it is: a file that is no notebook becomes the release, with the reason."""

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> tuple[str, dict[str, Any]]:  # type: ignore[override]
        """Read, and on a damaged file put the untouched release in its place and note why."""
        try:
            if any(path.is_symlink() for path in (Path(filename), *Path(filename).parents[:2])):
                raise Unreadable("it is a link, or in one, which is not followed")
            # nbgrader reads twice: what was handed in, and then what its first step has written.
            written = Path(filename).parents[2].name == "autograded"
            notebook = nbformat.read(filename, as_version=4) if written else read_notebook(Path(filename))
        except Unreadable as error:
            notebook = release_notebook(chapter_of(resources["nbgrader"]["assignment"]))
            resources[MARK] = str(error)
        read: tuple[str, dict[str, Any]] = self.from_notebook_node(notebook, resources=resources, **kwargs)
        return read


class Restore(NbGraderPreprocessor):
    """First when sanitizing: the course's cells as the course wrote them, the student's among them."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Restore the submission; one that cannot be is the release, marked with the reason."""
        room = Classroom(Path(Judge(config=self.config).classroom))
        release = edition.release(room, chapter_of(resources["nbgrader"]["assignment"]))
        if reason := resources.pop(MARK, ""):
            return unreadable(release, reason), resources
        try:
            return restore(nb, release), resources
        except Unreadable as error:
            return unreadable(release, str(error)), resources


class Judge(NbGraderPreprocessor):
    """In the place of nbgrader's Execute: write the trusted verdict into the graded cells.

    nbgrader then reads the scores where it always does, in those cells' outputs.
    """

    classroom = Unicode("classroom", help="Folder of the class: secret and verdicts.").tag(config=True)
    unsafe = Bool(False, help="Run submissions without a sandbox where there is none.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Look the verdict up, or make it, and write it into the notebook."""
        about = resources["nbgrader"]
        chapter = chapter_of(about["assignment"])
        if reason := nb.metadata.get(MARK, {}).get("unreadable"):
            verdict = refuse(chapter, reason)
        else:
            verdict = self.verdict(nb, chapter, about["student"])
        room = Classroom(Path(self.classroom))
        given, worth = sources(edition.release(room, chapter)), edition.points(room, chapter)
        return write_into(nb, verdict, exercises(chapter), given, worth), resources

    def verdict(self, nb: NotebookNode, chapter: int, student: str) -> Verdict:
        """The verdict on a restored submission, made now if it was not made before."""
        folder, room = Path(self.classroom), Classroom(Path(self.classroom))
        secret = read_secret(folder)
        follow = read_settings(folder).follow_through
        grader = edition.edition(room, chapter).grader
        name = verdicts.key(digest(nb), chapter, student, secret, follow, grader)
        found = verdicts.load(folder / "verdicts", name)
        if found is None:
            made = judge(
                nb, edition.release(room, chapter), chapter, student, secret, self.unsafe, follow_through=follow
            )
            text = made.as_json()
            verdicts.save(folder / "verdicts", name, text)
            found = verdict_from_json(text)  # as it will be read again, without what no file can hold
        return found
