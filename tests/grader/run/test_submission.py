"""Restoring a submission: the course's cells are the course's again, the student's work is kept."""

import copy
import json
import warnings

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.publish.course import release_notebook
from grader.run import submission
from grader.run.bulkhead import TooLong
from grader.run.submission import Unreadable, given_cells, grade_id, read_notebook, restore, stopped

RELEASE = release_notebook(1)
GIVEN = given_cells(RELEASE)

foreign = st.builds(
    lambda kind, source: getattr(nbformat.v4, f"new_{kind}_cell")(source),
    st.sampled_from(["code", "markdown"]),
    st.text(),
)
metadata = st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=5), max_size=3)
claims = st.fixed_dictionaries(
    {
        "grade_id": st.sampled_from([*GIVEN, "unknown"]) | st.integers(),
        "grade": st.booleans(),
        "solution": st.booleans(),
        "locked": st.booleans(),
        "points": st.integers(-5, 10**9),
    }
)


@st.composite
def submissions(draw):
    """The release after anything that an editor, or a cheat, may do to it."""
    cells = [nbformat.from_dict(cell) for cell in RELEASE.cells]
    kept = [cell for cell in cells if draw(st.booleans())] or cells[:1]
    kept += draw(st.lists(st.sampled_from(cells).map(nbformat.from_dict), max_size=3))
    kept += draw(st.lists(foreign, max_size=3))
    kept = draw(st.permutations(kept))
    for cell in kept:
        if draw(st.integers(0, 4)) == 0:
            cell.metadata = nbformat.from_dict({**draw(metadata), "nbgrader": draw(claims)})
        if draw(st.integers(0, 4)) == 0:
            cell.source = draw(st.text(max_size=30))
    return nbformat.from_dict({**RELEASE, "cells": kept, "metadata": draw(metadata)})


@settings(max_examples=60)
@given(submissions())
def test_the_courses_cells_are_there_once_and_as_the_course_wrote_them(submitted):
    try:
        restored = restore(submitted, RELEASE)
    except Unreadable:
        return
    known = [grade_id(cell) for cell in restored.cells if grade_id(cell)]
    assert sorted(known) == sorted(GIVEN)
    for cell in restored.cells:
        if grade_id(cell):
            wanted = GIVEN[grade_id(cell)]
            assert cell.cell_type == wanted.cell.cell_type and cell.metadata == wanted.cell.metadata
            assert wanted.role == "solution" or cell.source == wanted.cell.source
        else:
            assert cell.metadata == {}
    assert restored.metadata == RELEASE.metadata
    nbformat.validate(restored)


@settings(max_examples=60)
@given(submissions())
def test_restoring_twice_changes_nothing(submitted):
    try:
        once = restore(submitted, RELEASE)
    except Unreadable:
        return
    assert restore(once, RELEASE) == once


def test_what_the_student_wrote_is_kept():
    submitted = nbformat.from_dict(RELEASE)
    submitted.cells.insert(3, nbformat.v4.new_code_cell("mine = 1"))
    for cell in submitted.cells:
        if grade_id(cell) == "mul":
            cell.source = "# my Mul"
    sources = [cell.source for cell in restore(submitted, RELEASE).cells]
    assert "mine = 1" in sources and "# my Mul" in sources


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "cannot be read as a notebook"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"{", "cannot be read as a notebook"),
        (b"[1, 2, 3]", "it is JSON, but not a notebook's"),
        (b'{"cells": 3}', "it is JSON, but not a notebook's"),
        (b'{"cells": [], "a": ' + b"1" * 6_000 + b"}", "holds a number of thousands of digits"),
        (b'{"cells": {"a": 1}, "nbformat": 4}', "it is JSON, but not a notebook's"),
        (b'{"nbformat": true, "worksheets": [], "cells": [{}]}', "cannot be read as a notebook"),
        (json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode(), "without cells"),
        (json.dumps({"nbformat": 99, "nbformat_minor": 0, "cells": [], "metadata": {}}).encode(), "cannot be read"),
    ],
)
def test_a_damaged_file_is_named_with_its_reason(tmp_path, data, reason):
    path = tmp_path / "one-step.ipynb"
    path.write_bytes(data)
    with pytest.raises(Unreadable, match=reason):
        read_notebook(path)
    assert path.read_bytes() == data


