"""A class of attacks is graded, and so is everybody in it who is honest.

Each attack is one submission in which Mul is wrong: a cell of `*.toml` before Mul's (or `instead` of it), or a file of
`notebooks.HOSTILE`. None gets credit for Mul, none changes another's verdict, and none leaves anything on this machine.
"""

import functools
import json
import re
import shutil
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import psutil
import pytest
from nbconvert import HTMLExporter

from grader.about.report import class_rows
from grader.classroom.classroom import Classroom, grades
from grader.classroom.grading import Crew, autograde
from grader.classroom.work import answered, do, restored
from grader.publish.course import course_root, notebook_name, read_secret, release_notebook
from grader.run.execution import Limits, sandbox_problem, warm
from grader.run.judge import course_folder, judge, verdict_from_json
from grader.run.submission import Unreadable, grade_id, restore

from .handed_in import BREAKING
from .notebooks import BAD_NAMES, HONEST, HOSTILE, NAMES, made, right, written, wrong

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(bool(sandbox_problem()), reason=str(sandbox_problem())),
    pytest.mark.timeout(900),
]

PATIENT = Limits(memory_bytes=1200 << 20, restarts=1)
HASTY = replace(PATIENT, cell_seconds=1.5, total_seconds=15, patience=2)
# For an attack after which the kernel never answers again: there is nothing to see but that it is waited for.
SILENT = replace(HASTY, cell_seconds=0.75)
CODE = {
    name: attack
    for path in sorted(Path(__file__).parent.glob("*.toml"))
    for name, attack in tomllib.loads(path.read_text("utf-8")).items()
}
FILES = HOSTILE | BREAKING
ATTACKS = {**CODE, **FILES}
SHOWN = [name for name in BREAKING if name.startswith(("markdown", "raw", "picture", "slow", "parentheses"))]
GUARDS = ("aa-honest", "zz-honest")


def quick(job):
    """`grader.classroom.work.do`, with less patience for attacks that are cells.

    What is the same submission once it is restored, be it under another name, is judged once; not so the guards'.
    """
    try:
        notebook = restored(job)
    except Unreadable:
        return do(job)
    if job.student in GUARDS:
        return judged(job, notebook, PATIENT)
    if job.student not in CODE:
        anybodys = replace(job, submission=b"", student="anybody", points=())
        return judged_once(anybodys, json.dumps(notebook), HASTY if job.student.startswith("slow-") else PATIENT)
    attack = CODE[job.student]
    done = judged(job, notebook, SILENT if attack.get("silent") else HASTY)
    # On a slow machine, the cells before the attack may have been too slow: then it was not made where it should be.
    too_early = any(index < place(attack) for index in verdict_from_json(done.verdict).happened)
    return judged(job, restored(job), PATIENT) if too_early else done


def judged(job, notebook, limits):
    release = nbformat.reads(job.release, 4)
    return answered(job, notebook, judge(notebook, release, job.chapter, job.student, job.secret, limits=limits))


@functools.cache
def judged_once(job, text, limits):
    return judged(job, nbformat.from_dict(json.loads(text)), limits)


def place(attack):
    """The number of the attack's cell."""
    return next(i for i, cell in enumerate(wrong().cells) if grade_id(cell) == attack.get("at", "mul"))


def attacking(attack, room):
    """The notebook of an attack that is a cell."""
    places = {"{room}": str(room.folder), "{root}": str(course_root()), "{home}": str(Path.home())}
    code = re.sub("|".join(map(re.escape, places)), lambda found: places[found[0]], attack["code"])
    notebook, at = wrong(), place(attack)
    if attack.get("instead"):
        notebook.cells[at].source = code
    else:
        notebook.cells.insert(at, nbformat.v4.new_code_cell(code))
    return written(notebook)


def state_of_the_machine(room):
    """What must not change: the course, what was handed in, the secret; and what must not be there."""
    watched = [room.folder / "secret", *(room.folder / "submitted").rglob("*")]
    for name in ("grader", "minigrad", "solutions", "notebooks", "tests"):
        watched += (path for path in (course_root() / name).rglob("*") if "__pycache__" not in path.parts)
    files = {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in watched if path.is_file()}
    places = ["/", "/tmp", "/var/tmp", "/dev/shm", "/home", Path.home(), course_root(), room.folder, "/usr/lib", "/etc"]
    planted = [str(path) for place in places for path in Path(place).glob("planted*")]
    return files, planted


@pytest.fixture(scope="module")
def temporary():
    """This class's own folder for temporary files, with a name short enough for a socket's path."""
    course_folder(1)  # Kept by the process beyond this class, so not in there.
    before = tempfile.tempdir
    tempfile.tempdir = tempfile.mkdtemp(prefix="a-")
    yield Path(tempfile.tempdir)
    warm.end_all()
    shutil.rmtree(tempfile.tempdir)
    tempfile.tempdir = before


