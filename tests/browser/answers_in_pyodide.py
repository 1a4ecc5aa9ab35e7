"""Runs in Pyodide: a chapter's solved notebook, and then each wrong cell in the place of its own. Answers in /host."""

import contextlib
import importlib
import io
import json
import os
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

HOST = Path("/host")


class Notebook:
    """A chapter's kernel, as its start makes it; each cell's text comes back as whether it ended well and its words."""

    def __init__(self, chapter):
        os.symlink(HOST / "drive", "/drive")
        os.chdir(f"/drive/notebooks/chapter{chapter}")
        self.shell = InteractiveShell.instance()
        sys.path.append("/drive/course")
        importlib.import_module("in_browser").start(self.shell)

    def run(self, source):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            result = self.shell.run_cell(source, store_history=True)
        return [result.success, printed.getvalue()]


job = json.loads((HOST / "job.json").read_text("utf-8"))
notebook = Notebook(job["chapter"])
solved = [notebook.run(source) for source in job["cells"]]
wrong = []
for one in job["wrong"]:
    notebook.run(one["cell"])
    wrong.append(notebook.run(one["check"])[1])
    notebook.run(one["right"])
(HOST / "answer.json").write_text(json.dumps({"solved": solved, "wrong": wrong}), "utf-8")
