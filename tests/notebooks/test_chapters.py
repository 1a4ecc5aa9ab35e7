"""What every chapter's notebook is made of."""

import builtins
import re

import pytest
from course import (
    CHAPTERS,
    by_id,
    code,
    headings,
    is_demonstration,
    markdown,
    marks,
    names,
    prose_words,
    regions,
    released,
    released_path,
    solution,
    source,
    without_fences,
)

from grader.chapters import exercises
from grader.chapters.answers import BANK
from grader.publish.release import course_config, course_root

pytestmark = pytest.mark.parametrize("chapter", CHAPTERS)
NUMBER_WORDS = {
    "Two": 2,
    "Three": 3,
    "Four": 4,
    "Five": 5,
    "Six": 6,
    "Eight": 8,
    "Ten": 10,
    "Twelve": 12,
    "Fifteen": 15,
    "Twenty": 20,
}


def test_opens_with_its_one_h1_and_skips_no_heading_level(chapter):
    levels = [level for level, _ in headings(source(chapter))]
    assert levels[0] == 1 and levels.count(1) == 1
    assert source(chapter).cells[0].source.startswith("# ")
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_opens_with_time_prerequisites_and_objectives(chapter):
    opening = source(chapter).cells[0].source
    assert re.search(r"\*\*Time:\*\* (two sittings of )?\d+ to \d+ minutes", opening)
    assert "**Before you start:**" in opening
    assert 3 <= len(re.findall(r"^- ", opening, re.MULTILINE)) <= 5


def test_limits(chapter):
    nb = source(chapter)
    least, most = map(int, re.search(r"(\d+) to (\d+) minutes", nb.cells[0].source).groups())
    sittings = 2 if "two sittings" in nb.cells[0].source else 1
    text = "\n".join(cell.source for cell in markdown(nb))
    assert text.count("**A good place to pause.**") == sittings - 1
    exercise_minutes = sum(NUMBER_WORDS[word] for word in re.findall(r"\*\*(\w+) minutes", text))
    minutes = prose_words(nb) / 180 + exercise_minutes + len(cells_to_run(nb))
    report = (
        f"{len(nb.cells)} cells, {prose_words(nb)} words, {exercise_minutes} of {minutes:.0f} minutes in exercises; "
        f"said: {sittings} times {least} to {most}"
    )
    print(report)
    fewest_cells, shortest = (15, 10) if chapter == 0 else (25, 35)
    assert fewest_cells <= len(nb.cells) <= 45, report
    assert prose_words(nb) <= 1800, report
    assert shortest <= least <= most <= 60 and exercise_minutes <= sittings * most, report
    assert sittings * least <= 5 * round(minutes / 5) <= sittings * most, report


def cells_to_run(nb):
    """The code cells that neither set the chapter up nor belong to an exercise."""
    others = (cell for cell in code(nb) if not marks(cell).get("solution") and not marks(cell).get("grade"))
    return [cell for cell in others if marks(cell).get("grade_id") != "setup"]


def test_each_exercise_has_three_hints_and_one_locked_cell_that_checks_it(chapter):
    nb = source(chapter)
    position = {marks(cell).get("grade_id"): index for index, cell in enumerate(nb.cells)}
    assert exercises(chapter)
    for exercise in exercises(chapter):
        at = position[exercise.name]
        statement, stub, graded = nb.cells[at - 1 : at + 2]
        assert [*re.findall(r"<summary>(Hint \d)", statement.source)] == ["Hint 1", "Hint 2", "Hint 3"]
        assert "**Shapes:**" in statement.source and " minutes, " in statement.source
        assert "..." in statement.source.rsplit("```python", 1)[1], "the skeleton has blanks"
        assert marks(stub)["solution"] and not marks(stub)["locked"] and regions(stub.source)
        assert graded.source == f'check("{exercise.name}")'
        assert marks(graded)["grade_id"] == exercise.graded_cell
        assert marks(graded)["grade"] and marks(graded)["locked"] and marks(graded)["points"] == exercise.max_score
        assert "<summary>Why it works</summary>" in nb.cells[at + 2].source