@pytest.fixture(scope="module")
def graded(tmp_path_factory, empty_gradebook, temporary):
    """The class, graded: its room, and the state of the machine before and after."""
    room = Classroom(tmp_path_factory.mktemp("attacks") / "room")
    read_secret(room.folder)
    shutil.copy(empty_gradebook, room.folder)
    handed_in = {name: attacking(attack, room) for name, attack in CODE.items()}
    handed_in |= {name: made(file) for name, file in FILES.items()}
    handed_in |= {f"odd-{name}": made(file) for name, file in HONEST.items()}
    handed_in |= dict.fromkeys((*NAMES, *BAD_NAMES, *GUARDS), written(right()))
    for student, data in handed_in.items():
        path = room.submitted(student, 1) / notebook_name(1)
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    before = state_of_the_machine(room)
    problems = autograde(room, 1, crew=Crew(lambda: ThreadPoolExecutor(4), 4, quick))
    assert set(problems) == set(BAD_NAMES) and all("rename the folder" in problem for problem in problems.values()), (
        problems
    )
    return room, before, state_of_the_machine(room)


@pytest.fixture(scope="module")
def rows(graded):
    with graded[0].gradebook() as gradebook:
        found = class_rows(graded[0].folder, gradebook, [1])
    return {(row.student, row.exercise): row for row in found}


@pytest.fixture(scope="module")
def total(rows):
    return lambda student: sum(row.score for (who, _), row in rows.items() if who == student)


def test_there_are_enough_attacks():
    assert len(ATTACKS) >= 120 and not set(CODE) & set(FILES)


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_no_credit_for_wrong_code(rows, name):
    row = rows[name, "mul"]
    assert row.score == 0
    assert row.diagnosis


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_of_the_machine_is_in_its_outputs(graded, name):
    room = graded[0]
    text = room.autograded(name, 1).read_text("utf-8")
    assert read_secret(room.folder).decode() not in text
    printed = [o for c in json.loads(text)["cells"] for o in c.get("outputs", ()) if o.get("name") == "stdout"]
    words = "".join("".join(output["text"]) for output in printed)
    assert not re.search(r"^(READ|FOUND|CONNECTED|FETCHED|WROTE)\b", words, re.MULTILINE), words


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_oddity_keeps_its_marks(total, rows, name):
    assert total(f"odd-{name}") == 16, [row for (who, _), row in rows.items() if who == f"odd-{name}"]


@pytest.mark.parametrize("name", NAMES)
def test_an_odd_name_keeps_its_marks(total, name):
    assert total(name) == 16


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_is_a_pattern_changes_nobody(total, name):
    assert total(name) == 0 and total(GUARDS[0]) == 16


@pytest.mark.parametrize("name", GUARDS)
def test_an_honest_verdict_is_what_it_is_without_the_others(graded, name):
    """Bit for bit."""
    room = graded[0]
    notebook, secret = restore(right(), release_notebook(1)), read_secret(room.folder)
    verdict = judge(notebook, release_notebook(1), 1, name, secret, limits=PATIENT)
    kept = [path.read_text("utf-8") for path in (room.folder / "verdicts").glob("*.json")]
    assert verdict.as_json() in kept
    assert verdict_from_json(verdict.as_json()).score == 16


def test_nothing_on_the_machine_was_changed(graded):
    _, before, after = graded
    assert after[1] == []
    assert after[0] == before[0]


def test_everybody_is_in_the_gradebook_once(graded, rows):
    room = graded[0]
    with room.gradebook() as gradebook:
        assert set(grades(gradebook, 1)) == {who for who, _ in rows} == set(room.students(1))


def test_no_process_is_left_over(graded):
    family = psutil.Process().children(recursive=True)
    names = [p.name() for p in family if p.status() != psutil.STATUS_ZOMBIE]
    assert len([name for name in names if name == "bwrap"]) <= 2 * 3
    assert [
        p for p in family if p.name() != "bwrap" and "zygote.py" in str(p.cmdline()) and p.parent().name() != "bwrap"
    ] == []


def test_no_folder_of_a_kernel_is_left_over(graded, temporary):
    """But those of idle warm processes, in which their forks' were."""
    assert list(temporary.glob("mg-*/r/*")) == []
    assert [folder for folder in temporary.glob("mg-*") if not (folder / "r").is_dir()] == []


class Page(HTMLParser):
    """Finds what would run: scripts, handlers and script links that name the attack."""

    def __init__(self, text):
        super().__init__()
        self.inside, self.found = "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = tag if tag in ("script", "style", "iframe", "object", "embed") else ""
        for name, value in attrs:
            if "planted_by_attack" in (value or "") and (
                name.startswith("on") or name in ("href", "src", "srcdoc", "data")
            ):
                self.found.append((tag, name, value))

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside and "planted_by_attack" in data:
            self.found.append((self.inside, data))


@pytest.mark.parametrize("name", ["active-content", "attachments", "prints-a-verdict", *SHOWN])
def test_a_feedback_page_is_safe_to_open(graded, name):
    room = graded[0]
    before = time.process_time()
    assert room.generate_feedback(name, 1) == ""
    assert time.process_time() - before < 5, "a page takes what every page takes, and no second more"
    page = room.feedback(name, 1).read_text("utf-8")
    assert Page(page).found == [] and "elsewhere.example" not in loaded(page)
    assert "Your gradients, compared with torch.autograd" in page


@pytest.mark.parametrize("name", ["active-content", "attachments", *SHOWN])
def test_what_formgrader_shows_is_safe_to_open(graded, name):
    filters = graded[0].config().HTMLExporter.filters
    page = HTMLExporter(template_name="basic", filters=filters).from_filename(graded[0].autograded(name, 1))[0]
    assert Page(page).found == [] and "elsewhere.example" not in loaded(page)


def loaded(page):
    """The tags that load something."""
    return "".join(re.findall(r"<(?:img|link|script|style)[^>]*>", page))
