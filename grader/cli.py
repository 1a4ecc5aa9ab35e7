"""The command line: `grader`, or `python -m grader`."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from tqdm import tqdm
from typer.core import TyperGroup

from .classroom.words import counted
from .errors import CourseError
from .verdict.inert import one_line, printable, printable_json

if TYPE_CHECKING:
    from .classroom.classroom import Classroom
    from .classroom.grading import Crew


class Stoppable(TyperGroup):
    """The commands, each of which Ctrl-C, or `kill`, ends with one sentence."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # it is what typer always hands on
        """Run a command."""
        try:
            with killed_as_stopped():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            complain("Stopped; what was finished is kept: run the same command again to go on.")
            raise typer.Exit(130) from None


@contextlib.contextmanager
def killed_as_stopped() -> Iterator[None]:
    """Let `kill`, a batch system or a closed terminal stop the block as Ctrl-C does, which workers hear, too."""
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heeded = {name: signal.getsignal(getattr(signal, name)) for name in names}
    ours = [name for name in names if heeded[name] is signal.SIG_DFL]  # nohup's is another
    for name in ours:
        signal.signal(getattr(signal, name), _stop)
    try:
        yield
    finally:
        for name in ours:
            signal.signal(getattr(signal, name), signal.SIG_DFL)


def _stop(number: int, frame: object) -> None:
    import multiprocessing

    for worker in multiprocessing.active_children():
        if worker.pid:
            with contextlib.suppress(OSError):
                os.kill(worker.pid, signal.SIGINT)
    signal.raise_signal(signal.SIGINT)  # which a block that must not be disturbed holds back


app = typer.Typer(
    cls=Stoppable,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Release chapters, and grade a class against torch.autograd.",
)
# Where the output is no terminal – a log, a pipe – there is no width to keep to.
console = Console(highlight=False, emoji=False, width=None if sys.stdout.isatty() else 160)
errors = Console(highlight=False, emoji=False, stderr=True)  # apart from what --json prints

Chapter = Annotated[int, typer.Option(help="The chapter's number.")]


def _known(context: typer.Context, folder: Path) -> Path:
    """Let everything that this command starts know the class's folder: the class may have chapters of its own there."""
    context.with_resource(_environment(MINIGRAD_CLASSROOM=str(folder.expanduser().resolve())))
    return folder


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


Folder = Annotated[Path, typer.Option(help="The class's folder.", envvar="MINIGRAD_CLASSROOM", callback=_known)]
Unsafe = Annotated[bool, typer.Option("--unsafe", help="Run submissions without a sandbox where there is none.")]
Workers = Annotated[int, typer.Option(help="Worker processes; 0 for one a core.", min=0)]


def each_once(names: list[str] | None) -> list[str] | None:
    """The names, without those that were given before."""
    return names and list(dict.fromkeys(names))


Student = Annotated[list[str] | None, typer.Option(help="Only this student; may be repeated.", callback=each_once)]
Database = Annotated[
    str,
    typer.Option(
        "--db",
        help="The gradebook's SQLAlchemy URL; by default gradebook.db in the class's folder.",
        envvar="MINIGRAD_DB",
        show_default=False,
    ),
]
CLASSROOM = Path("classroom")


def _classroom(folder: Path, unsafe: bool = False, db: str = "") -> Classroom:
    from .classroom.classroom import Classroom
    from .publish.course import course_root

    course_root()  # without a course nothing can be said of a class
    if db:
        from .publish.database import database_url

        db = database_url(db)
    return Classroom(folder.expanduser().resolve(), unsafe, db)


def _existing(folder: Path, unsafe: bool = False, db: str = "") -> Classroom:
    classroom = _classroom(folder, unsafe, db)
    if not classroom.folder.is_dir():
        raise CourseError(f"{classroom.folder} is not a folder; give the class's folder with --classroom.")
    return classroom


def _need_gradebook(room: Classroom) -> Classroom:
    """To open a gradebook that is not there would make one in which nobody has a grade."""
    if not room.has_gradebook():
        raise CourseError(f"There is no gradebook yet at {room.gradebook_place}: run `grader autograde` first.")
    return room


def say(text: str) -> None:
    """Print a line; what looks like markup in it is text, and nothing in it commands the terminal."""
    console.print(escape(printable(text)), soft_wrap=True)


