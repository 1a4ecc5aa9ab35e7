"""Grade a class: judge the submissions on any executor, then let one writer tell nbgrader.

What is imported here is cheap: an unchanged class needs nothing else. nbformat, nbgrader and the judge take seconds to
import; that is done where work was found.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import multiprocessing
import os
import shutil
import signal
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..chapters import need_chapter
from ..errors import CourseError
from ..publish.course import assignment, read_secret
from ..run import verdicts
from ..run.bulkhead import TooLong
from .classroom import Classroom, is_text, name_problem
from .edition import edition, need, points, release, release_file
from .ledger import JUDGED_ANEW, Ledger, Seen
from .settings import read_settings
from .watch import Watch
from .words import cannot_be_graded

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from .autograded import Autograded
    from .gradebook_writer import Writer
    from .marks import Mark
    from .work import Done, Job

Told = Callable[[str, str], None]  # called with a student and what went wrong ("" if nothing), once each
# A file where a folder is to be, the other way round, or a path that is too long: what a student's names come to.
OF_NAMES = (errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
# The last one is what torch imports when a backward pass is first given a gradient.
PRELOADED = "grader.light", "grader.classroom.work", "torch", "torch.fx.experimental.symbolic_shapes"
AHEAD = 4  # jobs handed to the executor for each of its workers: none waits, and memory stays flat


class Fault(str):
    """A problem that is not the submission's own: the grader, nbgrader or a worker failed."""


def need_sandbox(unsafe: bool) -> None:
    """Make sure that submissions can be run.

    Raises:
        CourseError: there is no sandbox here, and `unsafe` is False.
    """
    from ..run.execution import sandbox_problem

    problem = sandbox_problem()
    if problem and not unsafe:
        raise CourseError(
            f"{problem.rstrip('.')}. Submissions would not be walled in; add --unsafe to grade all the same."
        )


def _begin() -> None:
    from .work import begin

    begin()


def _do(job: Job) -> Done:
    from .work import do

    return do(job)


def _do_here(job: Job) -> Done:
    from .work import do_here

    return do_here(job)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait for the block's end: a worker that is half begun when this process ends says so at length."""
    came: list[int] = []
    heeded = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heeded)
        if came:
            raise KeyboardInterrupt


