"""Notebooks that are handed in to break the grader itself: what is read, compared, written or shown of them."""

import json

import nbformat

from .notebooks import SCRIPT, changed, markdown


def mul(body):
    """A notebook whose cell before Mul's is this."""

    def change(notebook):
        at = next(
            i for i, cell in enumerate(notebook.cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == "mul"
        )
        notebook.cells.insert(at, nbformat.v4.new_code_cell(body))

    return changed(change)


def replying(entry):
    """A notebook that answers each question with this observation."""
    return mul(
        f"""
import json
session, real = get_ipython().kernel.session, get_ipython().kernel.session.send
def send(stream, kind, content=None, *a, **k):
    if kind == "execute_reply" and content and content.get("user_expressions"):
        text = json.dumps({entry!r})
        content["user_expressions"] = {{"answer": {{"status": "ok", "data": {{"application/vnd.minigrad.answer+json": text}}}}}}
    return real(stream, kind, content, *a, **k)
session.send = send
"""
    )


def raising(text):
    """A notebook whose operands raise this text."""
    return mul(
        f"from minigrad import Tensor\ndef _no(*a): raise ValueError({text})\n"
        "import minigrad\nminigrad.Tensor.__mul__ = minigrad.Tensor.__rmul__ = _no\n"
    )


def array(shape, **others):
    entry = {"kind": "array", "dtype": "float64", "shape": shape, "data": []}
    return [["Mul", "the value", {**entry, **others}]]


def cells(*made):
    return changed(lambda notebook: notebook.cells.extend(made))


def code(source):
    return cells(nbformat.v4.new_code_cell(source))


def shown(expression):
    return code(f"from IPython.display import *\nimport base64\ndisplay({expression}, raw=True)")


def output(count):
    """A notebook whose own outputs are endless, which nobody reads."""

    def change(notebook):
        cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
        cell.outputs = [nbformat.v4.new_output("stream", text="x")] * count

    return changed(change)


HUGE = """
kernel = get_ipython().kernel
pack, sign = kernel.session.pack, kernel.session.sign
for _ in range(5):
    message = kernel.session.msg("display_data", {}, parent=kernel.get_parent())
    parts = [pack(message["header"]), pack(message["parent_header"]), b"{}", b'{"data":{"x/json":[' + b"{}," * COUNT + b"0]}}"]
    kernel.iopub_socket.send_multipart([b"<IDS|MSG>", sign(parts), *parts])
"""

# Name → the file, its bytes or what makes them (`notebooks.made`). In none of them is Mul right.
BREAKING = {
    "half-a-character-is-raised": raising("'\\ud800 and \\udfff'"),
    "half-a-character-in-a-reply": replying([["Mul", "\ud800", {"kind": "\ud800", "dtype": "\ud800"}]]),
    "half-a-character-is-printed": code("print('\\ud800')"),
    "half-a-character-in-markdown": markdown("\ud800 <b>"),
    "terminal-codes-are-raised": raising("'\\x1b]0;planted\\x07 \\x9b2J \\x85 \\u202e'"),
    "a-formula-is-raised": raising("'=cmd|calc!A0'"),
    "parentheses-are-raised": raising("'(' * 100_000"),
    "a-page-of-tags-is-raised": raising(repr(SCRIPT)),
    "empty-and-endless-shape": replying(array([0, 10**6, 10**6])),
    "empty-and-wide-shape": replying(array([0, 12_000, 12_000])),
    "seven-long-axes": replying(array([0, *[10**6] * 7])),
    "a-shape-of-negative-lengths": replying(array([-1, -1], data=[1.0])),
    "a-shape-of-flags": replying(array([True, True], data=[1.0])),
    "a-dtype-that-is-a-list": replying(array([], dtype=[["a"]], data=[1.0])),
    "a-dtype-that-is-a-table": replying(array([], dtype={"a": 1}, data=[1.0])),
    "a-kind-that-nobody-knows": replying([["Mul", "the value", {"kind": "verdict", "right": True}]]),
    "flags-of-any-name": replying(array([], data=[1.0], right=True, cause="", message="x" * 400)),
    "five-messages-of-15-megabytes": mul(HUGE.replace("COUNT", "5_000_000")),
    "five-messages-of-30-megabytes": mul(HUGE.replace("COUNT", "10_000_000")),
    "markdown-script": markdown(SCRIPT),
    "markdown-script-in-a-formula": markdown(
        "$\\href{javascript:planted_by_attack()}{x} \\style{background:url(//x)}{y}$"
    ),
    "markdown-image-from-elsewhere": markdown(
        "![x](https://elsewhere.example/x.png)\n\n![y][1]\n\n[1]: //elsewhere.example/y"
    ),
    "markdown-link-that-runs": markdown(
        "[a](javascript:planted_by_attack()) [b][1]\n\n[1]: javascript:planted_by_attack()"
    ),
    "markdown-link-in-entities": markdown(
        "[a](java&#115;cript&colon;planted_by_attack()) <javascript:planted_by_attack()>"
    ),
    "markdown-mermaid": markdown("```mermaid\ngraph TD\nclick A planted_by_attack\n```\n\n~~~ &#109;ermaid\nx\n~~~"),
    "markdown-mermaid-behind-a-form-feed": markdown("```\x0cmermaid\ngraph TD\nclick A planted_by_attack\n```"),
    "a-formula-behind-a-semicolon": raising("';=1+1;'"),
    "markdown-style": markdown(
        "<style>@import url(//elsewhere.example/x)</style><link rel=stylesheet href=//elsewhere.example>"
    ),
    "markdown-form": markdown("<form action=//elsewhere.example><button autofocus onfocus=planted_by_attack()>"),
    "markdown-mathml": markdown(
        "<math><maction actiontype=statusline xlink:href='javascript:planted_by_attack()'>x</maction></math>"
    ),
    "raw-script": cells(nbformat.v4.new_raw_cell(SCRIPT)),
    "picture-with-a-handler": shown("{'image/png': 'x\" onerror=\"planted_by_attack()'}"),
    "picture-that-is-a-page": shown(f"{{'image/png': base64.b64encode({SCRIPT.encode()!r}).decode()}}"),
    "picture-of-a-million-by-a-million": shown(
        "{'image/png': base64.b64encode(b'\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR\\0\\x0f\\x42\\x40\\0\\x0f\\x42\\x40').decode()}"
    ),
    "picture-of-gigapixels": code(
        "from IPython.display import *\nimport base64, struct, zlib\n"
        "def part(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))\n"
        "rows = zlib.compress(bytes(1251 * 10_000), 9)\nsize = struct.pack('>IIBBBBB', 10_000, 10_000, 1, 0, 0, 0, 0)\n"
        "png = b'\\x89PNG\\r\\n\\x1a\\n' + part(b'IHDR', size) + part(b'IDAT', rows) + part(b'IEND', b'')\n"
        "for _ in range(10): display({'image/png': base64.b64encode(png).decode()}, raw=True)"
    ),
    "picture-of-svg": shown("{'image/svg+xml': '<svg onload=planted_by_attack()/>', 'image/jpeg': 'PHN2Zy8+'}"),
    "slow-markdown-environments": markdown("\\begin{a}" * 20_000),
    "slow-markdown-divisions": markdown("<div>" * 30_000),
    "slow-markdown-formulas": markdown("$x$ " * 40_000),
    "slow-markdown-dollars": markdown("$a" * 90_000),
    "slow-markdown-tables": markdown("a|b\n-|-\n" * 20_000),
    "slow-markdown-brackets": cells(*(nbformat.v4.new_markdown_cell("[" * 4900) for _ in range(40))),
    "slow-markdown-stars": cells(*(nbformat.v4.new_markdown_cell("*a" * 2400) for _ in range(40))),
    "slow-outputs-of-many": code("for number in range(3000): display(number)"),
    "slow-outputs-in-colours": code("for _ in range(40): print('\\x1b[31ma' * 1666)"),
    "slow-code-of-cells": cells(*(nbformat.v4.new_code_cell("a?" * 200) for _ in range(450))),
    "slow-code-of-dots": code("x = a" + ".a" * 90_000 + " if False else 0"),
    "slow-code-of-stars": code("# " + "*a" * 90_000 + "\n" + "1 if 0 else '*a'\n" * 500),
    "outputs-of-its-own-without-end": output(150_000),
    "tags-of-two-kinds": changed(
        lambda n: n.cells[0].metadata.update(tags=[i if i % 2 else str(i) for i in range(20_000)])
    ),
    "metadata-without-end": changed(lambda n: n.metadata.update(x=[{}] * 4_000_000)),
    "a-source-of-a-million-lines": changed(lambda n: n.cells[0].update(source=["\n"] * 1_000_000)),
    "nested-metadata-of-a-cell": (
        b'{"cells":[{"cell_type":"code","metadata":{"nbgrader":'
        + b'{"a":' * 900
        + b"1"
        + b"}" * 900
        + b'},"source":"",'
        b'"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":4}'
    ),
    "an-old-format-of-many-sheets": json.dumps(
        {"worksheets": [{"cells": [{"cell_type": "code", "input": "1"}] * 600}], "metadata": {}, "nbformat": 3}
    ).encode(),
}
