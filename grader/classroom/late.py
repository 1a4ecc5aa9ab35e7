"""What lateness costs, as the class's `course.toml` says; where it says nothing, as nbgrader is configured."""

from __future__ import annotations

from pathlib import Path

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Unicode

from .settings import read_settings


class LatePenalty(LateSubmissionPlugin):
    """nbgrader asks it for each submission that is late."""

    classroom = Unicode("classroom", help="Folder of the class: its course.toml.").tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """Points to take off; None for none."""
        late = read_settings(Path(self.classroom)).late
        if late is None:
            penalty: float | None = super().late_submission_penalty(student_id, score, total_seconds_late)
            return penalty
        return late.share(total_seconds_late) * score or None