@contextlib.contextmanager
def doing(what: str) -> Iterator[Callable[[str, float], None]]:
    """Show, in a terminal, what is being done and for how long; without one, nothing.

    Yields:
        what may be told more: which part of it is being done, and what share of all is done.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    if not errors.is_terminal:
        yield lambda now, share: None
        return
    columns = (BarColumn(20), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=errors, transient=True) as shown:
        task = shown.add_task(f"{what} …", total=None)
        yield lambda now, share: shown.update(task, description=f"{what}: {now}", total=1, completed=share)


def complain(text: str) -> None:
    """Say why the command ends here, where errors belong."""
    errors.print(f"[bold]grader:[/bold] {escape(printable(text))}", soft_wrap=True)


@app.command()
def notebooks(
    chapter: Annotated[
        list[int] | None, typer.Option(help="A chapter; may be given several times. [default: all]")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare only; exit with 1 where something differs.")] = False,
) -> None:
    """Rebuild everything that is generated from the chapters' scripts."""
    from .publish.release import build

    said = build(chapter or None, check=check)
    for sentence in said or ["solutions/ and notebooks/ are what the scripts make."]:
        say(sentence)
    if check and said:
        raise typer.Exit(1)


@app.command()
def book(
    solved: Annotated[bool, typer.Option("--solved", help="With the solutions, and what they print.")] = False,
    site: Annotated[Path | None, typer.Option(help="Its folder. [default: build/book, or build/book-solved]")] = None,
) -> None:
    """Build the course as a site to read, search and download from."""
    from .publish.book.site import build
    from .publish.course import course_root

    root = course_root()
    with doing("building the book") as tell:
        first = build(root, site or root / "build" / ("book-solved" if solved else "book"), solved, tell=tell)
    say(f"The book is built: open {first} in a browser.")


@app.command()
def site(
    folder: Annotated[Path | None, typer.Option("--site", help="Its folder. [default: build/site]")] = None,
    python: Annotated[Path | None, typer.Option(help="The Python that has JupyterLite. [default: this one]")] = None,
    pyodide: Annotated[
        Path | None, typer.Option(help="A folder with Pyodide and its packages. [default: from its usual place]")
    ] = None,
) -> None:
    """Build the course for a browser with nothing installed: the book, and JupyterLab to do its chapters in."""
    from .publish.course import course_root
    from .publish.site.build import LAB, build

    root = course_root()
    target = folder or root / "build" / "site"
    with doing("building the site") as tell:
        build(root, target, python or Path(sys.executable), pyodide, tell)
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    say(
        f"The site is built in {target}, {size / 1e6:.1f} MB. To see it here, run `python -m http.server --directory "
        f"{target}` and open the address that this says; JupyterLab, in {LAB}/, does not start from a file."
    )


@app.command()
def release(
    chapter: Chapter = 1,
    classroom: Folder = CLASSROOM,
    due: Annotated[str, typer.Option(help="When it is due, e.g. '2026-11-30 18:00 UTC'.")] = "",
    bundle: Annotated[
        bool,
        typer.Option("--bundle", help="Also write a zip for students: the notebook, minigrad before it, the check."),
    ] = False,
    db: Database = "",
) -> None:
    """Make a chapter's release and let the class's gradebook know its exercises."""
    from .classroom import edition
    from .classroom.classroom import set_due
    from .classroom.dates import own_due_date
    from .classroom.settings import FILE, read_settings
    from .publish.course import script
    from .publish.release import build_release

    room = _classroom(classroom, db=db)
    script(chapter)  # a chapter that there is, before anything is made
    if due and chapter in read_settings(room.folder).due:
        raise CourseError(f"{room.folder / FILE} says when chapter {chapter} is due: change it there.")
    room.make_folder()
    edition.need(room, chapter)
    with doing(f"making the release of chapter {chapter}"):
        path = build_release(chapter, db_url=room.db_url)
        if worth := edition.points(room, chapter):
            room.enroll(chapter, worth)
    say(f"The release is {path}; {room.gradebook_place} knows its exercises.")
    if due:
        say(f"Chapter {chapter} is due {set_due(room, chapter, due):%Y-%m-%d %H:%M} UTC.")
        own_due_date(room, chapter)
    _say_newer(room, [chapter])
    if bundle:
        from .publish.bundle import write_bundle

        say(f"The bundle for students is {write_bundle(chapter, room.folder / 'bundles')}.")


