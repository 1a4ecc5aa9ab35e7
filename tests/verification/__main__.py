"""`python -m tests.verification`: verify everything, and write the page.

`… tolerances` measures rounding; `… answers FOLDER` judges answers that somebody else wrote; `… sample` draws sentences for
readers, and `… readers` puts what they say into the page.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from . import accept, answers, kill, mutants, openset, page, reference, tolerances
from .cases import EXERCISES
from .work import spread

CHUNK = 20  # seeds that a process takes at a time
FEW = 20  # seeds for two mistakes at once: there are hundreds of them, each held against all others
FEWER = 5  # of those that a process takes at a time
MOST = 0.01  # of the open set's wrong answers may be accepted: the goal
app = typer.Typer(add_completion=False)
Seeds = Annotated[int, typer.Option(help="How many draws each misconception is tried on.")]
RightSeeds = Annotated[int, typer.Option(help="How many draws each right answer is tried on.")]


@app.callback(invoke_without_command=True)
def verify(context: typer.Context, seeds: Seeds = 200, right_seeds: RightSeeds = 1000) -> None:
    """Verify the comparison and the diagnosis; write grader/VERIFICATION.md. Exit with 1 where something is let through."""
    if context.invoked_subcommand:
        return
    started = time.monotonic()
    names = [exercise.name for exercise in EXERCISES]
    killed = kill.merged(
        spread(kill.matrix, [(name, chunk) for name in names for chunk in chunked(seeds)], "Kill matrix")
    )
    for kills, where in zip(
        killed, spread(kill.elsewhere, [(k.name, range(2)) for k in killed], "Elsewhere"), strict=True
    ):
        kills.elsewhere = where
    few = chunked(min(seeds, FEW), FEWER)
    paired = kill.merged(spread(kill.pairs, [(name, chunk) for name in names for chunk in few], "Two at once"))
    mutated = mutants_of_everything()
    accepted = accept.merged(
        spread(accept.accepts, [(name, c) for name in names for c in chunked(right_seeds)], "Right answers")
    )
    agreed = reference.agreements(range(20))
    opened = spread(openset.opened, [(e.name, part) for e in EXERCISES for part in e.points], "Open set")
    took = f"{(time.monotonic() - started) / 60:.0f} minutes"
    command = f"python -m tests.verification --seeds {seeds} --right-seeds {right_seeds}"
    page.write(killed, paired, mutated, accepted, agreed, opened, f"`{command}`, which took {took}")
    problems = [f"{part} of {e.name}: the course's own answer is rejected." for e, part in mutants.unreadable()]
    problems += [f"{k.name} survived." for k in killed + paired if k.rejected < k.seen]
    problems += [f"{k.name} in {e}: {w}." for k in killed for e, w in k.elsewhere.items() if w != "rejected"]
    problems += [f"{one.name} was rejected: {one.said}" for one in accepted if one.rejected]
    problems += [f"A right answer to {o.part} was rejected:\n{text}" for o in opened for _, text in o.refused]
    let_through, wrong = sum(len(o.accepted) for o in opened), sum(o.wrong for o in opened)
    if let_through > MOST * wrong:
        problems += [f"{let_through} of {wrong} wrong answers of the open set were accepted."]
    known = mutants.equivalents()
    problems += [
        f"A mutant of {p} survived: {s}" for (_, p), (_, ss) in mutated.items() for s in ss if (p, s) not in known
    ]
    print("\n".join(problems) or f"Verified; {page.PAGE.relative_to(page.ROOT)} says how. It took {took}.")
    sys.exit(bool(problems))


def chunked(seeds: int, chunk: int = CHUNK) -> list[range]:
    """The seeds, in pieces that a process takes at a time."""
    return [range(first, min(first + chunk, seeds)) for first in range(0, seeds, chunk)]


def mutants_of_everything() -> dict[tuple[str, str], tuple[int, list[str]]]:
    """(exercise, part) -> how many mutants it has, and the slips that were accepted."""
    parts = [(exercise, part) for exercise in EXERCISES for part in exercise.points]
    everything = [mutants.mutants(exercise, part) for exercise, part in parts]
    alive = spread(mutants.survives, [(m, range(5)) for group in everything for m in group], "Mutants")
    survived = iter(alive)
    found = [[m.slip for m in group if next(survived)] for group in everything]
    return {
        (exercise.name, part): (len(group), slips)
        for (exercise, part), group, slips in zip(parts, everything, found, strict=True)
    }


@app.command("tolerances")
def measure(seeds: Seeds = 300) -> None:
    """Measure how far right answers are from torch's by rounding, and write grader/verdict/tolerances.json."""
    tolerances.write(range(seeds))


@app.command("sample")
def draw(number: int = 100, into: Path = Path("sample.txt")) -> None:
    """Draw wrong answers afresh, with what is said to each, for readers; what they judge goes to read.toml, and `readers`."""
    rng = random.Random()
    parts = [(exercise.name, part) for exercise in EXERCISES for part in exercise.points]
    chosen = Counter(rng.choice(parts) for _ in range(number))
    drawn = spread(openset.sample, [(*one, count, str(rng.random())) for one, count in chosen.items()], "Sample")
    found = [(one, *pair) for one, pairs in zip(chosen, drawn, strict=True) for pair in pairs]
    pieces = [f"### {i} | {' '.join(one)} | {said}\n{code}\n" for i, (one, code, said) in enumerate(found, start=1)]
    into.write_text("".join(pieces), encoding="utf-8")
    print(
        f"{into} has {len(found)} answers, each below the sentence that is said to it. Two readers say which are true."
    )


@app.command("readers")
def put_readers() -> None:
    """Put what read.toml says into grader/VERIFICATION.md."""
    page.put_readers()


@app.command("answers")
def judge(folder: Path, seeds: int = 5, into: Path | None = None) -> None:
    """Judge the answers in a folder; see tests/verification/answers.py. What is said of each goes to a file of JSON lines."""
    written = answers.read(folder)
    judged = spread(answers.judge, [(one, range(seeds)) for one in written], "Answers")
    into = into or folder / "judged.jsonl"
    into.write_text("".join(json.dumps(one.as_dict(), ensure_ascii=False) + "\n" for one in judged), encoding="utf-8")
    print(f"{answers.summary(judged)}\n{into} says what became of each.")


if __name__ == "__main__":
    app()
