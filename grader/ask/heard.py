"""What runs while a learner's function is called: for a text that asks for work by hand, or for a backward pass.

This file's text is sent to the learner's process with each probe, so it stands alone but for minigrad. It hears who
does not follow the text; who goes around it on purpose may be noticed by `about/noticed.py`.
"""

import contextlib
import sys
import threading
import traceback

PROCESSES = ("fork", "forkpty", "posix_spawn", "posix_spawnp", "fork_exec", "spawnv", "spawnve", "system", "popen")


@contextlib.contextmanager
def listening(wanted):
    """Run the block; the list that it gets has what `wanted(frame, built_in)` says, where it says something.

    It is asked about each function that is called in this thread, and in threads that begin meanwhile: one of Python's
    by its frame, a built-in one, or else None, by itself and by its caller's frame.
    """
    heard = []

    def listen(frame, event, function):
        if event in ("call", "c_call") and (said := wanted(frame, function)):
            heard.append(said)

    before, in_threads = sys.getprofile(), threading.getprofile()
    threading.setprofile(listen)
    sys.setprofile(listen)
    try:
        yield heard
    finally:
        sys.setprofile(before if callable(before) else None)  # not cProfile's, which no Python can set again
        threading.setprofile(in_threads)


@contextlib.contextmanager
def working_by_hand(torch, within):
    """Run the block, in which nothing is recorded; the list that it gets says afterwards what else than NumPy worked.

    That is functions of the modules whose names begin with `within`, a graph that any thread has recorded, and whatever
    starts a process.
    """
    from minigrad.core.function import next_number

    def asked(frame, built_in):
        if built_in is not None:
            return getattr(built_in, "__name__", "") in PROCESSES and "a process"
        return (frame.f_globals.get("__name__") or "").startswith(within) and frame.f_code.co_name

    with torch.no_grad(), listening(asked) as ran:
        newest = next_number()
        yield ran
        if next_number() != newest - 1:
            ran.append("a graph")


def backward_passes():
    """Listen for minigrad's backward passes: the nodes at which they begin; of several outputs', the one above them."""

    def root(frame, built_in):
        begins = frame.f_code.co_name == "walk" and built_in is None
        module = frame.f_globals.get("__name__")
        return begins and module in ("minigrad.core.engine", "minigrad.flat") and frame.f_locals["root"]

    return listening(root)


def has_reached(passes, leaf):
    """Whether one of the backward passes that were heard came down to a leaf."""
    nodes = list(passes)
    for node in nodes:  # which grows: what is below a node follows later
        nodes += [edge for edge in getattr(node, "edges", ()) if edge is not None and edge not in nodes]
    return any(getattr(node, "variable", None) is leaf for node in nodes)


def calls_of(holder, *names):
    """Listen for calls of a class's or a module's own functions: by their code, whoever has it, or by name."""
    codes = [getattr(getattr(holder, name, None), "__code__", None) for name in names]

    def called(frame, built_in):
        code, module = frame.f_code, frame.f_globals.get("__name__")
        known = code in codes or module == holder.__name__ and code.co_name in names
        return built_in is None and known and code.co_name

    return listening(called)


def open_calls():
    """How many functions of Python's have begun in this thread, and not ended."""
    return sum(1 for _ in traceback.walk_stack(None))
