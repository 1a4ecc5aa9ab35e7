"""What an exercise is worth in a class, where its `course.toml` says so. The judge knows nothing of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..chapters import exercises
from ..publish.course import assignment, script
from ..verdict.assess import Result

DIGITS = 6  # a part's share of other points may be no short number


def worth(result: Result, points: Mapping[str, float]) -> Result:
    """The result in the class's points: each part keeps its share of them.

    Args:
        result: the judge's.
        points: exercise → what it is worth, for those that the class has changed; 0 leaves one out.
    """
    most = points.get(result.exercise, result.max_score)
    score = round(result.score * most / result.max_score, DIGITS) if result.max_score else 0.0
    return replace(result, score=score, max_score=most)


def weighed_solution(chapter: int, points: Mapping[str, float]) -> dict[Path, str]:
    """The chapter's solved notebook with the class's points in its graded cells: path below the course's folder → text.

    That is what nbgrader's gradebook learns the points from.
    """
    cells = {exercise.graded_cell: points[exercise.name] for exercise in exercises(chapter) if exercise.name in points}
    path = script(chapter).with_suffix(".ipynb")
    if not cells or not path.is_file():
        return {}
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        about = cell["metadata"].get("nbgrader", {})
        if about.get("grade_id") in cells:
            about["points"] = cells[about["grade_id"]]
    return {Path("solutions", assignment(chapter), path.name): json.dumps(notebook)}


def possible(chapter: int, points: Mapping[str, float]) -> float:
    """All points of the chapter in the class."""
    return float(sum(points.get(exercise.name, exercise.max_score) for exercise in exercises(chapter)))
