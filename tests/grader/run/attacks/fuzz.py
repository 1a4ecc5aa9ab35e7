"""Hand in anything: each input goes where a student's would, and must come out as that student's own row.

    python -m tests.grader.run.attacks.fuzz --minutes 5     (make attack)
    python -m tests.grader.run.attacks.fuzz --inputs 20000

An input is found by its seed: `--seed N --inputs 1` runs it again. What is wrong is an exception, text that no file or
terminal can hold, something active on a page, a file outside of its folder, or more than SECONDS of the processor.
"""

import argparse
import base64
import contextlib
import functools
import itertools
import json
import random
import re
import tempfile
import time
import zipfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

import nbformat

from grader.about.explain import _of_exercise
from grader.about.feedback import Explain, FeedbackExporter
from grader.about.report import safe
from grader.about.similar import runs
from grader.ask.exercise import generator
from grader.chapters import exercises
from grader.classroom.autograded import write_into
from grader.classroom.classroom import Classroom
from grader.classroom.collect import collect
from grader.classroom.lms import unpacked
from grader.errors import CourseError
from grader.publish.course import release_notebook
from grader.run.execution import Limits, StepResult
from grader.run.execution.outputs import Outputs
from grader.run.execution.session import _read_answer
from grader.run.judge import Verdict, _Bench, verdict_from_json
from grader.run.submission import Unreadable, read_notebook, restore, stopped
from grader.verdict import assess, inert, render
from grader.verdict.diagnose import diagnose
from tests.verification.kill import Answers

SECONDS = 10.0  # of the processor, for one input: the honest take a tenth of one
RELEASE = release_notebook(1)
EXERCISES = {exercise.name: exercise for exercise in exercises(1)}
INPUTS = {name: exercise.draw(generator(b"fuzz", "ada", name)) for name, exercise in EXERCISES.items()}

ODD = (
    *(
        "",
        " ",
        "\0",
        "\x1b]0;planted\x07",
        "\x1b[2J",
        "\x9b2J",
        "\x85",
        "\u2028",
        "\u202e",
        "\ufeff",
        "\ud800",
        "\udc80x",
    ),
    *(
        "=1+1",
        "X;=1+1;",
        "@SUM(A1)",
        "-cmd|'/c calc'!A0",
        "../../../etc/passwd",
        "..\\..\\x",
        "/etc/passwd",
        "CON",
        "a" * 300,
    ),
    *("<script>planted()</script>", "<img src=x onerror=planted()>", "<svg/onload=planted()>", "<!--", "]]>", "<div>"),
    *(
        "![x](https://elsewhere/x.png)",
        "[x](javascript:planted())",
        "[x]: javascript:planted()",
        "<javascript:planted()>",
    ),
    *(
        "$\\href{javascript:planted()}{x}$",
        "$\\style{background:url(//elsewhere)}{x}$",
        "\\begin{a}",
        "$$",
        "```mermaid\nx",
        "```\x0cmermaid\nx",
        "~~~\u3000Mermaid\nx",
    ),
    *(
        "(" * 2000,
        "[" * 2000,
        "a." * 2000,
        "$x$ " * 500,
        "\n" * 2000,
        "{" * 2000,
        "'''",
        "NaN",
        "1e999",
        "9" * 5000,
        "é🙂中",
    ),
    *("(x.py, line", "Cell In[1]", "--> 1", "nan", "None", "attempt_2026-11-20-18-30-00", "_1_assignsubmission_file_"),
)


def text(draw):
    """Pieces of what is odd and of what is not, some of it many times."""
    pieces = [draw.choice(ODD) if draw.random() < 0.7 else "".join(map(chr, draw.choices(range(0x2100), k=5)))]
    pieces += [draw.choice(ODD) for _ in range(draw.choice((0, 0, 1, 3)))]
    return "".join(pieces) * draw.choice((1, 1, 1, 1, 2, 50))


@functools.cache
def nested(depth):
    return functools.reduce(lambda inside, _: [inside], range(depth), 0)


def value(draw, depth=0):
    """Any JSON."""
    match draw.randrange(12 if depth < 4 else 8):
        case 0 | 1 | 2:
            return text(draw)[:3000]
        case 3:
            return draw.choice((0, 1, -1, 2**63, 10**6, 10**400, -(2**31)))
        case 4:
            return draw.choice((0.5, float("nan"), float("inf"), 1e308, -0.0))
        case 5:
            return draw.choice((True, False, None))
        case 6:
            return nested(draw.choice((3, 500, 3000)))
        case 7:
            return []
        case 8 | 9:
            return [value(draw, depth + 1) for _ in range(draw.randrange(5))]
    return {draw.choice(("kind", "data", "text", "source", text(draw)[:50])): value(draw, depth + 1) for _ in range(4)}


