"""What an honest notebook gets."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from grader.run.execution import Limits, SandboxUnavailable, Step, run_steps, sandbox_problem, session

from .conftest import SANDBOX, UNSAFE, text

both = pytest.mark.parametrize("unsafe", [SANDBOX, UNSAFE])


@both
def test_cells_run_in_order_and_their_outputs_are_a_notebooks(run, unsafe):
    seen = []
    results = run(
        "import sys, numpy as np\nimport minigrad\nx = np.arange(3.0)\nprint('out')\nprint('err', file=sys.stderr)\nx",
        "1 / 0",
        "import matplotlib.pyplot as plt\nplt.plot(x);",
        "print(minigrad.name, x.sum())",
        unsafe=unsafe,
        on_step=seen.append,
        cell_seconds=20,
        output_bytes=100_000,
        output_total_bytes=200_000,
    )
    assert [r.state for r in results] == ["ok", "error", "ok", "ok"]
    assert seen == results
    assert sorted(o.output_type for o in results[0].outputs) == ["execute_result", "stream", "stream"]
    assert results[1].detail == "ZeroDivisionError: division by zero"
    assert "image/png" in results[2].outputs[-1].data
    assert text(results[3]) == "the course 3.0\n"
    cells = [nbformat.v4.new_code_cell("", outputs=r.outputs) for r in results]
    nbformat.validate(nbformat.v4.new_notebook(cells=cells))


@both
def test_a_probe_answers_and_leaves_no_trace(run, unsafe):
    results = run(
        "a = 20",
        "ask:import json\nhidden = a + 1\na = 0\nprint('noise')\nanswer = json.dumps({'a': hidden})",
        "print(a, 'hidden' in globals(), 'answer' in globals(), sum('hidden' in c for c in In))",
        unsafe=unsafe,
    )
    assert json.loads(results[1].answer) == {"a": 21}
    assert (results[1].state, results[1].detail, results[1].outputs) == ("ok", "", [])
    assert text(results[2]) == "20 False False 1\n"


@pytest.mark.parametrize(
    ("probe", "reason"),
    [
        ("raise ValueError('no')", "The probe ended with ValueError: no"),
        ("pass", "NameError"),
        ("answer = [1]", "not a text"),
        ("answer = 'x' * 2000", "has 2002 bytes; at most 1000"),
        ("answer = type('S', (str,), {'__repr__': lambda s: 1 / 0})('fine')", ""),
    ],
)
def test_an_answer_that_is_none_has_a_reason(run, probe, reason):
    [result] = run("ask:" + probe, unsafe=True)
    if reason:
        assert result.answer is None
        assert result.state == "error"
    else:
        assert result.answer == "fine"
    assert reason in result.detail


def test_help_works_and_torch_does_not(run):
    results = run("help(len)", "import torch", "import grader.run.execution", "import nbgrader", unsafe=True)
    assert [r.state for r in results] == ["ok", "error", "error", "error"]
    assert all("ModuleNotFoundError" in r.detail for r in results[1:])


@both
def test_what_does_not_come_through_print_is_shown_too(run, unsafe):
    """Another thread takes it from the descriptor. A moment's sleep, for the cell does not wait for that thread."""
    results = run(
        "import os, time; os.write(1, b'x\\n'); time.sleep(0.1)",
        "import subprocess; subprocess.run(['echo', 'x']); time.sleep(0.1)",
        "os.write(2, b'x\\n'); time.sleep(0.1)",
        unsafe=unsafe,
    )
    assert [text(result) for result in results] == ["x\n"] * 3


def test_clear_output(run):
    [result] = run("from IPython.display import clear_output\nprint(1)\nclear_output()\nprint(2)", unsafe=True)
    assert text(result) == "2\n"


def test_without_a_sandbox_nothing_runs_unless_asked_to(course, monkeypatch):
    monkeypatch.setattr(session, "sandbox_problem", lambda: "There is none.")
    with pytest.raises(SandboxUnavailable, match=r"There is none\."):
        run_steps([Step(0, "1")], course)
    assert run_steps([Step(0, "1")], course, unsafe=True)[0].state == "ok"


