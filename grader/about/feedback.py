"""A student's feedback page: in words what was right, what was not and why; below it the notebook, nbgrader's way.

The page loads nothing from anywhere – its formulas are MathML – and nothing of a submission runs in it.
"""

from __future__ import annotations

import base64
import functools
import html
import re
import secrets
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bleach
import nbgrader.server_extensions.formgrader
from jinja2 import BytecodeCache, Environment, pass_context
from jinja2.bccache import Bucket
from markupsafe import Markup
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

from ..ask.exercise import AUTOGRAD
from ..chapters import exercise_named, exercises
from ..classroom import edition
from ..classroom.autograded import MARK, results_in, sources
from ..classroom.classroom import Classroom
from ..classroom.nbgrader_plugin import Judge
from ..learner.draw.mathml import mathml
from ..publish.book.lettering import FONT
from ..publish.book.reading import TO_WRITE
from ..publish.course import chapter_of
from ..run.folders import read
from ..run.submission import grade_id, stopped
from ..verdict.assess import Result
from ..verdict.box import PARAGRAPH, SIGNS, box, boxes, mark, reason
from ..verdict.finding import Finding
from ..verdict.inert import CONTROL, MOST_OF_MARKDOWN
from ..verdict.render import page, sentences
from . import in_time
from .cut import MOST_OF_CELL, cut
from .report import went
from .shown import numbered, scrolled, with_upright, wrong_line

TEMPLATES = Path(__file__).with_name("templates")
CHECK = re.compile(r'check\("[\w-]+"\)$')  # in releases where another cell has the points
NBGRADERS = Path(nbgrader.server_extensions.formgrader.__file__).parent / "templates"


@dataclass(frozen=True)
class Row:
    """An exercise on the page.

    Attributes:
        result: the verdict.
        score: the points that count.
        title: the exercise's heading.
        number: which of the chapter's exercises it is, from 1.
        stopped: the error that the student's own cell ended with; "" if it ran.
    """

    result: Result
    score: float
    title: str
    number: int
    stopped: str = ""

    @property
    def name(self) -> str:
        """What the page calls it, as the notebook does."""
        return f"Exercise {self.number} · {self.title}"

    @property
    def state(self) -> str:
        """How it went: a key of `SIGNS`."""
        return went(self.result, self.stopped)

    @property
    def points(self) -> str:
        """The points that count, and how many there are."""
        return f"{self.score:g} of {self.result.max_score:g} points"

    @property
    def by_hand(self) -> bool:
        """Whether the points are the instructor's own."""
        return self.result.state == "graded" and self.score != self.result.score


# ---------------------------------------------------------------------- the summary


class Explain(NbGraderPreprocessor):
    """Write the summary, and leave out of the notebook what it says already. Runs after nbgrader's GetGrades."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Put what the template shows into `resources`."""
        chapter = chapter_of(resources["nbgrader"]["assignment"])
        scores = {grade_id(c): c.metadata.nbgrader.get("score", 0.0) for c in nb.cells if grade_id(c)}
        known = {e.name: (number, e) for number, e in enumerate(exercises(chapter), start=1)}
        errors = stopped(nb)
        rows = {
            e.graded_cell: Row(result, scores.get(e.graded_cell, 0.0), e.title, number, errors.get(e.name, ""))
            for result in results_in(nb, chapter)
            for number, e in [known[result.exercise]]
            if result.max_score  # what does not count in the class is not shown
        }
        unreadable = nb.metadata.get(MARK, {}).get("unreadable", "")
        release = edition.release(Classroom(Path(Judge(config=self.config).classroom)), chapter)
        title = release.cells[0].source.splitlines()[0].lstrip("# ")
        words = who(resources) + summary([*rows.values()], unreadable)
        resources["feedback"] = {
            "title": f"{title}: your feedback",
            "chapter": chapter,
            "style": Markup(style()),
            "summary": Markup(words),
            "below": {cell: Markup(_below(row)) for cell, row in rows.items()},
            "said": {row.result.exercise: sentences(row.result, row.stopped) for row in rows.values()},
        }
        if unreadable:
            nb.cells = []  # nothing of it is the student's
        for cell in nb.cells:
            cell.source = cell.source.replace(TO_WRITE, "") if cell.cell_type == "markdown" else cell.source
        resources["given"] = {source.replace(TO_WRITE, "") for source in sources(release)}
        nb.cells = [cell for cell in nb.cells if not _own_check(cell, resources["given"])]
        cut(nb, resources["given"])
        for cell in nb.cells:
            _trim(cell)
        return nb, resources


