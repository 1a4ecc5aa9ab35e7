"""What nbgrader loads: its own pipeline, with our reading, our verdict and our explanation in it.

`nbgrader_config.py` names these classes. nbgrader keeps the gradebook, formgrader, manual grades,
feedback and export.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from ..chapters import exercises
from ..publish.course import chapter_of, read_secret, release_notebook
from ..run import verdicts
from ..run.judge import Verdict, judge, refuse
from ..run.submission import Unreadable, read_notebook, restore
from .autograded import MARK, write_into


class SubmissionExporter(NotebookExporter):
    """Read a submission whatever it is: a file that is no notebook becomes the release, with the reason."""

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> tuple[str, dict[str, Any]]:  # type: ignore[override]
        """Read, and on a damaged file put the untouched release in its place and note why."""
        try:
            notebook = read_notebook(Path(filename))
        except Unreadable as error:
            notebook = release_notebook(chapter_of(resources["nbgrader"]["assignment"]))
            resources[MARK] = str(error)
        read: tuple[str, dict[str, Any]] = self.from_notebook_node(notebook, resources=resources, **kwargs)
        return read


class Restore(NbGraderPreprocessor):
    """First when sanitizing: the course's cells as the course wrote them, the student's among them."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
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

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
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
            found = judge(nb, release_notebook(chapter), chapter, student, secret, unsafe=self.unsafe)
            verdicts.save(folder / "verdicts", name, found.as_json())
        return found
