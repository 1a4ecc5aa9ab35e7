"""The pipeline: from a script to the executed solution and nbgrader's release."""

import functools
import shutil

import nbformat
import pytest
from course import ROOT
from nbgrader.api import Gradebook

from grader.errors import CourseError
from grader.publish import release

MARKS = '"schema_version": 3, "task": false'
SCRIPT = f"""# %% [markdown]
# # A course in one cell

# %% nbgrader={{"grade": false, "grade_id": "one", "locked": false, "solution": true, {MARKS}}}
def answer():
    ### BEGIN SOLUTION
    return 6 * 7
    ### END SOLUTION

# %%
print(answer())

# %% nbgrader={{"grade": true, "grade_id": "one-graded", "locked": true, "points": 3, "solution": false, {MARKS}}}
assert answer() == 42
"""
DRAWING = """
# %% picture="dot.svg"
from IPython.display import SVG
SVG('<svg xmlns="http://www.w3.org/2000/svg"><title>A dot</title></svg>')
"""


@pytest.fixture
def course(tmp_path):
    """A course with one small chapter."""
    shutil.copy(ROOT / release.CONFIG, tmp_path)
    write(tmp_path, SCRIPT)
    return tmp_path


def write(course, text, chapter=1):
    folder = course / "solutions" / f"chapter{chapter}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "little.py").write_bytes(text if isinstance(text, bytes) else text.encode())


def build_solution(course):
    """Write chapter 1's executed notebook beside its script; returns its path."""
    made = release.make_solution(1, course)
    for path, text in made.items():
        (course / path).write_bytes(text.encode())
    return course / next(path for path in made if path.suffix == ".ipynb")


def files(course):
    return {p.relative_to(course).as_posix(): p.read_bytes() for p in sorted(course.rglob("*")) if p.is_file()}


@pytest.fixture
def gradebook(empty_gradebook, tmp_path_factory):
    """A new gradebook's URL."""
    return f"sqlite:///{shutil.copy(empty_gradebook, tmp_path_factory.mktemp('gradebook'))}"


@pytest.fixture
def build(course, gradebook):
    """`release.build` of the course."""
    return functools.partial(release.build, root=course, db_url=gradebook)


@pytest.mark.parametrize("chapter", release.chapters(ROOT))
def test_what_is_stored_is_what_the_scripts_make(chapter, gradebook):
    """Every cell, the pictures that are taken from outputs, the whole release. Outputs are compared by test_running.py."""
    script = release.script(chapter, ROOT)
    stored = nbformat.read(script.with_suffix(".ipynb"), as_version=4)
    assert list(map(told, stored.cells)) == list(map(told, release.read_script(script).cells))
    for name, svg in release.pictures(stored).items():
        assert script.with_name(name).read_text("utf-8") == svg, name
    for path, data in release.make_release(chapter, ROOT, {}, gradebook).items():
        assert (ROOT / path).read_bytes() == data, path


def told(cell):
    return cell.cell_type, cell.source, *(cell.metadata.get(key) for key in ("tags", "nbgrader", "picture"))


def test_building_twice_gives_the_same_bytes(course, build):
    written = build()
    first = files(course)
    assert written == [
        "solutions/chapter1/little.ipynb was written.",
        "notebooks/chapter1/little.ipynb was written.",
    ]
    shutil.rmtree(course / "notebooks")
    (course / "solutions/chapter1/little.ipynb").unlink()
    build()
    assert files(course) == first
    assert build() == []


def test_the_solution_is_executed_and_the_release_is_not(course, gradebook):
    made = nbformat.read(build_solution(course), as_version=4)
    assert made.cells[2].outputs[0].text == "42\n"
    assert made.cells[1].id == "one"
    given = nbformat.read(release.build_release(1, course, gradebook), as_version=4)
    assert "6 * 7" not in given.cells[1].source and "NotImplementedError" in given.cells[1].source
    assert given.cells[2].outputs == []
    assert sorted(p.name for p in (course / "notebooks/chapter1").iterdir()) == ["little.ipynb"]


def test_nothing_is_left_behind(course):
    release.build(root=course)
    assert set(files(course)) == {
        "nbgrader_config.py",
        "solutions/chapter1/little.py",
        "solutions/chapter1/little.ipynb",
        "notebooks/chapter1/little.ipynb",
    }


