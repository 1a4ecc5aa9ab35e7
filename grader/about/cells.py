"""The parts of a notebook's cell, as IPython reads it: a magic is a call, and text that is run is looked into."""

from __future__ import annotations

import ast
import re
import warnings
from collections import deque
from collections.abc import Iterator

from ..run.bulkhead import TooLong, bounded

MOST_OF_IPYTHON = 20_000  # characters of a cell that is not plain Python; the longest of the course has some 2,000
SECONDS = 0.5  # of the processor, for such a cell: each magic reads all of it once more
DEPTH = 4  # of text that runs text that runs text
RUNS_TEXT = {"exec", "eval", "compile"}
MAGICS = {"run_line_magic", "run_cell_magic", "system", "getoutput"}
Nodes = list[ast.AST]


class TooMuch(Exception):
    """A cell that may run, although nobody here can read it."""


def parts(source: str, depth: int = DEPTH, most: int = MOST_OF_IPYTHON) -> Nodes | None:
    """The parts of a cell and of text that it runs; None of what Python cannot run.

    Args:
        source: the cell's.
        depth: how many texts may run each other.
        most: the characters of a cell that IPython may translate.

    Raises:
        TooMuch: it is nested more deeply, or takes longer, than anything that anybody writes.
    """
    tree = _tree(source, most)
    if tree is None:
        return None
    found = list(_walk(tree))
    for run in [run for node in found for run in _run(node)]:
        if not depth:
            raise TooMuch
        found += parts(run, depth - 1, most) or []
    return found


def magic(node: ast.AST) -> list[str]:
    """The name and the texts of a magic or a shell's command; [] of anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MAGICS):
        return []
    shell = node.func.value
    if not (isinstance(shell, ast.Call) and isinstance(shell.func, ast.Name) and shell.func.id == "get_ipython"):
        return []
    texts = [text(argument) for argument in node.args]
    return [*(["!"] if node.func.attr in ("system", "getoutput") else []), *texts] if all(texts[:1]) else []


def text(node: ast.AST) -> str:
    """The text that is written there, also in pieces that are added; "" of anything else."""
    pieces, waiting = [], [node]
    while waiting:
        last = waiting.pop()
        if isinstance(last, ast.BinOp) and isinstance(last.op, ast.Add):
            waiting += [last.left, last.right]
        elif isinstance(last, ast.Constant) and isinstance(last.value, str):
            pieces.append(last.value)
        else:
            return ""
    return "".join(reversed(pieces))


def _tree(source: str, most: int) -> ast.AST | None:
    """Python as it is, or after IPython's own translation; a line that is neither may be a magic without its %."""
    plain = _parsed(source)
    if plain is not None:
        return plain
    if len(source) > most:
        raise TooMuch
    automagic = re.fullmatch(r"[a-z_]+ .*", source.strip())
    lines = [source, f"%{automagic[0]}"] if automagic else [source]
    return next((tree for line in lines if (tree := _parsed(_translated(line))) is not None), None)


def _parsed(source: str) -> ast.AST | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    except (RecursionError, MemoryError):  # what is too deep for a tree may not be too deep to run
        raise TooMuch from None


def _translated(source: str) -> str:
    from IPython.core.inputtransformer2 import TransformerManager  # here, since few notebooks need it

    try:
        with bounded(SECONDS):
            return str(TransformerManager().transform_cell(source))
    except SyntaxError:
        return source
    except (TooLong, Exception):  # of IPython's own, as of what it takes for a magic behind `=`
        raise TooMuch from None


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes, but not the `get_ipython()` that IPython's translation puts before a magic."""
    waiting = deque([tree])
    while waiting:
        node = waiting.popleft()
        yield node
        waiting.extend(node.args if isinstance(node, ast.Call) and magic(node) else ast.iter_child_nodes(node))


def _run(node: ast.AST) -> list[str]:
    """The texts that a magic, `exec` or `eval` runs as Python."""
    if said := magic(node):
        name, line, *body = said if len(said) > 1 else [*said, ""]
        return [*_after_options(line), *body] if name != "!" else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNS_TEXT and node.args:
        return [text(node.args[0])]
    return []


def _after_options(line: str) -> list[str]:
    """The first part of a magic's line that is Python, such as `f(x)` of `%timeit -n 3 f(x)`."""
    ends = (line.split(None, k)[-1] for k in range(min(10, len(line.split()))))
    return [end for end in ends if _parsed(end) is not None][:1]