@app.command()
def collect(
    inbox: Annotated[Path, typer.Argument(help="A folder with one folder a student, or a zip that an LMS made.")],
    chapter: Chapter = 1,
    classroom: Folder = CLASSROOM,
    times: Annotated[
        bool, typer.Option("--times", help="Believe times in names and timestamp.txt, which no student wrote.")
    ] = False,
) -> None:
    """Copy what students handed in into nbgrader's submitted/. Exits with 1 where something was not collected."""
    from .classroom.collect import NotCollected
    from .classroom.collect import collect as collect_inbox
    from .classroom.lms import unpacked

    room = _classroom(classroom)
    with doing("collecting"), unpacked(inbox, room, chapter) as (folder, left):
        said = [*left, *collect_inbox(room, folder, chapter, left.times, times, left.ids, left.uploads)]
    for sentence in said:
        say(one_line(sentence))
    if left.late:
        marked = f"{counted(left.late, 'file')} {'is' if left.late == 1 else 'are'} marked late by the LMS"
        say(f"{marked}, which does not say when: here, late is what timestamp.txt in the student's folder says.")
    there = len(room.students(chapter))
    are = "is" if there == 1 else "are"
    say(f"{counted(there, 'submission')} of chapter {chapter} {are} in {room.folder / 'submitted'}.")
    if any(isinstance(sentence, NotCollected) for sentence in said):
        raise typer.Exit(1)


@app.command()
def autograde(
    chapter: Chapter = 1,
    student: Student = None,
    classroom: Folder = CLASSROOM,
    workers: Workers = 0,
    scheduler: Annotated[str, typer.Option(help="Judge on the Dask cluster at this address, e.g. tcp://…:8786.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Write verdicts that the gradebook holds, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON in place of sentences.")] = False,
    lines: Annotated[
        bool, typer.Option("--json-lines", help="Print what the run does as it does it, a JSON object a line.")
    ] = False,
    unsafe: Unsafe = False,
    db: Database = "",
    every: Annotated[
        bool, typer.Option("--all", help="Every chapter that counts, and that somebody has handed in.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Only show whose marks would change: grade a copy.")] = False,
) -> None:
    """Compare every submission with torch.autograd and write the scores into the gradebook.

    What has not changed since it was graded is left alone. A run that was stopped goes on where it was.
    Exits with 1 where the grader, nbgrader or a worker failed.
    """
    from .classroom.names import spelled

    room = _existing(classroom, unsafe, db)
    crew = _crew(workers, scheduler, unsafe)
    if diff:
        _diff(room, crew, _handed_in(room, student) if every else {chapter: student or room.students(chapter)})
        return
    if not every:
        done = [_autograde(room, crew, chapter, student, again, lines)]
    else:
        if not (handed_in := _handed_in(room, student)):
            raise CourseError(f"There are no submissions in {room.folder / 'submitted'}.")
        with crew.staying():
            done = [_autograde(room, crew, number, who, again, lines) for number, who in handed_in.items()]
    if lines:
        for one in done:
            _print_line({"event": "end", **one})
    elif as_json:
        told = [{name: value for name, value in one.items() if name != "faults"} for one in done]
        print(printable_json(told if every else told[0]))
    for one in () if as_json or lines else done:
        for name, problem in one["problems"].items():
            say(one_line(f"{spelled(name)}: {problem}."))
        for line in one["changes"] + one["by_hand"]:
            say(one_line(f"{line}."))
        of = f" of chapter {one['chapter']}" if every else ""
        number = len(one["graded"])
        have = f"{of} has" if number == 1 else f"{of} have"
        say(f"{counted(number, 'submission')}{have} a verdict; the gradebook is {room.gradebook_place}.")
    if not (as_json or lines):
        _say_newer(room, [one["chapter"] for one in done])
    if any(one["faults"] for one in done):
        raise typer.Exit(1)