def test_there_are_no_other_graded_or_solution_cells(chapter):
    known = {exercise.name for exercise in exercises(chapter)}
    cells = code(source(chapter))
    assert {marks(c)["grade_id"] for c in cells if marks(c).get("solution")} == known
    assert {marks(c)["grade_id"] for c in cells if marks(c).get("grade")} == {f"{name}-graded" for name in known}


def test_sections_that_the_grader_names_are_there(chapter):
    titles = {text for _, text in headings(source(chapter))}
    assert {exercise.title for exercise in exercises(chapter)} <= titles
    mine = {exercise.name for exercise in exercises(chapter)}
    assert {m.section for name in mine for m in BANK[name]} <= titles


def test_every_picture_has_a_description(chapter):
    text = "\n".join(without_fences(cell.source) for cell in markdown(source(chapter)))
    outputs = "\n".join(o.get("data", {}).get("text/html", "") for c in code(solution(chapter)) for o in c.outputs)
    described = re.findall(r"!\[(.*?)\]\((.*?)\)", text)
    tags = re.findall(r"<img[^>]*>", text + outputs)
    assert described or tags
    assert all(len(alt) > 20 for alt, _ in described)
    assert all(re.search(r'alt="[^"]{20,}"', tag) for tag in tags)
    for _, name in described:
        svg = (released_path(chapter).parent / name).read_text("utf-8")
        assert re.search(r"<title>.{20,}</title>", svg)


def test_only_demonstrations_mention_torch_and_they_are_locked(chapter):
    for cell in code(source(chapter)):
        if is_demonstration(cell):
            assert marks(cell)["locked"] and not marks(cell)["grade"] and not marks(cell)["solution"]
        else:
            assert "torch" not in cell.source, cell.source


def test_nothing_needs_a_name_that_a_demonstration_defines(chapter):
    known = set(dir(builtins))
    for cell in code(source(chapter)):
        if not is_demonstration(cell):
            defined, read = names(cell.source)
            assert read <= known, f"{sorted(read - known)} in\n{cell.source}"
            known |= defined


def test_the_set_up_cell_is_locked_and_opens_the_workshop(chapter):
    setup = by_id(source(chapter))["setup"]
    assert marks(setup)["locked"] and f"workshop.open({chapter})" in setup.source


# ---------------------------------------------------------------------- the release


def test_the_release_holds_stubs_and_no_solution(chapter):
    stub = course_config(course_root(released_path(chapter).parent)).ClearSolutions.code_stub["python"].splitlines()
    given = by_id(released(chapter))
    given_code = [cell for cell in code(released(chapter)) if not is_demonstration(cell)]
    code_lines = {line.strip() for cell in given_code for line in cell.source.splitlines()}
    prose_lines = {line.strip() for cell in markdown(released(chapter)) for line in cell.source.splitlines()}
    for cell in code(source(chapter)):
        found = regions(cell.source)
        for region in found:
            told = [line for line in region if line != "return"]
            assert not code_lines & set(told), "a line of the solution is in a code cell"
            assert not set(told) <= prose_lines, "the text holds a whole solution"
        if found:
            text = given[marks(cell)["grade_id"]].source
            assert text.count(stub[-1]) == len(found) and "SOLUTION" not in text


def test_the_release_is_clean(chapter):
    assert all(not cell.outputs and cell.execution_count is None for cell in code(released(chapter)))
    assert not list(released_path(chapter).parent.rglob("*.py"))
    assert all("editable" in cell.metadata for cell in code(released(chapter)) if marks(cell).get("locked"))


def test_nothing_of_the_builders_machine_is_stored(chapter):
    for path in (released_path(chapter), released_path(chapter).parents[2] / "solutions" / f"chapter{chapter}"):
        for file in [path] if path.is_file() else path.glob("*.ipynb"):
            text = file.read_text("utf-8")
            assert not re.search(r"/tmp/|/home/|/Users/|site-packages|\d\d:\d\d:\d\d|0x[0-9a-f]{6}|ipykernel_\d", text)
