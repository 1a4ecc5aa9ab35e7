"""What students are called, write and raise, in everything that an instructor prints, opens or imports."""

import csv
import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from typer.testing import CliRunner

from grader import cli
from grader.chapters import exercises
from grader.classroom.classroom import Classroom, name_problem
from grader.classroom.grading import Crew, autograde
from grader.classroom.settings import read_settings
from grader.classroom.work import answered, restored
from grader.errors import CourseError
from grader.publish.course import notebook_name, read_secret
from grader.run.execution import sandbox_problem
from grader.run.judge import Verdict, verdict_from_json
from grader.verdict.assess import Result
from grader.verdict.finding import Finding
from grader.verdict.inert import one_line

from .fuzz import Active
from .notebooks import changed, made, right

pytestmark = pytest.mark.timeout(900)
ODD = (
    "\x1b[2J\x9b2J\x07<script>planted()</script>\nplanted: 16 points\r=1+1;=2 \ud800 {{7*7}} [red]\u202e "
    "![x](https://elsewhere/x.png) %(x)s $(touch planted)"
)
NO_TEXT = "m\udcfcller"  # bytes that are no UTF-8, as another system's zip leaves them
NAMES = [
    *("=1+1", "a;=1+1", "-rf", "--help", "@SUM(A1)", "c\x9b2J", "x\u202ey", "$(touch planted)", "%(x)s"),
    *(
        "<script>planted()<!script>",
        "'\"><img src=x onerror=planted()>",
        "a" * 200,
        "a\nplanted: 16 points",
        "\x1b[2Jx",
        NO_TEXT,
    ),
]
COMMANDS = [
    *(["feedback"], ["similar"], ["similar", "--json"], ["explain", "--student", ODD], ["forget", "--yes", ODD]),
    *(["report", "--long"], ["report", "--json"], ["report", "--student", "=1+1"]),
    *(["report", "--format", "canvas"], ["report", "--format", "moodle"], ["report", "--into", "lms.csv"]),
    *(
        ["autograde"],
        ["autograde", "--json"],
        ["autograde", "--json-lines"],
        ["extend", ODD, "--until", "2026-12-02 18:00 UTC"],
    ),
    *(
        ["explain", "--student", NO_TEXT],
        ["mark", NO_TEXT, "--exercise", "mul", "--points", "1"],
        ["autograde", "--all"],
    ),
    *(["extend", NO_TEXT, "--until", "2026-12-02 18:00 UTC"], ["forget", "--yes", NO_TEXT]),
]


def hostile(job):
    """A verdict in which all that can quote a student does."""
    found = [
        Result(e.name, 0.0, e.max_score, "graded", dict.fromkeys(e.points, Finding("raised", ODD, ODD, ODD)))
        for e in exercises(1)
    ]
    found[0] = Result(found[0].exercise, 0.0, found[0].max_score, f"not graded: {ODD}", {})
    outputs = {3: [{"output_type": "stream", "name": "stdout", "text": ODD}]}
    verdict = verdict_from_json(Verdict(tuple(found), outputs, {0: ODD}, {0: ODD}).as_json())
    return answered(job, restored(job), verdict)


@pytest.fixture(scope="module")
def room(tmp_path_factory, empty_gradebook):
    room = Classroom(tmp_path_factory.mktemp("shown") / "room")
    read_secret(room.folder)
    shutil.copy(empty_gradebook, room.folder)
    own = [nbformat.v4.new_code_cell(f"# {ODD}"), nbformat.v4.new_markdown_cell(ODD), nbformat.v4.new_raw_cell(ODD)]
    for name in NAMES:
        path = room.submitted(name, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_bytes(
            made(changed(lambda notebook: notebook.cells.extend(own), right)).decode("utf-8", "replace").encode()
        )
    problems = autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(1), 1, hostile))
    assert all("rename the folder" in problem for problem in problems.values()), problems
    (room.folder / "lms.csv").write_text("Student,ID,SIS Login ID,chapter1\nx,1,=1+1,\ny,2,nobody,\n")
    return room


@pytest.fixture(scope="module")
def said(room):
    """Command → what it prints."""
    found = {}
    for command, *words in COMMANDS:
        words = [str(room.folder / word) if word == "lms.csv" else word for word in words]
        unsafe = ["--unsafe"] if command == "autograde" and sandbox_problem() else []
        result = CliRunner().invoke(cli.app, [command, "--classroom", str(room.folder), *words, *unsafe])
        assert result.exception is None or isinstance(result.exception, SystemExit | CourseError), result.exception
        found[" ".join([command, *words])[:40]] = result.output or one_line(str(result.exception or ""))
    assert not room.submitted(NO_TEXT, 1).exists(), "it was forgotten"
    return found


def test_no_command_commands_a_terminal_or_lets_a_student_write_a_line_of_ours(said):
    assert len(said) == len(COMMANDS)
    for command, text in said.items():
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text), command
        assert not re.search(r"^planted", text, re.MULTILINE), command


def test_a_name_that_is_no_text_is_its_own_row_with_a_sentence(room, said):
    """The others' rows, and their number, are as if that folder had not been there."""
    assert "m\\udcfcller: its name is no text in UTF-8" in said["autograde"]
    refused = [name for name in NAMES if name_problem(name)]
    assert (
        said["autograde"].count("rename the folder") == len(refused) == 7
        and "\n8 submissions have" in said["autograde"]
    )
    assert json.loads(said["autograde --json"])["problems"][NO_TEXT].endswith("rename the folder")
    assert "m\\udcfcller" in said["report --long"]
    for command in ("explain --student", "mark", "extend"):
        [words] = [words for asked, words in said.items() if asked.startswith(f"{command} {NO_TEXT}")]
        assert "rename the folder" in words or "yourself" in words, command


def test_json_is_json_a_line_each(said):
    assert json.loads(said["report --json"])["students"].keys() >= {"=1+1", "-rf"}
    lines = said["autograde --json-lines"].splitlines()
    assert lines and all(json.loads(line) for line in lines)


def test_no_spreadsheet_computes_what_a_student_wrote(room, said):
    written = [path for path in room.folder.glob("*.csv") if not path.name.startswith("lms")]
    assert len(written) >= 5
    for path in written:
        with path.open(newline="", encoding="utf-8") as file:
            cells = [cell for line in csv.reader(file) for cell in line]
        for cell in cells:
            assert not re.match(r"[=\t\r]|[-+@].*[(|!]", cell, re.DOTALL), (path.name, cell)
            assert not re.search(r"[;\t|\r\n]=", cell), (path.name, cell)
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", cell), (path.name, cell)


def test_no_page_or_drawing_runs_or_loads_anything(room, said):
    pages = [*room.folder.glob("report-*.html"), *room.folder.glob("feedback/**/*.html"), *room.folder.glob("*.svg")]
    assert len(pages) > 5
    for path in pages:
        text = path.read_text("utf-8")
        assert [one for one in Active(text).found if path.suffix == ".html"] == [], path
        assert "<script" not in text and "elsewhere" not in "".join(re.findall(r"<(?:img|link)[^>]*>", text)), path
        assert "feedback" in path.parts or not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text), path


def test_settings_take_a_name_as_a_name(room, said):
    """`extend` writes whom it is told into course.toml, or says that it cannot."""
    assert set(read_settings(room.folder).extensions.get(1, {})) <= {ODD}


def test_nobody_ran_anything(room, said):
    assert not [path for path in room.folder.rglob("*") if path.name == "planted"]