def changed(draw, data, odds=0.05):
    """JSON data with some of its values exchanged for any."""
    if draw.random() < odds:
        return value(draw)
    if isinstance(data, dict):
        kept = {key: changed(draw, one, odds) for key, one in data.items() if draw.random() > odds / 4}
        return kept | ({text(draw)[:50]: value(draw)} if draw.random() < odds else {})
    return [changed(draw, one, odds) for one in data] if isinstance(data, list) else data


def dumped(data):
    try:
        return json.dumps(data, ensure_ascii=False)
    except RecursionError:
        return "[" * 5000


def writable(said):
    """What every text must be that goes to a file."""
    said.encode("utf-8")
    return said


def shown(said):
    """What every text must be that goes to a terminal."""
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", writable(said)), said
    return said


# ---------------------------------------------------------------------- where a student's work goes


@functools.cache
def of_the_bank():
    """What each known mistake answers, computed once: the inputs are the same each time."""
    return Answers()


def results(draw, answer, name="mul"):
    """One answer to an exercise, judged: its result as it is written, read, told and printed."""
    bench = _Bench((EXERCISES[name],), INPUTS, {name: 1}, {}, Limits(), [], lambda *_: None)
    with mock.patch.object(assess, "diagnose", functools.partial(diagnose, answers=of_the_bank())):
        bench.decide({1: StepResult(1, answer=answer)})
        (result,) = bench.results()
    said = Verdict((result,)).as_json()
    found = verdict_from_json(writable(said)).results[0]
    shown(render.report(found))
    shown(render.diagnosis(found))
    for cell in re.split(r"[;\t|\n]", str(safe(render.diagnosis(found)))):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")), cell
    assert found.score <= found.max_score
    for line in _of_exercise(EXERCISES[name], found, [(INPUTS[name], answer, [])], None, everything=True):
        assert "\n" not in shown(line) and len(line) < 20_000, line[:200]
    return found


@functools.cache
def honest(name):
    from grader.verdict.assess import expected

    exercise = EXERCISES[name]
    seen = expected(exercise, INPUTS[name])
    data = lambda one: [] if one.values is None else one.values.ravel().tolist()
    return [
        [s.part, s.place, {"kind": s.kind, "dtype": s.dtype, "shape": list(s.shape), "data": data(s), **s.flags}]
        for s in seen
    ]


def evidence(draw, folder):
    """What a process sends instead of numbers."""
    name = draw.choice(list(EXERCISES))
    entries = changed(draw, honest(name), draw.choice((0.01, 0.05, 0.3)))
    if isinstance(entries, list) and draw.random() < 0.5:
        shape = [draw.choice((0, 0, 1, 2, 1000, 12_000, 10**6, 2**40)) for _ in range(draw.randrange(1, 9))]
        entries.append(
            [*draw.choice(honest(name))[:2], {"kind": "array", "dtype": "float64", "shape": shape, "data": []}]
        )
    results(draw, dumped(entries), name)


def error(draw, folder):
    """An exception with any text, of any class's name."""
    found = {"kind": "raised", "type": text(draw), "message": text(draw), "line": text(draw), "where": text(draw)}
    found |= {"not_done": draw.choice((True, False, "yes"))}
    name = draw.choice(list(EXERCISES))
    results(draw, json.dumps([[part, "", found] for part in EXERCISES[name].points]), name)


def reply(draw, folder):
    """What a kernel sends: a reply, and messages to be shown."""
    from grader.run.execution.session import ANSWER_MIME

    whole = {"status": "ok", "user_expressions": {"answer": {"status": "ok", "data": {ANSWER_MIME: text(draw)}}}}
    said, why = _read_answer(changed(draw, whole, 0.1), 8 << 20)
    results(draw, said) if said is not None else inert.writable(why)
    page(draw, [outputs(draw)])


def outputs(draw):
    """The outputs that are kept of a cell's messages."""
    kept = Outputs(1 << 20)
    for _ in range(draw.randrange(1, 8)):
        kind = draw.choice(("stream", "display_data", "execute_result", "error", "update_display_data", "clear_output"))
        picture = draw.choice((base64.b64encode(text(draw).encode("utf-8", "replace")).decode(), text(draw)))
        data = {"text/plain": text(draw), "text/html": text(draw), "image/png": picture, "image/jpeg": picture}
        whole = {"name": "stdout", "text": text(draw), "data": data, "transient": {"display_id": text(draw)}}
        whole |= {"ename": text(draw), "evalue": text(draw), "traceback": [text(draw), text(draw)]}
        content = changed(draw, whole, 0.05)
        with contextlib.suppress(
            ValueError, TypeError, LookupError, AttributeError, RecursionError
        ):  # as the session does
            kept.add(kind, content if isinstance(content, dict) else whole)
    return kept.list