def test_half_of_a_surrogate_pair_is_text_all_the_same(tmp_path):
    """JSON can name it, and nothing can send or write it."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("a = 'SURROGATE'")])
    path = tmp_path / "a.ipynb"
    path.write_text(nbformat.writes(notebook).replace("SURROGATE", r"\ud800"))
    assert read_notebook(path).cells[0].source == "a = '?'"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(Unreadable, match="cannot be opened"):
        read_notebook(tmp_path / "one-step.ipynb")


def test_another_courses_notebook_is_named():
    with pytest.raises(Unreadable, match="no cell of this chapter"):
        restore(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]), RELEASE)


def test_the_error_of_a_cell_is_found_unless_it_is_an_untouched_stubs():
    notebook = release_notebook(1)
    for cell in notebook.cells:
        if grade_id(cell) in ("mul", "pow"):
            name = "NotImplementedError" if grade_id(cell) == "pow" else "NameError"
            cell.outputs = [nbformat.v4.new_output("error", ename=name, evalue="y (7.py, line 2)", traceback=[])]
    assert stopped(notebook) == {"mul": "NameError: y (line 2)"}


def test_cells_that_were_copied_with_their_ids_are_read_without_a_word(tmp_path):
    notebook = {**nbformat.v4.new_notebook(), "cells": [nbformat.v4.new_code_cell("1", id="one")] * 2}
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook))
    with warnings.catch_warnings(action="error"):
        assert len(read_notebook(path).cells) == 2


@pytest.mark.parametrize("ids", [["same", "same", "same-1"], [None, None, ""], ["ä b", 7, "x" * 65]])
def test_any_ids_of_cells_are_read_and_told_apart(tmp_path, ids):
    cells = [{"cell_type": "markdown", "metadata": {}, "source": str(i), "id": own} for i, own in enumerate(ids)]
    cells = [{k: v for k, v in cell.items() if v is not None} for cell in cells]
    path = tmp_path / "notebook.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    read = read_notebook(path)
    assert len({cell.id for cell in read.cells}) == 3 and [cell.source for cell in read.cells] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "limit, words",
    [
        ("MOST_BYTES", "is larger than 0 MB; clear its outputs"),
        ("MOST_CELLS", "has more than 1 cells"),
        ("MOST_CHARACTERS", "has a cell of more than 1 characters"),
    ],
)
def test_a_notebook_beyond_a_limit_is_named_with_it(tmp_path, monkeypatch, limit, words):
    path = tmp_path / "a.ipynb"
    cells = [nbformat.v4.new_code_cell(source, metadata={"nbgrader": {}}) for source in ("12", "34")]
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))
    assert len(read_notebook(path).cells) == 2
    monkeypatch.setattr(f"grader.run.submission.{limit}", 1)
    with pytest.raises(Unreadable, match=words):
        read_notebook(path)


def test_a_mark_that_an_editor_puts_before_the_text_is_none_of_it(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(nbformat.writes(RELEASE), "utf-8-sig")
    assert read_notebook(path).cells[0].source == RELEASE.cells[0].source


def test_nothing_of_the_metadata_is_held_to_a_schema(tmp_path):
    """jsonschema compares each of a cell's tags with each other, where they are of two kinds."""
    notebook = copy.deepcopy(RELEASE)
    notebook.metadata["authors"] = [{"name": 1}]
    for cell in notebook.cells:
        cell.metadata["tags"] = [1, "one"]
    (tmp_path / "x.ipynb").write_text(json.dumps(notebook))
    read = read_notebook(tmp_path / "x.ipynb")
    assert {key for cell in read.cells for key in cell.metadata} == {"nbgrader"} and read.metadata == {}
    assert restore(read, RELEASE) == restore(RELEASE, RELEASE)


@pytest.mark.parametrize("struck, words", [(TooLong, "still being read"), (MemoryError, "more memory to read")])
def test_a_file_whose_reading_has_no_end_is_unreadable(tmp_path, monkeypatch, struck, words):
    def endless(*_, **__):
        raise struck

    (tmp_path / "x.ipynb").write_text(json.dumps(RELEASE))
    monkeypatch.setattr(submission.nbformat.reader, "reads", endless)
    with pytest.raises(Unreadable, match=words):
        read_notebook(tmp_path / "x.ipynb")