def who(resources: dict[str, Any]) -> str:
    """Whose page it is, and when it was handed in, as far as that is known."""
    student = resources["nbgrader"].get("student", "")
    stamp = Path(resources.get("metadata", {}).get("path", ""), "timestamp.txt")
    try:
        handed_in = read(stamp, 40).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        handed_in = ""
    words = [page(student)] if student else []
    words += [f"handed in {page(handed_in)}"] if handed_in else []
    return f"<p class='who'>{', '.join(words)}</p>" if words else ""


def summary(rows: list[Row], unreadable: str = "") -> str:
    """The top of the page: the points, where to start, and for each exercise what was found, linked to its section.

    Args:
        rows: the exercises, in order.
        unreadable: why nothing of the submission could be read; it is said once, in the place of the exercises.
    """
    points = f"{sum(row.score for row in rows):g} of {sum(row.result.max_score for row in rows):g} points"
    if unreadable:
        why = page(re.sub(r" [(].*[)]$", "", unreadable, flags=re.DOTALL))  # without the parser's own words
        why = why[0].upper() + why[1:] if why.startswith("the ") else why
        words = f"<p class='points'>Not graded yet</p><p>{why}.</p>{HAND_IN_AGAIN}"
        return f"{words}<p class='who'>Until then: {points}.</p>"
    right = sum(row.result.right for row in rows)
    are = "is" if right == 1 else "are"
    count = "every exercise is" if right == len(rows) else f"{right} of {len(rows)} exercises {are}"
    share = 100 * sum(row.score for row in rows) / (sum(row.result.max_score for row in rows) or 1)
    state = "right" if right == len(rows) else "note"
    bar = f"<div class='bar is-{state}' aria-hidden='true'><div style='width: {min(100.0, share):.1f}%'></div></div>"
    found = "".join(_exercises(rows))
    return f"<p class='points'>{points}; {count} right.</p>{bar}{_start(rows)}<h2>{HEADING}</h2>{found}"


JUST_RIGHT = f"Right: {AUTOGRAD}."
HEADING = "Your gradients, compared with torch.autograd"
HAND_IN_AGAIN = (
    "<p>What to do:</p><ol><li>Open the chapter's notebook in JupyterLab, and see that your answers are there.</li>"
    "<li>Save it: Ctrl+S, or ⌘S on a Mac.</li><li>Hand in that file, under its own name.</li></ol>"
)
ENDLESS = (
    "Look for a loop or a call that never comes to its end: what does it wait for, and does that ever change? Run the "
    "check until it answers, and hand in again."
)


def _start(rows: list[Row]) -> str:
    """The first exercise that is not right and lacks points, and what waits for it; "" where there is none."""
    first = next((row for row in rows if not row.result.right and row.score < row.result.max_score), None)
    if first is None:
        return ""
    parts = exercise_named(first.result.exercise).points.keys()
    links = [_link(row) for row in rows if row is not first and _waits_for(row) & parts]
    follow = f" {_listed(links)} {'wait' if len(links) > 1 else 'waits'} for it." if links else ""
    head = f"<h2>Start here: {_link(first)}</h2><p>{_mark(first)}.{follow}</p>"
    return f"<section class='start'>{head}</section>"


def _waits_for(row: Row) -> set[str]:
    """The parts that an exercise waits for."""
    return {name for finding in row.result.findings.values() for name in finding.waits.split(" and ")}


def _listed(words: list[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), words[-1]])


