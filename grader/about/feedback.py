"""A student's feedback page: in words what was right, what was not and why; below it the notebook, nbgrader's way.

The page loads nothing from anywhere – its formulas are MathML – and nothing of a submission runs in it.
"""

from __future__ import annotations

import html
import re
import secrets
from collections.abc import Callable, Container
from dataclasses import dataclass
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

from ..chapters import exercises
from ..classroom import edition
from ..classroom.autograded import MARK, results_in, sources
from ..classroom.classroom import Classroom
from ..classroom.nbgrader_plugin import Judge
from ..learner.draw.mathml import mathml
from ..publish.book.reading import TO_WRITE
from ..publish.course import chapter_of
from ..run.folders import read
from ..run.submission import grade_id, stopped
from ..verdict.assess import Result
from ..verdict.inert import CONTROL, MOST_OF_MARKDOWN
from ..verdict.render import page, sentences
from . import in_time
from .cut import MOST_OF_CELL, cut
from .report import went
from .shown import numbered, scrolled, with_code, with_upright, wrong_line

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
        stopped: the error that the student's own cell ended with; "" if it ran.
    """

    result: Result
    score: float
    title: str
    stopped: str = ""


# ---------------------------------------------------------------------- the summary


class Explain(NbGraderPreprocessor):
    """Write the summary, and leave out of the notebook what it says already. Runs after nbgrader's GetGrades."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Put what the template shows into `resources`."""
        chapter = chapter_of(resources["nbgrader"]["assignment"])
        scores = {grade_id(c): c.metadata.nbgrader.get("score", 0.0) for c in nb.cells if grade_id(c)}
        known = {e.name: e for e in exercises(chapter)}
        errors = stopped(nb)
        rows = [
            Row(
                result,
                scores.get(known[result.exercise].graded_cell, 0.0),
                known[result.exercise].title,
                errors.get(result.exercise, ""),
            )
            for result in results_in(nb, chapter)
            if result.max_score  # what does not count in the class is not shown
        ]
        unreadable = nb.metadata.get(MARK, {}).get("unreadable", "")
        release = edition.release(Classroom(Path(Judge(config=self.config).classroom)), chapter)
        title = release.cells[0].source.splitlines()[0].lstrip("# ")
        words = Markup(who(resources) + summary(rows, unreadable))
        found = {known[row.result.exercise].graded_cell: Markup(_by_hand(row) + _words(row)) for row in rows}
        texts = {"summary": words, "found": found, "style": Markup(style())}
        said = {row.result.exercise: sentences(row.result, row.stopped) for row in rows}
        resources["feedback"] = {"title": f"{title}: your feedback", "chapter": chapter, "said": said, **texts}
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
    return (
        f"<p class='points'>{points}; {count} right.</p>{bar}{_start(rows)}"
        f"<table class='exercises'><caption>{CAPTION}</caption>"
        "<thead><tr><th scope='col'>Exercise</th><th scope='col'>Points</th><th scope='col'>What was found</th></tr>"
        f"</thead><tbody>{''.join(_rows(rows))}</tbody></table>"
    )


def _start(rows: list[Row]) -> str:
    """The first mistake that is the exercise's own, and what waits for it; "" where nothing is wrong."""
    first = _first(rows)
    if first is None:
        return ""
    parts = set(first.result.findings) or {first.title}
    needs = {row.title: {n for f in row.result.findings.values() for n in f.waits.split(" and ")} for row in rows}
    links = [_link(title) for title, names in needs.items() if names & parts and title != first.title]
    follow = f"<p>{_listed(links)} {'wait' if len(links) > 1 else 'waits'} for it.</p>" if links else ""
    kind, _ = MARKS[went(first.result, first.stopped)]
    head = f"<h2>Start here: {_link(first.title)}</h2>"
    return f"<section class='start is-{kind}'>{head}{_words(first)}{follow}</section>"


def _first(rows: list[Row]) -> Row | None:
    """The first exercise that is not right and lacks points."""
    return next((row for row in rows if not row.result.right and row.score < row.result.max_score), None)


def _listed(words: list[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), words[-1]])


