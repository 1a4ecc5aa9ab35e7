"""One kernel in its walls: started, spoken to over Unix sockets, killed.

jupyter_client's connection and session are used as they are; its kernel manager is not. A manager shuts a kernel down
by asking it, polls in steps of 0.1 s, and nothing in this kernel is worth saving.
"""

import contextlib
import json
import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zmq
from jupyter_client.connect import ConnectionFileMixin, KernelConnectionInfo, write_connection_file

from . import warm
from .guard import FULL, PERIOD, End, Guard
from .limits import MB, Limits
from .outputs import Outputs
from .sandbox import launch

# A message above this size is not received: 0MQ drops the connection.
MESSAGE_BYTES = 64 * MB
# Nor is one above these read: an answer has at most 8 MB, and an output is cut at one. JSON takes 25 times as much
# memory when it is read, and an output is copied then.
READ_BYTES, READ_OUTPUT_BYTES = 16 * MB, 3 * MB
READ_CUT_BYTES = 1 << 16  # where no more output is kept: the word that the cell has ended
# How long no output may come after the reply before the rest counts as lost. More than ipykernel's flush interval.
AFTER_REPLY = 1.0
BLIND_SECONDS = 30.0  # in which the guard, which looks five times a second, may not manage to


class KernelGone(Exception):
    """The kernel ended, or had to be ended; `state` and `detail` are those of a `StepResult`."""

    def __init__(self, state: End, detail: str) -> None:
        super().__init__(detail)
        self.state, self.detail = state, detail


class Clock:
    """What a request may take, by three clocks: the processor's, the one of doing nothing, and the one on the wall.

    Args:
        guard: it looks at the processes' clocks.
        seconds: processor time; and how long nothing at all may be done.
        wall: time on the wall, for whatever reason.
        idle: seconds of doing nothing that the notebook has left.
    """

    def __init__(self, guard: Guard, seconds: float, wall: float, idle: float = math.inf) -> None:
        self._guard, self._seconds, self._wall, self._idle = guard, seconds, wall, idle
        self._idle_before = guard.idle
        self._started = time.monotonic()
        self._used: float | None = None  # when the guard looked first
        self._asked, self._seen_at, self._blind = self._started, guard.looked_at, 0.0
        self.end = self._started + wall

    def struck(self) -> KernelGone | None:
        """Which clock struck; None while none did."""
        now, guard = time.monotonic(), self._guard
        if now > self.end:
            return KernelGone(
                "waited", f"It did not end in {self._wall:.0f} seconds, though it computed for few of them."
            )
        if blind := self._is_blind(now):
            return blind
        if guard.looked_at < self._started:
            return None
        if self._used is None:
            self._used = guard.used
        if guard.used - self._used > self._seconds:
            return KernelGone("timeout", f"It did not end in {self._seconds:g} seconds of processor time.")
        if guard.looked_at - max(self._started, guard.busy_at) > self._seconds:  # while nobody looks, nobody knows
            return KernelGone("waited", f"It waited for {self._seconds:g} seconds without computing anything.")
        if self.idle > self._idle:
            return KernelGone("waited", "This and what ran before it waited too long without computing anything.")
        return None

    def _is_blind(self, now: float) -> KernelGone | None:
        """Whether nobody looks any more, or only at what is long past: then no other bound stands.

        A machine that keeps the guard from looking keeps us from asking, too: of the time between two questions, no
        more than the guard's own period counts.
        """
        if self._guard.looked_at != self._seen_at:
            self._seen_at, self._blind = self._guard.looked_at, 0.0
        self._blind += min(now - self._asked, PERIOD)
        self._asked = now
        if not self._guard.alive and not self._guard.verdict:
            return KernelGone("died", "The kernel was stopped: nothing watched over it any more.")
        if self._blind > BLIND_SECONDS:
            return KernelGone("waited", f"Its processes could not be looked at for {BLIND_SECONDS:.0f} seconds.")
        return None

    @property
    def idle(self) -> float:
        """Seconds of this request in which nothing was done; what the guard saw late may have been before it."""
        return min(self._guard.idle - self._idle_before, time.monotonic() - self._started)


@dataclass
class Exchange:
    """What came back for one request: the reply's content, the outputs, and whether all of them arrived."""

    outputs: Outputs
    reply: dict[str, Any] = field(default_factory=dict)
    complete: bool = False


