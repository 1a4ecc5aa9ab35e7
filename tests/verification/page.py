"""The published page, grader/VERIFICATION.md: what was verified, how often, and with which result."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from grader.verdict.compare import MEASURED

from .accept import Accepted, ways
from .cases import EXERCISES, exercise_of
from .kill import Kills
from .mutants import equivalents, original, slip
from .openset import MORE, SEEDS, Opened

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "grader" / "VERIFICATION.md"
VERIFIED = ("minigrad", "grader/ask", "grader/chapters", "grader/verdict", "tests/verification")
READ = Path(__file__).with_name("read.toml")
BANKS = "misconceptions.py"
SENTENCE = re.compile(rb"^([a-z0-9-]+:) .*\n(?:[^-+=|@ \n].*\n)*", re.M)  # of an entry, up to its patch
READERS = "**What readers say.** "
LAYERS = {"bank": "the bank", "relation": "a relation or the error itself", "place": "the place alone"}
TOLERANCES = ROOT / "grader" / "verdict" / "tolerances.json"


def fingerprint() -> str:
    """Of everything that the figures depend on: another one means that the page is stale.

    The bank's sentences are none of it. What readers judged is of a sample, and is put in when the rest is there.
    """
    files = {path for folder in VERIFIED for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".toml")}
    digest = hashlib.sha256()
    for path in sorted({*files, TOLERANCES} - {READ}):
        text = path.read_bytes()
        text = SENTENCE.sub(rb"\1\n", text) if path.name == BANKS else text
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()[:16]


def share(part: int, whole: int) -> str:
    """A percentage that does not round a miss away."""
    if part == whole:
        return "100 %"
    return f"{min(99.99, 100 * part / whole):.2f} %"


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', '∣') for cell in line)} |" for line in lines)


def write(
    killed: list[Kills],
    paired: list[Kills],
    mutated: dict[tuple[str, str], tuple[int, list[str]]],
    accepted: list[Accepted],
    agreed: dict[str, int],
    opened: list[Opened],
    how: str,
) -> None:
    """Write the page from what was found; `how` names the command, and how long it took."""
    sections = [head(how), summary(killed, paired, mutated, accepted, agreed, opened), open_set(opened)]
    sections += [kill_matrix(killed), elsewhere(killed), confusion(killed + paired), mutants(mutated), rights(accepted)]
    sections += [tolerances()]
    PAGE.write_text("\n\n".join(sections) + "\n", "utf-8")


def head(how: str) -> str:
    """What the page is."""
    return f"""# The grader, verified

