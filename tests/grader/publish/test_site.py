"""What JupyterLite is built from: everything that a chapter needs in a browser, and nothing that a learner may not read."""

import ast
import importlib.util
import io
import json
import os
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.chapters import CHAPTERS
from grader.chapters.answers import BANK
from grader.classroom.demo import solution_notebook
from grader.learner import here
from grader.learner.challenges import CHALLENGES
from grader.learner.kept import load
from grader.publish.course import course_root, notebook_name, read_secret, release_notebook
from grader.publish.site import build, in_browser
from minigrad.workshop import source

from ..hidden import lines

CHAPTER = 1


@pytest.fixture(scope="module")
def lite(tmp_path_factory):
    """What the site is built from, with one chapter."""
    folder = tmp_path_factory.mktemp("lite")
    build.assemble(course_root(), folder, numbers=[CHAPTER])
    return folder


@pytest.fixture(scope="module")
def unpacked(lite, tmp_path_factory):
    """What the kernel of the chapter unpacks."""
    folder = tmp_path_factory.mktemp("unpacked")
    for name in (f"chapter{CHAPTER}", "libraries"):
        with zipfile.ZipFile(lite / "files" / "course" / f"{name}.zip") as archive:
            archive.extractall(folder)
    return folder


def test_the_learner_finds_the_notebook_its_pictures_and_what_leads_out_again(lite):
    found = {path.relative_to(lite / "files").as_posix() for path in (lite / "files").rglob("*") if path.is_file()}
    assert found == {
        "course/chapter1.zip",
        "course/in_browser.py",
        "course/libraries.zip",
        "course/start.py",
        "my-work.ipynb",
        "notebooks/chapter1/by-hand.svg",
        "notebooks/chapter1/graph.svg",
        f"notebooks/chapter1/{notebook_name(CHAPTER)}",
    }


def test_the_cell_that_hands_the_work_out_stands_below_the_text_that_says_so():
    take, code, different = build.my_work().cells
    assert "## To take it with you" in take.source and "next cell" in take.source and "##" not in different.source[2:]
    assert (code.cell_type, code.source) == ("code", build.HAND_OUT)


def test_the_kernel_finds_the_engine_the_check_and_the_libraries_that_pyodide_lacks(lite, unpacked):
    assert {path.name for path in unpacked.iterdir() if path.is_dir() and "dist-info" not in path.name} == set(
        in_browser.OURS
    )
    assert "class Tensor" in (unpacked / "minigrad" / "core" / "tensor.py").read_text("utf-8")
    (wheel,) = (lite / "wheels").iterdir()
    assert zipfile.ZipFile(wheel).testzip() is None and wheel.name.startswith("comm-")
    assert json.loads((lite / "jupyter_lite_config.json").read_text())["PipliteAddon"] == {"piplite_urls": [str(wheel)]}


@pytest.mark.parametrize("own", [True, False])
def test_pyodide_comes_from_its_usual_place_or_from_the_site_itself(own, tmp_path):
    (tmp_path / "pyodide").mkdir()
    (tmp_path / "pyodide" / "pyodide.mjs").touch()
    build.assemble(course_root(), tmp_path / "lite", tmp_path / "pyodide" if own else None, numbers=[])
    told = json.loads((tmp_path / "lite" / "jupyter-lite.json").read_text())["jupyter-config-data"]
    (settings,) = told["litePluginSettings"].values()
    assert settings.get("pyodideUrl") == ("./static/pyodide/pyodide.mjs" if own else None)
    assert settings.get("disablePyPIFallback", False) == own
    assert settings["loadPyodideOptions"]["env"]["PYTHONSTARTUP"] == "/drive/course/start.py"


