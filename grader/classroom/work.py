"""The job of a worker: judge one submission. All that it needs comes with it, and texts go back.

It runs in a process of this machine or of a cluster, which has the grader installed and no file of the class.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import multiprocessing.connection
import multiprocessing.util
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import nbformat
from nbformat import NotebookNode

from ..errors import CourseError
from ..run.bulkhead import TooLong
from ..run.execution import SandboxUnavailable, warm
from ..run.judge import Verdict, judge, verdict_from_json
from ..run.submission import Unreadable, digest, parse, restore
from ..run.verdicts import grader_version
from ..verdict.assess import prepare
from .autograded import Autograded, finished, refused, sources
from .words import cannot_be_graded

# How far a local worker, and what it starts, stands back for the one process that writes: all wait for that one.
BEHIND = 5


@dataclass(frozen=True)
class Job:
    """One submission to judge.

    Attributes:
        submission: the file as it was handed in.
        name: the file's, for messages.
        release: the chapter's release, as JSON.
        chapter: its number.
        student: whose it is.
        secret: the course's secret.
        unsafe: run without a sandbox where there is none.
        follow_through: see `judge.judge`.
        grader: the version of the grader that asks.
        points: exercise → what it is worth in the class, where not as in the course.
        last: see `judge.judge`.
    """

    submission: bytes
    name: str
    release: str
    chapter: int
    student: str
    secret: bytes
    unsafe: bool
    follow_through: bool
    grader: str
    points: Mapping[str, float] = field(default_factory=dict)
    last: bool = False


@dataclass(frozen=True)
class Done:
    """A job's result.

    Attributes:
        verdict: the verdict, as JSON; "" if the submission cannot be read.
        autograded: the notebook with the verdict in it.
        digest: what was judged, as `submission.digest` returns it; "" if nothing was.
        problem: why there is no verdict at all; "" if there is one.
    """

    verdict: str
    autograded: Autograded = Autograded()
    digest: str = ""
    problem: str = ""


def do(job: Job) -> Done:
    """Read a submission and judge it.

    Raises:
        CourseError: there is no sandbox here, or this worker has another version of the grader.
    """
    if job.grader != grader_version(job.chapter):
        raise CourseError("A worker has another version of the grader: install the same one everywhere, and go on.")
    release, follow = _release(job.release), job.follow_through
    try:
        submission = restored(job)
    except Unreadable as error:
        return Done("", refused(release, str(error), job.chapter, job.points))
    except (Exception, TooLong) as error:  # whatever it breaks is its own matter
        return Done("", problem=cannot_be_graded(error))
    try:
        about = job.chapter, job.student, job.secret, job.unsafe
        verdict = judge(submission, release, *about, follow_through=follow, last=job.last)
    except SandboxUnavailable as problem:
        raise CourseError(f"A worker cannot wall submissions in: {problem}") from None
    return answered(job, submission, verdict)


def restored(job: Job) -> NotebookNode:
    """The submission of a job, as it is to be judged.

    Raises:
        Unreadable: it is no notebook of the chapter.
    """
    return restore(parse(job.name, job.submission), _release(job.release))


def answered(job: Job, submission: NotebookNode, verdict: Verdict) -> Done:
    """The answer to a job whose submission, as `restored` returns it, came to that verdict."""
    text, handed_in = verdict.as_json(), digest(submission)
    # From the text, as it will be read again: without what no file can hold.
    again, given = verdict_from_json(text), sources(_release(job.release))
    return Done(text, finished(submission, again, job.chapter, given, job.points), handed_in)


@functools.lru_cache(maxsize=4)
def _release(text: str) -> NotebookNode:
    release: NotebookNode = nbformat.reads(text, as_version=4)
    return release


def begin() -> None:
    """Begin the life of a local worker, which is not to be longer than that of the process that wants its work."""
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_end_with, args=[parent.sentinel], daemon=True).start()
    # A worker ends by os._exit. Warm processes first: they see the course's folder, which the judge has removed.
    multiprocessing.util.Finalize(None, warm.end_all, exitpriority=10)
    _heed_interrupts(False)
    if hasattr(os, "nice"):
        os.nice(BEHIND)
    with contextlib.suppress(CourseError):  # a worker that cannot begin is the end of the pool; each job says why
        prepare()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def do_here(job: Job) -> Done:
    """`do`, in a local worker: Ctrl-C ends the job, and is nothing to an idle worker."""
    _heed_interrupts(True)
    try:
        return do(job)
    finally:
        _heed_interrupts(False)


def _heed_interrupts(yes: bool) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler if yes else signal.SIG_IGN)
