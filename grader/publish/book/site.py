"""The site: Sphinx, on the pages that were put together."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from ...errors import CourseError
from .pages import assemble
from .watching import Tell, nobody, watched

SETTINGS = Path(__file__).parent  # where conf.py is


def build(root: Path, site: Path, solved: bool = False, lab: str = "", tell: Tell = nobody) -> Path:
    """Build the book anew.

    Args:
        root: the course's folder.
        site: the site's folder; an older site in it is replaced.
        solved: with the solutions, and what they print.
        lab: the folder of the site in which JupyterLab opens the chapters; "" where there is none.
        tell: hears what is being done, and what part of all is done.

    Returns:
        The site's first page.

    Raises:
        CourseError: Sphinx is not installed, a page is missing, the folder holds something else, or Sphinx warned.
    """
    if site.exists() and not (site / "index.html").is_file():
        raise CourseError(f"{site} is there and holds no site: name another folder with --site.")
    try:
        from sphinx.cmd.build import main
    except ImportError as error:
        raise CourseError(f"{error.name} is not installed, which builds the book: run `make book`.") from error
    with tempfile.TemporaryDirectory(prefix="book") as scratch:
        source, made, doctrees = (Path(scratch).resolve() / name for name in ("source", "made", "doctrees"))
        assemble(root, source, solved, lab)
        title = "html_title=minigrad, solved" if solved else "html_title=minigrad"
        strict = ["--quiet", "--fail-on-warning", "--keep-going"]
        with watched(tell):
            failed = main([*strict, "-D", title, "-c", str(SETTINGS), "-d", str(doctrees), str(source), str(made)])
        if failed:
            raise CourseError("The book was not built: Sphinx found what is printed above.")
        for page in (source / "chapters").rglob("*.ipynb"):  # what its page offers is the notebook as it is
            shutil.copyfile(source / "download" / page.name, made / "_sources" / page.relative_to(source))
        shutil.rmtree(site, ignore_errors=True)
        shutil.copytree(made, site, ignore=shutil.ignore_patterns("*.map"))  # for debuggers of the theme alone
    return site / "index.html"
