"""What a page shows of a notebook: as much as anybody reads, and a line where something was left out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from nbformat import NotebookNode

from ..classroom.words import counted
from ..run.execution.outputs import stream
from ..run.submission import grade_id

MOST_OF_CELL, MOST_OF_OUTPUT, MOST_OF_PAGE = 20_000, 10_000, 300_000  # characters
MOST_OUTPUTS, MOST_OUTPUTS_OF_PAGE = 50, 100  # of one cell, of all
MOST_CELLS = 60  # that are neither the course's nor an exercise's
MOST_OF_PICTURES = 4_000_000  # characters of base64


class Room:
    """What is left of a page."""

    def __init__(self) -> None:
        self.text, self.pictures = MOST_OF_PAGE, MOST_OF_PICTURES
        self.outputs = MOST_OUTPUTS_OF_PAGE

    def first(self, text: str, most: int, sign: str = "") -> str:
        """The text's beginning, as far as there is room, and where it was cut."""
        kept = text[: min(most, self.text)]
        self.text -= len(kept)
        if len(kept) == len(text):
            return text
        return f"{kept}\n{sign}… cut here: this page shows {len(kept):,} characters of it."

    def picture(self, data: str) -> bool:
        """Whether there is room for a picture."""
        self.pictures -= len(data)
        return self.pictures >= 0


def cut(nb: NotebookNode, given: Collection[str]) -> None:
    """Leave of a notebook's cells what a page has room for.

    Args:
        nb: the notebook, which is changed.
        given: the sources of the course's own cells, which stay.
    """
    room = Room()
    nb.cells = _cells(nb.cells, given)
    for cell in nb.cells:
        if cell.source not in given:
            cell.source = room.first(cell.source, MOST_OF_CELL, "# " if cell.cell_type == "code" else "\n")
        if cell.cell_type == "code":
            cell.outputs = _outputs(cell.outputs, room)


def _cells(cells: list[NotebookNode], given: Collection[str]) -> list[NotebookNode]:
    """The course's cells and the exercises', and as many others as anybody reads."""
    own = [number for number, cell in enumerate(cells) if cell.source not in given and not grade_id(cell)]
    if len(own) <= MOST_CELLS:
        return cells
    left_out = set(own[MOST_CELLS:])
    kept = [cell for number, cell in enumerate(cells) if number not in left_out]
    words = f"… cut here: this page shows {MOST_CELLS} of the {len(own)} cells that are not the course's."
    last = NotebookNode(cell_type="markdown", metadata=NotebookNode(), source=words)
    if any("id" in cell for cell in kept):
        last["id"] = "what-is-left-out"
    return [*kept, last]


def _outputs(outputs: list[Any], room: Room) -> list[Any]:
    kept = [_output(output, room) for output in outputs[: min(MOST_OUTPUTS, room.outputs)]]
    room.outputs -= len(kept)
    more = len(outputs) - len(kept)
    return [*kept, stream("stderr", f"… cut here: {counted(more, 'more output')}.\n")] if more else kept


def _output(output: NotebookNode, room: Room) -> NotebookNode:
    if output.output_type == "stream":
        return stream(output.name, room.first(output.text, MOST_OF_OUTPUT))
    if output.output_type == "error":
        output.ename, output.evalue = output.ename[:200], output.evalue[:MOST_OF_OUTPUT]
        output.traceback = [room.first("\n".join(output.traceback), MOST_OF_OUTPUT)]
        return output
    for kind, data in list(output.data.items()):
        if not isinstance(data, str):
            continue
        if kind.startswith("image/"):
            if not room.picture(data):
                del output.data[kind]
                output.data["text/plain"] = "… cut here: this page has room for no more pictures."
        elif kind in output.data:
            output.data[kind] = room.first(data, MOST_OF_OUTPUT)
    return output
