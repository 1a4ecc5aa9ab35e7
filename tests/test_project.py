"""The project's own files agree with one another."""

import ast
import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from .conftest import LONG

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_conda_environment_equals_pyproject():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pip = next(entry["pip"] for entry in conda if isinstance(entry, dict))
    extras = PROJECT["optional-dependencies"]
    wanted = extras["course"] + extras["test"] + extras["cluster"]
    assert sorted(pip) == sorted([*wanted, "--editable ."])
    assert f"python{PROJECT['requires-python']}" in conda


def test_torch_is_pinned_to_one_release():
    assert "torch==2.13.0" in PROJECT["optional-dependencies"]["course"]


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    froms = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.split(".")[0] for name in names | froms}


def test_minigrad_imports_numpy_and_the_standard_library_alone():
    import sys

    outside = {name for path in (ROOT / "minigrad").rglob("*.py") for name in imports(path)}
    assert outside - set(sys.stdlib_module_names) <= {"numpy", "minigrad"}


def test_the_core_is_read_in_one_sitting():
    files = (ROOT / "minigrad" / "core").glob("*.py")
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= 600


def test_arrows_run_one_way():
    for path in (ROOT / "minigrad").rglob("*.py"):
        assert not imports(path) & {"grader", "torch"}, path


@pytest.mark.parametrize("command", ["make grade", "make test", "make lab", "make notebooks", "make lint"])
def test_readme_commands_exist(command):
    target = command.split()[1]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert command in (ROOT / "README.md").read_text()


def test_every_command_that_is_named_is_there():
    files = [ROOT / "Makefile", *ROOT.glob("*.md"), *ROOT.glob("grader/*.md"), *ROOT.glob("tests/**/*.md")]
    files += [*ROOT.glob("tests/**/*.py"), *ROOT.glob("grader/**/*.py")]
    named = {
        name
        for path in files
        for name in re.findall(r"-m ((?:tests|grader|minigrad)[.\w]*\w)", path.read_text("utf-8"))
    }
    assert "tests.verification" in named
    assert not [name for name in sorted(named) if importlib.util.find_spec(name) is None]


@pytest.mark.parametrize("folder", ["browser", "bench"])
def test_what_runs_elsewhere_imports_what_is_there(folder):
    """These run by commands of their own, and would not be missed here when something moves."""
    missing = []
    for path in (ROOT / "tests" / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.ImportFrom)
                and not node.level
                and str(node.module).split(".")[0] in ("grader", "minigrad")
            ):
                module = importlib.import_module(str(node.module))
                there = [
                    importlib.util.find_spec(f"{node.module}.{one.name}") for one in node.names if is_package(module)
                ]
                named = [hasattr(module, one.name) for one in node.names]
                missing += [
                    f"{path.name}: {node.module}" for ok in map(any, zip(named, there or named, strict=True)) if not ok
                ]
    assert not missing


def is_package(module):
    return hasattr(module, "__path__")


def test_the_house_map_names_every_file_of_the_grader_and_no_other():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text[text.index("The grader's files") : text.index("Pictures of the README")]
    named = {name for name in re.findall(r"`([\w./]+)`", table) if name.endswith((".py", ".json"))}
    files = [*(ROOT / "grader").glob("*.py"), *(ROOT / "grader").glob("*/*.py")]
    there = {path.name for path in files} - {"__init__.py", "__main__.py"}
    assert named == there | {"tolerances.json"}


def test_the_files_that_are_begun_first_are_there():
    assert all((ROOT / file).is_file() for file in LONG)


def test_links_of_the_documents_lead_somewhere():
    for name in ("README.md", "CONTRIBUTING.md", "TUTORIALS.md", "CHANGELOG.md", "tests/bench/README.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", (ROOT / name).read_text("utf-8")):
            made_by_verify = target == "grader/VERIFICATION.md"
            assert made_by_verify or ((ROOT / name).parent / target).exists(), (name, target)