def test_no_solution_no_misconception_and_no_secret_is_in_it(lite, unpacked, tmp_path):
    secret = read_secret(tmp_path).decode()
    files = [path for folder in (lite, unpacked) for path in folder.rglob("*") if path.is_file()]
    texts = {path: path.read_text("utf-8") for path in files if path.suffix not in (".zip", ".whl")}
    hidden = [form for line in lines().values() for form in (line, json.dumps(line)[1:-1])]
    for path, text in texts.items():
        assert not [mark for mark in (secret, "BEGIN SOLUTION", "@misconception(", "@right(") if mark in text], path
        assert path.name == "jupyter_lite_config.json" or str(course_root()) not in text, path
        assert not [line for line in hidden if line in text], path
    everything = "\n".join(texts.values())
    for part in source.hidden(CHAPTER):
        assert "\n".join(source.reference(part).splitlines()[1:]) not in everything, part.name
    for wrong in BANK["mul"]:
        assert wrong.text().split("\n", 1)[1] not in everything, wrong.name
    for cell in solution_notebook(CHAPTER).cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            assert cell.source not in everything


def test_a_challenge_finds_pytorchs_answers_and_no_solution(tmp_path):
    build._write_challenges(tmp_path)
    kept = {one.name: one for one in load(tmp_path / "challenges.json")}
    assert kept.keys() == CHALLENGES.keys()
    assert all(one.truth for one in kept.values())
    text = "".join(path.read_text("utf-8") for path in tmp_path.iterdir())
    hidden = [form for line in lines().values() for form in (line, json.dumps(line)[1:-1])]
    assert not [line for line in hidden if line in text]


@pytest.mark.parametrize("name", CHALLENGES)
def test_a_challenge_is_judged_where_the_chapter_that_it_follows_is_not(name, tmp_path, monkeypatch):
    build._write_challenges(tmp_path)
    (kept,) = (one for one in load(tmp_path / "challenges.json") if one.name == name)
    monkeypatch.setattr(here, "CHAPTERS", {})  # the site's challenges lie beside chapter 9 alone
    result = here.result_here(kept)
    assert result.state == "graded" and not result.right


# ---------------------------------------------------------------------- cells with PyTorch


@pytest.mark.parametrize(
    ("cell", "needs"),
    [
        ("import torch", True),
        ("import torch.nn.functional as F", True),
        ("from torch import nn", True),
        ("print(torch.ones(3))", True),
        ("from grader import preview\n\npreview.show()", True),
        ("print('torch')  # torch", False),
        ("import torchvision_not", False),
        ("%time pass", False),
    ],
)
def test_a_cell_needs_pytorch_if_it_uses_its_name(cell, needs):
    assert build.needs_torch(cell) == needs


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_cell_with_pytorch_shows_its_recorded_answer_and_no_other_cell_needs_what_it_defines(
    chapter, monkeypatch
):
    cells = [cell.source for cell in release_notebook(chapter).cells if cell.cell_type == "code"]
    kept = build.recorded(chapter, course_root())
    assert [source for source, _ in kept] == [source for source in cells if build.needs_torch(source)]
    assert kept and all(outputs for _, outputs in kept)
    monkeypatch.setattr(in_browser, "recorded", lambda: kept)
    for i, (cell, _) in enumerate(kept):
        assert in_browser.stand_in(cell.splitlines(keepends=True))[-1] == f"__import__('in_browser').show({i})\n"
    others = [source for source in cells if not build.needs_torch(source)]
    others += [line for source, _ in kept for line in in_browser.other_imports(source)]
    defined = [name for source, _ in kept for name in names(source, ast.Store)]
    elsewhere = {name for source in others for name in names(source, ast.Store)}
    used = {name for source in others for name in names(source, ast.Load)}
    assert (set(defined) - elsewhere) & used == set()


def names(source, context):
    """What a cell's code binds on its own level, or what it uses anywhere."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            yield node.id
        if isinstance(node, ast.arg) and context is ast.Store:
            yield node.arg
    if context is ast.Store:
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)


# ---------------------------------------------------------------------- in the browser


class Shell:
    """IPython, as far as a kernel's start needs it."""

    def __init__(self):
        self.input_transformers_cleanup = []
        self.events = SimpleNamespace(register=lambda name, function: setattr(self, name, function))


