"""How a class is graded, as its `course.toml` says.

Today it knows one setting:

    follow_through = true   # each part is judged with minigrad's own definitions in the place of those that are wrong;
                            # false: what fails on the student's own engine gets nothing
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from ..errors import CourseError

FILE = "course.toml"


@dataclass(frozen=True)
class Settings:
    """A class's settings.

    Attributes:
        follow_through: whether a part that is right keeps its points where another, on which it runs, is wrong.
    """

    follow_through: bool = True


def read_settings(folder: Path) -> Settings:
    """The settings of the class in this folder; the usual ones where it has no `course.toml`.

    Raises:
        CourseError: the file is no TOML, or sets what is not there, or to what it cannot be.
    """
    path = folder / FILE
    try:
        text = path.read_text("utf-8-sig")
        found = tomllib.loads(text)
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {str(error).rstrip('.')}.") from None
    usual = asdict(Settings())
    for name, value in found.items():
        line = next((n for n, words in enumerate(text.splitlines(), 1) if words.lstrip(" \"'").startswith(name)), 1)
        if name not in usual:
            raise CourseError(f"{path}, line {line}: there is no setting {name}; there is {', '.join(usual)}.")
        if type(value) is not type(usual[name]):
            raise CourseError(f"{path}, line {line}: {name} is true or false, and not {value!r}.")
    return Settings(**found)
