"""The book's sources: every chapter is in it, every page that it names is there, and nothing gives a solution away."""

import html
import importlib
import pkgutil
import re
import shutil
import sys
from functools import cached_property

import jupytext
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import minigrad
from grader.errors import CourseError
from grader.learner.draw.drawing import Arrow, Box, Table, draw
from grader.learner.draw.mathml import mathml
from grader.publish.book.lettering import FONT
from grader.publish.book.narrow import narrow
from grader.publish.book.pages import DOCUMENTS, assemble
from grader.publish.book.public import is_public
from grader.publish.book.reading import (
    EXERCISE,
    folded,
    for_reading,
    with_card,
    with_paragraphs,
    with_pictures,
    with_shown,
)
from grader.publish.book.site import build
from grader.publish.course import chapters, course_root, release_notebook, script

ROOT = course_root()


@pytest.fixture(scope="module", params=[False, True], ids=["unsolved", "solved"])
def book(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    assemble(ROOT, folder, solved=request.param)
    folder.joinpath("source").write_text("solutions" if request.param else "notebooks")
    return folder


def contents(book):
    """The pages that the table of contents names."""
    trees = re.findall(r"```{toctree}\n(.*?)```", (book / "index.md").read_text("utf-8"), re.DOTALL)
    lines = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    return [re.fullmatch(r"(?:.+ <(.+)>|(.+))", line).expand(r"\1\2") for line in lines]


def test_the_table_of_contents_names_every_page_and_each_is_there(book):
    named = {name.removesuffix(".ipynb") for name in contents(book)}
    there = {
        path.relative_to(book).with_suffix("").as_posix()
        for path in book.rglob("*")
        if path.suffix in (".md", ".ipynb") and "download" not in path.parts
    }
    assert named == there - {"index"}


def test_the_font_of_formulas_has_every_character_of_the_courses():
    fonts = pytest.importorskip("fontTools.ttLib")
    formulas = [formula for chapter in chapters(ROOT) for formula in formulas_of(release_notebook(chapter))]
    shown = {ord(letter) for formula in formulas for letter in html.unescape(re.sub("<.*?>", "", formula))}
    assert len(formulas) > 100
    assert shown | set(map(ord, "𝑥𝛽")) <= fonts.TTFont(FONT).getBestCmap().keys()


def formulas_of(notebook):
    """The formulas of a notebook's text as MathML."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"(```|`).*?\1", "", cell.source, flags=re.DOTALL)
            yield from (mathml(found[2], "inline") for found in re.finditer(r"(\$\$?)(.+?)\1", text, re.DOTALL))


def test_it_has_every_chapter_as_the_course_has_it(book):
    source = ROOT / (book / "source").read_text()
    for number in chapters(ROOT):
        files = {path.name: path.read_bytes() for path in (source / f"chapter{number}").glob("*.[is][pv]*")}
        room = book / "chapters" / f"chapter{number}"
        own = (path for path in room.glob("*.svg") if not re.search("-narrow|^shown-", path.name))
        copies = {path.name: path.read_bytes() for path in own}
        (name,) = files.keys() - copies
        assert files == copies | {name: (book / "download" / name).read_bytes()}
        assert (room / name).is_file()


def test_a_page_is_the_chapter_without_what_only_running_it_needs():
    for number in chapters(ROOT):
        notebook, page = release_notebook(number), release_notebook(number)
        for_reading(page, number)
        assert page.cells[0].source.startswith(f"# {number}\u00a0· ")
        cards = sum(cell.source.count(":class: exercise") for cell in page.cells)
        assert cards == sum(len(EXERCISE.findall(cell.source)) for cell in notebook.cells) >= 1
        assert "double-click" not in "".join(cell.source for cell in page.cells)
        words = [re.sub(r"\W+", "", cell.source) for cell in notebook.cells if cell.cell_type == "code"]
        kept = [re.sub(r"\W+", "", cell.source) for cell in page.cells if cell.cell_type == "code"]
        assert kept == words


def test_a_solved_page_has_the_solution_without_the_marks_around_it(tmp_path):
    assemble(ROOT, tmp_path, solved=True)
    cells = nbformat.read(tmp_path / "chapters/chapter1/one-step.ipynb", 4).cells
    mul = next(cell.source for cell in cells if "class Mul" in cell.source and "@workshop.part" in cell.source)
    assert "return grad * y\n" in mul and "SOLUTION" not in mul
    assert any(":class: exercise" in cell.source for cell in cells)


def test_a_card_holds_the_exercise_and_its_hints_and_nothing_else():
    hint = "<details>a hint\n\n```python\n# a comment\n```\n</details>"
    text = f"Before.\n\n## Mul\n\n**Exercise 2.** Write it.\n\n{hint}\n\n## Next\n\nAfter."
    before, card, after = with_card(text).split("::::::")[0], *with_card(text).split("::::::")[1:]
    assert before == "Before.\n\n## Mul\n\n" and after == "\n\n## Next\n\nAfter."
    assert card.startswith("{admonition} Exercise 2\n") and "Write it." in card and hint in card
    assert with_card("No exercise.") == "No exercise."


@pytest.mark.parametrize("points", ["2 points", "2 points for both"])
def test_the_title_of_a_card_says_what_the_exercise_takes_and_is_worth(points):
    card = with_card(f"**Exercise 1.** Write it.\n\n- **Shapes:** any.\n- **Four minutes, easy, {points}.**\n\nHints.")
    assert card.splitlines()[0] == f"::::::{{admonition}} Exercise 1 *four minutes, easy, {points}*"
    assert "- **Shapes:** any.\n\nHints." in card and card.count("points") == 1


@pytest.mark.parametrize(
    "text, kind, rest",
    [
        ("**The question:** Why?\nAnd how?\n\n**Time:** long.", "question", "\n\n**Time:** long."),
        ("✎ **Your prediction**: it is …", "predict", ""),
        ("Before.\n\n**Find the bug.** Where?", "bug", ""),
        ("**A good place to pause.** Until tomorrow.", "pause", ""),
    ],
)
def test_a_paragraph_that_asks_for_something_is_a_card(text, kind, rest):
    made = with_paragraphs(text)
    assert (
        f":class: {kind}\n" in made and made.endswith(f"::::::\n{rest}") and "**" not in made.replace(rest or "*", "")
    )
    assert with_paragraphs("**Time:** an hour.") == "**Time:** an hour."


BOXES = [Box("x", ["x", "value 2"], "leaf"), Box("c", ["c"], "data"), *(Box(i, [f"step {i}", "1"]) for i in range(6))]
ARROWS = [Arrow("x", 0, "×3"), Arrow("c", 1, dashed=True), Arrow("x", 5), Arrow(0, 1), Arrow(0, 1, "×2", head=False)]
ARROWS += [Arrow(i, i + 1) for i in range(1, 5)]


def test_a_wide_graph_is_drawn_again_from_top_to_bottom():
    wide, tall = (draw(BOXES, ARROWS, "What it shows.", Table((), ()), down).svg for down in (False, True))
    assert wide != tall and narrow(wide) == tall
    assert narrow(draw(BOXES[:1], [], "One box.", Table((), ())).svg) == ""


def test_a_drawing_that_is_no_graph_stays_as_it_is():
    assert narrow((ROOT / "solutions/chapter5/row-or-table.svg").read_text("utf-8").replace("476", "700")) == ""


def test_a_page_has_the_picture_for_a_wide_screen_and_for_a_narrow_one(tmp_path):
    text = "![A graph (of x).](graph.svg)"
    assert with_pictures(text, tmp_path) == f"{text}{{.drawn .dark-light}}"
    (tmp_path / "graph.svg").touch()
    (tmp_path / "graph-narrow.svg").touch()
    wide, tall = with_pictures(text, tmp_path).split("}")[:2]
    assert wide == f"{text}{{.drawn .dark-light .on-wide"
    assert tall == "![A graph (of x).](graph-narrow.svg){.drawn .dark-light .on-narrow"


@pytest.mark.parametrize("width, upright", [(820, False), (830, True)])
def test_a_graph_whose_letters_would_be_too_small_stands_upright(tmp_path, width, upright):
    (tmp_path / "graph.svg").write_text(f'<svg role="img" width="{width}" height="9"></svg>')
    (tmp_path / "graph-narrow.svg").touch()
    text = "![A graph.](graph.svg)"
    assert (with_pictures(text, tmp_path) == "![A graph.](graph-narrow.svg){.drawn .dark-light .upright}") == upright
    assert ".on-wide" in with_pictures(text, tmp_path, upright=False)


def test_what_a_cell_of_the_course_draws_is_shown_behind_a_line_and_never_what_a_solution_does(tmp_path):
    svg = "<svg><title>A line [of x].</title></svg>"
    output = {"output_type": "display_data", "data": {"image/svg+xml": svg}, "metadata": {}}
    cells = [new_code_cell(source, outputs=[output]) for source in ("show()", "solve()", "check()")]
    cells[0].metadata.nbgrader = {"locked": True}
    cells[1].metadata.nbgrader = {"locked": False, "solution": True}
    solved = new_notebook(cells=cells)
    page = new_notebook(cells=[new_code_cell(cell.source) for cell in cells])
    with_shown(page, solved, tmp_path)
    shown = "<details><summary>What it shows</summary>\n\n![A line (of x).](shown-1.svg)\n</details>"
    assert [cell.source for cell in page.cells] == ["show()", shown, "solve()", "check()"]
    assert [path.read_text() for path in tmp_path.iterdir()] == [svg]


def test_no_drawing_of_the_book_comes_from_a_cell_that_the_learner_writes(tmp_path):
    assemble(ROOT, tmp_path)
    pages = [nbformat.read(path, 4).cells for path in (tmp_path / "chapters").rglob("*.ipynb")]
    before = [cells[i - 1] for cells in pages for i, cell in enumerate(cells) if "What it shows" in cell.source]
    before = [cell for cell in before if cell.cell_type == "code"]
    assert len(before) > 15
    assert all(cell.metadata.nbgrader.locked and not cell.metadata.nbgrader.solution for cell in before)


def test_a_line_before_and_after_a_change_is_two_lines():
    assert folded("| `- a = 1 + b + a = 2` |") == "| `- a = 1 + b`<br>`+ a = 2` |"


def test_the_graphs_of_the_course_have_a_narrow_form(book):
    found = {path.name for path in (book / "chapters").rglob("*-narrow.svg") if not path.name.startswith("shown-")}
    drawn = ("graph", "by-hand", "layers", "diamond", "nodes", "steps", "one-layer")
    assert found == {f"{name}-narrow.svg" for name in drawn}


@pytest.mark.parametrize(
    "owner, public, internal",
    [
        (minigrad.nn.Module, "state_dict", "make_way"),
        (minigrad.optim.Optimizer, "step", "check_params"),
        (minigrad.Generator, "manual_seed", "one_normal"),
        (minigrad.Generator, "initial_seed", "bits"),
        (minigrad.nn.init, "fan_in_uniform_", "fans"),  # the first is a learner's own
        (minigrad.autograd.functional, "jacobian", "fresh"),
        (minigrad.optim, "AdamW", None),
        (minigrad.nn.Module, "extra_repr", None),
        (minigrad.Tensor, "grad", None),
        (minigrad.nn.Linear, "forward", "extra_repr"),
        (minigrad.nn.ReLU, "forward", "function"),
    ],
)
def test_the_reference_holds_what_is_public_alone(owner, public, internal):
    assert is_public(public, vars(owner).get(public, getattr(owner, public)))
    assert internal is None or not is_public(internal, getattr(owner, internal))


@pytest.mark.parametrize("rows, hidden", [(12, False), (13, True)])
def test_a_long_table_is_opened_by_who_wants_it(rows, hidden):
    table = "\n".join(["| a |", "| --- |", *["| 1 |"] * rows])
    text = folded(f"Before.\n\n{table}\n\nBetween.\n\n{table}\n\nAfter.")
    for called in ("The figures", "The table"):  # the first of a page is its summary
        assert (f"<details><summary>{called}: {rows} rows</summary>\n\n| a |" in text) == hidden
    assert text.count(table) == 2 and text.startswith("Before.") and text.endswith("After.")


def test_the_search_knows_each_sections_title_and_its_own_text():
    core = pytest.importorskip("docutils.core", reason="`make book` installs Sphinx")
    from grader.publish.book.searching import texts

    text = "One\n===\n\nA slope of :math:`x + 1`, not :math:`\\frac{1}{2}`.\n\n- a\n- b\n\nTwo\n---\n\nIts own.\n"
    found = texts(core.publish_doctree(text, settings_overrides={"doctitle_xform": False}))
    assert found == {"one": ("One", "A slope of x + 1, not …. a · b"), "two": ("Two", "Its own.")}


def test_the_first_page_links_each_chapter_and_its_notebook_with_what_is_built_there(book):
    rows = re.findall(
        r"^\| (\d+)\u00a0·\u00a0\[(.+)\]\((.+)\) \| (.+) \| (.+) \| {download}`notebook <download/(.+)>` \|$",
        (book / "index.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert [int(row[0]) for row in rows] == chapters(ROOT)
    for number, title, page, built, takes, name in rows:
        assert page.endswith(f"/{name}") and built in (ROOT / "README.md").read_text("utf-8")
        first = jupytext.read(book / page).cells[0].source
        assert first.startswith(f"# {number}\u00a0· {title}\n") and f"**Time:** {takes}.\n" in first


def test_the_first_page_names_the_chapters_of_two_sittings(book):
    text = (book / "index.md").read_text("utf-8")
    two = re.findall(r"^\| (\d+).*\| two sittings", text, re.MULTILINE)
    assert two and f"Chapters {', '.join(two[:-1])} and {two[-1]} have two sittings" in text


def test_a_learners_book_gives_no_solution_away(tmp_path):
    assemble(ROOT, tmp_path)
    for path in tmp_path.rglob("*.ipynb"):
        assert "BEGIN SOLUTION" not in path.read_text("utf-8"), path
        assert not any(cell.get("outputs") for cell in jupytext.read(path).cells), path


def test_beside_jupyterlab_each_chapter_leads_to_where_it_can_be_done(tmp_path):
    assemble(ROOT, tmp_path, lab="lab")
    first = (tmp_path / "index.md").read_text("utf-8")
    for chapter in chapters(ROOT):
        room = tmp_path / "chapters" / f"chapter{chapter}"
        way = f"lab/lab/index.html?path=notebooks/chapter{chapter}/{script(chapter).stem}.ipynb"
        title, *_ = nbformat.read(room / f"{script(chapter).stem}.ipynb", 4).cells
        assert title.source.startswith("# ") and f'href="../../{way}">Do it here' in title.source
        assert f'<a href="{way}">open</a>' in first
        assert "open the notebook.*" in title.source
    assert 'href="lab/lab/index.html?path=my-work.ipynb"' in first and "{download}" not in first
    assert '<a href="lab/lab/index.html?path=notebooks/challenges/gelu.ipynb">The exact GELU</a>' in first
    assert '<a href="lab/lab/index.html?path=notebooks/project/your-text.ipynb">A text of your own</a>' in first


def test_a_page_says_where_its_cells_are_run(book):
    for path in book.joinpath("chapters").rglob("*.ipynb"):
        title, where = nbformat.read(path, 4).cells[0].source.split("\n\n")[:2]
        assert title.startswith("# ") and where.startswith("*You are reading.") and "`make lab`" in where


@pytest.mark.parametrize("use", ["run", "answered"])
def test_a_learners_own_work_stays_out_of_it(tmp_path, use):
    course, made = tmp_path / "course", tmp_path / "book"
    for name in ("nbgrader_config.py", "README.md", *DOCUMENTS):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, course / name)
    for room in ("notebooks", "solutions"):
        shutil.copytree(ROOT / room, course / room)
    path = course / "notebooks" / "chapter0" / "welcome.ipynb"
    nb = nbformat.read(path, 4)
    if use == "run":
        next(cell for cell in nb.cells if cell.cell_type == "code").execution_count = 1
    for cell in nb.cells if use == "answered" else []:
        cell.source = cell.source.replace("YOUR CODE HERE", "mine")
    nbformat.write(nb, path)
    assemble(course, made)
    released = (ROOT / "notebooks/chapter0/welcome.ipynb").read_bytes()
    assert (made / "download/welcome.ipynb").read_bytes() == released
    read = nbformat.read(made / "chapters/chapter0/welcome.ipynb", 4)
    assert not any("mine" in cell.source or cell.get("execution_count") for cell in read.cells)


def test_what_a_property_says_first_is_taken_for_no_type():
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(minigrad.__path__, "minigrad.")]
    classes = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    ours = [vars(one).values() for one in classes if one.__module__.startswith("minigrad")]
    found = [one for each in ours for one in each if isinstance(one, property | cached_property) and one.__doc__]
    first = [re.sub(r"`[^`]*`", "", one.__doc__.splitlines()[0]) for one in found]
    assert len(first) > 20 and not [line for line in first if ":" in line]  # Sphinx reads "type: words"


def test_every_function_of_minigrad_is_described(book):
    page = (book / "engine" / "functions.md").read_text("utf-8")
    public = {name for name, found in vars(minigrad).items() if not name.startswith("_") and callable(found)}
    described = re.findall(r"^\.\. auto(?:function|class):: (\w+)$", page, re.MULTILINE)
    assert sorted(described) == sorted(public - {"Any", "Tensor"})
    sections = {section.partition("\n")[0]: section for section in page.split("\n## ")[1:]}
    assert all(".. auto" in section for section in sections.values()), "a family without a function"
    families = {"add": "Arithmetic and comparisons", "exp": "Element by element", "sum": "Sums, means and extremes"}
    families |= {"reshape": "Shapes", "gather": "Picking elements", "mm": "Products of matrices", "equal": "Comparing"}
    for name, title in families.items():
        assert [t for t, section in sections.items() if f".. autofunction:: {name}\n" in section] == [title]


@pytest.mark.parametrize("module", [minigrad.nn, minigrad.nn.functional])
def test_everything_of_nn_is_described_once_in_a_group(book, module):
    sections = (book / "engine" / "nn.md").read_text("utf-8").split("```{eval-rst}\n.. currentmodule:: ")[1:]
    ours = [section for section in sections if section.startswith(f"{module.__name__}\n")]
    described = [name for section in ours for name in re.findall(r"^\.\. auto\w+:: (\w+)$", section, re.MULTILINE)]
    assert sorted(described) == sorted(name for name in module.__all__ if callable(vars(module)[name]))
    assert len(ours) == 4


def test_everything_of_the_grader_that_a_page_describes_is_there(book):
    pages = "".join(path.read_text("utf-8") for path in book.rglob("*.md"))
    described = re.findall(r"^\.\. auto(?:function|class):: (grader\.[\w.]+)$", pages, re.MULTILINE)
    assert described and all(callable(pkgutil.resolve_name(name)) for name in described)


def test_each_section_that_the_tutorials_name_is_linked(book):
    page, plain = (book / "tutorials.md").read_text("utf-8"), (ROOT / "TUTORIALS.md").read_text("utf-8")
    links = re.findall(r"\[\d\u00a0· [^\]]+\]\(([^)#]+)", page)
    assert len(links) == len(re.findall(r"[|;] \d · ", plain)) > 100
    assert all((book / link).is_file() for link in links)


def test_no_text_is_left_to_be_filled_in(book):
    assert not [path for path in book.rglob("*.md") if re.search(r"@\w+@", path.read_text("utf-8"))]


def test_what_was_not_built_is_said_in_a_sentence(tmp_path):
    (tmp_path / "TUTORIALS.md").write_text("# Tutorials\n")
    with pytest.raises(CourseError, match=r"VERIFICATION\.md is missing.*make verify"):
        assemble(tmp_path, tmp_path / "book")


def test_without_sphinx_it_says_what_installs_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sphinx.cmd.build", None)
    with pytest.raises(CourseError, match=r"not installed.*run `make book`"):
        build(ROOT, tmp_path / "site")


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "letters.txt").write_text("Dear Ada")
    with pytest.raises(CourseError, match="holds no site"):
        build(ROOT, tmp_path)
    assert (tmp_path / "letters.txt").read_text() == "Dear Ada"
