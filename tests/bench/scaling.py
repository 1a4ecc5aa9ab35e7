"""Measure all that grader/classroom/SCALING.md says, and put the tables into it: `python -m tests.bench.scaling`.

Half an hour on two cores with nothing else running; as root, for control groups. Each table stands between two comments that name
it, under its command; `--only earlier latency` renews these alone, and `--short` tries every command in minutes and writes nothing.
"""

import argparse
import re
import subprocess
import sys

from grader.publish.course import course_root

PAGE = course_root() / "grader" / "classroom" / "SCALING.md"
# Table → its command, and how it is tried. The simulation takes what was measured: it comes last.
COMMANDS = {
    "grading": ("grading --students 64 --rounds 1", "grading --students 9 --rounds 1 --otter 1"),
    "earlier": ("earlier bd22df1 --students 160 --rounds 3", "earlier bd22df1 --students 8 --rounds 1"),
    "scale": ("scale --sizes 10 100 2000", "scale --sizes 4 8"),
    "dask": ("scale --sizes 320 --dask 1 2 --share 0.5", "scale --sizes 6 --dask 1 2 --share 0.5"),
    "latency": ("latency --workers 8 --seconds 1 --sizes 160", "latency --workers 8 --seconds 1 --sizes 24"),
    "many": ("latency --seconds 0 --sizes 1000 10000", "latency --seconds 0 --sizes 20 40"),
}
SIMULATED = "--workers 4 8 16 32 64 --endless 0 0.01"


def said(command: str) -> str:
    """A command and what it prints; its progress is shown where this program's errors are."""
    name, _, arguments = command.partition(" ")
    program = [sys.executable, "-m", f"tests.bench.{name}", *arguments.split()]
    print(f"python -m tests.bench.{command}", file=sys.stderr, flush=True)
    text = subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return f"```console\npython -m tests.bench.{command}\n```\n\n{text}"


def block(page: str, name: str) -> str:
    """A table of the page, with its command."""
    (found,) = re.findall(rf"<!-- measured: {name} -->\n\n(.*?)\n\n<!-- -->", page, re.DOTALL)
    return found


def put(page: str, name: str, text: str) -> str:
    """The page with another table of that name."""
    old = f"<!-- measured: {name} -->\n\n{block(page, name)}\n\n"
    return page.replace(old, f"<!-- measured: {name} -->\n\n{text}\n\n")


def simulated(table: str) -> str:
    """The command of the simulation, with the costs that `tests.bench.earlier` measured."""

    def now(part: str) -> float:
        (seconds,) = re.findall(rf"^\| {part} \| [\d.]+ \| ([\d.]+) ", table, re.MULTILINE)
        return float(seconds)

    each, judge = now("the one process that writes") / 2, now("judging: workers and kernels")
    return f"queueing --hand-out {each:.4f} --write {each:.4f} --judge {judge:.3f} {SIMULATED}"


def main() -> None:
    """Run the commands, one after another, and write the page after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*COMMANDS, "queueing"], default=[*COMMANDS, "queueing"])
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    page = PAGE.read_text("utf-8")
    for name in options.only:
        command = COMMANDS[name][options.short] if name in COMMANDS else simulated(block(page, "earlier"))
        page = put(page, name, said(command))
        if options.short:
            print(block(page, name), flush=True)
        else:
            PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
