"""A student's bundle: a chapter as a zip, for a class that does not get the whole course.

In it are the chapter's notebook and pictures, minigrad as it stands before the chapter, and what `check` needs. There
is no solution in it, no definition of a misconception, no later part of minigrad, and nothing of the class.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
import tempfile
import textwrap
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tqdm import tqdm

from minigrad import workshop
from minigrad.workshop import source
from minigrad.workshop.parts import Part

from ..ask.exercise import PUBLIC_SECRET, Exercise, generator
from ..chapters import exercises
from ..chapters.answers import BANK, less_common
from ..learner.counterexample import asked_singly
from ..learner.kept import KeptData, Known, as_data
from ..verdict.assess import expected
from ..verdict.compare import MEASURED, compare, first_difference, tolerance
from ..verdict.diagnose import Answers, answer_with, diagnose, reference_answer, same
from ..verdict.evidence import Seen
from .course import assignment, course_root, release_notebook, release_path

GRADER = Path(__file__).resolve().parents[1]
# What `check` and the notebooks import, as it is; tests/grader/publish/test_bundle.py knows when a notebook needs more.
CHECK = {
    "": ("__init__", "errors"),
    "ask": ("__init__", "exercise", "bank", "heard", "merge"),
    "chapters": ("__init__", "answers"),
    "verdict": (
        "__init__",
        "pinned",
        "probe",
        "evidence",
        "compare",
        "relate",
        "cases",
        "formula",
        "raised",
        "finding",
        "lend",
        "diagnose",
        "assess",
        "inert",
        "render",
        "box",
    ),
    "learner": (
        "__init__",
        "notebook",
        "here",
        "why",
        "counterexample",
        "preview",
        "card",
        "checking",
        "kept",
        "progress",
        "spare",
        "spare_kernel",
    ),
    "learner/draw": ("__init__", "figure", "drawing", "placing", "picture", "live", "nodes", "tree", "worksheet"),
}
NEEDED = (
    "grandalf",
    "ipykernel",
    "ipywidgets",
    "jupyterlab",
    "matplotlib",
    "numpy",
    "pygraphviz",
    "scikit-learn",
    "threadpoolctl",
    "torch",
    "tqdm",
)
WITHOUT_TORCH = "without-pytorch.txt"  # what a student installs who has no room for it
TOP = "minigrad-course"  # the folder in every chapter's zip, so that the next one can be unpacked over it
FIXED = (1980, 1, 1, 0, 0, 0)  # the same bundle is the same bytes

README = """# {title}

1. You need Python 3.11 or newer. In this folder, once, one of these:
   - with PyTorch, 1.5 GB: `python -m pip install -e .` On Linux, pip may take PyTorch's build for CUDA, several times
     larger; before it, `python -m pip install {torch} --index-url https://download.pytorch.org/whl/cpu` avoids that;
   - without it, 0.7 GB: `python -m pip install -r {without}`, then `python -m pip install --no-deps -e .`
     Every check works, for PyTorch's answers are in this folder. A cell that shows PyTorch itself ends with an error:
     go on below it.
2. `python -m jupyter lab --ServerApp.jpserver_extensions=grader.learner.spare=True`, and open
   `notebooks/{assignment}/{notebook}`. (The option makes notebooks open sooner, with PyTorch imported beforehand.)
3. Under each exercise, `check("…")` compares your code with PyTorch and says in words what it finds.
4. Hand in that notebook, saved, under its own name.

`minigrad/` is the engine as it stands before this chapter; the parts that you build now, or later, are not in it.
What passes its check is kept in `my_minigrad/` and carried to the next chapter: unpack the next chapter's zip over this
folder, and nothing of yours is lost. (`notebooks/{assignment}/` itself comes with this zip: unpack it once.)

The check compares with what PyTorch answered when this bundle was made, on inputs that are the same for everybody
(`grader/chapters/`). At grading, the comparison draws new ones, so an answer that only fits these gets no points.
"""

PYPROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "minigrad-course"
version = "{chapter}"
requires-python = "{python}"
dependencies = {dependencies}

[tool.setuptools.packages.find]
include = ["minigrad*", "grader*"]

[tool.setuptools.package-data]
"*" = ["*.json", "*.typed"]
"""

EXERCISES = '''"""Chapter {chapter}: its exercises, with PyTorch's answers on the check's inputs."""

from pathlib import Path

from ...learner.kept import load

EXERCISES = load(Path(__file__).with_suffix(".json"))
'''


def write_bundle(chapter: int, folder: Path) -> Path:
    """Write the chapter's zip into the folder; returns its path.

    Raises:
        CourseError: there is no such chapter, or its release was not built.
    """
    exercises(chapter)
    release_path(chapter)
    path = folder / f"minigrad-{assignment(chapter)}.zip"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bundle") as scratch:
        write_folder(chapter, Path(scratch))
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted(each for each in Path(scratch).rglob("*") if each.is_file()):
                entry = zipfile.ZipInfo(f"{TOP}/{file.relative_to(scratch).as_posix()}", FIXED)
                entry.external_attr = 0o644 << 16  # everybody may read it, where an administrator unpacks it
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return path