def _exercises(rows: list[Row]) -> Iterator[str]:
    """What was found, an exercise after the other; what is said of several in the same words is said of the first."""
    said: dict[tuple[str, ...], Row] = {}  # words → the exercise that they were said of
    for row in rows:
        words = tuple(sentences(row.result, row.stopped))
        link = f"<a href='#{anchor(row.title)}'>{page(row.name)}</a>"
        first = said.setdefault(words, row)
        if set(words) == {JUST_RIGHT} and not row.by_hand:  # the page's heading says with what it was compared
            found = ""
        else:
            found = _found(row) if row is first or row.result.right else _as_for(row, first)
        how = mark("waits", "Right, but waits") if row.state == "waits" else _mark(row)  # for what, the box says
        yield f"<h3 id='{_place(row)}'>{link} <span>{how} {row.points}</span></h3>{_by_hand(row)}{found}"


def _as_for(row: Row, first: Row) -> str:
    """That the same was found as of an earlier exercise."""
    return box(row.state, row.title, more=[PARAGRAPH.format(f"As for {_link(first)}.")])


def _by_hand(row: Row) -> str:
    """That the points are the instructor's own, where they are."""
    words = "✍ By hand: your instructor gave these points. The comparison had found:"
    return f"<p class='by-hand'>{words}</p>" if row.by_hand else ""


def _found(row: Row) -> str:
    """What was found, in the boxes that a check's answer has: of the cell itself, if it stopped, and of each part."""
    if row.result.state != "graded":
        endless = [ENDLESS] if "still running" in row.result.state else []
        return box("open", row.title, [reason(row.result.state), *endless])
    found = {part: _from_afar(finding) for part, finding in row.result.findings.items()}
    stopped = ""
    if row.stopped and not row.result.right:
        stopped = box("wrong", row.title, [f"Your cell stopped with {row.stopped.rstrip('.')}."])
        found = {part: finding for part, finding in found.items() if finding.kind != "not done"}
    return stopped + (boxes(replace(row.result, findings=found), row.title, anchor) if found else "")


MISSING = re.compile(r"\b(\w+) is built in chapter \d+, here: run the cell that defines it")


def _from_afar(finding: Finding) -> Finding:
    """A finding as it is told when the notebook does not run any more."""
    return replace(finding, message=MISSING.sub(r"\1 is not there: no cell that ran defines it", finding.message))


def _below(row: Row) -> str:
    """What stands below an answer in the notebook: how it went, and where that is told."""
    given = ", which your instructor gave" if row.by_hand else ""
    return f"<p>{_mark(row)}: {row.points}{given}. <a href='#{_place(row)}'>What was found</a></p>"


def _mark(row: Row) -> str:
    """How all of it went."""
    return mark(row.state, SIGNS[row.state][1].capitalize())


def _link(row: Row) -> str:
    return f"<a href='#{_place(row)}'>{page(row.name)}</a>"


def _place(row: Row) -> str:
    """The id of what was found of an exercise."""
    return f"found-{row.result.exercise}"


def anchor(heading: str) -> str:
    """The id of a heading of the notebook on the page."""
    return "section-" + re.sub(r"\W+", "-", heading.lower()).strip("-")


# ---------------------------------------------------------------------- the notebook below


def _own_check(cell: NotebookNode, given: Container[str]) -> bool:
    """Whether a cell only repeated the check for the learner: what the grader found stands at the top."""
    return (
        bool(CHECK.match(cell.source)) and cell.source in given and not cell.metadata.get("nbgrader", {}).get("grade")
    )


def _trim(cell: NotebookNode) -> None:
    """Leave of the outputs what a student reads: nothing of graded cells, and no lines of the engine."""
    if cell.cell_type != "code":
        return
    if MARK in cell.metadata:
        cell.outputs = []
    for output in cell.outputs:
        if output.output_type == "error":
            output.traceback = own_lines(output.traceback) or [f"{output.ename}: {output.evalue}"]


def own_lines(traceback: list[str]) -> list[str]:
    """Of a traceback: of each call in the notebook its line, and the error itself.

    IPython gives a line of dashes, a title, a part for each call – a heading, and the lines around the call with an
    arrow – and the error.
    """
    parts = ["\n".join(CONTROL.sub("", line) for line in part.split("\n")).rstrip() for part in traceback]
    kept = [part for part in parts if part.strip("- ") and not part.startswith("File ") and "Traceback (" not in part]
    return [_call(part) if part.startswith("Cell ") else part for part in kept]


