"""Where a class's gradebook is: any database that nbgrader can write to, named by an SQLAlchemy URL."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import create_engine, inspect, make_url
from sqlalchemy.exc import SQLAlchemyError

from .errors import CourseError


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


def place(url: str) -> str:
    """The gradebook as a message names it: its file, or its URL without the password."""
    parsed = make_url(url)
    return str(parsed.database) if parsed.get_backend_name() == "sqlite" else parsed.render_as_string()


def is_there(url: str) -> bool:
    """Whether there is a gradebook yet."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":  # to look into one that is not there would make it
        return Path(str(parsed.database)).is_file()
    return inspect(create_engine(parsed)).has_table("assignment")
