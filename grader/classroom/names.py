"""What a student is called: in a class that is graded without names, and where a name is no text."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from pathlib import Path

from ..publish.course import read_secret
from .settings import read_settings


def spelled(student: str) -> str:
    """A student's id as it can be written: an escape in the place of each byte that is no UTF-8 in a folder's name."""
    return student.encode("utf-8", "backslashreplace").decode("utf-8")


def shown_as(folder: Path) -> Callable[[str], str]:
    """Student's id → what reports call them: the id, or a name drawn from the class's secret if `anonymous = true`.

    The drawn name stays the same for the class's life, and tells nothing to who has no look at the secret.
    """
    if not read_settings(folder).anonymous:
        return spelled
    secret = read_secret(folder)

    def drawn(student: str) -> str:
        digest = hmac.new(secret, b"name\0" + student.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return f"student-{digest.hexdigest()[:6]}"

    return drawn