def _call(part: str) -> str:
    heading, *lines = part.split("\n")
    return "\n".join([heading, *(line for line in lines if line.startswith("--"))])


DRAWN = '<span class="scrolls">'  # around a drawing: on a phone it keeps its size, and is scrolled, by keyboard too


class Renderer(IPythonRenderer):
    """Markdown whose headings can be linked to and stand below the page's own, and whose formulas are set aside."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.formulas: dict[str, str] = {}

    def heading(self, text: str, level: int, **attributes: Any) -> str:
        """A heading, one level down, with an id."""
        name = anchor(html.unescape(re.sub(r"<[^>]+>", "", text)))
        level = min(6, level + 1)
        return f'<h{level} id="{name}">{text}</h{level}>\n'

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture; a drawing in a box of its own."""
        picture = super().image(text, url, title)
        return f"{DRAWN}{picture}</span>" if url.endswith(".svg") else picture

    def inline_math(self, body: str) -> str:
        """A formula in a line."""
        return self._set_aside(body, "inline")

    def block_math(self, body: str) -> str:
        """A formula of its own."""
        return f"<div>{self._set_aside(body, 'block')}</div>"

    def latex_environment(self, name: str, body: str) -> str:
        """A formula that is an environment."""
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    def _set_aside(self, latex: str, display: str) -> str:
        # It comes back when the markup around it is cleaned; nobody can foresee its name.
        name = f"formula{secrets.token_hex(8)}"
        self.formulas[name] = mathml(latex, display)
        return name


# fmt: off
TAGS = {
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "div", "span", "a", "em", "strong", "sup", "sub", "del",
    "ul", "ol", "li", "blockquote", "pre", "code", "details", "summary", "img",
    "table", "caption", "thead", "tbody", "tr", "th", "td",
}
# fmt: on
def _is_own_picture(tag: str, name: str, value: str) -> bool:
    """An image's source that is a file beside the page, such as the course's figures: nothing from elsewhere."""
    return name in ("alt", "title") or (name == "src" and bool(re.fullmatch(r"\w[\w.-]{0,100}\.(svg|png|jpg)", value)))


ATTRIBUTES = {"*": ["class", "id", "scope"], "a": ["href", "title"], "img": _is_own_picture}
MOST_OF_FORMULA = 2_000  # characters
PAGE_SECONDS = 0.06  # of the processor, for what a student wrote: five times what an honest page needs for that


