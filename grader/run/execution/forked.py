"""The kernel in a fork of the warm process: ipykernel's own, in one thread.

Its only client asks one thing at a time and waits for the answer. ipykernel's application would hand each request from
thread to thread, through sockets between them, which takes longer than most cells. Here the kernel reads a request,
runs it and sends what comes of it; of Jupyter's channels only the two that the client listens to are open.
"""

import asyncio
import codecs
import contextlib
import contextvars
import functools
import logging
import os
import select
import signal
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import zmq
from ipykernel.compiler import XCachingCompiler, get_tmp_directory
from ipykernel.eventloops import enable_gui
from ipykernel.iostream import IOPubThread, OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.error import UsageError
from IPython.core.extensions import ExtensionManager
from jupyter_client.session import Session
from tornado.ioloop import IOLoop
from traitlets import Any as Anything
from traitlets.config import Config

PIPE_BYTES = 2**16  # what a pipe of Linux holds


class Shell(ZMQInteractiveShell):
    """ipykernel's shell, which would ask ipykernel's application for its kernel."""

    extension_manager: ExtensionManager
    _known: tuple[str, str] | None = None

    def transform_cell(self, raw_cell: str) -> str:
        """The Python of a cell's text. For each cell it is asked for twice, and the second time it is known."""
        known, self._known = self._known, None
        if known and known[0] == raw_cell:
            return known[1]
        transformed: str = super().transform_cell(raw_cell)
        self._known = raw_cell, transformed
        return transformed

    def should_run_async(self, raw_cell: str, *, transformed_cell: str | None = None, **more: Any) -> bool:
        """Whether a cell awaits something. IPython compiles each cell, twice, to know; most have no word for it."""
        text = raw_cell if transformed_cell is None else transformed_cell
        if not any(word in text for word in ("await", "async")):
            return False
        return bool(super().should_run_async(raw_cell, transformed_cell=transformed_cell, **more))

    def enable_gui(self, gui: str | None = None) -> None:
        """What `%matplotlib` asks for."""
        try:
            enable_gui(gui, self.kernel)
        except ValueError as error:
            raise UsageError(str(error)) from error
        self.active_eventloop = gui


class Compiler(XCachingCompiler):
    """ipykernel's compiler, which would name a cell's file by a digest that Python computes: a millisecond a cell."""

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:
        """The file that tracebacks, and `inspect`, know a cell by."""
        return f"{get_tmp_directory()}{os.sep}{zlib.crc32(raw_code.encode(errors='surrogatepass'))}.py"


class Kernel(IPythonKernel):
    """ipykernel's kernel, which answers straight to the socket that it was asked on."""

    session: Session
    shell_stream = Anything()
    shell_class, compiler_class = Shell, Compiler
    shell: Shell
    _supports_kernel_subshells = False


class Terse(Session):
    """Sends what its client listens to, which is not that a request has begun."""

    def send(
        self,
        stream: Any,
        msg_or_type: dict[str, Any] | str,
        content: dict[str, Any] | None = None,
        *more: Any,
        **options: Any,
    ) -> dict[str, Any] | None:
        """Make a message and send it, if it says anything else."""
        begun = msg_or_type == "status" and content == {"execution_state": "busy"}
        if begun or msg_or_type == "execute_input":
            return None
        return super().send(stream, msg_or_type, content, *more, **options)


class Publisher(IOPubThread):
    """Publishes at once, whoever asks: its thread is never started. A lock keeps 0MQ's socket for one at a time."""

    def __init__(self, socket: zmq.Socket[bytes], session: Session) -> None:
        self.lock = threading.RLock()
        self._waiting: deque[Callable[[], object]] = deque()
        self._at_it = False
        super().__init__(socket, session=session)
        self.io_loop = Later(self.lock)  # type: ignore[assignment]  # all that a stream asks of a loop

    def schedule(self, f: Callable[[], object]) -> None:
        """Call it now; or in a moment, if this is a signal's handler that came in the middle of a message."""
        with self.lock:
            self._waiting.append(f)
            if not self._at_it:
                self._at_it = True
                try:
                    while self._waiting:
                        self._waiting.popleft()()
                finally:
                    self._at_it = False