def _say_newer(room: Classroom, chapters: list[int]) -> None:
    """Say that the course is another one than the class's marks rest on, where it is."""
    from .classroom import edition

    if any(edition.is_behind(room, chapter) for chapter in chapters):
        say("The course has changed since: `grader upgrade` says what that would change for this class.")


def _handed_in(room: Classroom, student: list[str] | None) -> dict[int, list[str]]:
    """Chapter → who has handed it in, of those who were asked for; no chapter of which nobody has."""
    from .classroom.settings import read_settings

    there = {number: room.students(number) for number in read_settings(room.folder).chapters}
    asked = {number: [who for who in students if not student or who in student] for number, students in there.items()}
    return {number: students for number, students in asked.items() if students}


def _print_line(data: dict[str, Any]) -> None:
    """One JSON object a line, in ASCII: nothing in it commands a terminal."""
    print(json.dumps(data), flush=True)


def _autograde(
    room: Classroom, crew: Crew, chapter: int, student: list[str] | None, again: bool, lines: bool = False
) -> dict[str, Any]:
    """Grade one chapter, with a bar, or a line of JSON for each step; what came of it, as JSON data."""
    from .classroom.grading import Fault
    from .classroom.grading import autograde as run
    from .classroom.watch import Watch

    who = student or room.students(chapter)
    changes: list[str] = []
    by_hand: list[str] = []
    last = [0.0]
    shown = lines or None  # where there is no terminal there is no bar
    with tqdm(total=len(who), desc=f"grading chapter {chapter}", unit=" submissions", disable=shown) as bar:

        def told(name: str, problem: str) -> None:
            bar.update()
            if lines:
                _print_line({"event": "submission", "chapter": chapter, "student": name, "problem": problem})

        def look(watch: Watch) -> None:
            bar.set_postfix_str(one_line(watch.words()))
            if lines and time.monotonic() - last[-1] >= 1:
                last.append(time.monotonic())
                _print_line({"event": "run", "chapter": chapter, **watch.as_data()})

        problems = run(room, chapter, student, crew, told, again, changes.append, Watch(len(who), look), by_hand.append)
    faults = sum(isinstance(problem, Fault) for problem in problems.values())
    have = [name for name in who if name not in problems]
    about = {"chapter": chapter, "graded": have, "problems": problems, "faults": faults}
    return {**about, "changes": changes, "by_hand": by_hand}


def _diff(
    room: Classroom,
    crew: Crew,
    handed_in: dict[int, list[str]],
    before: Callable[[Classroom], None] = lambda copy: None,
) -> None:
    """Grade a copy, and say whose marks would change."""
    from .classroom.names import spelled
    from .classroom.rehearse import copy_of

    for chapter, who in handed_in.items():
        with copy_of(room, chapter) as copy:
            before(copy)
            found = _autograde(copy, crew, chapter, who, again=False)
        for line in found["changes"] + found["by_hand"]:
            say(one_line(f"{line}."))
        problems = [f"{spelled(name)}: {problem}." for name, problem in found["problems"].items()]
        for line in problems:  # whose files are the class's: the copy is gone
            say(one_line(line.replace(str(copy.folder), str(room.folder))))
        changed = counted(len(found["changes"]), "mark") if found["changes"] else "no mark"
        say(f"Chapter {chapter}: {changed} would change; nothing was written but verdicts.")


def _crew(workers: int, scheduler: str, unsafe: bool) -> Crew:
    from .classroom.grading import local_crew

    if scheduler:
        from .classroom.cluster import cluster_crew

        return cluster_crew(scheduler)
    return local_crew(workers or None, unsafe)