class Compiled(BytecodeCache):
    """Templates as this process has compiled them."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket, if the template was compiled before."""
        if found := self._known.get(f"{bucket.key} {bucket.checksum}"):
            bucket.bytecode_from_string(found)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what the bucket holds."""
        self._known[f"{bucket.key} {bucket.checksum}"] = bucket.bytecode_to_string()


TEMPLATES_COMPILED = Compiled()
# nbgrader's labels of a cell's panel, and what a student understands; nothing of a student's is markup by then.
LABELS = {
    '<span class="nbgrader-label">Student\'s answer</span>': "<span>Your answer</span>",
    '<a href="#top">(Top)</a>': '<a href="#top">↑ Back to the overview</a>',
}
OF_THE_COURSE: dict[tuple[str, str], str] = {}  # a cell of the course's, and what is made of it → HTML


class FeedbackExporter(HTMLExporter):
    """The page, in `templates/feedback-page`."""

    def __init__(self, config: Config | None = None, **settings: Any) -> None:
        places = {"extra_template_basedirs": [str(TEMPLATES), str(NBGRADERS)], "extra_template_paths": [str(NBGRADERS)]}
        own = Config({"FeedbackExporter": {"template_name": "feedback-page", "preprocessors": [], **places}})
        super().__init__(config=_with(config, own), **settings)
        self.filters = {
            "highlight_code": self.highlighted,
            "ansi2html": in_time.ansi2html,
            "strip_files_prefix": in_time.strip_files_prefix,
        }

    def from_notebook_node(  # type: ignore[override] # as HTMLExporter's, a text
        self, nb: NotebookNode, resources: Any = None, **settings: Any
    ) -> tuple[str, dict[str, Any]]:
        """The page of one notebook, with time of its own.

        HTMLExporter parses the page once more, to give pictures alternative text, which our template does, and
        JupyterLab's boxes a place in the order of tabs, of which there are none: that takes as long as all the rest.
        """
        resources = self._init_resources(resources)
        resources[in_time.LEFT] = PAGE_SECONDS
        data_type = WidgetsDataTypeFilter(notebook_metadata=self._nb_metadata, parent=self, resources=resources)
        self.register_filter("filter_data_type", data_type)
        text, resources = TemplateExporter.from_notebook_node(self, nb, resources, **settings)
        for theirs, ours in LABELS.items():
            text = text.replace(theirs, ours)
        return text, resources

    def _create_environment(self) -> Environment:
        """Jinja's environment, which compiles each template once a process and not once a page."""
        made: Environment = super()._create_environment()
        made.bytecode_cache = TEMPLATES_COMPILED
        return made

    @pass_context
    def highlighted(self, context: Any, source: str, language: str | None = None, metadata: Any = None) -> str:
        """Code as HTML, in colours if they do not take too long; an answer's lines have numbers."""
        colours = Highlight2HTML(pygments_lexer="ipython3", parent=self)
        cell = (metadata or {}).get("nbgrader", {})
        said = context.get("resources", {}).get("feedback", {}).get("said", {}).get(cell.get("grade_id"), ())

        def make() -> str:
            code = colours(source, language, metadata)
            return numbered(code, wrong_line(source, said)) if cell.get("solution") else code

        return scrolled(self._in_time(context, source, make))

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """The notebook's Markdown as HTML, with the tags that text needs and no others."""
        return self._in_time(context, source, lambda: self._rendered(context, source), 2 * MOST_OF_MARKDOWN)

    def _in_time(self, context: Any, source: str, make: Callable[[], str], most: int = MOST_OF_CELL) -> str:
        """What `make` makes of a source; the source itself where that takes longer than a page's time."""
        if source in context.get("resources", {}).get("given", ()):
            return self._of_the_course(source, make)
        return in_time.in_time(context, source, make, most + 100)  # and the line that says where it was cut

    @staticmethod
    def _of_the_course(source: str, make: Callable[[], str]) -> str:
        """What `make` makes of one of the course's own cells, which is the same on every page."""
        key = source, make.__qualname__
        if key not in OF_THE_COURSE:
            OF_THE_COURSE[key] = make()
        return OF_THE_COURSE[key]

    def _rendered(self, context: Any, source: str) -> str:
        renderer = Renderer(escape=False, attachments=context.get("cell", {}).get("attachments", {}))
        text = bleach.clean(MarkdownWithMath(renderer=renderer).render(source), TAGS, ATTRIBUTES)
        text = re.sub("formula[0-9a-f]{16}", lambda name: renderer.formulas.get(name[0], name[0]), text)
        text = re.sub(r"<table\b", '<table tabindex="0"', text)  # a wide one is scrolled, by keyboard too
        text = re.sub(r"<img (?![^>]*\balt=)", '<img alt="" ', text)
        text = text.replace("<img ", '<img class="img-responsive" ')
        chapter = context.get("resources", {}).get("feedback", {}).get("chapter")
        text = scrolled(text if chapter is None else with_upright(text, chapter))
        return text.replace(DRAWN, f'{DRAWN[:-1]} tabindex="0" role="group" aria-label="A drawing">')


def _with(config: Config | None, own: Config) -> Config:
    both = Config()
    both.merge(config or Config())
    both.merge(own)
    return both


@functools.cache
def style() -> str:
    """The page's style: its own, the colours of code in light and dark, and the font of formulas."""
    own = (TEMPLATES / "feedback-page" / "page.css").read_text("utf-8")
    light, dark = (HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "github-dark"))
    font = f"url(data:font/woff;base64,{base64.b64encode(FONT.read_bytes()).decode()})"
    formulas = f'@font-face {{ font-family: "Formulas"; src: {font} format("woff"); }}'
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n{formulas}\n{own}"
