"""A submission's process can read no right answer, no known mistake and no sample: every text that it sees is looked at."""

import json

import pytest

from grader.run.execution import Limits, Step, run_steps, sandbox_problem
from grader.run.judge import course_folder

from ..hidden import lines

LOOK = """
import os
hidden, found, seen = {hidden!r}, [], 0
for folder in ("/student", *(path for path in __import__("sys").path if path and os.path.isdir(path))):
    for place, _, names in os.walk(folder, followlinks=True):
        for name in names:
            if name.endswith((".py", ".toml", ".json", ".txt")):
                with open(os.path.join(place, name), "rb") as file:
                    text = file.read()
                seen += 1
                found += [line for line in hidden if line.encode() in text]
answer = __import__("json").dumps([seen, found])
"""


@pytest.mark.sandbox
@pytest.mark.skipif(bool(sandbox_problem()), reason=str(sandbox_problem()))
def test_what_lies_in_the_chapters_rooms_is_not_there():
    hidden = list(lines().values())
    steps = [Step(0, LOOK.format(hidden=[line[:60] for line in hidden]), "ask")]
    [result] = run_steps(steps, course_folder(1), Limits(cell_seconds=120, total_seconds=180))
    assert result.state == "ok", result
    seen, found = json.loads(result.answer)
    assert seen > 1000 and not found