class Later:
    """What ipykernel's streams need of an event loop: a flush some time after a write, in a thread of its own."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._due: set[Callable[[], object]] = set()
        self._wanted = threading.Event()
        threading.Thread(target=self._run, name="flush", daemon=True).start()

    def call_later(self, _: float, flush: Callable[[], object]) -> None:
        """Call it in a moment; if it is due already, once is enough."""
        self._due.add(flush)
        self._wanted.set()

    def _run(self) -> None:
        while self._wanted.wait():
            self._wanted.clear()
            time.sleep(OutStream.flush_interval)
            while self._due:
                flush = self._due.pop()
                with contextlib.suppress(Exception), self._lock:  # What it needs may be broken by a cell.
                    flush()


class Stream(OutStream):
    """Standard output or error: what Python writes, and through a pipe what C code and other processes write."""

    def __init__(self, session: Session, publisher: Publisher, name: str) -> None:
        self._owner, self._lock = os.getpid(), publisher.lock
        super().__init__(session, publisher, name, watchfd=False)  # Its watcher may come too late for the cell's end.
        self._descriptor = {"stdout": 1, "stderr": 2}[name]
        self._incoming, outgoing = os.pipe()
        os.set_blocking(self._incoming, False)
        os.dup2(outgoing, self._descriptor)
        os.close(outgoing)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pipe = open(self._descriptor, "w", buffering=1, closefd=False, encoding="utf-8", errors="replace")  # noqa: SIM115
        threading.Thread(target=self._watch, name=f"watch {name}", daemon=True).start()

    def fileno(self) -> int:
        """For subprocesses, whose output is to be shown."""
        return self._descriptor

    def write(self, string: str) -> int | None:  # type: ignore[override]  # as OutStream's
        """Publish it soon. A fork may not use 0MQ's socket: it writes whole lines to the pipe."""
        if not isinstance(string, str):
            raise TypeError(f"write() argument must be str, not {type(string)}")
        if os.getpid() != self._owner:
            return self._pipe.write(string)
        return super().write(string.encode(errors="replace").decode())  # Half of a surrogate pair cannot be sent.

    def flush(self) -> None:
        """Publish it now. With the lock, so that nothing is still on its way when the cell's end is published."""
        if os.getpid() != self._owner:
            return self._pipe.flush()
        with self._lock:
            self._take_in()
            super().flush()

    def _take_in(self) -> bool:
        """What has come through the pipe, at most what it holds at once. False at its end."""
        with self._lock:
            try:
                received = os.read(self._incoming, PIPE_BYTES)
            except BlockingIOError:
                return True
            if received and not self.closed:
                super().write(self._decode(received))
            return bool(received)

    def _watch(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # whatever a cell did to the descriptors
            while self._take_in():
                select.select([self._incoming], [], [])


class Nobody:
    """Where a kernel sends to that has no client yet."""

    def send_multipart(self, message: list[bytes], **options: Any) -> None:
        """Nobody hears it."""


def made() -> Kernel:
    """A kernel that has answered: most of what a first cell takes is what ipykernel and IPython make when it comes.

    It has no thread, no socket and no event loop of its own, so that forks may have it: each is its student's alone.
    """
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    settings = Config()
    # A kernel lives for one submission: a history database would be written and never read.
    settings.HistoryManager.enabled = False
    settings.Kernel._execute_sleep = 0.0  # It is for clients that do not wait for the end of what is published.
    log = logging.getLogger("kernel")
    log.setLevel(logging.WARNING)  # whatever a cell sets for its own
    kernel = Kernel.instance(
        session=Terse(key=b""),
        shell_stream=Nobody(),
        iopub_socket=Nobody(),
        log=log,
        # Where cells run: one that awaits is asked for it.
        shell_channel_thread=SimpleNamespace(parent_thread=threading.main_thread()),
        config=settings,
    )
    kernel.shell.unobserve_all("exit_now")  # It would stop the loop.
    kernel.shell.extension_manager.load_extension("storemagic")
    silent = {"code": "", "silent": True, "store_history": False, "user_expressions": {"answer": "1"}}
    loop = asyncio.new_event_loop()
    for kind, content in ("kernel_info_request", {}), ("execute_request", silent), ("execute_request", UNSEEN):
        parts = kernel.session.serialize(kernel.session.msg(kind, content))
        loop.run_until_complete(kernel.dispatch_shell([zmq.Frame(part) for part in parts]))
    loop.close()
    return kernel


UNSEEN = {"code": "pass", "silent": False, "store_history": False, "user_expressions": {}}  # a cell that leaves nothing


def serve(kernel: Kernel, connection: dict[str, Any], sockets: dict[str, int]) -> None:
    """Let a kernel serve its client until it is killed. A cell that asks to exit asks the client, by its reply.

    Args:
        kernel: as `made` returns it, in a fork.
        connection: Jupyter's connection information; its address is a folder's, for Unix sockets.
        sockets: channel → descriptor of a socket that listens there: the kernel itself sees no such folder.
    """
    context = zmq.Context()
    shell, iopub = context.socket(zmq.ROUTER), context.socket(zmq.PUB)
    shell.router_handover = 1
    iopub.xpub_nodrop = True  # A cell that shows more than the client takes in waits for it.
    for socket, channel in (shell, "shell"), (iopub, "iopub"):
        socket.setsockopt(zmq.USE_FD, sockets[channel])
        socket.bind(f"ipc://{connection['ip']}-{connection[f'{channel}_port']}")
    session = Terse(key=connection["key"].encode())
    publisher = Publisher(iopub, session)
    sys.stdout, sys.stderr = Stream(session, publisher, "stdout"), Stream(session, publisher, "stderr")
    kernel.shell_stream, kernel.iopub_thread = shell, publisher
    kernel.iopub_socket = publisher.background_socket
    kernel.session = session
    speakers: tuple[Any, ...] = kernel.shell.displayhook, kernel.shell.display_pub
    for speaker in speakers:
        speaker.session, speaker.pub_socket = session, kernel.iopub_socket
    profile: Any = kernel.shell.profile_dir  # in this fork's own scratch, for `%store` and the like
    os.makedirs(profile.location)
    profile.check_dirs()

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.set_event_loop(loop := asyncio.new_event_loop())
    kernel.io_loop = IOLoop.current()
    sys.breakpointhook = lambda *_, **__: None  # as debugpy's, which ipykernel imports, where no debugger listens
    kernel.shell.events.register("post_execute", functools.partial(end_fork_of, os.getpid()))
    scope = contextvars.copy_context()  # of all cells: NumPy's print options are kept there
    while True:
        request = shell.recv_multipart(copy=False)
        loop.run_until_complete(loop.create_task(kernel.dispatch_shell(request), context=scope))


def end_fork_of(process: int) -> None:
    """After a cell: a fork that it made and did not end may not answer, for the sockets are not its to use."""
    if os.getpid() != process:
        for stream in sys.stdout, sys.stderr:
            with contextlib.suppress(Exception):  # whatever a cell put in its place
                stream.flush()
        os._exit(0)