@app.command()
def feedback(chapter: Chapter = 1, student: Student = None, classroom: Folder = CLASSROOM, db: Database = "") -> None:
    """Write each student's feedback page; exit with 1 where nbgrader failed, or no page was written."""
    from .about.report import waits
    from .chapters import exercises
    from .classroom.names import spelled
    from .classroom.pages import feedback_pages

    exercises(chapter)
    room = _existing(classroom, db=db)
    who = student or room.students(chapter)
    if not who:
        raise CourseError(f"There are no submissions of chapter {chapter} in {room.folder / 'submitted'}.")
    if unknown := sorted(set(who) - set(room.students(chapter))):
        raise CourseError(f"There is no submission of chapter {chapter} by {', '.join(unknown)}.")
    _need_gradebook(room)
    written, failed, graded = 0, False, []
    for name in who:
        if not room.autograded(name, chapter).is_file():
            say(one_line(f"{spelled(name)}: no feedback page, because nothing was autograded."))
            continue
        graded.append(name)
        if waits(room, name, chapter):
            again = "handed in again; the page is about what was graded before: run grader autograde first"
            say(one_line(f"{name}: {again}."))
    pages = feedback_pages(room, chapter, graded)
    for name, problem in tqdm(pages, total=len(graded), desc="feedback", unit=" pages", disable=None):
        written += not problem
        if problem:
            failed = True
            say(one_line(f"{name}: no feedback page: {problem}."))
    example = next((page for name in graded if (page := room.feedback(name, chapter)).is_file()), None)
    pages_are = f"{counted(written, 'feedback page')} {'is' if written == 1 else 'are'}"
    where = f" in {room.folder / 'feedback'}, e.g. {example}" if written and example else " written"
    say(f"{pages_are}{where}.")
    if failed or not written:
        raise typer.Exit(1)


@app.command()
def extend(
    student: Annotated[str, typer.Argument(help="Who gets more time.")],
    until: Annotated[str, typer.Option(help='When the chapter is due for them: "2026-12-02 18:00 UTC".')],
    chapter: Chapter = 1,
    classroom: Folder = CLASSROOM,
    new: Annotated[bool, typer.Option("--new", help="For an id that has handed in nothing yet.")] = False,
) -> None:
    """Give a student more time for a chapter: a line in the class's course.toml, which counts when you autograde."""
    from .chapters import exercises
    from .classroom.settings import FILE
    from .classroom.settings import extend as write
    from .classroom.who import Nobody, students

    exercises(chapter)
    room = _existing(classroom)
    try:
        student, called = _meant(room, student)
    except Nobody as nobody:
        if students(room) and not new:
            hint = "With --new, the id of somebody who has handed in nothing yet is taken as you write it."
            raise CourseError(f"{nobody} {hint}") from None
        called = student
        say(one_line(f"Nobody called {called} has handed in anything yet: the line counts for whoever has this id."))
    when = write(room.folder, chapter, student, until)
    say(
        f"{called} has until {when:%Y-%m-%d %H:%M} UTC for chapter {chapter}, says {room.folder / FILE}: "
        f"run `grader autograde --chapter {chapter}` and it counts."
    )


@app.command()
def mark(
    student: Annotated[str, typer.Argument(help="Whose points.")],
    exercise: Annotated[str, typer.Option(help="For which exercise, e.g. mul.")],
    points: Annotated[float | None, typer.Option(help="The points that count from now on.", show_default=False)] = None,
    comment: Annotated[
        str | None, typer.Option(help="What the student's page says below the answer.", show_default=False)
    ] = None,
    take_back: Annotated[bool, typer.Option("--take-back", help="Let the grader's own points count again.")] = False,
    chapter: Chapter = 1,
    classroom: Folder = CLASSROOM,
    db: Database = "",
) -> None:
    """Give points by hand, in place of the grader's: they stay when the work, or newer work, is graded again."""
    from .classroom.by_hand import give

    if (points is None) != take_back:
        raise CourseError("Say --points N, or --take-back for the grader's own.")
    room = _need_gradebook(_existing(classroom, db=db))
    student, called = _meant(room, student)
    comment = "" if take_back and comment is None else comment
    total = give(room, chapter, _of_text(student), exercise, points, comment, called)
    what = f"the grader's own points for {exercise}"
    if points is not None:
        what = f"{counted(points, 'point')} for {exercise}, given by hand"
    say(f"{called} has {what}; for chapter {chapter}: {total}.")
    alone = f" --student {shlex.quote(student)}" if called == student else ""
    say(f"`grader feedback --chapter {chapter}{alone}` writes the page anew.")


def _meant(room: Classroom, called: str) -> tuple[str, str]:
    """The id of the student who is called so, and what to call them: the id, which is said, or the drawn name."""
    from .classroom.names import shown_as
    from .classroom.who import find

    student = find(room, called)
    if called == shown_as(room.folder)(student) != student:
        return student, called
    if called != student:
        say(one_line(f"{called} is {student} in this class."))
    _say_namesakes(room, student)
    return student, student