class Active(HTMLParser):
    """What of a page would run, or load something from elsewhere."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "iframe", "object", "embed", "link", "base", "form", "svg", "video", "audio"):
            self.found.append(tag)
        if tag == "source" and not dict(attributes).get("srcset", "").startswith("data:image/"):  # of a picture's
            self.found.append(tag)
        for name, said in attributes:
            said = re.sub(r"\s", "", said or "").lower()
            if name == "class" and said in ("mermaid", "jp-mermaid"):
                self.found.append((tag, name, said))
            if name.startswith("on") or said.startswith(("javascript:", "vbscript:")):
                self.found.append((tag, name, said))
            if name in ("src", "srcset", "data", "background", "poster") and re.match(
                r"(\w+:)?//|https?:|data:(?!image/)", said
            ):
                self.found.append((tag, name, said))


def page(draw, outputs=(), cells=()):
    """A page, and what formgrader would show, of a notebook with these outputs and cells."""
    nb = restore(RELEASE, RELEASE)
    nb.cells = nb.cells[:6] + list(cells)
    nb.cells += [nbformat.v4.new_code_cell(text(draw)) for _ in outputs]
    first = len(nb.cells) - len(outputs)
    verdict = Verdict((), {first + i: [dict(one) for one in found] for i, found in enumerate(outputs)}, {0: text(draw)})
    for cell in nb.cells:
        cell.source = inert.writable(cell.source)
    nb = write_into(nb, verdict_from_json(verdict.as_json()), exercises(1))
    writable(nbformat.writes(nb))
    stopped(nb)
    about = {"assignment": "chapter1", "notebook": "n", "score": 0, "max_score": 1, "late_penalty": 0}
    nb, resources = Explain().preprocess(nb, {"nbgrader": about})
    made = writable(exporter().from_notebook_node(nb, resources)[0])
    assert Active(made).found == [], Active(made).found
    assert len(made) < 10_000_000


@functools.cache
def exporter():
    from traitlets.config import Config

    return FeedbackExporter(config=Config({"HTMLExporter": {"template_name": "feedback"}}))


def markdown(draw, folder):
    """A Markdown cell, shown on a page and by nbconvert as formgrader uses it."""
    from nbconvert.filters import markdown2html

    source = "\n".join(text(draw)[:4000] for _ in range(draw.randrange(1, 4)))
    page(draw, (), [nbformat.v4.new_markdown_cell(source[:4000]), nbformat.v4.new_raw_cell(text(draw)[:4000])])
    assert Active(markdown2html(inert.markdown(source[:1500]))).found == []


def notebook(draw, folder):
    """A file that is handed in: read, restored, and looked at for what others have, too."""
    path = folder / "one-step.ipynb"
    damage = draw.random()
    said = dumped(changed(draw, json.loads(nbformat.writes(RELEASE)), draw.choice((0.001, 0.01, 0.1))))
    data = said.encode("utf-8", draw.choice(("surrogatepass", "replace")))
    if damage < 0.3:
        at = draw.randrange(len(data) + 1)
        data = data[:at] + draw.randbytes(draw.randrange(20)) + data[at + draw.randrange(20) :]
    path.write_bytes(data)
    try:
        restored = restore(read_notebook(path), RELEASE)
        runs(restored, RELEASE)
    except Unreadable as problem:
        inert.one_line(str(problem))
        return
    writable(json.dumps(restored, ensure_ascii=False))
    assert [c.source for c in restored.cells if c.metadata.get("nbgrader", {}).get("grade")] == [
        c.source for c in RELEASE.cells if c.metadata.get("nbgrader", {}).get("grade")
    ]


NAMES = (
    "Ada_1_assignsubmission_file_/{}",
    "ada_1_2_{}",
    "Chapter 1_ada_attempt_2026-11-20-18-30-00_{}",
    "ada/{}",
    "{}",
)


def archive(draw, folder):
    """A zip, and the folder that it is: nothing is written elsewhere, and honest bo is collected."""
    (folder / "class").mkdir()
    room, inbox = Classroom(folder / "class" / "room"), folder / "inbox.zip"
    with zipfile.ZipFile(inbox, "w") as made:
        made.writestr("bo/one-step.ipynb", nbformat.writes(RELEASE))
        for _ in range(draw.randrange(1, 6)):
            name = draw.choice(NAMES).format(
                text(draw)[: draw.choice((10, 100, 3000))] + draw.choice(("", "one-step.ipynb"))
            )
            with contextlib.suppress(ValueError, IndexError):  # a name that no zip can have
                made.writestr(name, draw.choice(("", text(draw).encode("utf-8", "replace"), nbformat.writes(RELEASE))))
    if draw.random() < 0.3:
        data = bytearray(inbox.read_bytes())
        for _ in range(3):
            data[draw.randrange(len(data))] = draw.randrange(256)
        inbox.write_bytes(data)
    before = set(folder.iterdir()), set((folder / "class").iterdir())
    with contextlib.suppress(CourseError), unpacked(inbox) as (found, left):
        for sentence in [*left, *collect(room, found, 1, left.times)]:
            shown(inert.one_line(sentence))
    assert (set(folder.iterdir()), set((folder / "class").iterdir()) - {room.folder}) == before
    assert all(path.read_text().startswith("2026-11-20 18:30:00") for path in room.folder.rglob("timestamp.txt"))


def tree(draw, folder):
    """An inbox with any files, links and names in it."""
    room, inbox = Classroom(folder / "room"), folder / "inbox"
    (inbox / "bo").mkdir(parents=True)
    (inbox / "bo" / "one-step.ipynb").write_text(nbformat.writes(RELEASE))
    (folder / "secret").write_text("the secret")
    for _ in range(draw.randrange(1, 8)):
        name = re.sub(r"[/\0]", "", text(draw))[:80] or "x"
        path = inbox / draw.choice(("eve", name)) / draw.choice((name, "one-step.ipynb", "timestamp.txt"))
        with contextlib.suppress(OSError, UnicodeEncodeError, ValueError):
            path.parent.mkdir(exist_ok=True)
            if draw.random() < 0.3:
                path.symlink_to(draw.choice((folder / "secret", inbox / "bo", path, "/proc/version")))
            else:
                with open(path, "xb") as new:  # never through a link that was made before
                    new.write(draw.choice((b"", text(draw).encode("utf-8", "replace"))))
    for sentence in collect(room, inbox, 1):
        shown(inert.one_line(sentence))
    assert (room.submitted("bo", 1) / "one-step.ipynb").is_file()
    assert not any(
        path.is_symlink() or b"the secret" in path.read_bytes() for path in room.folder.rglob("*") if path.is_file()
    )
    assert not list(room.folder.rglob("timestamp.txt"))


WAYS = (evidence, error, reply, markdown, notebook, archive, tree)
ON_DISK = (notebook, archive, tree)


def one(seed, way=None):
    """Run one input, on its way if none is named; returns the way and its seconds.

    Raises:
        AssertionError: something is not as it must be; the seed is in it.
    """
    draw = random.Random(seed)
    way = way or draw.choices(WAYS, weights=(30, 30, 10, 10, 15, 8, 8))[0]
    before = time.process_time()
    with tempfile.TemporaryDirectory(prefix="fuzz") if way in ON_DISK else contextlib.nullcontext(".") as folder:
        try:
            way(draw, Path(folder))
        except Exception as problem:
            raise AssertionError(f"--seed {seed} --inputs 1: {way.__name__}: {type(problem).__name__}") from problem
    seconds = time.process_time() - before
    assert seconds < SECONDS, f"--seed {seed} --inputs 1: {way.__name__} took {seconds:.1f} s of the processor"
    return way.__name__, seconds


def main():
    """Run inputs until the time is over, or so many of them, and say how many there were."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--inputs", type=int)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    options = parser.parse_args()
    end, count, slowest, wrong = time.monotonic() + 60 * options.minutes, Counter(), 0.0, []
    for seed in itertools.count(options.seed):
        try:
            way, seconds = one(seed)
            count[way], slowest = count[way] + 1, max(slowest, seconds)
        except AssertionError as problem:
            wrong.append(f"{problem} ({problem.__cause__})"[:400])
            print(inert.one_line(wrong[-1]), flush=True)
        done = count.total() + len(wrong)
        if done >= options.inputs if options.inputs else time.monotonic() > end:
            break
    print(
        f"{done:,} inputs from seed {options.seed}: {dict(count)}; the slowest took {slowest:.1f} s; {len(wrong)} went wrong."
    )
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
