"""The course in a browser, with nothing installed: the built site, as a learner meets it, and nothing from outside."""

import functools
import http.server
import io
import json
import subprocess
import sys
import threading
import time
import zipfile

import nbformat
import pytest

from grader.chapters import exercises
from grader.classroom import demo
from grader.publish.course import chapters, notebook_name
from grader.publish.release import read_script
from grader.publish.site.build import LAB, needs_torch
from grader.verdict.render import plain

from ..grader.hidden import lines
from . import pyodide
from .accessibility import findings
from .conftest import ROOT
from .lab import Notebook
from .test_book import PLAIN
from .test_learner import agreed, answers, says_right
from .test_notebooks import ALL_DRAWN, DRAW_ALL, JUPYTERLABS, OURS

WRITE = """([name, source]) => window.jupyterapp.shell.currentWidget.content.widgets.find(
    cell => cell.model.getMetadata('nbgrader')?.grade_id === name).model.sharedModel.setSource(source)"""
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(
    cell => [cell.model.type, cell.model.getMetadata('nbgrader')?.solution ?? false, cell.model.sharedModel.source])"""
RAN = """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells.filter(
    cell => cell.cell_type === 'code').map(cell => [cell.source, cell.outputs])"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        """Nobody reads it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site, with a Pyodide of its own."""
    python, own = pyodide.had()
    folder = tmp_path_factory.mktemp("site") / "site"
    options = ["--site", folder, "--python", python, "--pyodide", own]
    subprocess.run([sys.executable, "-m", "grader", "site", *map(str, options)], cwd=ROOT, check=True)
    settings = folder / LAB / "jupyter-lite.json"
    told = json.loads(settings.read_text())
    told["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(told))
    return folder


@pytest.fixture(scope="module")
def site(folder):
    """The site on a web server of this machine; its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_it_is_at_most_thirty_megabytes_without_python(folder):
    pages = [path for path in folder.rglob("*") if path.is_file() and "pyodide" not in path.parts]
    assert sum(path.stat().st_size for path in pages) <= 30e6


def test_no_solution_and_no_known_mistake_is_in_it(folder):
    read = "\n".join(texts(folder))
    assert "class Tensor" in read and "YOUR CODE HERE" in read  # what a learner may read was looked into
    solved = [cell.source for number in chapters(ROOT) for cell in demo.solution_notebook(number).cells if hidden(cell)]
    secret = ["BEGIN SOLUTION", "@misconception(", "@right(", *lines().values(), *solved]
    assert len(secret) > 150
    assert [text for text in secret if text in read or json.dumps(text, ensure_ascii=False)[1:-1] in read] == []


def hidden(cell):
    """Whether a cell of the solved course is a solution, in code."""
    return cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")


def texts(folder):
    """All text that a learner's browser could load, also from archives, but for the runtime's."""
    for path in folder.rglob("*"):
        if path.is_file() and "pyodide" not in path.relative_to(folder).parts:
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    yield from (archive.read(name).decode("utf-8", "ignore") for name in archive.namelist())
            else:
                yield path.read_text("utf-8", "ignore")


