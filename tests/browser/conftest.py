"""A browser, a copy of the course, and a JupyterLab that serves it."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from grader.classroom.demo import write_samples

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    pytest.exit("Playwright is not installed: `make browser` installs it and runs these tests.", returncode=2)

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
COURSE = ("minigrad", "grader", "notebooks", "solutions", "nbgrader_config.py", "environment.yml", "pyproject.toml")
STUDENTS = ("corrupt-file", "half-done", "raises-an-error", "right-with-a-stack", "wrong-mul-own-value")
GENERATED = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.egg-info")


def pytest_addoption(parser):
    parser.addoption("--pictures", action="store_true", help="renew the pictures that the README shows")


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        found = next(filter(None, map(shutil.which, NAMES)), own if own.exists() else None)
        if found is None:
            words = "run `apt install chromium`, or `.venv/bin/playwright install chromium`"
            pytest.exit(f"There is no Chromium or Chrome to test with: {words}.", returncode=2)
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A page on a desktop's screen; nothing in the course needs more than a minute to answer."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(60_000)
    yield page
    page.context.close()


@pytest.fixture
def pictures(request):
    """Takes a picture of a page, or of a part of it; `--pictures` puts it where the README shows it."""

    def take(page, name, **part):
        taken = page.screenshot(**part)
        assert len(taken) < 150_000, "a reader waits for it"
        if request.config.getoption("--pictures"):
            (ROOT / "grader" / name).write_bytes(taken)

    return take


@pytest.fixture(scope="session")
def course(tmp_path_factory):
    """A copy of the course, so that nobody's notebooks and class are touched."""
    folder = tmp_path_factory.mktemp("course")
    for name in COURSE:
        there, here = ROOT / name, folder / name
        shutil.copytree(there, here, ignore=GENERATED) if there.is_dir() else shutil.copy(there, here)
    return folder


@pytest.fixture(scope="session")
def environment(course):
    """What a process needs to work on the copy, with nobody's own settings."""
    places = {"PYTHONPATH": str(course), "HOME": str(course), "JUPYTER_CONFIG_DIR": str(course / ".jupyter")}
    places["JUPYTER_CONFIG_PATH"] = str(course / "grader" / "learner" / "jupyter")  # as `make lab` has it
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    without = {name: value for name, value in os.environ.items() if name != "MY_MINIGRAD"}
    return {**without, **places, "PATH": path}


@pytest.fixture(scope="session")
def lab(course, environment):
    """JupyterLab on the copy, started as `make lab` does; its address, with the token."""
    port, token = free_port(), secrets.token_hex(16)
    options = ["--no-browser", "--allow-root", f"--port={port}", "--notebook-dir=.", "--expose-app-in-browser"]
    options.append("--ServerApp.jpserver_extensions=grader.learner.spare=True")
    command = [sys.executable, "-m", "jupyterlab", *options, f"--IdentityProvider.token={token}"]
    with open(course / "jupyterlab.log", "w") as log:
        server = subprocess.Popen(command, cwd=course, env=environment, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/api/status?token={token}", server, course / "jupyterlab.log")
            yield Address(f"http://127.0.0.1:{port}", token, psutil.Process(server.pid))
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(scope="session")
def classroom(course, environment):
    """Some students of chapter 1's sample class, graded in the copy's own classroom."""
    inbox = course / "inbox"
    for sample in write_samples(inbox, 1):
        if sample.student not in STUDENTS:
            shutil.rmtree(inbox / sample.student)
    room = Room(course, environment)
    for words in ("release", f"collect {inbox}", "autograde", "feedback"):
        room.grader(*words.split())
    return room


class Room:
    """The class, and the commands that an instructor gives."""

    students = STUDENTS

    def __init__(self, course, environment):
        self.course, self.environment = course, environment

    def grader(self, *words):
        command = [sys.executable, "-m", "grader", *words, "--chapter", "1"]
        run = subprocess.run(command, cwd=self.course, env=self.environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def feedback(self, student):
        return self.course / "classroom" / "feedback" / student / "chapter1" / "one-step.html"


class Address:
    def __init__(self, base, token, server):
        self.base, self.token, self.server = base, token, server

    def wait_for_spare(self):
        """Until the spare kernel stands by, as it does half a minute after a notebook was opened."""
        spent = {}
        for _ in range(120):
            for process in self.server.children():
                waits = "spare_kernel.py" in str(process.cmdline()) and "pipe:" in os.readlink(
                    f"/proc/{process.pid}/fd/0"
                )
                before, spent[process.pid] = spent.get(process.pid), process.cpu_times()
                if waits and before == spent[process.pid]:
                    return
            time.sleep(1)
        pytest.fail("no spare kernel stands by")

    def __call__(self, path):
        return f"{self.base}/{path}?token={self.token}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(address, server, log, seconds=300):
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            return urllib.request.urlopen(address, timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")