@pytest.fixture
def kernel(lite, tmp_path, monkeypatch):
    """Starts a kernel in a folder of the drive; what it changed in this process is put back."""
    drive = tmp_path / "drive"
    (drive / "notebooks" / "chapter1").mkdir(parents=True)
    (drive / "course").symlink_to(lite / "files" / "course")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "setrecursionlimit", lambda limit: None)
    monkeypatch.setenv("MY_MINIGRAD", "")
    monkeypatch.setenv("TQDM_MONITOR_INTERVAL", "")
    monkeypatch.chdir(drive / "notebooks" / "chapter1")
    started = []

    def start():
        module = importlib.util.module_from_spec(importlib.util.find_spec("grader.publish.site.in_browser"))
        module.__spec__.loader.exec_module(module)
        home = tmp_path / f"kernel{len(started)}"
        module.DRIVE, module.STORED = drive, drive / "my_minigrad.zip"
        module.UNPACKED, module.MINE = home / "course", home / "my_minigrad"
        module.start(shell := Shell())
        started.append(module)
        return module, shell

    return start


def test_a_cell_with_pytorch_shows_its_recorded_answer(kernel, monkeypatch, capsys):
    module, shell = kernel()
    (stand_in,) = shell.input_transformers_cleanup
    source = module.recorded()[0][0]
    shown = stand_in(source.splitlines(keepends=True))
    monkeypatch.setitem(sys.modules, "in_browser", module)
    assert shown[:-1] == []
    exec(shown[-1])
    said = capsys.readouterr().out
    assert said.startswith("PyTorch does not run in a browser.") and "tensor(93.)" in said
    for other in ("x = 3\n", "import torch  # mine\n"):
        assert stand_in([other]) == [other]


def test_what_such_a_cell_imports_besides_is_there_for_later_cells():
    cell = "import torch\nimport torch.nn as nn\nfrom grader import figure\nimport numpy as np\nx = torch.ones(3)"
    assert in_browser.other_imports(cell) == ["from grader import figure\n", "import numpy as np\n"]


def test_pytorch_asked_for_elsewhere_is_a_sentence(kernel):
    module, _ = kernel()
    with pytest.raises(ModuleNotFoundError, match="PyTorch does not run in a browser. Run the cell as it was"):
        module.Course().find_spec("torch")
    assert module.Course().find_spec("json") is None


def test_the_course_is_that_of_the_notebooks_chapter(kernel, monkeypatch, tmp_path):
    module, _ = kernel()
    assert (module.course() / "grader" / "chapters" / "chapter1" / "exercises.json").is_file()
    monkeypatch.chdir(tmp_path / "drive")
    module.course.cache_clear()
    assert (module.course() / "minigrad").is_dir()  # the last chapter there is


def test_what_one_notebook_keeps_another_finds_and_nothing_is_lost(kernel):
    """Two notebooks are open at once: each keeps a part, and each has both before its next cell."""
    (one, first), (other, second) = kernel(), kernel()
    for module, shell, name in [(one, first, "add"), (other, second, "mul")]:
        shell.pre_run_cell(None)
        module.MINE.mkdir(parents=True, exist_ok=True)
        (module.MINE / f"{name}.py").write_text(f"# {name}\n")
        shell.post_run_cell(None)
    first.pre_run_cell(None)
    assert (
        {path.name for path in one.MINE.iterdir()}
        == {path.name for path in other.MINE.iterdir()}
        == {
            "add.py",
            "mul.py",
        }
    )
    stored = one.STORED.stat().st_mtime_ns
    first.post_run_cell(None)
    second.pre_run_cell(None)
    second.post_run_cell(None)
    assert one.STORED.stat().st_mtime_ns == stored  # nothing was kept, and nothing is written


def test_the_learners_work_is_one_zip(kernel, monkeypatch, capsys):
    module, shell = kernel()
    Path("one-step.ipynb").write_text("{}")
    module.MINE.mkdir(parents=True)
    (module.MINE / "add.py").write_text("# add\n")
    shell.post_run_cell(None)
    data = module.zipped({"notebooks": module.DRIVE / "notebooks", "my_minigrad": module.MINE})
    with zipfile.ZipFile(io.BytesIO(data)) as work:
        assert work.namelist() == ["notebooks/chapter1/one-step.ipynb", "my_minigrad/add.py"]
    assert os.environ["MY_MINIGRAD"] == str(module.MINE)