@contextlib.contextmanager
def _heard() -> Iterator[Callable[[], None]]:
    """Remember Ctrl-C: no exception leaves what Python calls by itself, as when a weak reference dies.

    Yields:
        what raises KeyboardInterrupt if one was lost there.
    """
    came: list[int] = []

    def hear(number: int, frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    def check() -> None:
        if came:
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # nohup's, for one
        yield check
        return
    signal.signal(signal.SIGINT, hear)
    try:
        yield check
        check()
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Crew:
    """Who judges: any `concurrent.futures` executor.

    Args:
        make: makes the executor, and another one when it broke.
        workers: how many jobs it does at a time.
        do: what each of them does; `work.do` by default.
    """

    def __init__(self, make: Callable[[], Executor], workers: int, do: Callable[[Job], Done] = _do) -> None:
        self._make, self._do, self.workers = make, do, workers
        self._executor: Executor | None = None
        self._futures: weakref.WeakSet[Future[Done]] = weakref.WeakSet()
        self._staying = False

    @contextlib.contextmanager
    def staying(self) -> Iterator[None]:
        """Let the workers stay between the runs of the block: one chapter's are the next one's."""
        self._staying = True
        try:
            yield
        finally:
            self._staying = False
            self.dismiss()

    def begin(self) -> Executor:
        """Let the workers begin, for there is work."""
        self._executor = self._executor or self._make()
        return self._executor

    def submit(self, job: Job) -> Future[Done]:
        """Hand a job to a worker."""
        with _undisturbed():
            try:
                future = self.begin().submit(self._do, job)
            except BrokenExecutor:
                self._executor = self._make()
                future = self._executor.submit(self._do, job)
            self._futures.add(future)
        return future

    def dismiss(self) -> None:
        """Forget what was not begun, and wait for the rest."""
        for future in list(self._futures):
            future.cancel()
        if self._executor and not self._staying:
            self._executor.shutdown()
            self._executor = None


def local_crew(workers: int | None = None, unsafe: bool = False) -> Crew:
    """Processes of this machine, which begin when there is work.

    Args:
        workers: how many; one a core if None.
        unsafe: begin also where there is no sandbox.
    """
    number = workers or cores()

    def make() -> Executor:
        context = processes(*PRELOADED)  # first, for it imports beside what follows here
        need_sandbox(unsafe)
        return ProcessPoolExecutor(number, context, initializer=_begin)

    return Crew(make, number, _do_here)


def cores() -> int:
    """How many cores this process may use: fewer than the machine has, in a container or under a batch system."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processes(*modules: str) -> BaseContext:
    """What starts processes: on Linux, forks of one that has imported these modules once for all, beginning now."""
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    # A process forked from this one would inherit its threads; the server that forks the workers has none.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*modules])
    # Ctrl-C, which the whole group of processes gets, is this one's matter; `work` lets the workers heed it in a job.
    heeded = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, heeded)
    return context


def autograde(
    classroom: Classroom,
    chapter: int,
    students: list[str] | None = None,
    crew: Crew | None = None,
    told: Told = lambda student, problem: None,
    again: bool = False,
    changed: Callable[[str], None] = lambda line: None,
    watch: Watch | None = None,
    held: Callable[[str], None] = lambda line: None,
) -> dict[str, str]:
    """Grade the submissions of a chapter and write them into nbgrader's gradebook.

    What the gradebook holds already is left as it is.

    Args:
        classroom: the class.
        chapter: the chapter.
        students: whose submissions; everybody's if None.
        crew: who judges them; `local_crew()` by default.
        told: called as each submission is finished.
        again: tell nbgrader of every verdict, also of those that it knows.
        changed: called at the end, for each student who had another mark before, with a line that says both.
        watch: told of what the run is doing.
        held: called at the end, for each exercise of newly judged work that points by hand hold below the grader's.

    Returns:
        Student → what went wrong outside the verdict itself, for those where something did; a `Fault` if it is not
        the submission that is at fault.

    Raises:
        CourseError: no submissions, no sandbox, a student who did not submit, or another run that grades this class.
    """
    need_chapter(chapter)
    present = classroom.students(chapter)
    missing = sorted(set(students or []) - set(present))
    if missing:
        raise CourseError(f"There is no submission of {assignment(chapter)} by {', '.join(missing)}.")
    if not present:
        raise CourseError(f"There are no submissions of {assignment(chapter)} in {classroom.folder / 'submitted'}.")
    secret, watch = read_secret(classroom.folder), watch or Watch()
    crew = crew or local_crew(unsafe=classroom.unsafe)
    try:
        if not again and any(_is_new(classroom, student, chapter) for student in students or present):
            crew.begin()  # now, for the ledger may have to open the gradebook, and that imports nbgrader
        ledger, waiting = Ledger(classroom, chapter, secret), []
        for student in students or present:
            if not again and not name_problem(student) and ledger.settled(student):
                told(student, "")
                watch.finish()
            else:
                waiting.append(student)
        if not waiting:
            return {}
        with classroom.alone():
            if not again:  # then there is something to judge, nearly always
                crew.begin()
            run = _Run(classroom, chapter, told, secret, ledger, crew, watch)
            ledger.begin()
            with _heard() as stop, contextlib.closing(run):  # also when it is stopped: what is judged is written
                for student, job in _judged(crew, run.jobs(waiting), watch, run.rest):
                    run.take(student, job)
                    stop()
            ledger.close(well=not run.problems)
            for line in run.changes():
                changed(line)
            for line in run.held():
                held(line)
    finally:
        crew.dismiss()
    return run.problems


def _is_new(classroom: Classroom, student: str, chapter: int) -> bool:
    """Whether a submission was never graded."""
    return not name_problem(student) and not classroom.autograded(student, chapter).exists()


class _Run:
    """One grading of one chapter: the jobs, and the one writer that nbgrader is told by."""

    def __init__(
        self,
        classroom: Classroom,
        chapter: int,
        told: Told,
        secret: bytes,
        ledger: Ledger,
        crew: Crew,
        watch: Watch,
    ) -> None:
        self.problems: dict[str, str] = {}
        self._classroom, self._chapter, self._told = classroom, chapter, told
        self._secret, self._ledger, self._crew, self._watch = secret, ledger, crew, watch
        self._settings = read_settings(classroom.folder)
        need(classroom, chapter)
        self._edition, self._points = edition(classroom, chapter, note=True), points(classroom, chapter)
        self._release = release(classroom, chapter)
        self._release_text = release_file(classroom, chapter).read_text("utf-8")
        self._before: dict[str, Mark] = {}
        self._seen: dict[str, Seen] = {}
        self._kept = classroom.folder / "verdicts"
        self._why: dict[str, list[str]] = {}

    def jobs(self, students: Iterable[str]) -> Iterator[tuple[str, Job]]:
        """The submissions to judge. Those that need no judge are dealt with on the way."""
        for student in students:
            job = None
            with self._apart(student):
                if problem := self._unfit(student):
                    self._finish(student, problem)
                else:
                    job = self._job(student)
            if job:
                self._crew.begin()
                assert self._enrolled  # while the workers import what they need, for it takes as long
                yield student, job

    def take(self, student: str, job: Future[Done]) -> None:
        """Keep the verdict that a job came to, and tell nbgrader.

        Raises:
            CourseError: the job could not be done for a reason that all jobs share.
        """
        failed = job.exception()
        if isinstance(failed, CourseError):
            raise failed
        if failed:
            reason = "its worker process ended" if isinstance(failed, BrokenExecutor) else "the grader itself failed"
            words = f"{reason} ({type(failed).__name__}: {failed}); run the command again"
            self._finish(student, Fault(words))
            return
        with self._apart(student):
            done = job.result()
            if done.problem:
                self._finish(student, done.problem)
                return
            if done.digest:
                verdicts.save(self._kept, self._key(student, done.digest), done.verdict)
            self._tell(student, done.autograded)

    def _unfit(self, student: str) -> str:
        """Why nothing of a submission may be opened; "" if it may."""
        return name_problem(student) or self._classroom.unfit(student, self._chapter)

    @contextlib.contextmanager
    def _apart(self, student: str) -> Iterator[None]:
        """Let what this student's work breaks be this student's problem, and go on with the others.

        What all of them share – the disk, the gradebook, the course – still ends the run.
        """
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (CourseError, SQLAlchemyError):
            raise
        except (Exception, TooLong) as error:
            if isinstance(error, OSError) and not self._is_own(error, student):
                raise
            self._finish(student, cannot_be_graded(error))

    def _is_own(self, error: OSError, student: str) -> bool:
        """Whether an error is of the names and files of a submission, and not of what all share."""
        name, place = str(error.filename or ""), self._classroom.submitted(student, self._chapter)
        return error.errno in OF_NAMES or place in Path(name).parents

    def _job(self, student: str) -> Job | None:
        """What is to be judged; None where the verdict is kept, or there is none: then nbgrader is told."""
        from ..run.submission import Unreadable, content
        from .autograded import refused
        from .work import Job

        self._seen[student] = self._ledger.look(student)
        path = self._classroom.submitted(student, self._chapter) / self._classroom.notebook(self._chapter)
        try:
            handed_in = content(path)
            known = self._known(student, path.name, handed_in) if self._ledger.may_know(student) else None
        except Unreadable as error:
            known = refused(self._release, str(error), self._chapter, self._points)
        if known:
            self._tell(student, known)
            return None
        unsafe, version = self._classroom.unsafe, verdicts.grader_version(self._chapter)
        return Job(
            handed_in,
            path.name,
            self._release_text,
            self._chapter,
            student,
            self._secret,
            unsafe,
            self._settings.follow_through,
            version,
            self._points,
        )

    def _known(self, student: str, name: str, handed_in: bytes) -> Autograded | None:
        """The autograded notebook of work on which the verdict is kept.

        Raises:
            Unreadable: it is no notebook of the chapter.
        """
        from ..run.submission import digest, parse, restore
        from .autograded import finished, sources

        notebook = restore(parse(name, handed_in), self._release)
        kept = verdicts.load(self._kept, self._key(student, digest(notebook)))
        if not kept:
            return None
        return finished(notebook, kept, self._chapter, sources(self._release), self._points)

    def _key(self, student: str, digest: str) -> str:
        """The name under which a verdict is kept."""
        follow = self._settings.follow_through
        return verdicts.key(digest, self._chapter, student, self._secret, follow, self._edition.grader)

    @functools.cached_property
    def _enrolled(self) -> bool:
        from .dates import write_dates
        from .marks import marks

        self._before = marks(self._classroom, self._chapter)
        self._classroom.enroll(self._chapter, self._points)
        write_dates(self._classroom, self._chapter, self._settings, self._classroom.students(self._chapter))
        self._ledger.reread()
        return True

    @functools.cached_property
    def _writer(self) -> Writer:
        from .gradebook_writer import Writer

        assert self._enrolled
        return Writer(self._classroom, self._chapter, self._written)

    def changes(self) -> Iterator[str]:
        """A line for each student whose mark is another than before this run, and why."""
        from .marks import changes, marks

        if not self._before:
            return iter(())
        rule = str(self._settings.late or "")
        return changes(self._before, marks(self._classroom, self._chapter), self._why, rule)

    def held(self) -> Iterator[str]:
        """A line for each exercise, of work that was judged anew, whose points by hand are below the grader's."""
        from .by_hand import below

        anew = sorted(student for student, why in self._why.items() if JUDGED_ANEW & {*why})
        found = below(self._classroom, self._chapter) if anew else {}
        return (f"{student}: {words}" for student in anew for words in found.get(student, []))

    def rest(self) -> None:
        """Let nbgrader be told of what is finished, while the others are judged."""
        if "_writer" in vars(self):
            self._writer.rest()

    def close(self) -> None:
        """Let the last of what nbgrader is to know be written."""
        if "_writer" in vars(self):
            self._writer.flush()

    def _tell(self, student: str, autograded: Autograded) -> None:
        """Tell nbgrader of the verdict that is kept, with the notebook that it is written into, if that is made."""
        assert self._enrolled
        name = self._classroom.notebook(self._chapter)
        if not (self._classroom.submitted(student, self._chapter) / name).is_file():
            self._finish(student, f"{name} is missing from the submission")
            return
        self._why[student] = self._ledger.why(student, self._seen[student])
        # The gradebook may have another due date by now than its penalty was counted from.
        if student in self._before and (due := self._ledger.was_due(student)) is not None:
            self._before[student] = self._before[student].as_due(due)
        self._writer.take(student, autograded)

    def _written(self, student: str, problem: str) -> None:
        """nbgrader knows of a submission, or there was a problem."""
        with self._apart(student):
            if not problem:
                points = self._writer.told[student]
                self._ledger.note(student, self._seen[student], points.own, points.by_hand)
            self._finish(student, Fault(problem))

    def _finish(self, student: str, problem: str) -> None:
        """If nbgrader could not be told, leave no older score standing as if it were new."""
        if problem:
            assert self._enrolled
            self.problems[student] = problem
            self._withdraw(student)
        self._told(student, problem)
        self._watch.finish()

    def _withdraw(self, student: str) -> None:
        self._ledger.forget(student)
        shutil.rmtree(self._classroom.autograded(student, self._chapter).parent, ignore_errors=True)
        if not is_text(student):
            return  # no gradebook knows such a name
        with self._classroom.gradebook() as gradebook:
            gradebook.update_or_create_student(student)
            with gradebook.db.no_autoflush:  # nbgrader reads while it makes a submission, of which SQLAlchemy warns
                submission = gradebook.update_or_create_submission(assignment(self._chapter), student)
            for notebook in submission.notebooks:
                notebook.late_submission_penalty = None
                for grade in notebook.grades:
                    grade.auto_score, grade.needs_manual_grade = 0.0, False
            gradebook.db.commit()


def _judged(
    crew: Crew, jobs: Iterable[tuple[str, Job]], watch: Watch, rest: Callable[[], None]
) -> Iterator[tuple[str, Future[Done]]]:
    """The jobs as they are finished. One that was lost with its worker, or had to wait, is tried once more, alone.

    Args:
        crew: who does them.
        jobs: by student.
        watch: told of what is done.
        rest: called each second in which none is finished.
    """
    again = []
    for student, job, future in _stream(crew, jobs, AHEAD * crew.workers, watch, rest):
        if _undecided(future):
            again.append((student, replace(job, last=True)))
        else:
            yield student, future
    for student, _, future in _stream(crew, again, 1, watch, rest):
        yield student, future


def _undecided(future: Future[Done]) -> bool:
    """Whether a job says nothing of its submission yet: its worker ended, or its cells waited, perhaps for others."""
    failed = future.exception()
    return isinstance(failed, BrokenExecutor) if failed else "waited" in verdicts.ran_into(future.result().verdict)


def _stream(
    crew: Crew, jobs: Iterable[tuple[str, Job]], ahead: int, watch: Watch, rest: Callable[[], None]
) -> Iterator[tuple[str, Job, Future[Done]]]:
    running: dict[Future[Done], tuple[str, Job]] = {}
    for student, job in jobs:
        future = crew.submit(job)
        running[future] = student, job
        watch.hand(student, future)
        if len(running) >= ahead:
            yield from _finished(running, watch, rest)
    while running:
        yield from _finished(running, watch, rest)


def _finished(
    running: dict[Future[Done], tuple[str, Job]], watch: Watch, rest: Callable[[], None]
) -> Iterator[tuple[str, Job, Future[Done]]]:
    while not (done := wait(running, timeout=1, return_when=FIRST_COMPLETED).done):
        rest()
        watch.look()
    watch.look()
    for future in done:
        if future.cancelled():  # by Dask's client, when its scheduler does not answer any more
            raise CourseError(
                "Dask's scheduler was lost: start it and run the same command again; verdicts so far are kept."
            )
        student, job = running.pop(future)
        watch.take(student, not future.exception() and "timeout" in verdicts.ran_into(future.result().verdict))
        yield student, job, future
