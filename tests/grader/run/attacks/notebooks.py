"""Files that are handed in: hostile ones, whose Mul is wrong or that are no notebook, and odd ones that are honest."""

import copy
import functools
import json

import nbformat

from grader.classroom.demo import notebook_of, samples
from grader.run.submission import grade_id

SAMPLES = {one.student: one for one in samples(1)}
SCRIPT = "<script>planted_by_attack()</script><img src=x onerror=planted_by_attack()>"


def wrong():
    """The solved notebook, but for Mul."""
    return copy.deepcopy(sample("wrong-mul-own-value"))


def right():
    return copy.deepcopy(sample("right-as-in-the-solution"))


@functools.cache
def sample(student):
    return notebook_of(SAMPLES[student], 1)


def written(notebook):
    return json.dumps(notebook, ensure_ascii=False).encode("utf-8", "surrogatepass")


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def changed(change, make=wrong):
    """Makes a notebook after `change(notebook)`; what that returns, if anything, is used instead."""

    def make_file():
        notebook = make()
        return written(change(notebook) or notebook)

    return make_file


def made(file):
    """The bytes of a file that is only made when it is handed in: to make all of them takes seconds."""
    return file() if callable(file) else file


def every_mark(**marks):
    def change(notebook):
        for cell in notebook.cells:
            if "nbgrader" in cell.metadata:
                cell.metadata.nbgrader.update(marks)

    return changed(change)


def swapped_ids(notebook):
    a, b = cell_of(notebook, "mul-graded"), cell_of(notebook, "add-graded")
    a.metadata.nbgrader.grade_id, b.metadata.nbgrader.grade_id = "add-graded", "mul-graded"


def own_graded_cell(notebook):
    cell = nbformat.v4.new_code_cell("2.0", outputs=[], metadata=dict(cell_of(notebook, "mul-graded").metadata))
    cell_of(notebook, "mul-graded").metadata = {}
    notebook.cells.append(cell)


def outputs_filled_in(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2.0"}, execution_count=1)]


def verdict_filled_in(notebook):
    result = {"exercise": "mul", "score": 2.0, "max_score": 2.0, "state": "graded", "findings": {}}
    notebook.metadata["minigrad"] = {"unreadable": "", "verdict": "mine"}
    for cell in notebook.cells:
        cell.metadata["minigrad"] = result


def active_outputs(notebook):
    data = {
        kind: SCRIPT for kind in ("text/html", "image/svg+xml", "application/javascript", "text/latex", "text/markdown")
    }
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("display_data", data)]
        elif not grade_id(cell):
            cell.source += (
                SCRIPT + "\n\n[a](javascript:planted_by_attack()) $\\href{javascript:planted_by_attack()}{x}$"
            )
            cell["attachments"] = {"x.svg": {"image/svg+xml": SCRIPT}}
    code = f"from IPython.display import *\ndisplay(HTML({SCRIPT!r}), Javascript('planted_by_attack()'), SVG('<svg/>'))"
    notebook.cells += [
        nbformat.v4.new_code_cell(code),
        nbformat.v4.new_code_cell(f"print({SCRIPT!r})\nraise ValueError({SCRIPT!r})"),
        nbformat.v4.new_markdown_cell(SCRIPT),
        nbformat.v4.new_raw_cell(SCRIPT, metadata={"raw_mimetype": "text/html"}),
    ]


def moved_up(notebook):
    graded = cell_of(notebook, "mul-graded")
    notebook.cells.remove(graded)
    notebook.cells.insert(0, graded)


def many_cells(notebook):
    notebook.cells += [nbformat.v4.new_code_cell("1") for _ in range(1000)]


def without(*names):
    def change(notebook):
        notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in names]

    return changed(change)


def source_of(name, source):
    return changed(lambda notebook: cell_of(notebook, name).update(source=source))


def markdown(source):
    return changed(lambda notebook: notebook.cells.append(nbformat.v4.new_markdown_cell(source)))


def kernel(**spec):
    return changed(lambda notebook: notebook.metadata.update(kernelspec=spec))


