"""What an instructor may want to look at: points that the cell of their exercise does not explain.

Nothing here costs a point. Solutions may lie in a cell of the student's own, and tables may be honest.
"""

from __future__ import annotations

import ast

from nbformat import NotebookNode

from ..chapters import exercise_named
from ..run.submission import grade_id
from ..verdict.assess import Result

MANY = 200  # numbers written down in one cell; no cell of the course's has 50
RUNS_TEXT = {"exec", "eval", "compile", "__import__"}


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
    elsewhere = _odd([*others, *written.values()])
    found = {}
    for result in results:
        if not result.score:
            continue
        own = written.get(result.exercise, "")
        if own.strip() == given.get(result.exercise, "").strip():
            found[result.exercise] = f"points, though its cell is as it was handed out{elsewhere}"
        elif not _defines(own, list(exercise_named(result.exercise).points)):
            found[result.exercise] = f"points, though its cell does not define it{elsewhere}"
        elif odd := _odd([own]):
            found[result.exercise] = f"points from a cell{odd}"
    return found


def _nodes(source: str) -> list[ast.AST] | None:
    """The parts of a cell; None of what is no Python, such as a magic."""
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defines(source: str, names: list[str]) -> bool:
    """Whether one of the names is defined or assigned there, as far as can be seen."""
    nodes = _nodes(source)
    if nodes is None:
        return True
    return any(
        (isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in names)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names)
        for node in nodes
    )


def _odd(sources: list[str]) -> str:
    """What is unusual in these cells: text that is run, and tables."""
    cells = [_nodes(source) or [] for source in sources]
    calls = {n.func.id for nodes in cells for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    most = max((sum(map(_is_number, nodes)) for nodes in cells), default=0)
    said = [f"calls {name}" for name in sorted(calls & RUNS_TEXT)] + [f"holds {most} numbers"] * (most >= MANY)
    if not said:
        return ""
    return f"{', and one' if len(sources) > 1 else ' that'} {' and '.join(said)}"


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)
