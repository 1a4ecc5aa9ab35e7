"""The command line, in this process: another Python takes seconds to import what this one has."""

import subprocess
import sys

import pytest

from grader.__main__ import main


@pytest.fixture
def grader(capfd, monkeypatch):
    """Run a command as `python -m grader` does; what `subprocess.run` would return."""

    def run(*arguments):
        command = ["grader", *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", command)
        capfd.readouterr()
        try:
            status = main()
        except SystemExit as end:
            status = end.code
        return subprocess.CompletedProcess(command, status or 0, *capfd.readouterr())

    return run
