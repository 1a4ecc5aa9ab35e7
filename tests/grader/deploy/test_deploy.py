"""The hub's settings say what its page promises, and its files for Kubernetes are well formed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from traitlets.config.loader import PyFileConfigLoader

from grader.deploy import hub as hubs
from grader.errors import CourseError
from grader.publish.bundle import TOP
from grader.publish.course import course_root

DEPLOY = course_root() / "grader" / "deploy"
BIN = Path(sys.executable).parent


@pytest.fixture
def settings(monkeypatch, tmp_path):
    told = {"HUB": str(tmp_path), "COURSE": str(course_root()), "INSTRUCTOR": "teacher", "PORT": "9000"}
    for name, value in told.items():
        monkeypatch.setenv(f"MINIGRAD_{name}", value)
    return lambda: PyFileConfigLoader("jupyterhub_config.py", str(DEPLOY)).load_config()


def spawned(settings, name):
    spawner = SimpleNamespace(user=SimpleNamespace(name=name))
    settings.Spawner.pre_spawn_hook(spawner)
    return spawner


def test_a_student_gets_the_students_environment_and_the_instructor_the_courses(settings, tmp_path):
    student, teacher = (spawned(settings(), name) for name in ("ada", "teacher"))
    assert student.cmd == [str(tmp_path / "students" / "bin" / "jupyterhub-singleuser")]
    assert teacher.cmd == [str(course_root() / ".venv" / "bin" / "jupyterhub-singleuser")]
    assert str(course_root()) not in json.dumps(student.environment)
    assert student.environment["MY_MINIGRAD"].endswith("/my_minigrad")


def test_the_hubs_own_ports_follow_the_one_that_is_asked_for(settings):
    found = settings()
    assert (found.JupyterHub.bind_url, found.JupyterHub.hub_port) == ("http://:9000", 9081)
    assert found.ConfigurableHTTPProxy.api_url == "http://127.0.0.1:9001"


def test_what_is_special_about_a_machine_is_read_last(settings, tmp_path):
    (tmp_path / "local_config.py").write_text("c = get_config()\nc.JupyterHub.bind_url = 'https://:443'\n")
    assert settings().JupyterHub.bind_url == "https://:443"


def test_both_kinds_of_server_use_one_exchange(monkeypatch):
    monkeypatch.setenv("MINIGRAD_EXCHANGE", "/srv/exchange")
    monkeypatch.delenv("MINIGRAD_CLASSROOM", raising=False)
    student, teacher = (
        PyFileConfigLoader("nbgrader_config.py", str(DEPLOY / who)).load_config() for who in ("student", "instructor")
    )
    assert student.Exchange.root == teacher.Exchange.root == "/srv/exchange"
    assert student.CourseDirectory.course_id == teacher.CourseDirectory.course_id == hubs.COURSE_ID
    assert teacher.CourseDirectory.root == str(course_root()) and "root" not in student.CourseDirectory


def test_students_have_no_formgrader():
    server = json.loads((DEPLOY / "student" / "jupyter_server_config.json").read_text("utf-8"))
    page = json.loads((DEPLOY / "student" / "labconfig" / "page_config.json").read_text("utf-8"))
    assert server["ServerApp"]["jpserver_extensions"]["nbgrader.server_extensions.formgrader"] is False
    assert page["disabledExtensions"]["@jupyter/nbgrader:formgrader"] is True


@pytest.fixture
def hub(tmp_path):
    (tmp_path / "course" / "classroom" / "bundles").mkdir(parents=True)
    return hubs.Hub(tmp_path / "hub", tmp_path / "course")


def test_the_newest_chapters_bundle_is_for_students(hub):
    with pytest.raises(CourseError, match="grader release --chapter 1 --bundle"):
        hub.bundle()
    for chapter in (9, 10, 2):
        (hub.course / "classroom" / "bundles" / f"minigrad-chapter{chapter}.zip").touch()
    assert hub.bundle().name == "minigrad-chapter10.zip"


def test_what_would_fail_after_minutes_is_said_at_once(hub, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(CourseError, match="sudo make hub"):
        hubs.prepare(hub, print)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(hubs.Hub, "instructor", "root")
    with pytest.raises(CourseError, match="belongs to root"):
        hubs.prepare(hub, print)
    monkeypatch.setattr(hubs.Hub, "instructor", "teacher")
    with pytest.raises(CourseError, match="run make setup there, as teacher"):
        hubs.prepare(hub, print)
    (hub.course / ".venv" / "bin").mkdir(parents=True)
    (hub.course / ".venv" / "bin" / "python").touch()
    monkeypatch.setattr(hubs.shutil, "which", lambda name: None)
    with pytest.raises(CourseError, match="Node.js"):
        hubs.prepare(hub, print)
    monkeypatch.setattr(hubs.shutil, "which", lambda name: name)
    closed = hub.folder.parent / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(hubs.sys, "base_prefix", str(closed))
    with pytest.raises(CourseError, match="closed is closed: set .venv up with"):
        hubs.prepare(hub, print)
    assert not hub.folder.exists()


def test_a_bundle_that_is_there_is_not_installed_again(hub, monkeypatch):
    ran, said = [], []
    monkeypatch.setattr(hubs, "_run", lambda command, user="root": ran.append(command))
    monkeypatch.setattr(hubs.Hub, "instructor", "teacher")
    hub.students.mkdir(parents=True)
    bundle = hub.course / "classroom" / "bundles" / "minigrad-chapter1.zip"
    bundle.write_bytes(b"one")
    hubs.update(hub, said.append)
    first = len(ran)
    hubs.update(hub, said.append)
    assert first and len(ran) == first and said[-1] == "The students' environment has minigrad-chapter1.zip."
    bundle.write_bytes(b"another")
    hubs.update(hub, said.append)
    assert len(ran) > first


def test_what_failed_is_said_with_its_last_words():
    with pytest.raises(CourseError, match=r"failed: no such thing"):
        hubs._run([sys.executable, "-c", "import sys; sys.exit('no such thing')"])


def test_the_dockerfile_is_linted():
    found = subprocess.run([BIN / "hadolint", "--failure-threshold", "warning", DEPLOY / "kubernetes" / "Dockerfile"])
    assert found.returncode == 0


def test_the_values_are_linted_and_are_about_the_image():
    rules = "{extends: default, rules: {line-length: {max: 120}, document-start: disable}}"
    path = DEPLOY / "kubernetes" / "values.yaml"
    assert subprocess.run([BIN / "yamllint", "--strict", "-d", rules, path]).returncode == 0
    values = yaml.safe_load(path.read_text("utf-8"))
    hook = values["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"][-1]
    assert f"/opt/{TOP}/notebooks" in hook
    assert f"/opt/{TOP}" in (DEPLOY / "kubernetes" / "Dockerfile").read_text("utf-8")


def test_what_root_owns_is_never_a_link(tmp_path):
    """The exchange is everybody's to write to: who is first there could name a file of root's."""
    (tmp_path / "kept").mkdir(mode=0o700)
    (tmp_path / "minigrad").symlink_to(tmp_path / "kept")
    with pytest.raises(CourseError, match="minigrad is a link"):
        hubs._own_folder(tmp_path / "minigrad", 0o755, hubs.pwd.getpwuid(os.getuid()).pw_name)
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
