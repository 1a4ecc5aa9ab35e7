"""What a submission says, made harmless where it is shown: text, Markdown and pictures. Linear in what is read.

What is imported here is cheap: every command that prints uses it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from typing import Any

# Escape sequences, C0 and C1, what turns the direction of writing, and halves of surrogate pairs, which no file holds.
CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
MOST_OF_MARKDOWN, MOST_OF_NOTEBOOK = 5_000, 60_000  # characters: of a cell, of all that a student wrote
MOST_PICTURE_BYTES = 2_000_000
# Along an edge, and of a notebook: a small file can be a picture that no memory holds.
MOST_PIXELS, MOST_AREA = 10_000, 50_000_000


def writable(text: str) -> str:
    """The text with a `?` in the place of each half of a surrogate pair, which no UTF-8 file or terminal can have."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def printable(text: str) -> str:
    """Text for a terminal: its lines stay, and nothing in it commands the terminal."""
    return CONTROL.sub("", text)


def one_line(text: str) -> str:
    """`printable` text on one line, so that none of a file's name is taken for a line of ours."""
    return " ".join(printable(text).split())


def printable_json(data: Any) -> str:
    """JSON for a terminal: what would command it is written as an escape, so it is read back as it was."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return CONTROL.sub(lambda found: "".join(f"\\u{ord(letter):04x}" for letter in found[0]), text)


# ---------------------------------------------------------------------- Markdown

APART = "\u2060"  # nobody sees it, and it ends what would otherwise be a tag, an image, a link or a command
TAG = r"/?(?:b|blockquote|br|code|del|details|em|h[1-6]|hr|i|kbd|li|ol|p|pre|s|strong|sub|summary|sup|u|ul)\s?/?>"
ELSEWHERE = r"(?!\s?<?(?:https?://|mailto:|#))"  # where a link may lead, if somebody clicks on it
COMMANDS = (
    "bbox|class|cssId|data|def|DeclareMathOperator|enclose|gdef|href|html|includegraphics|let|mmlToken|newcommand|"
    "newenvironment|providecommand|renewcommand|renewenvironment|require|style|texttip|toggle|tooltip|unicode|url|verb"
)
ACTIVE = re.compile(
    rf"(?P<tag><)(?!{TAG})(?=[A-Za-z/!?])"
    + r"|(?P<image>!)(?=\[)"
    + rf"|(?P<link>\])(?=[(:]{ELSEWHERE})"
    + r"|(?P<fence>(?<=[`~]{3}))(?=[^\S\n]*[m&\\])"  # mermaid, for which a script is loaded, however it is written
    + rf"|(?P<command>\\)(?=(?:{COMMANDS}))",
    re.IGNORECASE,
)


def markdown(source: str) -> str:
    """Markdown that looks the same and runs or loads nothing, whoever renders it.

    Plain formatting tags without attributes stay; other tags, images, links that lead nowhere on the web, and the
    commands of LaTeX that make links, styles or new commands become text.
    """
    return ACTIVE.sub(lambda found: found[0] + APART, writable(source))


def beginning(source: str, room: int) -> str:
    """As much of a text as anybody reads and formgrader can render in time, and where it was cut."""
    kept = source[: max(0, min(room, MOST_OF_MARKDOWN))]
    return (
        kept if len(kept) == len(source) else f"{kept}\n\n… cut here: this page shows {len(kept):,} characters of it."
    )


def raw(source: str) -> str:
    """A raw cell's text, which nbconvert writes into its pages as it is."""
    return re.sub("[<&]", lambda found: found[0] + APART, writable(source))


# ---------------------------------------------------------------------- pictures


def picture(kind: str, data: str) -> str:
    """A picture's base64, written anew; "" unless the data is what its kind says, and of a size that can be shown.

    Args:
        kind: `image/png` or `image/jpeg`.
        data: base64, as a kernel sent it.
    """
    if len(data) > 2 * MOST_PICTURE_BYTES:
        return ""
    try:
        raw = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return ""
    edges = _png(raw) if kind == "image/png" else _jpeg(raw)
    shown = len(raw) <= MOST_PICTURE_BYTES and all(0 < edge <= MOST_PIXELS for edge in edges)
    return base64.b64encode(raw).decode("ascii") if shown else ""


def area(kind: str, data: str) -> int:
    """The pixels of what `picture` returned."""
    raw = base64.b64decode(data)
    width, height = _png(raw) if kind == "image/png" else _jpeg(raw)
    return width * height


def _png(raw: bytes) -> tuple[int, int]:
    """The edges that it says it has; zeros, unless it begins as PNG does."""
    if raw[:8] != b"\x89PNG\r\n\x1a\n" or raw[12:16] != b"IHDR" or len(raw) < 24:
        return 0, 0
    width, height = struct.unpack(">II", raw[16:24])
    return width, height


def _jpeg(raw: bytes) -> tuple[int, int]:
    """The same of a JPEG; its segments up to the one with the size are read, each by its length."""
    if raw[:2] != b"\xff\xd8":
        return 0, 0
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:
        marker, length = raw[at + 1], int.from_bytes(raw[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", raw[at + 5 : at + 9])
            return width, height
        at += 2 + max(2, length)
    return 0, 0
