"""The book's sources: every chapter is in it, every page that it names is there, and nothing gives a solution away."""

import pkgutil
import re
import shutil
import sys

import jupytext
import nbformat
import pytest

import minigrad
from grader.chapters import exercises
from grader.errors import CourseError
from grader.publish.book.pages import DOCUMENTS, assemble
from grader.publish.book.reading import EXERCISE, folded, for_reading, with_card
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


def test_it_has_every_chapter_as_the_course_has_it(book):
    room = ROOT / (book / "source").read_text()
    for number in chapters(ROOT):
        files = {path.name: path.read_bytes() for path in (room / f"chapter{number}").glob("*.[is][pv]*")}
        copies = {path.name: path.read_bytes() for path in (book / "chapters" / f"chapter{number}").glob("*.svg")}
        (name,) = files.keys() - copies
        assert files == copies | {name: (book / "download" / name).read_bytes()}
        assert (book / "chapters" / f"chapter{number}" / name).is_file()


def test_a_page_is_the_chapter_without_what_only_running_it_needs():
    for number in chapters(ROOT):
        notebook, page = release_notebook(number), release_notebook(number)
        for_reading(page)
        cards = sum(cell.source.count(":class: exercise") for cell in page.cells)
        assert cards == sum(len(EXERCISE.findall(cell.source)) for cell in notebook.cells) >= 1
        assert "double-click" not in "".join(cell.source for cell in page.cells)
        words = [re.sub(r"\W+", "", cell.source) for cell in notebook.cells if cell.cell_type == "code"]
        kept = [re.sub(r"\W+", "", cell.source) for cell in page.cells if cell.cell_type == "code"]
        assert kept == words


def test_a_card_holds_the_exercise_and_its_hints_and_nothing_else():
    hint = "<details>a hint\n\n```python\n# a comment\n```\n</details>"
    text = f"Before.\n\n## Mul\n\n**Exercise 2.** Write it.\n\n{hint}\n\n## Next\n\nAfter."
    before, card, after = with_card(text).split("::::::")[0], *with_card(text).split("::::::")[1:]
    assert before == "Before.\n\n## Mul\n\n" and after == "\n\n## Next\n\nAfter."
    assert card.startswith("{admonition} Exercise 2\n") and "Write it." in card and hint in card
    assert with_card("No exercise.") == "No exercise."


@pytest.mark.parametrize("rows, hidden", [(12, False), (13, True)])
def test_a_long_table_is_opened_by_who_wants_it(rows, hidden):
    table = "\n".join(["| a |", "| --- |", *["| 1 |"] * rows])
    text = folded(f"Before.\n\n{table}\n\nAfter.")
    assert (f"<details><summary>The table: {rows} rows</summary>\n\n| a |" in text) == hidden
    assert table in text and text.startswith("Before.") and text.endswith("After.")


def test_the_first_page_links_each_chapter_and_its_notebook_with_what_is_built_there(book):
    rows = re.findall(
        r"^\| (\d+) · \[(.+)\]\((.+)\) \| (.+) \| {download}`(.+) <download/\5>` \|$",
        (book / "index.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert [int(row[0]) for row in rows] == chapters(ROOT)
    for _, title, page, built, name in rows:
        assert page.endswith(f"/{name}") and built in (ROOT / "README.md").read_text("utf-8")
        assert jupytext.read(book / page).cells[0].source.startswith(f"# {title}\n")


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
        assert f'<a href="{way}">do it here</a>' in first
    assert 'href="lab/lab/index.html?path=my-work.ipynb"' in first and "{download}" not in first


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


def test_everything_of_the_grader_that_a_page_describes_is_there(book):
    pages = "".join(path.read_text("utf-8") for path in book.rglob("*.md"))
    described = re.findall(r"^\.\. auto(?:function|class):: (grader\.[\w.]+)$", pages, re.MULTILINE)
    assert described and all(callable(pkgutil.resolve_name(name)) for name in described)


def test_each_section_that_the_tutorials_name_is_linked(book):
    page, plain = (book / "tutorials.md").read_text("utf-8"), (ROOT / "TUTORIALS.md").read_text("utf-8")
    links = re.findall(r"\[\d · [^\]]+\]\(([^)#]+)", page)
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