CAPTION = "Your gradients, compared with torch.autograd"
HAND_IN_AGAIN = (
    "<p>What to do:</p><ol><li>Open the chapter's notebook in JupyterLab, and see that your answers are there.</li>"
    "<li>Save it: Ctrl+S, or ⌘S on a Mac.</li><li>Hand in that file, under its own name.</li></ol>"
)
ENDLESS = (
    "Look for a loop or a call that never comes to its end: what does it wait for, and does that ever change? Run the "
    "check until it answers, and hand in again."
)
MARKS = {  # how an exercise went → its mark's class and words, which need no colour
    "right": ("right", "✓ Right:"),
    "waits": ("waits", "◔ Right:"),
    "not done": ("note", "✎ Not done yet."),
    "wrong": ("wrong", "✗ Not right yet."),
    "open": ("note", "○ Not graded."),
}


def _rows(rows: list[Row]) -> list[str]:
    """A row an exercise; what is said of several in the same words is said of the first, and referred to then."""
    made = []
    said: dict[str, str] = {}  # words → the exercise that they were said of
    start = _first(rows)
    for row in rows:
        words = _words(row)
        first = said.setdefault(words, row.title)
        if row is start:
            words = f"<p>{_mark(row)} Start with this one: see above.</p>"
        elif first != row.title and not row.result.right:
            words = f"<p>{_mark(row)} As for {_link(first)}.</p>"
        words = _by_hand(row) + words
        points = f"<td>{row.score:g} of {row.result.max_score:g}</td>"
        made.append(f"<tr><th scope='row'>{_link(row.title)}</th>{points}<td>{words}</td></tr>")
    return made


def _by_hand(row: Row) -> str:
    """That the points are the instructor's own, where they are."""
    if row.result.state != "graded" or row.score == row.result.score:
        return ""
    given = "Your instructor gave these points; the comparison had found:"
    return f"<p><span class='mark note'>✍ By hand.</span> {given}</p>"


def _words(row: Row) -> str:
    """What was found: a mark, sentences, and where to read again."""
    findings = [finding for finding in row.result.findings.values() if not finding.right]
    said = [with_code(page(_shorter(line))) for line in sentences(row.result, row.stopped)]
    sections = dict.fromkeys(f.section for f in findings if f.section not in ("", row.title))  # the row links its own
    again = [f"Read again: the section {_listed([_link(section) for section in sections])}"] if sections else []
    lines = [f"{_mark(row)} {said[0]}", *said[1:], *again]
    return "".join(f"<p>{line}</p>" for line in lines)


def _shorter(sentence: str) -> str:
    """A sentence without what its mark says already."""
    if sentence.startswith("not graded: "):
        return _reason(sentence.removeprefix("not graded: ").rstrip("."))
    sentence = re.sub(r"\bRight; waits for ([^:]+): on minigrad's own .*", _tested_with, sentence)
    sentence = re.sub(r"^((?:[\w, ]+: )?)(?:Not done yet|Right)[:;] ", r"\1", sentence)
    sentence = re.sub(
        r"\b(\w+) is built in chapter \d+, here: run the cell that defines it",
        r"\1 is not there: no cell that ran defines it",
        sentence,
    )
    return re.sub(r"^(\w+): (?=\1 is )", "", sentence)


def _reason(why: str) -> str:
    """Why there is no verdict, as a sentence; of what did not end, what to do about it."""
    said = f"{why[0].upper()}{why[1:]}." if re.match("(?:the|your|it) ", why) else f"{why}."
    return f"{said} {ENDLESS}" if "still running" in why else said


def _tested_with(found: re.Match[str]) -> str:
    """What it means that something right waits for another definition."""
    names = found[1]
    are = "are" if " and " in names else "is"
    return f"tested with a correct {names}; it will work with yours once {names} {are} right."


def _mark(row: Row) -> str:
    """How it went, in a word or three that need no colour."""
    kind, words = MARKS[went(row.result, row.stopped)]
    return f"<span class='mark {kind}'>{words}</span>"


def _link(section: str) -> str:
    return f'<a href="#{anchor(section)}">{page(section)}</a>'


def anchor(heading: str) -> str:
    """The id of a heading on the page."""
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


def style() -> str:
    """The page's style: its own, and the colours of code in light and dark."""
    own = (TEMPLATES / "feedback-page" / "page.css").read_text("utf-8")
    light, dark = (HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "github-dark"))
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n{own}"