# Name → the file, its bytes or what makes them (`made`). In none of them is Mul right, or can it be read.
HOSTILE = {
    "points-of-a-thousand": every_mark(points=1000),
    "points-below-zero": every_mark(points=-1000),
    "schema-of-the-future": every_mark(schema_version=99),
    "schema-of-the-past": every_mark(schema_version=1),
    "nothing-is-graded": every_mark(grade=False, locked=False, solution=False),
    "everything-is-graded": every_mark(grade=True, solution=True),
    "marks-are-no-table": changed(lambda n: [c.metadata.update(nbgrader=["mul"]) for c in n.cells] and None),
    "ids-are-numbers": every_mark(grade_id=3),
    "ids-are-paths": every_mark(grade_id="../../../secret"),
    "ids-swapped": changed(swapped_ids),
    "own-graded-cell": changed(own_graded_cell),
    "graded-cell-duplicated": changed(lambda n: n.cells.extend([cell_of(n, "mul-graded")] * 3)),
    "graded-cell-missing": without("mul-graded"),
    "all-graded-cells-missing": without("mul-graded", "add-graded", "pow-graded", "neg-sub-graded"),
    "graded-cell-is-text": changed(lambda n: cell_of(n, "mul-graded").update(cell_type="markdown")),
    "graded-cell-rewritten": source_of("mul-graded", "2.0"),
    "graded-cell-first": changed(moved_up),
    "outputs-filled-in": changed(outputs_filled_in),
    "verdict-filled-in": changed(verdict_filled_in),
    "tags": changed(
        lambda n: [c.metadata.update(tags=["skip-execution", "raises-exception"]) for c in n.cells] and None
    ),
    "kernel-of-its-own": kernel(name="../../../bin/sh", display_name="x", language="bash", argv=["/bin/sh"]),
    "kernel-is-no-table": changed(lambda n: n.metadata.update(kernelspec=[1])),
    "active-content": changed(active_outputs),
    "attachments": changed(
        lambda n: n.cells.append(nbformat.v4.new_markdown_cell("x", attachments={"../x": {"a/b": ""}}))
    ),
    "widgets": changed(
        lambda n: n.metadata.update(widgets={"application/vnd.jupyter.widget-state+json": {"state": []}})
    ),
    "one-thousand-cells": changed(many_cells),
    "cell-of-ten-million-characters": source_of("mul", "#" * 10_000_000),
    "file-of-30-megabytes": changed(lambda n: n.metadata.update(x="x" * 30_000_000)),
    "deep-json": b'{"cells":' + b"[" * 200_000,
    "deep-metadata": b'{"metadata":'
    + b'{"a":' * 5_000
    + b"1"
    + b"}" * 5_000
    + b',"cells":[],"nbformat":4,"nbformat_minor":5}',
    "huge-number": b'{"cells": [], "metadata": {}, "nbformat": 4' + b"0" * 5_000 + b', "nbformat_minor": 5}',
    "not-json": b"\x00\x01\x02 planted",
    "json-of-something-else": b'[{"cells": 1}]',
    "no-cells": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "cells-are-numbers": b'{"cells": [1, 2], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "format-99": changed(lambda n: n.update(nbformat=99)),
    "format-3": b'{"worksheets": [{"cells": []}], "metadata": {}, "nbformat": 3, "nbformat_minor": 0}',
    "utf-16": lambda: written(wrong()).decode().encode("utf-16"),
    "latin-1": lambda: made(markdown("é")).decode().encode("latin-1", "replace"),
    "empty": b"",
    "a-python-pickle": b"\x80\x04\x95\x1f\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    "a-zip": b"PK\x05\x06" + b"\x00" * 18,
    "source-is-a-number": changed(lambda n: cell_of(n, "mul").update(source=7)),
    "source-with-half-a-character": source_of("mul", "x = '\udc80'"),
    "source-with-zero-bytes": source_of("mul", "x = 1\x00"),
}


def without_ids(notebook):
    for cell in notebook.cells:
        cell.pop("id", None)
    notebook.nbformat_minor = 2