Every figure on this page was produced by {how}. `make verify` takes 200 draws for each wrong answer and 1,000
for each right one; a short form runs with `make test`. A test fails when the page is older than the code that it is about; its fingerprint is
`{fingerprint()}`."""


def summary(
    killed: list[Kills],
    paired: list[Kills],
    mutated: dict[tuple[str, str], tuple[int, list[str]]],
    accepted: list[Accepted],
    agreed: dict[str, int],
    opened: list[Opened],
) -> str:
    """The headline figures, of both worlds."""
    seen, rejected = sum(k.seen for k in killed), sum(k.rejected for k in killed)
    named = sum(k.named_right for k in killed)
    pair_seen, pair_named = sum(k.seen for k in paired), sum(k.named_right + k.related for k in paired)
    count = sum(number for number, _ in mutated.values())
    survivors = sum(len(slips) for _, slips in mutated.values())
    right_seen, wrong = sum(a.seen for a in accepted), sum(a.rejected for a in accepted)
    rows = [
        ("wrong answers of the bank that were rejected", f"{rejected} of {seen}", share(rejected, seen)),
        ("… and named right", f"{named} of {seen}", share(named, seen)),
        (
            "two mistakes at once, or half a one: named, or their numbers related to torch's",
            f"{pair_named} of {pair_seen}",
            share(pair_named, pair_seen),
        ),
        ("mutants that were rejected", f"{count - survivors} of {count}", share(count - survivors, count)),
        ("… and those that were not, all equivalent for the reason that is given below", survivors, ""),
        ("right answers that were rejected", f"{wrong} of {right_seen}", ""),
        ("… that were given the name of a mistake", sum(a.misnamed for a in accepted), ""),
        ("operations of minigrad that agree with torch", f"{agreed['torch']} of {agreed['operations']}", ""),
        ("… with finite differences, where there is no kink", agreed["finite differences"], ""),
        ("… with autograd (HIPS), where it has the operation", agreed["autograd"], ""),
    ]
    wrong, right = sum(o.wrong for o in opened), sum(o.right for o in opened)
    caught = wrong - sum(len(o.accepted) for o in opened)
    explained = caught - sum(o.layers["place"] for o in opened)
    taken = right - sum(len(o.refused) for o in opened)
    rows += [
        (
            "wrong answers of the open set, which the bank does not hold, that were rejected",
            f"{caught} of {wrong}",
            share(caught, wrong),
        ),
        ("… and explained by more than a place", f"{explained} of {caught}", share(explained, caught)),
        ("right answers of the open set that were accepted", f"{taken} of {right}", share(taken, right)),
    ]
    parts = sum(len(exercise.points) for exercise in EXERCISES)
    about = (
        f"{len(EXERCISES)} exercises with {parts} parts; a bank of {len(killed)} misconceptions and {len(paired)} blends "
        f"of them; {sum(ways().values())} right answers in {min(ways().values(), default=0)} or more ways a part."
    )
    return f"## In short\n\n{about}\n\n{table(('what', 'count', 'share'), rows)}"


def open_set(opened: list[Opened]) -> str:
    """Wrong answers that no bank holds, and rewritten right ones."""
    wrong, alike = sum(o.wrong for o in opened), sum(o.alike for o in opened)
    layers = sum((o.layers for o in opened), Counter())
    text = (
        "Slips as people make them, one, two or three at a time, in the right definitions (`tests/verification/slips.py`), "
        f"and right definitions in other words (`rewrites.py`). Each is judged on {len(SEEDS)} draws, asked twice, and has "
        f"to be rejected, or accepted, on all. {alike} slips are not counted, as they answer to nine digits as the right "
        f"definition does: on {len(MORE)} more draws, in the chapter's other exercises, and when both are called with other "
        "arguments. Of the wrong ones that were rejected, "
        + ", ".join(
            f"{share(layers[name], sum(layers.values()))} were explained by {what}" for name, what in LAYERS.items()
        )
        + f".\n\n{READERS}{read_by()}"
    )
    rows = [
        (
            o.exercise,
            o.part,
            o.wrong,
            o.wrong - len(o.accepted),
            *(o.layers[n] for n in LAYERS),
            o.right,
            o.right - len(o.refused),
        )
        for o in opened
    ]
    head = ("exercise", "part", "wrong", "rejected", *LAYERS, "right", "accepted")
    through = [
        (o.part, kinds, f"`{' '.join(slip(original(exercise_of(o.exercise), o.part), code).split())}`")
        for o in opened
        for kinds, code in o.accepted
    ]
    listed = f"\n\n### Accepted, though wrong\n\n{table(('part', 'slips', 'what differs'), through)}" if through else ""
    return f"## The open set\n\n{wrong} wrong answers. {text}\n\n{table(head, rows)}{listed}"


def put_readers() -> None:
    """Put what readers judged into the page that is there, in the place of what was judged before."""
    lines = PAGE.read_text("utf-8").splitlines(keepends=True)
    (at,) = (n for n, line in enumerate(lines) if line.startswith(READERS))
    PAGE.write_text("".join([*lines[:at], f"{READERS}{read_by()}\n", *lines[at + 1 :]]), "utf-8")


def read_by() -> str:
    """What readers judged of a sample of sentences."""
    found = tomllib.loads(READ.read_text("utf-8"))
    if not found.get("date"):
        return "No sample of sentences has been read yet (`python -m tests.verification sample`)."
    true, number = found["true"], found["sentences"]
    return (
        f"On {found['date']} {found['readers']} readers, who had not written them, read {number} sentences that were drawn "
        f"afresh (`python -m tests.verification sample`) beside their code: {share(true, number)} are true of it. "
        f"They disagreed about {found['disagreements']}{': ' + found['about'] if found.get('about') else ''}."
    )


def kill_matrix(killed: list[Kills]) -> str:
    """Every misconception, in its own exercise."""
    rows = [(k.exercise, f"`{k.name}`", f"{k.rejected}/{k.seen}", f"{k.named_right}/{k.seen}") for k in killed]
    text = "What is said of each stands beside its name in `misconceptions.py` of its chapter."
    return f"## The kill matrix\n\n{text}\n\n{table(('exercise', 'misconception', 'rejected', 'named'), rows)}"


def elsewhere(killed: list[Kills]) -> str:
    """Misconceptions that show in other exercises of their chapter."""
    rows = [(f"`{k.name}`", name, seen) for k in killed for name, seen in k.elsewhere.items()]
    text = "A part of the engine that is wrong changes later exercises of its chapter, too. Where it does, they are rejected."
    return f"## … in other exercises\n\n{text}\n\n{table(('misconception', 'exercise', 'result'), rows)}"


def confusion(found: list[Kills]) -> str:
    """Every time that a mistake was not given its own name."""
    rows = [
        (f"`{k.name}`", name or "no name", count) for k in found for name, count in k.named.items() if name != k.name
    ]
    if not rows:
        return "## Confusion\n\nEvery mistake was given its own name, every time: the confusion matrix is diagonal."
    return "## Confusion\n\nOff the diagonal:\n\n" + table(("mistake", "was named", "times"), rows)


def mutants(mutated: dict[tuple[str, str], tuple[int, list[str]]]) -> str:
    """Mutants of each part, and the equivalent ones."""
    reasons = equivalents()
    counts = [(exercise, part, number, len(slips)) for (exercise, part), (number, slips) in mutated.items()]
    rows = [
        (part, f"`{slip}`", reasons.get((part, slip), "**not explained**"))
        for (_, part), (_, slips) in mutated.items()
        for slip in slips
    ]
    return (
        "## Mutants\n\n"
        + table(("exercise", "part", "mutants", "equivalent"), counts)
        + "\n\n### Equivalent mutants\n\n"
        + table(("part", "slip", "why it changes nothing"), rows)
    )


def rights(accepted: list[Accepted]) -> str:
    """Right answers, by part."""
    rows: dict[tuple[str, str], list[int]] = {}
    for a in accepted:
        row = rows.setdefault((a.exercise, a.part), [0, 0, 0])
        row[0], row[1], row[2] = row[0] + 1, row[1] + a.seen, row[2] + a.rejected
    head = ("exercise", "part", "ways", "assessed", "rejected")
    return "## Right answers\n\n" + table(head, [(*key, *row) for key, row in rows.items()])


def tolerances() -> str:
    """How far a right answer may be from torch's."""
    import json

    found = json.loads(MEASURED.read_text("utf-8"))
    rows = [
        (exercise, part, f"{one['measured']:.1e}", f"{one['tolerance']:.0e}")
        for exercise, parts in found.items()
        for part, one in parts.items()
    ]
    text = (
        "The largest difference between a right answer and torch's, over all right answers above, in units of the largest "
        "number of the array; and what is allowed: 16 times as much, and never less than 1e-14. "
        "`python -m tests.verification tolerances` measures it."
    )
    return f"## Tolerances\n\n{text}\n\n{table(('exercise', 'part', 'measured', 'allowed'), rows)}"