@both
def test_a_kernel_that_cannot_start_is_reported_once_for_each_step(tmp_path, unsafe):
    (tmp_path / "ipykernel.py").write_text("raise SystemExit('broken course')")
    results = run_steps([Step(0, "1"), Step(1, "2")], tmp_path, Limits(start_seconds=5), unsafe)
    assert [r.state for r in results] == ["not run", "not run"]
    assert all("did not start" in r.detail and "broken course" in r.detail for r in results)


def test_the_time_of_the_whole_notebook_is_bounded(run):
    """A cell that may take a minute is stopped when the notebook's two seconds are used up."""
    results = run("while True: pass", "1", "2", unsafe=True, total_seconds=2, cell_seconds=60)
    assert [r.state for r in results] == ["timeout", "not run", "not run"]
    assert "whole notebook" in results[1].detail


def test_a_cell_that_does_nothing_is_told_from_one_that_does_not_end(run):
    """As patient as a busy machine needs: a second of the processor's may take minutes."""
    asleep, endless = run("import time; time.sleep(600)", "while True: pass", unsafe=True, cell_seconds=2, patience=300)
    assert (asleep.state, endless.state) == ("waited", "timeout")
    assert "without computing" in asleep.detail and "processor time" in endless.detail


def test_what_all_cells_wait_is_added_up(run):
    """Each sleeps less than a cell may do nothing, and all of them more than a notebook may."""
    sleeps = ["import time; time.sleep(1)"] * 6
    results = run(*sleeps, "1", unsafe=True, cell_seconds=5, idle_seconds=2.5)
    states = [result.state for result in results]
    assert states[0] == "ok" and "waited" in states and states[-1] == "not run"
    assert "without computing" in results[states.index("waited")].detail


def test_waiting_for_a_child_that_waits_is_doing_nothing(run):
    """Linux shows who waits so as if it read from a disk."""
    spawn = "os.posix_spawn('/bin/true', ['true'], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, 'pipe', os.O_RDONLY, 0)])"
    (result,) = run(f"import os; os.mkfifo('pipe'); {spawn}", unsafe=True, cell_seconds=2, patience=300)
    assert result.state == "waited" and "without computing" in result.detail


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux lets a process choose its processor")
def test_what_a_busy_neighbour_takes_is_not_counted(run):
    """A cell that needs half of its time gets it, though it shares its processor with ten that never rest.

    However long that takes on the clock: others may be at work here, too.
    """
    here = f"import os; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
    spin = [sys.executable, "-c", f"{here}while True: pass"]
    spinning = [subprocess.Popen(spin, start_new_session=True) for _ in range(10)]
    try:
        work = f"{here}import time; t = time.process_time()\nwhile time.process_time() - t < 0.5: pass"
        (result,) = run(work, unsafe=bool(sandbox_problem()), cell_seconds=1, patience=300)
    finally:
        for one in spinning:
            one.kill()
            one.wait()
    assert result.state == "ok", result.detail


EPOLL_WATCHES = """
import os, select
loops, files, watches = [select.epoll() for _ in range(12)], [os.eventfd(0) for _ in range(12)], 0
for file in files:
    for number in range(max(files) + 1, 1024):
        try:
            os.dup2(file, number)
        except OSError:
            break
        for loop in loops:
            loop.register(number)  # it stays when the number is closed, for the file is open under its own
            watches += 1
        os.close(number)
print(watches)
"""


@both
def test_a_process_can_set_few_of_the_watches_that_its_user_shares(run, unsafe):
    (result,) = run(EPOLL_WATCHES, unsafe=unsafe)
    assert 0 < int(text(result)) < 12_000  # Linux allows millions, of all processes together


def test_importing_the_room_does_not_import_torch():
    program = "import sys, grader.run.execution; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"