def changed(tmp_path, change):
    """The release as a file after a change of its JSON, with an own cell at its end."""
    notebook = json.loads(nbformat.writes(RELEASE))
    notebook["cells"].append({"cell_type": "code", "id": "own", "metadata": {}, "source": "1"})
    change(notebook)
    path = tmp_path / "one-step.ipynb"
    path.write_text(json.dumps(notebook))
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda notebook: [cell.pop("outputs", None) for cell in notebook["cells"]],
        lambda notebook: [cell.pop("execution_count", None) for cell in notebook["cells"]],
        lambda notebook: notebook["cells"][-1].pop("metadata"),
        lambda notebook: notebook["cells"][-1].update(source=None),
        lambda notebook: notebook["cells"][-1].pop("source"),
        lambda notebook: notebook["cells"][-1].update(source=["1", 2]),
        lambda notebook: notebook["cells"][-1].update(cell_type="sql"),
        lambda notebook: notebook["cells"][-1].update(cell_type=["sql"]),
        lambda notebook: notebook["cells"].append("a text"),
        lambda notebook: notebook.pop("metadata"),
        lambda notebook: notebook.pop("nbformat_minor"),
        lambda notebook: notebook.update(nbformat_minor="5"),
        lambda notebook: notebook.update(nbformat_minor=5.0),
        lambda notebook: notebook.update(nbformat_minor=[]),
        lambda notebook: notebook.update(nbformat="4"),
        lambda notebook: notebook.pop("nbformat"),
    ],
)
def test_what_one_tool_left_out_costs_no_points(tmp_path, change):
    restored = restore(read_notebook(changed(tmp_path, change)), RELEASE)
    assert sorted(filter(None, map(grade_id, restored.cells))) == sorted(GIVEN)


def test_a_picture_pasted_into_a_text_is_left_out(tmp_path):
    picture = f"My sketch:\n![x](data:image/png;base64,{'A' * submission.MOST_CHARACTERS})"
    for change in (
        lambda notebook: notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": picture}),
        lambda notebook: notebook["cells"][0].update(source=picture.splitlines(keepends=True)),
    ):
        sources = [cell.source for cell in read_notebook(changed(tmp_path, change)).cells]
        assert "My sketch:\n![x]()" in sources


@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
def test_what_is_too_long_in_a_cell_of_ones_own_is_left_out(tmp_path, kind):
    cell = {"cell_type": kind, "metadata": {}, "source": "x" * (submission.MOST_CHARACTERS + 1)}
    last = read_notebook(changed(tmp_path, lambda notebook: notebook["cells"].append(cell))).cells[-1]
    assert last.source.removeprefix("# ") == "A cell of more than 200,000 characters was left out here."


def test_a_heading_of_an_old_format_has_six_levels(tmp_path):
    cells = [{"cell_type": "heading", "level": level, "source": "x", "metadata": {}} for level in (1, 10**9, -1, None)]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells, "metadata": {}}]}
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(old))
    assert [cell.source for cell in read_notebook(path).cells] == ["# x", *["###### x"] * 3]


@pytest.mark.parametrize(
    "lost", [set(GIVEN), {"add", "mul"}, {name for name in GIVEN if GIVEN[name].role == "solution"}]
)
def test_cells_that_lost_their_ids_are_known_by_what_they_define(lost):
    submitted = nbformat.from_dict(RELEASE)
    for cell in submitted.cells:
        if GIVEN.get(grade_id(cell)) and GIVEN[grade_id(cell)].role == "solution":
            cell.source += "\n# mine"
        if grade_id(cell) in lost:
            cell.metadata = {}
    restored = restore(submitted, RELEASE)
    assert [cell.source for cell in restored.cells if cell.cell_type == "code"] == [
        cell.source for cell in submitted.cells if cell.cell_type == "code"
    ]
    assert sorted(filter(None, map(grade_id, restored.cells))) == sorted(GIVEN)


@pytest.mark.parametrize("name", ["setup", "mul-graded"])
def test_it_is_said_that_a_cell_of_the_courses_was_put_back(name):
    submitted = nbformat.from_dict(RELEASE)
    place = next(place for place, cell in enumerate(submitted.cells) if grade_id(cell) == name)
    submitted.cells[place].source += "\n# a comment\n\n"
    assert len(restore(submitted, RELEASE).cells) == len(RELEASE.cells)
    submitted.cells[place].source += "helper = 1"
    restored = restore(submitted, RELEASE)
    assert restored.cells[place].source == GIVEN[name].cell.source
    assert f"`{name}`, is the course's, and was put back" in restored.cells[place + 1].source
    assert restore(restored, RELEASE) == restored