def _say_namesakes(room: Classroom, student: str) -> None:
    """Say who has the same name in the LMS: an id that is the name alone was given to who came first."""
    from .classroom.numbers import namesakes

    if others := namesakes(room, student):
        say(one_line(f"{student} is not {' or '.join(others)}, who has the same name in the LMS."))


def _of_text(student: str) -> str:
    """The id, if a gradebook can know it.

    Raises:
        CourseError: it is no text.
    """
    from .classroom.classroom import is_text, name_problem
    from .classroom.names import spelled

    if not is_text(student):
        raise CourseError(f"{spelled(student)}: {name_problem(student)}.")
    return student


@app.command()
def upgrade(
    chapter: Annotated[int | None, typer.Option(help="This chapter alone.", show_default="all")] = None,
    classroom: Folder = CLASSROOM,
    yes: Annotated[bool, typer.Option("--yes", help="Do it.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Only show whose marks would change: grade a copy.")] = False,
    workers: Workers = 0,
    unsafe: Unsafe = False,
    db: Database = "",
) -> None:
    """Say what the course as it is now changes for a class that has begun; with --yes, let it count."""
    from .chapters import exercises
    from .classroom import edition

    room = _existing(classroom, unsafe, db)
    if chapter is not None:
        exercises(chapter)
    with doing("comparing with the course"):
        said = list(edition.news(room, chapter))
    for sentence in said:
        say(sentence)
    if not said:
        say(f"Nothing is new for {room.folder}: its marks rest on the course as it is now.")
    elif diff:
        handed_in = {number: who for number, who in _handed_in(room, None).items() if chapter in (None, number)}
        _diff(room, _crew(workers, "", unsafe), handed_in, lambda copy: edition.upgrade(copy, chapter))
    elif yes:
        edition.upgrade(room, chapter)
        what, which = ("the class", "--all") if chapter is None else (f"chapter {chapter}", f"--chapter {chapter}")
        say(f"From now on {what} is graded with this course: run `grader autograde {which}`.")
    else:
        one = "" if chapter is None else f" --chapter {chapter}"
        say(f"`grader upgrade{one} --diff` shows whose marks would change; `grader upgrade{one} --yes` makes it so.")


@app.command()
def report(
    chapter: Chapter = 1,
    classroom: Folder = CLASSROOM,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON in place of the table.")] = False,
    form: Annotated[
        str, typer.Option("--format", help="Also write the chapter's points for an LMS to import: canvas or moodle.")
    ] = "",
    db: Database = "",
    student: Student = None,
    long: Annotated[bool, typer.Option("--long", help="All that was found, not the first of it alone.")] = False,
    worst: Annotated[bool, typer.Option("--worst", help="Those with the fewest points first.")] = False,
    into: Annotated[
        Path | None, typer.Option(help="Fill in the points in a file that Canvas or Moodle exported, in a copy of it.")
    ] = None,
    column: Annotated[str, typer.Option(help="The heading of the column that --into fills in.")] = "",
    per_exercise: Annotated[
        bool, typer.Option("--per-exercise", help="With --into, a column an exercise too.")
    ] = False,
    names: Annotated[bool, typer.Option("--names", help="Students' own names, also in an anonymous class.")] = False,
) -> None:
    """Print the class's table and its most common mistakes; write grades.csv, exercises.csv, a chart and a page."""
    from .about import chart, class_page, export, items
    from .about import report as reports
    from .about import weeks as by_week
    from .chapters import exercises
    from .classroom.names import shown_as

    exercises(chapter)
    write = export.writer(form) if form else None
    room = _existing(classroom, db=db)
    _need_gradebook(room)
    with doing("reading the class"), room.gradebook() as gradebook:
        rows = reports.class_rows(room.folder, gradebook, [chapter])
        everything = reports.class_rows(room.folder, gradebook)
        dates = by_week.handed_in(gradebook, chapter)
        written = write(room.folder / f"{form}-chapter{chapter}.csv", room, gradebook, [chapter]) if write else None
    if not rows:
        raise CourseError(f"There are no submissions of chapter {chapter} in {room.folder / 'submitted'}.")
    reports.write_csv(room.folder / "grades.csv", everything)
    common = reports.misconceptions(room, chapter, rows)
    drawing = chart.write(room.folder / f"misconceptions-chapter{chapter}.svg", common, rows)
    weeks = by_week.weeks(chapter, common, dates)
    by_week.write_csv(room.folder / f"misconceptions-chapter{chapter}.csv", weeks)
    items.write_csv(room.folder / "exercises.csv", items.items(everything))
    named = str if names else shown_as(room.folder)
    rows.sort(key=lambda row: named(row.student))  # an order by their own names would tell who is who
    page = class_page.write(room.folder / f"report-chapter{chapter}.html", room, rows, common, weeks, named)
    if into:
        _fill_in(room, into, room.folder / f"{into.stem}-filled.csv", rows, column, per_exercise)
        return
    if as_json:
        print(printable_json(reports.as_json(room, chapter, rows, named)))
        return
    shown = [row for row in rows if not student or {row.student, named(row.student)} & {*student}]
    if student and (
        missing := sorted(set(student) - {name for row in shown for name in (row.student, named(row.student))})
    ):
        raise CourseError(f"There is no submission of chapter {chapter} by {', '.join(missing)}.")
    console.print(reports.table(shown, console.width, long or bool(student), worst, named))
    if student:
        return
    say(reports.summary(rows))
    if common:
        console.print(chart.bars(common))
        say(f"The same as a drawing: {drawing}; by the week it was handed in: {drawing.with_suffix('.csv')}")
    say(f"A page to open in a browser, with common mistakes, how hard each exercise was and who needs help: {page}")
    say(
        f"One row a student and exercise: {room.folder / 'grades.csv'}; "
        f"one an exercise: {room.folder / 'exercises.csv'}"
    )
    if written:
        say(f"For {form.capitalize()} to import: {written}")


