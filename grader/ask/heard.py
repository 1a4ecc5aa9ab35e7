"""What runs while a learner's function is called: for a text that asks for work by hand, or for a backward pass.

This file's text is sent to the learner's process with each probe, so it stands alone but for minigrad. It hears who
does not follow the text; who goes around it on purpose may be noticed by `about/noticed.py`.
"""

import contextlib
import itertools
import sys
import threading
import traceback

import numpy as np

PROCESSES = ("fork", "forkpty", "posix_spawn", "posix_spawnp", "fork_exec", "spawnv", "spawnve", "system", "popen")
ENGINES = ("minigrad.core.engine", "minigrad.flat")  # where a backward pass begins


@contextlib.contextmanager
def listening(wanted):
    """Run the block; the list that it gets has what `wanted(frame, built_in)` says, where it says something.

    It is asked about each function that is called in this thread, and in threads that begin meanwhile: one of Python's
    by its frame, a built-in one, or else None, by itself and by its caller's frame.
    """
    heard: list = []
    first: list = []

    def listen(frame, event, function):
        if event == "call" and not first:
            first.append(frame.f_code)
        if event in ("call", "c_call") and (said := wanted(frame, function)):
            heard.append(said)

    def here():
        """Called to hear whether anything is heard."""

    before, in_threads = sys.getprofile(), threading.getprofile()
    threading.setprofile(listen)
    sys.setprofile(listen)
    try:
        here()
        if here.__code__ not in first:
            raise RuntimeError("sys.setprofile is not Python's own any more: restart the kernel, and leave it alone")
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


def arrivals():
    """Listen for what minigrad's backward passes, or chapter 1's walk, bring to leaves: each leaf, and an array for it.

    Of a walk that hands on in its own way there is its beginning alone, for no leaf.
    """

    def arriving(frame, built_in):
        name, said = frame.f_code.co_name, frame.f_locals
        if built_in is not None or name not in ("walk", "backward", "arrive", "backpropagate"):
            return None
        leaf, grad = getattr(said.get("node", said.get("self")), "variable", None), said.get("grad")
        if leaf is not None and grad is not None:
            return leaf, np.array(getattr(grad, "_array", grad))
        return name == "walk" and frame.f_globals.get("__name__") in ENGINES and (None, None)

    return listening(arriving)


def has_brought(found, leaf):
    """Whether what a leaf has as its gradient arrived there, since it was cleared for the last time."""
    grads = [grad for one, grad in found if one is leaf]
    if not grads:  # a walk that only began may have
        return bool(found) and all(one is None for one, _ in found)
    sums = itertools.accumulate(reversed(grads))
    return any(np.allclose(one, np.array(leaf.grad.tolist())) for one in sums)


def calls_of(holder, *names):
    """Listen for calls of a class's or a module's own functions: by their code, whoever has it, or by name."""
    codes = [getattr(getattr(holder, name, None), "__code__", None) for name in names]

    def called(frame, built_in):
        code, module = frame.f_code, frame.f_globals.get("__name__")
        known = code in codes or module == holder.__name__ and code.co_name in names
        return built_in is None and known and code.co_name

    return listening(called)


def at_once(answer):
    """An answer whose parts are arrays as they are now: what would be worked out later is worked out in the block."""
    if isinstance(answer, tuple | list):
        return [at_once(one) for one in answer]
    return np.array(answer) if hasattr(answer, "__array__") else answer


def halved(torch, leaf):
    """A leaf to which backward passes bring half of its gradient, and a formula all of it."""
    needs = leaf.requires_grad
    leaf.requires_grad_(True).register_hook(lambda grad: grad * 0.5)
    return leaf.requires_grad_(needs)


def open_calls():
    """How many functions of Python's have begun in this thread, and not ended."""
    return sum(1 for _ in traceback.walk_stack(None))
