"""A submission as it came, and as it is graded: the release, with the student's own cells put in.

Whatever a submission's metadata claims, the cells that the course gave are the course's again, each
exactly once; what the student wrote is kept, as source alone. `restore` is idempotent.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from ..verdict.inert import writable
from ..verdict.render import without_file
from .bulkhead import TooLong, bounded
from .folders import MOST_BYTES

CELL_ID = re.compile("[a-zA-Z0-9_-]{1,64}")
DEFINES = re.compile(r"^(?:class|def) +(\w+)", re.MULTILINE)
PUT_BACK = (
    "**The grader:** the cell above, `{}`, is the course's, and was put back as the course wrote it. What else "
    "was in it is not graded: write it into the exercise's cell, or into one of your own."
)
PICTURE = re.compile("data:[a-zA-Z0-9/+.-]{1,50};base64,[a-zA-Z0-9+/=]*")
MOST_CELLS = 500
READ_SECONDS, READ_MORE_BYTES = 20, 3 << 30  # of the processor, and of memory: the largest take a tenth of it
MOST_WRITTEN = 10_000_000  # characters of JSON without outputs
MOST_CHARACTERS = 200_000  # a cell's source; the longest of the course has some 2,000


class Unreadable(ValueError):
    """A submitted file is not a notebook of this chapter; the message says in a sentence why."""


@dataclass(frozen=True)
class Given:
    """A cell of the release: what it is for.

    Attributes:
        cell: the cell itself.
        role: `solution` (the student's source), `graded`, `demonstration` or `given`.
    """

    cell: NotebookNode
    role: str


def read_notebook(path: Path) -> NotebookNode:
    """Read a submitted file.

    Raises:
        Unreadable: it is missing, too large, or no notebook that nbformat can read.
    """
    return parse(path.name, content(path))


def content(path: Path) -> bytes:
    """What a submitted file holds.

    Raises:
        Unreadable: it is missing, or too large.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for without end
            raise Unreadable(f"{path.name} is no file")
        if status.st_size > MOST_BYTES:
            raise Unreadable(
                f"{path.name} is larger than {MOST_BYTES // 1_000_000} MB; clear its outputs and submit again"
            )
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be opened ({error.strerror})") from None


def parse(name: str, data: bytes) -> NotebookNode:
    """The notebook that a submitted file holds.

    Args:
        name: the file's, for messages.
        data: its content.

    Raises:
        Unreadable: it is no notebook that nbformat can read.
    """
    try:
        text = data.decode("utf-8-sig")  # some editors of Windows put a mark before the text
    except UnicodeDecodeError:
        raise Unreadable(f"{name} is not UTF-8 text, so it is not a notebook") from None
    try:
        with bounded(READ_SECONDS, READ_MORE_BYTES):
            # Not nbformat's `reads`, which holds it to the schema first, and only logs what it finds.
            notebook: NotebookNode = nbformat.convert(nbformat.reader.reads(_light(name, text)), 4)
            nbformat.validate(notebook, relax_add_props=True)
    except Unreadable:
        raise
    except TooLong:
        raise Unreadable(f"{name} was still being read after {READ_SECONDS} seconds; write it anew") from None
    except MemoryError:
        raise Unreadable(f"{name} takes more memory to read than any notebook") from None
    except RecursionError:
        raise Unreadable(f"{name} cannot be read as a notebook (it is nested too deeply)") from None
    except (AttributeError, TypeError, LookupError, NameError):  # nbformat's own slips, on what is no notebook
        raise Unreadable(f"{name} cannot be read as a notebook (it is JSON, but not a notebook's)") from None
    except Exception as error:  # nbformat raises its own, and JSON's and the schema's, on damaged files
        reason = str(error).strip().splitlines() or ["it is damaged"]
        raise Unreadable(f"{name} cannot be read as a notebook ({reason[0][:120]})") from None
    if not notebook.cells:
        raise Unreadable(f"{name} is a notebook without cells")
    if len(notebook.cells) > MOST_CELLS:
        raise Unreadable(f"{name} has more than {MOST_CELLS} cells")
    for cell in notebook.cells:  # JSON can name half of a surrogate pair, which nobody can send or write
        cell.source = writable(_cut(name, cell, cell.source))
    return notebook


def _light(name: str, text: str) -> str:
    """A notebook's JSON without what is not read of it, counted before anything is held to a schema.

    Raises:
        Unreadable: there are more cells, or longer ones, than anybody writes.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise Unreadable(f"{name} holds a number of thousands of digits") from None
        return text  # nbformat says what is wrong with it
    taken: set[str] = set()
    if isinstance(data, dict) and not isinstance(data.get("cells", []), list):
        raise Unreadable(f"{name} cannot be read as a notebook (it is JSON, but not a notebook's)")
    if is_4 := isinstance(data, dict) and _is_4(data):
        data |= {"nbformat": 4, "nbformat_minor": _minor(data.get("nbformat_minor")), "metadata": {}}
        data["cells"] = [cell for cell in data["cells"] if isinstance(cell, dict)]
    has_ids = is_4 and data["nbformat_minor"] in range(5, 100)
    for cell in _cells(name, data):
        if "id" in cell or has_ids:
            cell["id"] = _free(cell.get("id"), taken)
            taken.add(cell["id"])
        if is_4:
            _complete(cell)
        if isinstance(cell.get("source"), list | str):
            cell["source"] = _cut(name, cell, _joined(cell["source"]))
        if "level" in cell:  # of format 3's headings: so many `#` are written
            cell["level"] = cell["level"] if cell["level"] in range(1, 7) else 6
        cell |= {kept: empty for kept, empty in (("outputs", []), ("attachments", {})) if kept in cell}
        if isinstance(cell.get("metadata"), dict):
            # All that is read of it. The schema would compare each of a cell's tags with each other.
            cell["metadata"] = {"nbgrader": cell["metadata"]["nbgrader"]} if "nbgrader" in cell["metadata"] else {}
    if isinstance(data, dict) and isinstance(data.get("metadata"), dict):
        data["metadata"] = {}
    light = json.dumps(data)
    if len(light) > MOST_WRITTEN:
        raise Unreadable(f"{name} has more than {MOST_WRITTEN // 1_000_000} MB besides its outputs")
    return light


def _free(own: Any, taken: set[str]) -> str:
    """A cell's id; another where it has none that counts or a copy has it: nbformat would warn, or refuse the file."""
    if not isinstance(own, str) or not CELL_ID.fullmatch(own):
        own = "cell"
    return own if own not in taken else f"{own[:40]}-{len(taken)}"


def _is_4(data: dict[str, Any]) -> bool:
    """Whether it is a notebook of today's format, as far as its cells tell where it does not say so."""
    cells = data.get("cells")
    if not isinstance(cells, list):
        return False
    if "nbformat" in data:
        return data["nbformat"] in (4, "4")
    return any(isinstance(cell, dict) and "source" in cell for cell in cells)


def _minor(own: Any) -> int:
    """The format's minor number, as a program or an editor may have written it; the newest if it is none."""
    try:
        return max(0, int(own))
    except (TypeError, ValueError, OverflowError):
        return nbformat.v4.nbformat_minor


def _complete(cell: dict[str, Any]) -> None:
    """Give a cell what the schema asks for and nobody here reads: what one tool left out costs no points."""
    if cell.get("cell_type") not in ("code", "markdown", "raw"):
        cell["cell_type"] = "raw"
    cell["source"] = _joined(cell.get("source"))
    if not isinstance(cell.get("metadata"), dict):
        cell["metadata"] = {}
    if cell["cell_type"] == "code":
        cell |= {"outputs": [], "execution_count": None}


def _joined(source: Any) -> str:
    """A cell's source, which is a text or a list of lines; "" of anything else."""
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _cut(name: str, cell: dict[str, Any], source: str) -> str:
    """A cell's source, without what is too long in one that nobody is graded for: a picture that was pasted into it.

    Raises:
        Unreadable: it is too long, and may be an exercise's.
    """
    if len(source) <= MOST_CHARACTERS:
        return source
    code, marks = cell.get("cell_type") == "code", cell.get("metadata")
    if code and isinstance(marks, dict) and "nbgrader" in marks:
        raise Unreadable(f"{name} has a cell of more than {MOST_CHARACTERS:,} characters")
    words = f"A cell of more than {MOST_CHARACTERS:,} characters was left out here."
    if code:
        return f"# {words}"
    shorter = PICTURE.sub("", source)
    return shorter if len(shorter) <= MOST_CHARACTERS else words


def _cells(name: str, data: Any) -> Iterator[dict[str, Any]]:
    """The cells of a notebook of any format, as far as they have the form of cells.

    Raises:
        Unreadable: there are more than anybody writes.
    """
    sheets = data.get("worksheets") if isinstance(data, dict) else None
    for holder in [data, *sheets] if isinstance(sheets, list) else [data]:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        if not isinstance(cells, list):
            continue
        if len(cells) > MOST_CELLS:
            raise Unreadable(f"{name} has more than {MOST_CELLS} cells")
        yield from (cell for cell in cells if isinstance(cell, dict))


def grade_id(cell: NotebookNode) -> str:
    """The cell's nbgrader id, "" if it has none."""
    marks = cell.metadata.get("nbgrader", {})
    found = marks.get("grade_id", "") if isinstance(marks, dict) else ""
    return found if isinstance(found, str) else ""


def digest(notebook: NotebookNode) -> str:
    """What a restored submission is: a digest of every cell that is kept, and so of all that will run."""
    cells = [[cell.cell_type, grade_id(cell), cell.source] for cell in notebook.cells]
    return hashlib.sha256(json.dumps(cells).encode("utf-8", "surrogatepass")).hexdigest()


def stopped(notebook: NotebookNode) -> dict[str, str]:
    """Id of a cell → the error that it ended with; an untouched stub's is none."""
    found = {}
    for cell in notebook.cells:
        errors = [output for output in cell.get("outputs", []) if output["output_type"] == "error"]
        if errors and errors[-1]["ename"] != "NotImplementedError":
            found[grade_id(cell)] = without_file(f"{errors[-1]['ename']}: {errors[-1]['evalue']}")
    return found


def given_cells(release: NotebookNode) -> dict[str, Given]:
    """The release's cells that nbgrader knows, by id, in their order."""
    return {grade_id(cell): Given(cell, _role(cell)) for cell in release.cells if grade_id(cell)}


def is_untouched(submitted: NotebookNode, release: NotebookNode) -> bool:
    """Whether nothing was done in a notebook: all its code is the release's."""
    given = {cell.source.strip() for cell in release.cells}
    return all(cell.source.strip() in {*given, ""} for cell in submitted.cells if cell.cell_type == "code")


def _role(cell: NotebookNode) -> str:
    marks = cell.metadata.nbgrader
    if marks.get("solution"):
        return "solution"
    if marks.get("grade"):
        return "graded"
    return "demonstration" if "demonstration" in cell.metadata.get("tags", []) else "given"


def restore(submitted: NotebookNode, release: NotebookNode) -> NotebookNode:
    """The release's cells, each once and as the course wrote them, with the student's cells among them.

    Args:
        submitted: the notebook as it came; it is not changed.
        release: the chapter's release.

    Raises:
        Unreadable: no cell of the chapter is left in it.
    """
    given = given_cells(release)
    submitted = _recognised(submitted, given)
    last = {grade_id(cell): index for index, cell in enumerate(submitted.cells)}
    if not any(name in given for name in last):
        raise Unreadable(
            "the notebook has no cell of this chapter, or a program has removed what tells them (their metadata); "
            "submit the chapter's own notebook, with your code in its cells"
        )
    cells: list[NotebookNode] = []
    for index, cell in enumerate(submitted.cells):
        name = grade_id(cell)
        known = given.get(name) if last[name] == index else None
        cells.append(_known(known, cell) if known else _own(cell))
        if known and _is_written_into(known, cell):
            cells.append(_own(nbformat.from_dict({"cell_type": "markdown", "source": PUT_BACK.format(name)})))
    for name, known in given.items():
        if name not in last:
            _insert(cells, list(given), name, nbformat.from_dict(known.cell))
    result: NotebookNode = nbformat.from_dict({**release, "cells": []})
    result.cells = cells
    for index, cell in enumerate(result.cells):
        cell["id"] = f"cell-{index}"
    return result


def _recognised(submitted: NotebookNode, given: dict[str, Given]) -> NotebookNode:
    """The notebook; cells that have lost their ids, as after a way through a script, have those that their code tells.

    A solution is told by the definitions in it, and another cell by being the course's; none that is there already.
    """
    there = set(map(grade_id, submitted.cells))
    missing = {name: known for name, known in given.items() if name not in there and known.cell.cell_type == "code"}
    solutions = {name: known for name, known in missing.items() if known.role == "solution"}
    defines = {word: name for name, known in solutions.items() for word in DEFINES.findall(known.cell.source)}
    same = {known.cell.source.strip(): name for name, known in missing.items()}
    result: NotebookNode = nbformat.from_dict({**submitted, "cells": []})
    for cell in submitted.cells:
        names = {defines[word] for word in DEFINES.findall(cell.source) if word in defines}
        name = names.pop() if len(names) == 1 else same.get(cell.source.strip(), "")
        if name and cell.cell_type == "code" and not grade_id(cell):
            cell = nbformat.from_dict({**cell, "metadata": {"nbgrader": {"grade_id": name}}})
        result.cells.append(cell)
    return result


def _is_written_into(known: Given, cell: NotebookNode) -> bool:
    """Whether a student wrote more into a cell of the course's than its own code, which is put back.

    Who tries something else in a demonstration has written nothing that is missed, but for definitions.
    """
    if known.role == "solution" or known.cell.cell_type != "code":
        return False
    if known.role == "demonstration":
        return not {*DEFINES.findall(cell.source)} <= {*DEFINES.findall(known.cell.source)}
    lines = {line.strip() for line in cell.source.splitlines()} - {
        line.strip() for line in known.cell.source.splitlines()
    }
    return any(line and not line.startswith("#") for line in lines)


def _known(known: Given, cell: NotebookNode) -> NotebookNode:
    restored = nbformat.from_dict(known.cell)
    if known.role == "solution":
        restored.source = cell.source
    return _without_outputs(restored)


def _own(cell: NotebookNode) -> NotebookNode:
    """A cell that the student added, or whose id is taken: its type and source, and nothing else."""
    kind = cell.cell_type if cell.cell_type in ("code", "markdown") else "raw"
    own: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": cell.source}
    # Not nbformat's new_code_cell: it validates each cell against the schema, and the notebook is valid as a whole.
    if kind == "code":
        own |= {"outputs": [], "execution_count": None}
    node: NotebookNode = nbformat.from_dict(own)
    return node


def _without_outputs(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [], None
    return cell


def _insert(cells: list[NotebookNode], order: list[str], name: str, cell: NotebookNode) -> None:
    """Put a missing cell behind the nearest earlier cell of the release that is there."""
    earlier = order[: order.index(name)]
    places = {grade_id(one): index for index, one in enumerate(cells)}
    after = max((places[one] for one in earlier if one in places), default=-1)
    cells.insert(after + 1, _without_outputs(cell))