def test_a_cell_can_draw_a_picture_for_the_text(course, build):
    write(course, SCRIPT + DRAWING)
    build()
    drawn = (course / "solutions/chapter1/dot.svg").read_text()
    assert "A dot" in drawn
    assert (course / "notebooks/chapter1/dot.svg").read_text() == drawn


def test_a_widget_is_stored_as_what_stands_still(course):
    write(course, SCRIPT + "\n# %%\nimport ipywidgets\nipywidgets.IntSlider(value=7)\n")
    made = nbformat.read(build_solution(course), as_version=4)
    (output,) = made.cells[-1].outputs
    assert list(output.data) == ["text/plain"] and "value=7" in output.data["text/plain"]
    assert "widgets" not in made.metadata


def test_a_cell_that_should_draw_and_does_not_is_named(course, build):
    write(course, SCRIPT + '\n# %% picture="dot.svg"\nprint("no picture")\n')
    with pytest.raises(CourseError, match=r"should draw dot\.svg"):
        build()


def test_check_reports_drift_and_writes_nothing(course, build):
    build()
    (course / "notebooks/chapter1/little.ipynb").unlink()
    (course / "notebooks/chapter1/notes.txt").write_text("mine")
    write(course, SCRIPT.replace("6 * 7", "7 * 6"))
    before = files(course)
    assert build(check=True) == [
        "solutions/chapter1/little.ipynb is not what its script makes: run `make notebooks`.",
        "notebooks/chapter1/little.ipynb is missing: run `make notebooks`.",
        "notebooks/chapter1/notes.txt is made by no script: remove it.",
    ]
    assert files(course) == before
    build()
    assert (course / "notebooks/chapter1/notes.txt").exists(), "a file that is not ours is never removed"


def test_a_gradebook_of_ones_own_learns_the_assignment(course):
    build_solution(course)
    release.build_release(1, course, db_url=f"sqlite:///{course / 'class.db'}")
    with Gradebook(f"sqlite:///{course / 'class.db'}") as gradebook:
        assert [(a.name, a.max_score) for a in gradebook.assignments] == [("chapter1", 3.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            SCRIPT.replace("6 * 7", "1 / 0"),
            r"little\.py: cell 'cell-02' fails with ZeroDivisionError: division by zero",
        ),
        (SCRIPT.replace("### END SOLUTION", ""), "nbgrader cannot release chapter1: .*no end solution"),
        (b"# %%\n\xff\xfe", "cannot be read as a notebook"),
        ("print('no cells')\n", "should hold one notebook script; it holds 0"),
    ],
)
def test_bad_scripts_get_one_sentence(course, build, text, message):
    write(course, text)
    with pytest.raises(CourseError, match=message) as caught:
        build()
    assert "\n" not in str(caught.value)
    assert not (course / "notebooks").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("while True: pass", r"cell 'cell-04' did not finish within 3 s\.$"),
        ("import os; os._exit(0)", r"cell 'cell-04' ended the kernel\.$"),
    ],
)
def test_a_cell_that_never_answers_is_named(course, monkeypatch, line, message):
    monkeypatch.setattr(release, "CELL_SECONDS", 3)
    write(course, f"{SCRIPT}\n# %%\n{line}\n".replace("assert answer() == 42\n", "pass\n"))
    with pytest.raises(CourseError, match=message):
        build_solution(course)


def test_unknown_chapters_and_missing_files_get_one_sentence(course, tmp_path_factory):
    with pytest.raises(CourseError, match=r"There is no chapter 77: the course has 1\."):
        release.build([77], root=course)
    with pytest.raises(CourseError, match="build the solution first"):
        release.build_release(1, course)
    with pytest.raises(CourseError, match=r"has an nbgrader_config\.py"):
        release.build(root=tmp_path_factory.mktemp("elsewhere"))
    (course / "solutions/chapter1/little.py").unlink()
    with pytest.raises(CourseError, match="it holds 0"):
        release.build(root=course)


def test_a_damaged_configuration_gets_one_sentence(course):
    (course / release.CONFIG).write_text("c = = 1")
    with pytest.raises(CourseError, match="cannot be read: "):
        release.build_release(1, course) if build_solution(course) else None