class Kernel:
    """A running kernel.

    Args:
        course: see `grader.run.execution.sandbox.launch`.
        limits: see `Limits`.
        end: monotonic time at which the kernel is killed, whatever it does.
        unsafe: without a sandbox.

    Raises:
        KernelGone: it did not become ready in time.
    """

    def __init__(self, course: Path, limits: Limits, end: float, unsafe: bool = False) -> None:
        # A short name: the path of a Unix socket has at most 107 characters.
        self._room = Path(tempfile.mkdtemp(prefix="mg-"))
        self._context = zmq.Context()
        self._ending = contextlib.ExitStack()  # What `kill` does, the last first.
        self._ending.callback(shutil.rmtree, self._room, ignore_errors=True)
        self._ending.callback(self._context.destroy, linger=0)
        self.idle = 0.0  # seconds in which requests did nothing
        self._deaf = False  # A message was lost, perhaps with the connection: listen anew before the next request.
        try:
            self._start(course, limits, end, unsafe)
            self._wait_until_ready(min(end, time.monotonic() + limits.start_seconds))
        except BaseException:
            self.kill()
            raise

    def _start(self, course: Path, limits: Limits, end: float, unsafe: bool) -> None:
        """From a warm process where there can be one, which takes 0.1 s; else from nothing, which takes 0.5 s."""
        process: warm.Fork | subprocess.Popen[bytes]
        try:
            if unsafe:
                raise warm.NotWarm("Without a sandbox, forks would not be walled in.")
            process, sockets, info = self._fork(course, limits)
        except warm.NotWarm:
            process, sockets, info = self._launch(course, limits, unsafe)
        self._guard = Guard(process, sockets, limits, end)
        self._ending.callback(self._guard.stop)
        self._connect(info)

    def _fork(self, course: Path, limits: Limits) -> tuple[warm.Fork, Path, KernelConnectionInfo]:
        zygote = warm.take(course)
        place = zygote.place()
        fork = None
        try:
            info = self._connection_info(place.sockets)
            fork = zygote.fork(place, info | {"ip": str(place.inside / "k")}, limits, self._room / "log")
        finally:
            self._ending.callback(warm.give_back, zygote, place, fork)
        return fork, place.sockets, info

    def _launch(
        self, course: Path, limits: Limits, unsafe: bool
    ) -> tuple[subprocess.Popen[bytes], Path, KernelConnectionInfo]:
        sockets = self._room / "s"
        sockets.mkdir()
        info = self._connection_info(sockets)
        plan = launch(self._room, sockets, self._room / "kernel.json", course, limits, unsafe)
        with open(self._room / "log", "wb") as log:
            process = subprocess.Popen(
                plan.command,
                env=plan.env,
                cwd=plan.cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        return process, sockets, info

    def _connection_info(self, sockets: Path) -> KernelConnectionInfo:
        file = self._room / "kernel.json"
        # Without a key, which the student could read: what answers is told by the request that it names.
        write_connection_file(str(file), transport="ipc", ip=str(sockets / "k"), key=b"")
        info: KernelConnectionInfo = json.loads(file.read_text())
        return info

    def _connect(self, info: KernelConnectionInfo) -> None:
        self._context.setsockopt(zmq.MAXMSGSIZE, MESSAGE_BYTES)
        self._context.setsockopt(zmq.LINGER, 0)
        self._context.setsockopt(zmq.RECONNECT_IVL, 10)  # Milliseconds: the kernel opens its sockets after us.
        self._connection = ConnectionFileMixin(context=self._context)
        self._connection.load_connection_info(info)
        self._session = self._connection.session
        self._shell = self._connection.connect_shell(identity=self._session.bsession)
        self._iopub = self._connection.connect_iopub()
        self._listen_to(self._shell, self._iopub)

    def _listen_to(self, *sockets: zmq.Socket[bytes]) -> None:
        self._poller = zmq.Poller()
        for socket in sockets:
            self._poller.register(socket, zmq.POLLIN)

    def _listen_anew(self, deadline: float) -> None:
        """A message above the size ends a connection for good: 0MQ takes it for a breach of protocol."""
        self._iopub.close(linger=0)
        self._iopub = self._connection.connect_iopub()
        self._listen_to(self._shell, self._iopub)
        self._wait_until_ready(deadline)

    def _wait_until_ready(self, deadline: float) -> None:
        """Until a request was answered and its outputs were heard: a subscription takes a moment to be in force."""
        while time.monotonic() < deadline:
            try:
                clock = Clock(self._guard, math.inf, deadline - time.monotonic())
                if self._request("kernel_info_request", {}, clock, Outputs(0), after_reply=0.05).complete:
                    return
            except KernelGone as gone:
                if gone.state != "waited":
                    raise KernelGone(
                        gone.state, f"The kernel did not start. {gone.detail}{self._last_words()}"
                    ) from gone
        raise KernelGone("died", "The kernel did not become ready in time.")

    def _last_words(self) -> str:
        """The last line that the process wrote of itself: what was wrong, if no kernel came to be."""
        lines = (self._room / "log").read_text(errors="replace")[-2000:].strip().splitlines()
        return f" Its last words: {lines[-1]}" if lines else ""

    def execute(
        self,
        code: str,
        seconds: float,
        wall: float,
        outputs: Outputs,
        silent: bool = False,
        expression: str | None = None,
        idle: float = math.inf,
    ) -> Exchange:
        """Run code, or with `silent` evaluate an expression after it.

        Args:
            code: a cell.
            seconds: processor time; after it the kernel must be killed, for it still runs.
            wall: time on the wall, as a last resort.
            outputs: takes what is published for this request.
            silent: leave no trace in the history.
            idle: seconds of doing nothing that the notebook has left.
            expression: evaluated after the code; its display data are in ``reply["user_expressions"]["answer"]``.

        Raises:
            KernelGone: the kernel died, was ended by the guard, or did not answer in time.
        """
        content = {
            "code": code,
            "silent": silent,
            "store_history": not silent,
            "user_expressions": {"answer": expression} if expression else {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        clock = Clock(self._guard, seconds, wall, idle)
        if self._deaf:
            self._listen_anew(clock.end)
        try:
            exchange = self._request("execute_request", content, clock, outputs, AFTER_REPLY)
        finally:
            self.idle += clock.idle
        self._deaf = not exchange.complete
        return exchange

    @property
    def used(self) -> float:
        """Seconds of processor time, as they were seen last."""
        return self._guard.used

    def kill(self) -> None:
        """End the kernel at once and remove everything of it."""
        self._ending.close()

    def _request(
        self, kind: str, content: dict[str, Any], clock: Clock, outputs: Outputs, after_reply: float
    ) -> Exchange:
        exchange = Exchange(outputs)
        header = self._session.msg_header(kind)
        del header["date"]  # Nobody reads it here, and whoever receives it would.
        request = self._session.send(self._shell, kind, content, header=header)["header"]["msg_id"]
        end = clock.end
        while not (exchange.reply and exchange.complete):
            # First, so that a kernel that never stops sending cannot keep us from looking at the clock.
            if exchange.reply and time.monotonic() > end:
                break
            if not exchange.reply and (struck := clock.struck()):
                raise self.gone() or struck
            events = dict(self._poller.poll(50))
            heard = 0
            if self._iopub in events:
                most = READ_CUT_BYTES if exchange.outputs.cut else READ_OUTPUT_BYTES
                for message in self._received(self._iopub, request, exchange, most):
                    self._take(message, exchange)
                    heard += 1
            if self._shell in events:
                for message in self._received(self._shell, request, exchange, READ_BYTES):
                    exchange.reply = exchange.reply or message["content"] or {"status": "empty"}
                    heard += 1
                    break  # the first one counts, and others are not worth their reading
            if exchange.reply and heard:
                end = min(clock.end, time.monotonic() + after_reply)
            if not events and (gone := self.gone()):
                raise gone
        return exchange

    def _received(
        self, socket: zmq.Socket[bytes], request: str, exchange: Exchange, most: int
    ) -> Iterator[dict[str, Any]]:
        """The next few messages that answer `request`, one read after another. All that is none is dropped.

        So is one of more than `most` bytes, and one that does not name the request: both unread.
        """
        for _ in range(100):
            try:
                parts = socket.recv_multipart(zmq.NOBLOCK)
            except zmq.ZMQError:
                break
            try:
                if sum(map(len, parts)) > most:
                    exchange.outputs.say_cut()
                    continue
                _, header, answered, _, content, *_ = self._session.feed_identities(parts)[1]
                if len(answered) > READ_CUT_BYTES or request.encode() not in answered:
                    continue
                # Not `deserialize`, which reads dates, too.
                message = {"msg_type": self._session.unpack(header)["msg_type"]}
                message["content"] = self._session.unpack(content)
                answers = self._session.unpack(answered)["msg_id"] == request and isinstance(message["content"], dict)
            except Exception:  # The sender chooses what is raised here: the bytes are the student's.
                continue
            if answers:
                yield message
            del message

    def _take(self, message: dict[str, Any], exchange: Exchange) -> None:
        kind, content = message["msg_type"], message["content"]
        if kind == "status" and content.get("execution_state") == "idle":
            exchange.complete = True
        else:
            with contextlib.suppress(Exception):  # As above: a malformed output is no output.
                exchange.outputs.add(kind, content)

    def gone(self) -> KernelGone | None:
        """Why there is no kernel any more; None while it lives."""
        if self._guard.verdict:
            return KernelGone(*self._guard.verdict)
        status = self._guard.process.poll()
        if status is None:
            return None
        if self._guard.full:
            return KernelGone("out of memory", FULL)
        if status < 0 or status > 128:
            return KernelGone("died", f"The kernel was ended by signal {-status if status < 0 else status - 128}.")
        return KernelGone("died", f"The kernel ended by itself (exit status {status}).")