def _fill_in(room: Classroom, file: Path, target: Path, rows: list[Any], column: str, per_exercise: bool) -> None:
    """Write a copy of the LMS's file with the points in it, and say what a person has to do."""
    from .about.roster import fill
    from .classroom.numbers import known

    filled = fill(file, rows, column, per_exercise, known(room))
    target.write_bytes(filled.text.encode("utf-8"))
    for sentence in filled.said:
        say(one_line(sentence))
    have = f"{counted(filled.students, 'student')} {'has' if filled.students == 1 else 'have'}"
    say(f"{have} points in {filled.column!r} of {target}, a copy of {file}: import that file.")


@app.command()
def explain(
    student: Annotated[str, typer.Option(help="Whose points.")],
    exercise: Annotated[str, typer.Option(help="Only this exercise.", show_default=False)] = "",
    everything: Annotated[bool, typer.Option("--all", help="All inputs, also of what is right.")] = False,
    chapter: Chapter = 1,
    classroom: Folder = CLASSROOM,
    unsafe: Unsafe = False,
    db: Database = "",
) -> None:
    """Run a submission again, and print why it has its points: inputs, the student's numbers, torch's, the rule."""
    from .about.explain import explain as story

    room = _existing(classroom, unsafe, db)
    student, called = _meant(room, student)
    with doing("running the submission again"):
        lines = list(story(room, chapter, _of_text(student), exercise, everything, called))
    for line in lines:
        say(line)