def oddly_executed(notebook):
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.execution_count = 1000 - number
            cell.outputs = [
                nbformat.v4.new_output("stream", name="stderr", text="DeprecationWarning: it is old\n" * 500)
            ]


def extra(source, first=False):
    def change(notebook):
        notebook.cells.insert(3 if first else len(notebook.cells), nbformat.v4.new_code_cell(source))

    return changed(change, right)


def with_line_ends(notebook):
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", "\r\n")


# Name → the file, as above. All of them are right.
HONEST = {
    "noise-on-stderr": extra("import sys, warnings\nprint('careful', file=sys.stderr)\nwarnings.warn('careful')", True),
    "prints": extra("for i in range(2000): print(i)", True),
    "a-plot": extra("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);", True),
    "a-figure-that-is-shown": extra("import matplotlib.pyplot as plt\nplt.imshow([[1, 2]]); plt.show()", True),
    "timeit": extra("%timeit -n 10 -r 2 sum(range(100))", True),
    "shell-and-cell-magic": extra("%%time\n!echo hello", True),
    "help": extra("help(len)\nlen?", True),
    "progress-bar": extra("from tqdm.auto import tqdm\nfor _ in tqdm(range(100)): pass", True),
    "rich-text": extra("from rich import print\nprint('[bold]hello[/bold]')", True),
    "an-error-of-its-own": extra("1 / 0", True),
    "its-own-seed": extra("import numpy as np\nnp.random.seed(0)\nnp.seterr(all='raise')", True),
    "a-variable-called-list": extra("list = dict = input = json = 3", True),
    "works-with-threads": extra(
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as p: print([*p.map(abs, [-1])])"
    ),
    "works-with-processes": extra("import subprocess\nprint(subprocess.check_output(['echo', 'hello']))"),
    "writes-a-file": extra("open('notes.txt', 'w').write('mine')\nprint(open('notes.txt').read())", True),
    "asks-for-a-name": extra("name = input('Your name?')", True),
    "asynchronous": extra("import asyncio\nawait asyncio.sleep(0.01)", True),
    "html-of-its-own": extra("from IPython.display import HTML\nHTML('<b>hello</b>')", True),
    "other-scripts": extra("größe = 'größer als ähnliches: 中文, العربية, 🙂'\nprint(größe)", True),
    "crlf-in-cells": changed(with_line_ends, right),
    "crlf-in-the-file": lambda: json.dumps(right(), indent=1).replace("\n", "\r\n").encode(),
    "byte-order-mark": lambda: b"\xef\xbb\xbf" + written(right()),
    "without-cell-ids": changed(without_ids, right),
    "executed-out-of-order": changed(oddly_executed, right),
    "a-renamed-kernel": changed(
        lambda n: n.metadata.update(kernelspec={"name": "torch-gpu", "display_name": "GPU"}), right
    ),
    "no-metadata": changed(lambda n: n.update(metadata={}), right),
    "empty-cells": changed(lambda n: n.cells.extend([nbformat.v4.new_code_cell("")] * 20), right),
    "editors-metadata": changed(
        lambda n: [c.metadata.update(collapsed=True, vscode={"a": 1}) for c in n.cells] and None, right
    ),
    "deleted-instructions": changed(
        lambda n: n.update(cells=[c for c in n.cells if c.cell_type == "code" or grade_id(c)]), right
    ),
}

# Folders that students hand in under, all with right work.
NAMES = (
    *("with spaces", "it's", "-rf", "--help", "{student_id}", "%s", "$(id)"),
    *("é", "学生", "طالب", "🙂", "a.b", "a+b", "semi;colon", "=1+1", "UPPER", "upper", "chapter1", "x" * 120),
)

# And those that nbgrader would take for a pattern, for another name or for markup: they are refused in a sentence.
BAD_NAMES = ("*", "?", "[a-z]", "two\nlines", " spaces ", 'say "hi"', "<b>", "back\\slash", "a\x1bc", "ada\u200b")
