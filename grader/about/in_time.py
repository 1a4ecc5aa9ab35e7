"""What a student wrote, rendered within a page's time: in colours and formatted, or as it is written.

`nbgrader_config.py` names these filters for formgrader, which shows a submission with nbconvert's own page.
"""

from __future__ import annotations

import html
import time
from collections.abc import Callable
from typing import Any

from jinja2 import pass_context
from nbconvert.filters import Highlight2HTML
from nbconvert.filters import ansi2html as nbconverts_ansi2html

from ..run.bulkhead import TooLong, bounded
from .cut import MOST_OF_CELL

SECONDS = 1.0  # of the processor, for a page on which an instructor looks at one submission
LEFT = "seconds_left"  # of a page's time, in its resources


def in_time(context: Any, source: str, make: Callable[[], str], most: int) -> str:
    """What `make` makes of a source; the source itself where it is longer than `most`, or the page's time is over."""
    resources = context.get("resources", {})
    left, before = resources.get(LEFT, SECONDS), time.process_time()
    try:
        if len(source) <= most and left > 0:
            with bounded(left / 2):  # so that something is left for the others
                return make()
    except (TooLong, Exception):
        pass
    finally:
        resources[LEFT] = left - (time.process_time() - before)
    return f'<div class="highlight"><pre>{html.escape(source)}</pre></div>'


@pass_context
def highlight_code(context: Any, source: str, language: str | None = None, metadata: Any = None) -> str:
    """Code as HTML, in colours if they do not take too long."""
    colours = Highlight2HTML(pygments_lexer="ipython3")
    return in_time(context, source, lambda: colours(source, language, metadata), MOST_OF_CELL)


@pass_context
def ansi2html(context: Any, source: Any) -> str:
    """A terminal's text as HTML, in colours if they do not take too long."""
    return in_time(context, str(source), lambda: str(nbconverts_ansi2html(source)), 10 * MOST_OF_CELL)


def strip_files_prefix(text: str) -> str:
    """The text as it is: nbconvert's filter takes the square of the text's length, for links that nobody makes."""
    return text
