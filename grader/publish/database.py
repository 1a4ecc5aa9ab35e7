"""Where a class's gradebook is: any database that nbgrader can write to, named by an SQLAlchemy URL."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, inspect, make_url
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite import pysqlite
from sqlalchemy.exc import SQLAlchemyError

from ..errors import CourseError

if TYPE_CHECKING:
    from nbformat import NotebookNode


def database_url(text: str) -> str:
    """A gradebook's URL as nbgrader can have it: a file of SQLite by its absolute path, for nbgrader changes folders.

    Raises:
        CourseError: it is no URL of SQLAlchemy's, its driver is not installed, or nothing answers there.
    """
    try:
        url = make_url(text)
        if url.get_backend_name() == "sqlite":
            if not url.database or url.database == ":memory:":
                raise CourseError("A gradebook in memory is gone when the command ends: give sqlite:///a-file.db.")
            file = Path(url.database).expanduser().resolve()
            file.parent.mkdir(parents=True, exist_ok=True)
            url = url.set(database=str(file))
        else:
            create_engine(url).connect().close()
    except ImportError as error:
        missing = f"The gradebook's driver, the module {error.name}, is missing"
        raise CourseError(f"{missing}: install it (SQLAlchemy's page on the database says how).") from None
    except SQLAlchemyError as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise CourseError(f"The gradebook cannot be reached ({reason}): --db takes an SQLAlchemy URL.") from None
    return url.render_as_string(hide_password=False)


class OnceCompiled(pysqlite.dialect):
    """SQLite, for which a query is compiled once a process, and tables are looked for all at once.

    nbgrader opens the gradebook seven times a submission, each time as a new engine, which would compile its queries
    anew, and asks for each of thirteen tables. An engine looks queries up by its dialect: here, each is as good as the
    other.
    """

    supports_statement_cache = True
    queries: dict[Any, Any] = {}

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        """Let the engine keep its queries with those of the others."""
        engine.update_execution_options(compiled_cache=cls.queries)

    def has_table(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> bool:
        """Whether a table is there; what was there when this connection first asked is not asked for again."""
        there = connection.info.setdefault("tables", set())
        if not there:
            there.update(self.get_table_names(connection, schema))
        return table_name in there or super().has_table(connection, table_name, schema, **kw)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register("sqlite.oncecompiled", __name__, OnceCompiled.__name__)


def once_compiled(url: str) -> str:
    """The same gradebook, with queries that are compiled once; other databases than SQLite's stay as they are."""
    kind, rest = url.split(":", 1)
    return f"sqlite+oncecompiled:{rest}" if kind == "sqlite" else url


def place(url: str) -> str:
    """The gradebook as a message names it: its file, or its URL without the password."""
    parsed = make_url(url)
    return str(parsed.database) if parsed.get_backend_name() == "sqlite" else parsed.render_as_string()


TROUBLES = {
    "is locked": "is in use by another program: close that one, and run the command again",
    "not a database": "is damaged: put a copy in its place, or move it away and run `grader autograde`",
    "malformed": "is damaged: put a copy in its place, or move it away and run `grader autograde`",
    "is full": "cannot be written, because the disk is full: make room, and run the command again",
    "readonly": "may not be written: change the rights of the file and of its folder",
    "unable to open": "cannot be opened: `grader doctor` looks at the class's folder",
    "no such column": "is of another version of nbgrader: keep a copy, activate .venv, and run `nbgrader db upgrade`",
}


def trouble(text: str) -> str:
    """What is the matter with the gradebook, and what to do, by an error's text; "" if it is about something else."""
    # The other kinds of error, such as IntegrityError, are about one entry.
    said = re.search(r"\((?:\w+\.)*(?:Operational|Database)Error\) (.+)", text)
    if not said:
        return ""
    return next((words for sign, words in TROUBLES.items() if sign in said[1]), f"cannot be used: {said[1]}")


@functools.cache
def newest() -> str:
    """The revision of its tables that nbgrader writes into a new gradebook: the last of those that it comes with."""
    from alembic.script import ScriptDirectory
    from nbgrader import api

    return str(ScriptDirectory(str(Path(api.__file__).parent / "alembic")).get_current_head())


@contextlib.contextmanager
def alembic_here() -> Iterator[None]:
    """Let nbgrader ask for `newest` here: by itself, it starts `alembic` for that, which takes seconds.

    Where that is not on the path, it leaves a half-made gradebook and says nothing.
    """
    from nbgrader import api

    api.get_alembic_version = newest
    yield


def is_there(url: str) -> bool:
    """Whether there is a gradebook yet."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":  # to look into one that is not there would make it
        return Path(str(parsed.database)).is_file()
    return inspect(create_engine(parsed)).has_table("assignment")


def follow(url: str, assignment: str, name: str, notebook: NotebookNode) -> None:
    """Give a class that has submissions the cells that a chapter has now: there, nbgrader adds and removes none.

    What is new has no points yet; what is gone takes its grades and comments along. All else nbgrader writes itself.

    Args:
        url: the gradebook.
        assignment: nbgrader's name of the chapter.
        name: its notebook's.
        notebook: its solution.
    """
    from nbgrader import utils
    from nbgrader.api import Comment, Grade, Gradebook, GradeCell, MissingEntry, SolutionCell, SourceCell

    marked = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    cells = {cell.metadata.nbgrader["grade_id"]: cell for cell in marked}
    with Gradebook(url, course_id="minigrad") as gradebook, contextlib.suppress(MissingEntry):
        book, db = gradebook.find_notebook(name, assignment), gradebook.db
        handed_in = list(book.submissions)
        if not handed_in:
            return
        kinds = (
            (book.grade_cells, GradeCell, Grade, utils.is_grade),
            (book.solution_cells, SolutionCell, Comment, utils.is_solution),
            (book.source_cells, SourceCell, None, lambda cell: utils.is_locked(cell) or utils.is_solution(cell)),
        )
        for there, kind, row, wanted in kinds:
            old, new = {cell.name: cell for cell in there}, {one: cell for one, cell in cells.items() if wanted(cell)}
            for gone in old.keys() - new.keys():
                if row:
                    db.query(row).filter(row.cell_id == old[gone].id).delete()
                db.delete(old[gone])
            for one in sorted(new.keys() - old.keys()):
                points = {"max_score": float(new[one].metadata.nbgrader["points"])} if kind is GradeCell else {}
                about = {} if kind is SolutionCell else {"cell_type": new[one].cell_type}
                added = kind(name=one, notebook=book, **points, **about)
                db.add(added)
                db.flush()  # which gives it its id
                db.add_all(row(cell_id=added.id, notebook=each) for each in handed_in if row)
        db.commit()
