"""Turns what a kernel publishes into notebook outputs that are valid, whatever it published, and bounded."""

import json
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

LEAST = 250  # bytes that an output of its own counts for: each takes time where it is kept, written and shown
CUT = "\n… the rest of the output was cut\n"


@dataclass
class Display:
    """An output that a later message may change, and its size in bytes."""

    output: NotebookNode
    size: int


class Outputs:
    """The outputs of one cell.

    Args:
        room: how many bytes of JSON may be kept.
        displays: of all cells, by display_id: what a later message may update. Displays are added to it.
    """

    def __init__(self, room: int, displays: dict[str, list[Display]] | None = None) -> None:
        self._displays = {} if displays is None else displays
        self.list: list[NotebookNode] = []
        self.used = 0
        self.cut = False
        self._room = room
        self._clear_next = False

    def add(self, kind: str, content: dict[str, Any]) -> None:
        """Take in one iopub message; one of an unknown or malformed kind is ignored."""
        if kind == "clear_output":
            self._clear_next = True
            if not content.get("wait"):
                self._clear()
            return
        name = _display_id(content)
        if kind == "update_display_data":
            if name is not None:
                self._update(name, content)
            return
        output = _OUTPUTS[kind](content) if kind in _OUTPUTS and not self.cut else None
        if output is None:
            return
        if self._clear_next:
            self._clear()
        output, size = _plain_json(output)
        if not self._continues(output):
            size = max(size, LEAST)
        if self.used + size > self._room:
            # A character takes at most 6 bytes of JSON.
            room = max(0, self._room - self.used) // 6
            kept = output.text[:room] if output.output_type == "stream" else ""
            self.say_cut(output.get("name", "stderr"), kept)
        else:
            self.used += size
            self._append(output)
            if name is not None and "data" in output:
                self._displays.setdefault(name, []).append(Display(output, size))

    def _update(self, name: str, content: dict[str, Any]) -> None:
        """Change what is displayed under a name; only what it grows by takes room."""
        new, size = _plain_json(_display(content))
        for display in self._displays.get(name, ()):
            growth = max(0, size - display.size)
            if self.used + growth > self._room:
                self.say_cut()
                return
            self.used += growth
            display.output.data, display.size = new.data, size

    def _append(self, output: NotebookNode) -> None:
        if self._continues(output):
            self.list[-1].text += output.text
        else:
            self.list.append(output)

    def _continues(self, output: NotebookNode) -> bool:
        """Whether it is more of the stream that was published last."""
        last = self.list[-1] if self.list else None
        return bool(last and last.output_type == output.output_type == "stream" and last.name == output.name)

    def say_cut(self, name: str = "stderr", kept: str = "") -> None:
        """Take nothing more, and say so once, after what is `kept` of stream `name`."""
        if not self.cut:
            self.cut = True
            self._append(stream(name, kept + CUT))

    def _clear(self) -> None:
        # What was used stays used: clearing is no way to send without end.
        self.list.clear()
        self._clear_next = False


def stream(name: str, text: str) -> NotebookNode:
    """Text as a notebook keeps it; nbformat's `new_output` would hold it against the format's schema, for 1 ms."""
    return NotebookNode(output_type="stream", name=name, text=text)


def _display_id(content: dict[str, Any]) -> str | None:
    transient = content.get("transient")
    name = transient.get("display_id") if isinstance(transient, dict) else None
    return name if isinstance(name, str) else None


def _stream(content: dict[str, Any]) -> NotebookNode | None:
    if content.get("name") not in ("stdout", "stderr"):
        return None
    return stream(content["name"], str(content.get("text", "")))


def _output(kind: str, **fields: Any) -> NotebookNode:
    output: NotebookNode = new_output(kind, **fields)
    return output


def _display(content: dict[str, Any]) -> NotebookNode:
    return _output("display_data", data=_bundle(content.get("data")))


def _result(content: dict[str, Any]) -> NotebookNode:
    count = content.get("execution_count")
    count = count if type(count) is int and count >= 0 else None
    return _output("execute_result", data=_bundle(content.get("data")), execution_count=count)


def _error(content: dict[str, Any]) -> NotebookNode:
    lines = content.get("traceback")
    traceback = [str(line) for line in lines] if isinstance(lines, list) else []
    ename, evalue = str(content.get("ename", "")), str(content.get("evalue", ""))
    return _output("error", ename=ename, evalue=evalue, traceback=traceback)


_OUTPUTS = {"stream": _stream, "display_data": _display, "execute_result": _result, "error": _error}


def _bundle(data: Any) -> dict[str, Any]:
    """The mime types whose data the notebook format allows: text, or JSON where the type says so."""
    if not isinstance(data, dict):
        return {}
    return {mime: value for mime, value in data.items() if isinstance(value, str) or mime.endswith("json")}


def _plain_json(output: NotebookNode) -> tuple[NotebookNode, int]:
    """The output without what no UTF-8 file of JSON can hold (lone surrogates, NaN), and its size in bytes."""
    encoded = json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")
    plain = json.loads(encoded, parse_constant=lambda name: None)
    return _nodes(plain), len(encoded)


def _nodes(plain: dict[str, Any]) -> NotebookNode:
    node = NotebookNode(plain)
    if "data" in plain:
        node.data = NotebookNode(plain["data"])
        node.metadata = NotebookNode()
    return node
