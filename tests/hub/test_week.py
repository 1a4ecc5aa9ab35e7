"""A week on a hub with accounts of its own: handed out, fetched, checked, handed in, graded, given back."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import nbformat
import psutil
import pytest
import requests

from grader.chapters.answers import BANK
from grader.classroom.demo import notebook_of, samples

from .machine import Machine, free_port
from .person import Person

pytestmark = [
    pytest.mark.timeout(3000),
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("npm"), reason="needs root, bubblewrap and Node.js"),
]
NOTEBOOK = "one-step.ipynb"
STUDENTS = "ada", "bo", "eve"


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A machine with a course that is set up and released, and a hub that is ready."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    for name in ("teacher", *STUDENTS):
        machine.account(name)
    machine.folder.joinpath("home/teacher").chmod(0o755)  # as on many machines: the course closes itself
    course = machine.course("teacher")
    machine.done("teacher", "make", "-C", str(course), "setup", f"PYTHON={sys.base_prefix}/bin/python3", timeout=1500)
    release = "grader release --chapter 1 --bundle"
    machine.done("teacher", "sh", "-c", f"cd {course} && PATH=$PWD/.venv/bin:$PATH && {release}")
    machine.done("root", "make", "-C", str(course), "hub", "HUB_OPTIONS=--prepare", timeout=1500)
    return machine


@pytest.fixture(scope="module")
def hub(machine):
    """The hub's address, while it runs."""
    port = free_port()
    command = ["make", "-C", "/home/teacher/minigrad", "hub", f"HUB_OPTIONS=--port {port}"]
    log = (machine.folder / "hub.log").open("w+")
    process = subprocess.Popen(machine.command("root", *command), stdout=log, stderr=subprocess.STDOUT)
    address, end = f"http://127.0.0.1:{port}", time.monotonic() + 120
    while True:
        try:
            if requests.get(f"{address}/hub/api", timeout=5).ok:
                break
        except requests.ConnectionError:
            assert process.poll() is None and time.monotonic() < end, (machine.folder / "hub.log").read_text()
            time.sleep(0.5)
    yield address
    family = psutil.Process(process.pid).children(recursive=True)  # the servers, too
    for one in [process, *family]:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(family, timeout=30)


@pytest.fixture(scope="module")
def people(hub):
    return {name: Person(name, hub) for name in ("teacher", *STUDENTS)}


def sample(name):
    one = next(each for each in samples(1) if each.student == name)
    return notebook_of(one, 1)


def teach(people, line):
    said = people["teacher"].shell(f"cd ~/minigrad && {line}")
    assert said.endswith("ended with 0\n"), said
    return said


def test_a_week(people, machine):
    ada, bo, eve, teacher = (people[name] for name in (*STUDENTS, "teacher"))
    now = datetime.now(UTC)

    # Monday: the chapter is handed out, and fetched by a click.
    teach(people, "nbgrader release_assignment chapter1")
    listed = teacher.call("GET", "formgrader/api/assignments")
    assert "chapter1" in [each["name"] for each in listed], "formgrader knows where the course is"
    for person in (ada, bo, eve):
        assert person.ask("GET", "formgrader/").status_code == 404, "students have no formgrader"
        assert person.click("fetch", "chapter1")

    # Tuesday: checked in the notebook, kept in one home, and not in what is handed in.
    ada.put(f"chapter1/{NOTEBOOK}", sample("wrong-mul-own-value"))
    ran = ada.shell(f"cd ~/chapter1 && jupyter nbconvert --to notebook --execute --allow-errors --stdout {NOTEBOOK}")
    assert next(one.advice for one in BANK["mul"] if one.name == "mul-own-value")[:40] in ran
    assert "ended with 0" in ada.shell("ls ~/my_minigrad/README.md") and "my_minigrad" not in ada.shell("ls ~/chapter1")

    # Wednesday: a hand-in, and a better one.
    ada.click("submit", "chapter1")
    ada.put(f"chapter1/{NOTEBOOK}", sample("right-as-in-the-solution"))
    time.sleep(1.1)  # nbgrader counts hand-ins by the second
    ada.click("submit", "chapter1")

    # Thursday is the due date; two are late, of whom one has an extension.
    time.sleep(1.1)
    due = datetime.now(UTC)
    time.sleep(2.1)
    for person in (bo, eve):
        person.put(f"chapter1/{NOTEBOOK}", sample("right-as-in-the-solution"))
        person.click("submit", "chapter1")
    rules = f'[due]\nchapter1 = "{due:%Y-%m-%d %H:%M:%S} UTC"\n[late]\nper_day = 0.25\n'
    teacher.run(f"open('/home/teacher/minigrad/classroom/course.toml', 'w').write({rules!r})")
    teach(people, f'grader extend eve --chapter 1 --until "{now + timedelta(days=2):%Y-%m-%d %H:%M} UTC"')

    # Friday: collected, graded, and given back.
    teach(people, "nbgrader collect chapter1 --update")
    teach(people, "grader autograde --chapter 1")
    said = teach(people, "grader report --chapter 1 --json")
    points = {name: each["score"] for name, each in json.loads(said[: said.rindex("}") + 1])["students"].items()}
    most = max(points.values())
    assert points == {"ada": most, "bo": most * 0.75, "eve": most}, "the second hand-in counts, and lateness for one"
    teach(people, "grader feedback --chapter 1")
    teach(people, "nbgrader release_feedback chapter1")
    ada.click("fetch_feedback", "chapter1")
    pages = ada.shell("find ~/chapter1/feedback -name '*.html'")
    assert NOTEBOOK.replace("ipynb", "html") in pages, pages


def test_the_students_environment_has_the_engine_and_no_solution(people):
    ada = people["ada"]
    assert "/srv/minigrad/students/" in ada.run("import minigrad; print(minigrad.__file__)")
    hidden = " -o ".join(f"-name {name}" for name in ("right.py", "misconceptions.py", "sample", "solutions"))
    said = ada.shell(f"find /srv/minigrad/students/lib -path '*/site-packages/grader/*' '(' {hidden} ')'")
    assert said.split("ended with 0")[0].strip() == ""


@pytest.mark.parametrize(
    "line",
    [
        "ls /home/teacher/minigrad",
        "cat /home/teacher/minigrad/solutions/chapter1/one-step.ipynb",
        "cat /home/teacher/minigrad/classroom/gradebook.db",
        "ls /srv/minigrad/exchange/minigrad/inbound",
        "ls /srv/minigrad/state",
        "cat /srv/minigrad/state/cookie_secret",
        "touch /srv/minigrad/students/lib/mine",
        "touch /srv/minigrad/exchange/minigrad/outbound/mine",
        "mv /srv/minigrad/exchange/minigrad /srv/minigrad/exchange/other",
        "touch /srv/minigrad/settings/nbgrader_config.py",
    ],
)
def test_a_student_reads_and_changes_nothing_that_is_not_theirs(people, line):
    said = people["eve"].shell(line)
    assert "ended with 0" not in said and ("denied" in said or "not permitted" in said), said


def test_a_student_does_not_reach_anothers_server(people):
    assert people["eve"].web.get(f"{people['ada'].server}/api/contents").status_code in (403, 404)


def test_what_is_handed_in_is_a_notebook(people, machine):
    path = next((machine.folder / "home/teacher/minigrad/classroom/submitted/ada/chapter1").glob("*.ipynb"))
    assert nbformat.read(path, as_version=4).cells