@app.command()
def similar(
    chapter: Chapter = 1,
    classroom: Folder = CLASSROOM,
    most: Annotated[int, typer.Option("--pairs", help="How many pairs to print.", min=1)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON in place of the table.")] = False,
) -> None:
    """Print the pairs of submissions whose own code is most alike: a hint for a human, and nothing more."""
    from .about import similar as similarity
    from .chapters import exercises
    from .classroom.names import shown_as

    exercises(chapter)
    room = _existing(classroom)
    with doing("comparing the submissions"):
        pairs, left = similarity.pairs(room, chapter, shown_as(room.folder))
    if as_json:
        print(printable_json(similarity.as_json(chapter, pairs[:most], left)))
        return
    for sentence in left:
        say(one_line(sentence))
    if pairs:
        console.print(similarity.table(pairs[:most]))
    say(similarity.summary(pairs[:most]))


@app.command()
def forget(
    student: Annotated[str, typer.Argument(help="Whom to forget: an id of the class, or a name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; only the exact id is taken.")] = False,
    classroom: Folder = CLASSROOM,
    db: Database = "",
) -> None:
    """Delete all that the class holds of a student: hand-ins, verdicts, pages, and the rows of the gradebook."""
    from .classroom.forget import forget as delete
    from .classroom.forget import still_named
    from .classroom.who import exactly

    room = _existing(classroom, db=db)
    if yes:
        _say_namesakes(room, exactly(room, student))
    else:
        student = _meant(room, student)[0]
    if not yes:
        typer.confirm(
            f"Delete all that {room.folder} holds of {printable(student)}? It does not come back.", abort=True
        )
    for what in delete(room, student):
        say(f"Deleted: {what}.")
    if named := still_named(room, student):
        say(f"Still named in {', '.join(named)}: grader report writes its own files anew; mend the others yourself.")
    say("Copies elsewhere stay: backups, an exchange, an LMS, exported files.")


@app.command()
def validate(
    notebook: Annotated[Path, typer.Argument(help="A chapter's notebook.")],
    unsafe: Unsafe = False,
) -> None:
    """Run a notebook as grading does, and print a line an exercise; exit with 1 unless every one is right.

    The inputs are those of the notebook's own checks. Nothing is written.
    """
    from .classroom.validate import line
    from .classroom.validate import validate as validate_notebook

    with doing("running the notebook"):
        results = validate_notebook(notebook, unsafe)
    for result, error in results:
        say(line(result, error))
    if not all(result.right for result, _ in results):
        raise typer.Exit(1)


@app.command()
def doctor(classroom: Folder = CLASSROOM) -> None:
    """Look at the installation, and say what is there or what to do; exit with 1 where something matters."""
    from .classroom.doctor import main as examine

    raise typer.Exit(examine(classroom, say))


@app.command()
def hub(
    folder: Annotated[Path, typer.Option(help="The hub's own folder.")] = Path("/srv/minigrad"),
    port: Annotated[int, typer.Option(help="Where the hub is reached.", min=1, max=65000)] = 8000,
    only: Annotated[bool, typer.Option("--prepare", help="Make everything ready, and do not start.")] = False,
    update: Annotated[
        bool, typer.Option("--update", help="As the instructor: give students' servers the newest bundle.")
    ] = False,
) -> None:
    """Start a JupyterHub on this machine, with the class's exchange, for everybody who has an account."""
    from .deploy import hub as hubs
    from .publish.course import course_root

    here = hubs.Hub(folder.resolve(), course_root())
    if update:
        hubs.update(here, say)
        return
    hubs.prepare(here, say)
    if only:
        say("The hub is ready: sudo make hub starts it.")
        return
    say(f"The hub starts at http://localhost:{port}; stop it with Ctrl-C.")
    hubs.start(here, port)


@app.command()
def demo(chapter: Chapter = 1, classroom: Folder = CLASSROOM, workers: Workers = 0) -> None:
    """Grade the sample class from beginning to end: release, collect, autograde, feedback, report."""
    from .classroom import edition
    from .classroom.demo import refuse_a_class, write_samples
    from .run.execution import sandbox_problem

    problem = sandbox_problem()
    if problem:
        say(f"{problem.rstrip('.')}. The sample class is the course's own, so it is graded without a sandbox.")
    refuse_a_class(classroom, chapter)
    if any(edition.news(room := _classroom(classroom))):
        edition.upgrade(room)  # the sample class is graded by the course as it is
    inbox = classroom / "inbox"
    say(f"Sample submissions are in {inbox}: {len(write_samples(inbox, chapter))}.")
    release(chapter, classroom)
    collect(inbox, chapter, classroom)
    autograde(chapter, None, classroom, workers, unsafe=bool(problem))
    feedback(chapter, None, classroom)
    report(chapter, classroom, as_json=False)


def main() -> None:
    """Run a command; what is foreseeable ends with one sentence and exit status 2."""
    try:
        app()
    except CourseError as error:
        complain(str(error))
        sys.exit(2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        why = error.strerror or type(error).__name__
        complain(f"{where}{why}. Is the folder there, writable, and the disk not full? `grader doctor` looks.")
        sys.exit(2)