@pytest.fixture
def learner(browser, site):
    """A learner's browser, with a storage of its own; nothing that it asks for is outside this machine."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
    outside = []

    def answer(route):
        inside = route.request.url.startswith((site, "data:", "blob:"))
        outside.extend([] if inside else [route.request.url])
        route.continue_() if inside else route.abort()

    context.route("**/*", answer)
    page = context.new_page()
    page.set_default_timeout(90_000)
    yield Learner(page, site)
    context.close()
    assert outside == []


class Learner:
    def __init__(self, page, site):
        self.page, self.site = page, site

    def open(self, path):
        return Notebook(self.page, lambda place: f"{self.site}/{LAB}/{place}/index.html?from=test", path)

    def chapter(self, number):
        return self.open(f"notebooks/chapter{number}/{notebook_name(number)}")


def set_up(notebook):
    """Run the cells before the first exercise."""
    cells = notebook.page.evaluate(CELLS)
    first = next(n for n, cell in enumerate(cells) if cell[1])
    return {n: (cells[n][2], notebook.run(n)) for n in range(first) if cells[n][0] == "code"}


@pytest.mark.parametrize("chapter", chapters(ROOT))
def test_a_chapter_opens_runs_and_answers(learner, chapter, capsys):
    exercise, right, wrong, why = answers(chapter)
    began = time.monotonic()
    with learner.chapter(chapter) as notebook:
        opened = time.monotonic() - began
        said = set_up(notebook)
        assert not any("Error" in out for _, out in said.values()), said
        for source, out in said.values():
            assert needs_torch(source) == ("PyTorch does not run in a browser" in out)
        solution, check = notebook.number(exercise.name), notebook.number(source=f'check("{exercise.name}")')
        assert "not done yet" in notebook.run(check)

        notebook.type(solution, wrong)
        said = notebook.run(check)
        assert "not right yet" in said and plain(why).replace("`", "") in said

        notebook.type(solution, right)
        began = time.monotonic()
        said = notebook.run(check)
        kept = time.monotonic() - began
        assert says_right(said, exercise)
        assert check == notebook.number(exercise.graded_cell)  # the cell that has the points is the check
    with capsys.disabled():
        print(f"\nchapter {chapter}: open after {opened:.1f} s; checked and kept in {kept:.2f} s")


def test_the_first_notebook_shows_what_will_be_built_and_leads_to_the_others(learner):
    with learner.chapter(0) as notebook:
        assert "images that it has never seen" in notebook.run(notebook.number("preview"))
        shown = notebook.number("progress")
        assert "0 of 2" in notebook.run(shown)
        notebook.cell(shown).get_by_role("link", name="Computing gradients").click()
        learner.page.wait_for_function(
            "name => window.jupyterapp.shell.currentWidget?.context?.path?.endsWith(name)", arg=notebook_name(5)
        )


def test_a_challenge_and_the_project_can_be_done(learner):
    solved = {demo.grade_id(cell): cell.source for cell in read_script(ROOT / "solutions/challenges/gelu.py").cells}
    with learner.open("notebooks/challenges/gelu.ipynb") as notebook:
        set_up(notebook)
        solution, asked = notebook.number("gelu"), notebook.number(source='challenge("gelu")')
        notebook.type(solution, solved["gelu"].replace("left + x * bell", "left"))
        assert "not right yet" in notebook.run(asked)
        notebook.type(solution, solved["gelu"])
        assert "right. The same as torch.autograd, to rounding" in notebook.run(asked)
    with learner.open("notebooks/project/your-text.ipynb") as notebook:
        assert "characters; the first of them:" in "".join(said for _, said in set_up(notebook).values())
        assert "not done yet" in notebook.run(notebook.number(source='challenge("vocabulary")'))


@pytest.mark.parametrize("chapter", [1, 4, 8])
def test_a_learner_does_a_chapter(learner, chapter):
    """Every exercise right, every other cell as it is: pictures are drawn, and nothing stops."""
    solved = {demo.grade_id(cell): cell.source for cell in demo.solution_notebook(chapter).cells}
    with learner.chapter(chapter) as notebook:
        for exercise in exercises(chapter):
            notebook.page.evaluate(WRITE, [exercise.name, solved[exercise.name]])
        notebook.run_all()
        outputs = notebook.page.evaluate(RAN)
    errors = [output for _, found in outputs for output in found if output["output_type"] == "error"]
    assert errors == []
    drawn = [output for _, found in outputs for output in found if "image/svg+xml" in output.get("data", {})]
    assert drawn
    said = json.dumps(outputs)
    for exercise in exercises(chapter):
        for part, words in agreed(exercise).items():
            assert f"{part}: Right: {words}" in said


def test_what_is_kept_is_there_in_the_next_chapter_and_can_be_taken_away(learner, tmp_path):
    exercise, right, _, _ = answers(1)
    with learner.chapter(1) as notebook:
        set_up(notebook)
        notebook.type(notebook.number(exercise.name), right)
        notebook.run(notebook.number(source='check("add")'))
        notebook.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        notebook.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    with learner.chapter(2) as notebook:
        said = "\n".join(out for _, out in set_up(notebook).values())
        assert "Yours, from my_minigrad: Add." in said
    with learner.open("my-work.ipynb") as notebook:
        notebook.run(1)
        with notebook.page.expect_download() as download:
            notebook.page.get_by_text("Download my-minigrad-work.zip").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as work:
        work.extractall(tmp_path)
    assert "class Add(Function):" in (tmp_path / "my_minigrad" / "rules" / "arithmetic.py").read_text("utf-8")
    handed_in = nbformat.read(tmp_path / "notebooks" / "chapter1" / notebook_name(1), 4)
    assert right in [cell.source for cell in handed_in.cells]
    # On a computer with PyTorch: the engine is there, and what was done is known.
    asked = "import my_minigrad as torch, json; print(torch.tensor(2.0) + 3, open('my_minigrad/progress.json').read())"
    done = subprocess.run([sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("tensor(5.)") and '"add"' in done.stdout, done.stderr


def test_a_cell_with_pytorch_that_was_changed_says_why_it_cannot_run(learner):
    with learner.chapter(1) as notebook:
        said = notebook.type(notebook.number("add"), "import torch\nprint(torch.ones(3))")
        assert "PyTorch does not run in a browser. Run the cell as it was" in said


def test_an_endless_loop_ends_with_a_restart_of_the_kernel_and_nothing_is_lost(learner):
    exercise, right, _, _ = answers(1)
    with learner.chapter(1) as notebook:
        set_up(notebook)
        solution, check = notebook.number(exercise.name), notebook.number(source='check("add")')
        notebook.type(solution, right)
        assert "kept" in notebook.run(check)
        notebook.write(solution, "while True: pass")
        notebook.page.keyboard.press("Shift+Enter")
        notebook.page.wait_for_timeout(2000)
        notebook.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        notebook.page.locator(".lm-Menu-itemLabel").get_by_text("Restart Kernel…", exact=True).click()
        notebook.page.get_by_role("button", name="Confirm Kernel Restart").click()
        notebook.wait_until_idle()
        set_up(notebook)
        notebook.type(solution, right)
        assert says_right(notebook.run(check), exercise)


@pytest.mark.parametrize("chapter", [0, 9])
def test_the_book_leads_to_the_chapter(learner, chapter):
    page = learner.page
    page.goto(f"{learner.site}/chapters/chapter{chapter}/{notebook_name(chapter).removesuffix('.ipynb')}.html")
    page.get_by_role("link", name="Do it here, in your browser").click()
    page.wait_for_function(
        "name => window.jupyterapp?.shell.currentWidget?.context?.path?.endsWith(name)", arg=notebook_name(chapter)
    )


def test_the_first_page_leads_to_the_learners_work(learner):
    learner.page.goto(f"{learner.site}/index.html")
    learner.page.get_by_role("link", name="your work").click()
    learner.page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context?.path === 'my-work.ipynb'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "chapters/chapter1/one-step"])
def test_anybody_can_read_its_pages(learner, name, scheme):
    page = learner.page
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{learner.site}/{name}.html")
    page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
    page.add_style_tag(content=PLAIN)
    assert findings(page, skip=["empty-table-header"]) == []  # axe-core takes a formula for none


def test_anybody_can_read_a_notebook_and_what_a_check_says_there(learner):
    exercise, right, wrong, _ = answers(1)
    with learner.chapter(1) as notebook:
        set_up(notebook)
        solution, check = notebook.number(exercise.name), notebook.number(source=f'check("{exercise.name}")')
        notebook.type(solution, wrong)
        assert "not right yet" in notebook.run(check)
        notebook.cell(check).locator(".jp-OutputArea-output").first.evaluate("node => node.id = 'card'")
        assert findings(notebook.page, "#card") == []
        notebook.type(solution, right)
        assert "right. The same" in notebook.run(check)
        notebook.page.evaluate(DRAW_ALL)
        notebook.page.wait_for_function(ALL_DRAWN)
        for theme in ("JupyterLab Dark", "JupyterLab Light"):
            notebook.theme(theme)
            ours = {"include": OURS, "exclude": JUPYTERLABS}
            assert findings(notebook.page, ours, skip=["empty-table-header"]) == []
