"""What an instructor may want to look at: points that the cell of their exercise does not explain.

Nothing here costs a point. Solutions may lie in a cell of the student's own, and tables may be honest.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from ..chapters import exercise_named
from ..run.submission import grade_id
from ..verdict.assess import Result

MOST_CHARACTERS = 100_000  # of code that is looked at; ten times that of the longest chapter
MANY = 200  # numbers written down in one cell; no cell of the course's has 50
RUNS_TEXT = {"exec", "eval", "compile", "__import__"}
# The engine is torch's, so it has ready-made what some exercises ask for.
READY_MADE = {
    "softplus": {"softplus", "logsigmoid"},
    "bce-with-logits": {"binary_cross_entropy_with_logits"},
    "jacobian": {"jacobian"},
    "digits": {"cross_entropy", "nll_loss"},
    "second-derivative": {"hessian", "hvp"},
    "hvp": {"hessian", "hvp", "vhp"},
    "jacobians": {"jacobian", "gradcheck"},
    "layer-norm": {"layer_norm", "LayerNorm"},
    "attention": {"scaled_dot_product_attention"},
}
LOOKS_OUT = dict.fromkeys(("_getframe", "currentframe", "f_back"), "looks at who calls it")
LOOKS_OUT |= dict.fromkeys(("get_objects", "get_referrers"), "looks at objects that are not its own")


def noticed(notebook: NotebookNode, release: NotebookNode, results: list[Result]) -> dict[str, str]:
    """Exercise → what is odd about its points, for those where something is.

    Args:
        notebook: the student's, restored or autograded.
        release: the chapter's release.
        results: the results of its exercises.
    """
    written = {grade_id(cell): cell.source for cell in notebook.cells if cell.cell_type == "code" and grade_id(cell)}
    given = {grade_id(cell): cell.source for cell in release.cells if grade_id(cell)}
    others = [cell.source for cell in notebook.cells if cell.cell_type == "code" and not grade_id(cell)]
    if sum(map(len, [*others, *written.values()])) > MOST_CHARACTERS:
        words = f"points, in a notebook of more than {MOST_CHARACTERS:,} characters of code, which nobody looked at"
        return {result.exercise: words for result in results if result.score}
    parsed = {source: _nodes(source) for source in (*others, *written.values())}
    elsewhere = _odd([*parsed.values()])
    hooked = sorted({name for nodes in parsed.values() for name in _hooks(nodes or [])})
    found = {}
    for result in results:
        if not result.score:
            continue
        own = written.get(result.exercise, "")
        if own.strip() == given.get(result.exercise, "").strip():
            found[result.exercise] = f"points, though its cell is as it was handed out{elsewhere}"
        elif not _defines(parsed.get(own), list(exercise_named(result.exercise).points)):
            found[result.exercise] = f"points, though its cell does not define it{elsewhere}"
        elif odd := _odd([parsed[own]]):
            found[result.exercise] = f"points from a cell{odd}"
        elif ready := _ready_made(parsed[own] or [], result.exercise):
            found[result.exercise] = f"points from a cell that calls minigrad's own {ready}"
        elif hooked:
            found[result.exercise] = f"points, while a cell of the notebook {', '.join(hooked[:3])}"
    return found


def _nodes(source: str) -> list[ast.AST] | None:
    """The parts of a cell; None of what is no Python, such as a magic."""
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defines(nodes: list[ast.AST] | None, names: list[str]) -> bool:
    """Whether one of the names is defined or assigned there, as far as can be seen."""
    if nodes is None:
        return True
    return any(
        (isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in names)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names)
        for node in nodes
    )


def _odd(parsed: list[list[ast.AST] | None]) -> str:
    """What is unusual in these cells: text that is run, and tables."""
    cells = [nodes or [] for nodes in parsed]
    calls = {n.func.id for nodes in cells for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    most = max((sum(map(_is_number, nodes)) for nodes in cells), default=0)
    said = [f"calls {name}" for name in sorted(calls & RUNS_TEXT)] + [f"holds {most} numbers"] * (most >= MANY)
    if not said:
        return ""
    return f"{', and one' if len(cells) > 1 else ' that'} {' and '.join(said)}"


def _ready_made(nodes: list[ast.AST], exercise: str) -> str:
    """What the engine has ready-made of an exercise, if the cell names it; "" if it does not."""
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
    names |= {one.name for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names}
    return min(names & READY_MADE.get(exercise, set()), default="")


def _hooks(nodes: list[ast.AST]) -> Iterator[str]:
    """What a cell does to be asked in another's place: it assigns into modules, or looks at the kernel or at callers.

    A part is asked in its student's own process, and what is the same on all inputs needs no right part there.
    """
    modules = {
        (name.asname or name.name).split(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "minigrad")
        for name in node.names
    }
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _root(node) in modules:
            yield f"assigns to {node.attr[:40]} of {_root(node)[:40]}"
        elif isinstance(node, ast.Attribute) and node.attr in LOOKS_OUT:
            yield LOOKS_OUT[node.attr]
        elif isinstance(node, ast.Attribute) and node.attr == "kernel" and isinstance(node.value, ast.Call):
            yield "speaks to the kernel"
        elif isinstance(node, ast.Call) and _root(node.func) == "setattr" and _root([*node.args, node][0]) in modules:
            yield f"assigns to what is in {_root(node.args[0])[:40]}"


def _root(node: ast.expr) -> str:
    """The name that an attribute of an attribute begins with; "" where it is none."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)