def write_folder(chapter: int, folder: Path) -> None:
    """Write what the zip holds into an empty folder."""
    root, notebook = course_root(), release_path(chapter)
    target = folder / "notebooks" / assignment(chapter)
    target.mkdir(parents=True)
    for file in [notebook, *notebook.parent.glob("*.svg")]:
        shutil.copy(file, target)
    write_engine(chapter, folder / "minigrad")
    _write_check(chapter, folder / "grader")
    for licence in ("LICENSE", "LICENSE-TEXT"):
        shutil.copy(root / licence, folder)
    title = release_notebook(chapter).cells[0].source.splitlines()[0].lstrip("# ")
    about = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    names = [one for one in about["optional-dependencies"]["course"] if re.split(r"[^\w-]", one)[0] in NEEDED]
    words = PYPROJECT.format(chapter=chapter, python=about["requires-python"], dependencies=json.dumps(names))
    (folder / "pyproject.toml").write_text(words, "utf-8")
    (torch,) = (one for one in names if one.startswith("torch="))
    (folder / WITHOUT_TORCH).write_text("".join(f"{one}\n" for one in names if one != torch), "utf-8")
    words = README.format(
        title=title, assignment=assignment(chapter), notebook=notebook.name, torch=torch, without=WITHOUT_TORCH
    )
    (folder / "README.md").write_text(words, "utf-8")


# ---------------------------------------------------------------------- minigrad before the chapter


def write_engine(chapter: int, folder: Path) -> None:
    """Write minigrad as it stands before the chapter, with a place for each definition that a learner is to write."""
    source.write_package(folder, {part.name: place_for(part, chapter) for part in source.hidden(chapter)})


def place_for(part: Part, chapter: int) -> str:
    """A definition that refuses, and that the workshop can put the learner's in the place of.

    `source.stand_in` is an assignment, which it could not: what is made here is the same, written as a class statement.
    """
    name, top = part.qualname.rsplit(".", 1)[-1], "." * len(source.file_of(part).parts)
    if part.before:
        origin, made = f"from {top}{part.before.partition('.')[2]} import {name} as before  # noqa: E402", "before"
    else:
        origin = f"from {top}workshop.later import later  # noqa: E402"
        made = f'later("{part.name}", {part.chapter}, here={part.chapter == chapter})'
    head = f"{source.decorators(part)}class {name}(metaclass=lambda *_, made={made}: made):"
    return f'{origin}\n\n\n{head}\n    """Built in chapter {part.chapter}."""\n'


# ---------------------------------------------------------------------- what `check` needs


def _write_check(chapter: int, folder: Path) -> None:
    for room, names in CHECK.items():
        (folder / room).mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(GRADER / room / f"{name}.py", folder / room)
    shutil.copy(MEASURED, folder / "verdict")
    chapters_room = folder / "chapters" / assignment(chapter)
    chapters_room.mkdir()
    asked = tqdm(exercises(chapter), desc="what check knows", unit=" exercises", disable=None, leave=False)
    kept = json.dumps([keep(exercise) for exercise in asked], ensure_ascii=False)
    (chapters_room / "exercises.json").write_text(kept, "utf-8")
    (chapters_room / "exercises.py").write_text(EXERCISES.format(chapter=chapter), "utf-8")


def keep(exercise: Exercise) -> KeptData:
    """The exercise with torch's answers, and known mistakes', on the inputs of a learner's check, as JSON data."""
    inputs = exercise.draw(generator(PUBLIC_SECRET, "", exercise.name))
    truth = truth_of(exercise, inputs)
    known = [one for part in exercise.points for one in _own(exercise, part, inputs)]
    text = textwrap.dedent(inspect.getsource(exercise.probe))
    cases = {part: asked_singly(exercise, part) for part in exercise.points}
    return as_data(exercise, inputs, text, truth, known, cases)


def truth_of(exercise: Exercise, inputs: dict[str, Any]) -> list[Seen]:
    """What torch answers, and which arguments a right answer changes, as the text asks it to."""
    changed = [one for one in reference_answer(exercise, inputs) if one.kind == "changed"]
    return [*expected(exercise, inputs), *changed]


def _own(exercise: Exercise, part: str, inputs: dict[str, Any]) -> Iterator[Known]:
    """What the part's own misconceptions answer, where that is wrong and names one of them; then the less common."""
    given = {part: inputs[part]}
    truth = truth_of(exercise, given)
    answers = _once(answer_with)
    common: list[list[Seen]] = []
    for one in (m for m in BANK.get(exercise.name, ()) if m.replaces == part):
        for definition in one.definitions:
            seen = answers(exercise, given, {part: definition})
            common.append(seen)
            finding = first_difference(seen, truth, tolerance(exercise.name, part))
            found = diagnose(finding, exercise, part, seen, truth, given, answers)
            if found.cause:
                yield Known(part, seen, found.cause, found.advice, found.section)
    reference = workshop.own_parts(exercise.chapter).get(part)
    for one in less_common(exercise.name, part, reference):
        seen = answers(exercise, given, {part: one.definition})
        if any(same(seen, other) for other in common):
            continue  # that has its name, or two
        common.append(seen)
        finding = compare(seen, truth, tolerance(exercise.name, part), inputs[part])
        half = not one.of and finding.advice  # as in `diagnose`
        if finding.kind not in ("right", "not done") and not half:
            yield Known(part, seen, one.name, one.advice, one.section)


def _once(answers: Answers) -> Answers:
    """The same, asked once for each of some definitions that live on."""
    asked: dict[tuple[object, ...], list[Seen]] = {}

    def ask(exercise: Exercise, inputs: dict[str, Any], definitions: dict[str, Any]) -> list[Seen]:
        key = exercise.name, *inputs, *((name, id(one)) for name, one in definitions.items())
        if key not in asked:
            asked[key] = answers(exercise, inputs, definitions)
        return asked[key]

    return ask
