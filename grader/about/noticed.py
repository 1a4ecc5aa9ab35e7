"""What an instructor may want to look at: points that the cell of their exercise does not explain.

Nothing here costs a point. Solutions may lie in a cell of the student's own, and tables may be honest.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.util
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from nbformat import NotebookNode

from ..chapters import exercise_named
from ..run.bulkhead import TooLong, bounded
from ..run.submission import grade_id
from ..verdict.assess import Result
from .cells import MOST_OF_IPYTHON, RUNS_TEXT, Nodes, TooMuch, magic, parts, text

MOST_CHARACTERS = 100_000  # of code that is looked at; ten times that of the longest chapter
SECONDS, MORE_BYTES = 10, 1 << 30  # of the processor, and of memory, for a notebook; an honest one takes some 0.1 s
MANY = 200  # numbers written down in one cell; no cell of the course's has 50
# The engine is torch's, so it has ready-made what some exercises ask for.
READY_MADE = {
    "sigmoid": {"sigmoid", "expit"},
    "softplus": {"softplus", "logsigmoid"},
    "bce-with-logits": {"binary_cross_entropy_with_logits", "BCEWithLogitsLoss"},
    "jacobian": {"jacobian", "output_jacobian"},
    "digits": {"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss", "NllLoss"},
    "second-derivative": {"hessian", "hvp"},
    "hvp": {"hessian", "hvp", "vhp"},
    "jacobians": {"jacobian", "output_jacobian", "gradcheck"},
    "layer-norm": {"layer_norm", "LayerNorm"},
    "attention": {"scaled_dot_product_attention"},
}
CALLERS = "looks at who calls it"
OBJECTS = "looks at objects that are not its own"
KERNEL = "speaks to the kernel"
WATCHES = "watches what is run"
INSIDE = "looks inside functions or objects that are not its own"
LOOKS_OUT = {
    **dict.fromkeys(("_getframe", "_current_frames", "currentframe", "getouterframes", "getinnerframes"), CALLERS),
    **dict.fromkeys(("walk_stack", "walk_tb"), CALLERS),
    **dict.fromkeys(("f_back", "f_locals", "f_globals", "tb_frame", "gi_frame"), CALLERS),
    **dict.fromkeys(("get_objects", "get_referrers", "get_referents"), OBJECTS),
    **dict.fromkeys(("get_ipython", "InteractiveShell", "ZMQInteractiveShell", "IPKernelApp", "ipykernel"), KERNEL),
    **dict.fromkeys(("setprofile", "settrace", "setprofile_all_threads", "settrace_all_threads"), WATCHES),
    **dict.fromkeys(("__globals__", "__code__", "__closure__", "cell_contents", "__builtins__"), INSIDE),
    **dict.fromkeys(("__subclasses__", "__bases__", "__base__", "__mro__", "__self__", "_ip"), INSIDE),
}
# What anybody imports who does an exercise; whatever else the release itself imports is the course's.
HARMLESS = {
    *("__future__", "abc", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "decimal", "enum"),
    *("fractions", "functools", "gc", "grader", "heapq", "inspect", "itertools", "math", "matplotlib", "minigrad"),
    *("numbers", "numpy", "operator", "pprint", "queue", "random", "re", "statistics", "string", "sys", "textwrap"),
    *("time", "torch", "tqdm", "typing", "warnings", "IPython.display"),
}
# Modules by which a program reaches all others, when they are had as an attribute of another: `warnings.sys`.
REACHES_ALL = {
    *("sys", "os", "builtins", "ctypes", "gc", "importlib", "inspect", "pickle", "marshal", "signal", "subprocess"),
    *("threading", "_thread", "multiprocessing", "shutil", "socket"),
}
BY_NAME = {"getattr", "setattr", "delattr", "vars"}  # what looks something up, or puts it there, by its name
OF_SYS = {"setrecursionlimit", "getrecursionlimit", "getsizeof", "maxsize", "float_info", "version", "stdout", "stderr"}
INNER = {"core", "flat", "rules", "surface", "workshop"}  # of minigrad: what its functions are made of
SET_BY_ALL = {"data", "grad", "requires_grad"}  # of a tensor, by whatever name
ANSWERS = {"numpy", "detach", "tolist", "item", "__array__"}  # by which the grader reads a tensor's numbers
SETS = {"setattr", "__setattr__", "object"}  # `mock.patch.object(np, "exp", …)`, too
SHOWN = {"_", "__", "___", "Out", "_oh"}  # by which IPython gives again what a cell's last line was
LOOKS_UP = {
    "getattr",
    "getattr_static",
    "attrgetter",
    "methodcaller",
    "__getattribute__",
    "import_module",
    "__import__",
}
RUNS_FILES = {"run", "writefile", "file", "macro", "edit"}  # IPython's magics
SHELL = {"!", "bash", "sh", "script", "sx", "system"}


@dataclass(frozen=True)
class _Cell:
    """A cell as it can be read: `nodes` is None where Python cannot run it, `unread` where it may be run unread."""

    nodes: Nodes | None
    unread: bool = False


def noticed(notebook: NotebookNode, release: NotebookNode, results: list[Result]) -> dict[str, str]:
    """Exercise → what is odd about its points, for those where something is.

    Args:
        notebook: the student's, restored or autograded.
        release: the chapter's release.
        results: the results of its exercises.
    """
    try:
        with bounded(SECONDS, MORE_BYTES):
            return _noticed(notebook, release, results)
    except (TooLong, Exception):  # a student's words are what is read, and their points stay
        words = "points, in a notebook whose code cannot be looked at: read it"
        return {result.exercise: words for result in results if result.score}


def _noticed(notebook: NotebookNode, release: NotebookNode, results: list[Result]) -> dict[str, str]:
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    written = {grade_id(cell): cell.source for cell in notebook.cells if cell.cell_type == "code" and grade_id(cell)}
    given = {grade_id(cell): cell.source for cell in release.cells if grade_id(cell)}
    courses = {cell.source for cell in release.cells}
    if sum(map(len, sources)) > MOST_CHARACTERS:
        words = f"points, in a notebook of more than {MOST_CHARACTERS:,} characters of code, which nobody looked at"
        return {result.exercise: words for result in results if result.score}
    cells: dict[str, _Cell] = {}
    for source in sources:
        cells[source] = _read(source, hurry=any(cell.unread for cell in cells.values()))
    own = {source: cell.nodes or [] for source, cell in cells.items() if source not in courses}
    elsewhere = _odd([*own.values()])
    imported = _imported(tuple(cell.source for cell in release.cells if cell.cell_type == "code"))
    names = _Names([cell.nodes or [] for cell in cells.values()], imported)
    hooked = sorted({said for nodes in own.values() for said in _hooks(nodes, names)})
    if any(cell.unread for source, cell in cells.items() if source not in courses):
        hooked.insert(0, "cannot be read")
    found = {}
    for result in results:
        if not result.score:
            continue
        source, release_source = written.get(result.exercise, ""), given.get(result.exercise, "")
        nodes = cells[source].nodes if source in cells else []
        others = [parts for each, parts in own.items() if each != source]
        asked = list(exercise_named(result.exercise).points)
        if _same(source, release_source):
            found[result.exercise] = f"points, though its cell is as it was handed out, or was taken out{elsewhere}"
        elif nodes is None or cells[source].unread:
            found[result.exercise] = "points from a cell that cannot be read"
        elif not _defines(nodes, asked):
            found[result.exercise] = f"points, though its cell does not define it{elsewhere}"
        elif left := [name for name in asked if _stub(nodes, name) and any(_defines(o, [name]) for o in others)]:
            found[result.exercise] = f"points, though its cell leaves {left[0]} undone, and another defines it"
        elif left := [name for name in asked if _stub(nodes, name) and _is_right(result, name)]:
            found[result.exercise] = f"points, though its cell leaves {left[0]} undone"
        elif odd := _odd([nodes]):
            found[result.exercise] = f"points from a cell{odd}"
        elif ready := _ready_made(nodes, result.exercise, names):
            found[result.exercise] = f"points from a cell that calls minigrad's own {ready}"
        elif result.exercise in READY_MADE and (
            ready := _ready_made(_reached(nodes, others, names), result.exercise, names)
        ):
            found[result.exercise] = f"points, while another cell calls minigrad's own {ready}"
        elif hooked:
            found[result.exercise] = f"points, while a cell of the notebook {', '.join(hooked[:3])}"
    return found


def _read(source: str, hurry: bool) -> _Cell:
    try:
        return _Cell(parts(source, most=0 if hurry else MOST_OF_IPYTHON))
    except TooMuch:
        return _Cell(None, unread=True)


def _same(source: str, given: str) -> bool:
    """Whether a cell is as it was handed out, but for its comments and spaces."""
    if source.strip() == given.strip():
        return True
    try:
        return ast.dump(ast.parse(source)) == ast.dump(ast.parse(given))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _defines(nodes: Nodes, names: list[str]) -> bool:
    """Whether one of the names is defined or assigned there, as far as can be seen."""
    return any(
        (isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in names)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names)
        for node in nodes
    )


def _stub(nodes: Nodes, name: str) -> bool:
    """Whether the definition of that name still raises NotImplementedError, as the course's stubs do."""
    return any(
        isinstance(inner, ast.Raise) and inner.exc is not None and _last(inner.exc) == "NotImplementedError"
        for node in nodes
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
        for inner in ast.walk(node)
    )


def _is_right(result: Result, part: str) -> bool:
    return part in result.findings and result.findings[part].right


def _odd(cells: list[Nodes]) -> str:
    """What is unusual in these cells: text that is run, and tables."""
    calls = {n.func.id for nodes in cells for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    most = max((sum(map(_is_number, nodes)) for nodes in cells), default=0)
    said = [f"calls {name}" for name in sorted(calls & {*RUNS_TEXT, "__import__"})]
    said += [f"holds {most} numbers"] * (most >= MANY)
    if not said:
        return ""
    return f"{', and one' if len(cells) > 1 else ' that'} {' and '.join(said)}"


class _Names:
    """What a notebook's names stand for, as far as can be seen: minigrad's, torch's, and other modules'."""

    def __init__(self, cells: list[Nodes], imported: set[str]) -> None:
        self.imported = imported  # modules that the release imports
        self.whole: set[str] = set()  # the names that are a module each
        self.minigrad: set[str] = set()
        self.torch: set[str] = set()
        self.modules = {"__builtins__"}
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        nodes = [node for cell in cells for node in cell]
        stars = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
        self.starred = any((star.module or "").split(".")[0] not in ("minigrad", "torch") for star in stars)
        self.bound = {name for node in nodes for name in _binds(node)} | {*dir(builtins)}
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.bound.add(node.name)
            if isinstance(node, ast.Import | ast.ImportFrom):
                for one in node.names:
                    package = (getattr(node, "module", None) or one.name).split(".")[0]
                    name = (one.asname or one.name).split(".")[0]
                    self._kind(package).add(name)
                    self.bound.add(name)
                    if isinstance(node, ast.Import) or _is_part(f"{node.module}.{one.name}"):
                        self.whole.add(name)
        given = [(targets, {*map(_root, values)}) for node in nodes for targets, values in _gives(node)]
        for _ in range(3):  # `a = json; b = a; c = b`
            for targets, roots in given:
                for kind in (self.minigrad, self.torch, self.modules):
                    if not roots.isdisjoint(kind):
                        kind |= targets
        # What is torch's in one place and anything else in another is not believed to be torch's.
        torchs = {name for targets, roots in given if not roots.isdisjoint(self.torch) for name in targets}
        self.torch -= {name for node in nodes for name in _binds(node)} - torchs
        self.torch -= self.minigrad | self.modules

    def is_starred(self, name: str) -> bool:
        """Whether nothing but `from … import *` can have given it."""
        return self.starred and bool(name) and name not in self.bound

    def _kind(self, package: str) -> set[str]:
        return {"minigrad": self.minigrad, "torch": self.torch}.get(package, self.modules)


def _gives(node: ast.AST) -> Iterator[tuple[set[str], list[ast.expr]]]:
    """The names to which a part of a cell gives a value, with that value, or with several of which each may be it."""
    pairs: list[tuple[Sequence[ast.AST | None], Sequence[ast.expr | None]]] = []
    if isinstance(node, ast.Assign):
        pairs = [(node.targets, [node.value])]
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        pairs = [([node.target], [node.value])]
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        pairs = [([node.target], [node.iter])]
    elif isinstance(node, ast.withitem):
        pairs = [([node.optional_vars], [node.context_expr])]
    elif isinstance(node, ast.Match):
        pairs = [([case.pattern for case in node.cases], [node.subject])]
    elif isinstance(node, ast.arguments):
        named = [*node.posonlyargs, *node.args]
        behind = list(zip(named[len(named) - len(node.defaults) :], node.defaults, strict=True))
        named_alone = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        pairs = [([argument], [value]) for argument, value in [*behind, *named_alone]]
    for targets, values in pairs:
        several = [each for value in values if value for each in getattr(value, "elts", [value])]
        names = {name for target in targets if target for inner in ast.walk(target) for name in _binds(inner)}
        yield names, several


def _binds(node: ast.AST) -> list[str]:
    """The name that this part itself gives something to: a variable, a parameter, a name in a pattern."""
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) else []
    return [node.name] if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name else []


def _ready_made(nodes: Nodes, exercise: str, names: _Names) -> str:
    """What the engine has ready-made of an exercise, if the cell names it; "" if it does not."""
    wanted = READY_MADE.get(exercise, set())
    if not wanted:
        return ""
    if found := wanted & {name for node in nodes for name in _mentions(node, names)}:
        return min(found)
    return "functions, by a name that is made there" if any(_opens(node, names.minigrad) for node in nodes) else ""


def _reached(nodes: Nodes, others: list[Nodes], names: _Names) -> Nodes:
    """The parts of the statements in other cells that a cell's names lead to, from one to the next.

    Who only tries a function of the engine's in a cell of their own, which may be their own definition, is not reached.
    """
    binds: dict[str, list[ast.stmt]] = {}
    for statement in itertools.chain(*map(_statements, others)):
        for name in _bound(statement, names):
            binds.setdefault(name, []).append(statement)
    found: Nodes = []
    waiting = [name for statement in _statements(nodes) for name in _free(statement)]
    seen: set[ast.AST] = set()
    while waiting:
        for statement in {*binds.pop(waiting.pop(), [])} - seen:
            seen.add(statement)
            waiting += _free(statement)
            waiting += [f"{node.name}()" for node in ast.walk(statement) if _sets_globals(node)]
            found += ast.walk(statement)
    return found


def _sets_globals(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Whether it is a function that gives names of the notebook what it is called with."""
    function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return function and any(isinstance(inner, ast.Global) for inner in ast.walk(node))


def _statements(nodes: Nodes) -> list[ast.stmt]:
    return [statement for node in nodes if isinstance(node, ast.Module) for statement in node.body]


def _free(statement: ast.stmt) -> set[str]:
    """The names that a statement takes from elsewhere; a dot before those of attributes."""
    found: set[str] = set()
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(statement, frozenset())]
    while waiting:
        node, own = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found |= {"_" if re.fullmatch(r"_\d+", node.id) else node.id} - own
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.add(f".{node.attr}")
        inner, body = own, set[ast.AST]()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inner = own | _locals(node)
            body = {node.body} if isinstance(node, ast.Lambda) else {*node.body}
        waiting += [(child, inner if child in body else own) for child in ast.iter_child_nodes(node)]
    return found


def _locals(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """The names of a function's parameters, and those that it assigns to; not those of functions in it."""
    found = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    everywhere: set[str] = set()
    waiting = [*ast.iter_child_nodes(function)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Global):
            everywhere |= {*node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return found - everywhere


def _bound(statement: ast.stmt, names: _Names) -> set[str]:
    """The names that a statement gives something to, or whose object it may change."""
    found, packages = set(), names.minigrad | names.torch | names.modules
    if isinstance(statement, ast.Expr):  # what it gives may be had again
        found |= SHOWN
    for node in ast.walk(statement):
        if isinstance(node, ast.MatchAs | ast.MatchStar | ast.MatchMapping):
            found.add((node.rest if isinstance(node, ast.MatchMapping) else node.name) or "")
        if isinstance(node, ast.AnnAssign):
            found.add("__annotations__")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(one.asname or one.name).split(".")[0] for one in node.names} | _starred(node)
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            found |= {_root(node)} - (packages if isinstance(node, ast.Attribute) else set())
            found |= {f".{node.attr}"} if isinstance(node, ast.Attribute) else set()
            found |= {text(node.slice)} if isinstance(node, ast.Subscript) else set()  # `globals()["f"] = g`
        elif isinstance(node, ast.Call):  # `setattr(T, "f", g)`, `tools.append(g)`, `globals().update(f=g)`
            found |= {f".{text(argument)}" for argument in node.args if text(argument)}
            found |= {text(argument) for argument in node.args if _last(node.func) in {"__setitem__", "setdefault"}}
            found |= {keyword.arg or "" for keyword in node.keywords}
            found |= {f"{node.func.id}()"} if isinstance(node.func, ast.Name) else set()
            found |= {_root(node.func)} - packages if isinstance(node.func, ast.Attribute) else set()
    return found - {"", *dir(builtins)}


def _starred(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The names that `from minigrad.… import *` gives."""
    package = getattr(node, "module", None) or ""
    if node.names[0].name != "*" or not re.fullmatch(r"minigrad(\.\w{1,40}){0,5}", package):
        return set()
    try:
        module = importlib.import_module(package)
    except ImportError:
        return set()
    return {*getattr(module, "__all__", [name for name in dir(module) if name[0] != "_"])}


def _mentions(node: ast.AST, names: _Names) -> list[str]:
    """The names that a part of a cell looks up in something: an attribute, an import, a text handed to `getattr`."""
    if isinstance(node, ast.Attribute):
        return [node.attr] if isinstance(node.ctx, ast.Load) and _root(node) not in names.torch else []
    if isinstance(node, ast.MatchClass):
        return node.kwd_attrs
    if isinstance(node, ast.Import):
        return [piece for one in node.names for piece in one.name.split(".")]
    if isinstance(node, ast.ImportFrom):
        package, _, inner = (node.module or "").partition(".")
        every = [one.name for one in node.names]
        return [package, *every] if package != "torch" else []
    if isinstance(node, ast.Call) and _last(node.func) in LOOKS_UP and _root([*node.args, node][0]) not in names.torch:
        return [piece for argument in node.args for piece in text(argument).split(".")]
    return []


def _opens(node: ast.AST, minigrad: set[str]) -> bool:
    """Whether all names of something of minigrad's are opened, or one of them that is made there."""
    if isinstance(node, ast.ImportFrom):  # `from minigrad.autograd.functional import *`
        return (node.module or "").startswith("minigrad.") and node.names[0].name == "*"
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__" and _root(node) in minigrad
    if not (isinstance(node, ast.Call) and node.args and _root(node.args[0]) in minigrad):
        return False
    called = _last(node.func)
    return called == "vars" or (called in LOOKS_UP and len(node.args) > 1 and not text(node.args[1]))


def _hooks(nodes: Nodes, names: _Names) -> Iterator[str]:
    """What a cell does to be asked in another's place: it assigns into modules, or looks at the kernel or at callers.

    A part is asked in its student's own process, and what is the same on all inputs needs no right part there.
    """
    read = {id(node.func) for node in nodes if isinstance(node, ast.Call) and node.args and text(node.args[0])}
    handed = {id(store): name for node in nodes if isinstance(node, ast.Call) for store, name in _handed(node, names)}
    seen = {id(inner) for node in nodes for inner in _in_the_open(node, names)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    called |= {id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and node.args and _closes(node)}
    for node in nodes:
        if id(node) in handed:
            yield f"assigns to what is in {handed[id(node)][:40]}"
        yield from {LOOKS_OUT[name] for name in _mentions(node, names) if name in LOOKS_OUT}
        yield from _imports(node, names)
        if isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store) and (_root(node) in names.modules or names.is_starred(_root(node))):
                yield f"assigns to {node.attr[:40]} of {_root(node)[:40]}"
            elif isinstance(node.ctx, ast.Store) and node.attr in ANSWERS:
                yield f"assigns to {node.attr} of a class or tensor"
            elif _replaces(node, names):
                yield f"assigns to {node.attr[:40]} of {_root(node)[:40] or 'what it does not name'}"
            elif node.attr == "session" or (node.attr == "kernel" and isinstance(node.value, ast.Call)):
                yield KERNEL
            elif node.attr == "__dict__" and _root(node) in names.modules | (names.minigrad & names.whole):
                yield f"opens the names of {_root(node)[:40]}"
            elif node.attr in {"stack", "trace"} and _root(node) == "inspect":
                yield CALLERS
            elif node.attr in REACHES_ALL and isinstance(node.ctx, ast.Load) and _root(node) in names.modules:
                yield f"reaches {node.attr} by way of {_root(node)[:40]}"
            elif id(node) not in seen and _root(node) in names.minigrad and _is_part(_dotted(node)):
                yield f"hands on the module {_dotted(node)}"
        elif isinstance(node, ast.Name):
            if LOOKS_OUT.get(node.id) == KERNEL:
                yield KERNEL
            elif node.id in names.whole and isinstance(node.ctx, ast.Load) and id(node) not in seen:
                yield f"hands on the module {node.id[:40]}"
            elif node.id in BY_NAME and isinstance(node.ctx, ast.Load) and id(node) not in called:
                yield f"hands on {node.id}"
            elif node.id in RUNS_TEXT and isinstance(node.ctx, ast.Load) and id(node) not in read:
                yield "runs text or a file"
        elif isinstance(node, ast.Call):
            yield from _calls(node, names)


def _closes(node: ast.Call) -> bool:
    """Whether it is an ExitStack that is told what to do at its end."""
    return isinstance(node.func, ast.Attribute) and node.func.attr == "callback"


def _replaces(node: ast.Attribute, names: _Names) -> bool:
    """Whether it gives another value to what the engine has, or to what has no name there: `(lambda: np)().exp = f`."""
    if not isinstance(node.ctx, ast.Store) or node.attr in SET_BY_ALL:
        return False
    root = _root(node)
    return (root in names.minigrad and _engine_has(node.attr)) if root else True


def _engine_has(name: str) -> bool:
    import minigrad

    holders = minigrad, minigrad.Tensor, minigrad.autograd.Function, minigrad.nn.Module
    return any(hasattr(holder, name) for holder in holders)


def _imports(node: ast.AST, names: _Names) -> Iterator[str]:
    """What a part of a cell imports, or uses of `sys` and minigrad, that no exercise asks for."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        if node.attr in INNER and _root(node) in names.minigrad & names.whole:
            yield f"opens minigrad.{node.attr}"
        elif isinstance(node.value, ast.Name) and node.value.id == "sys" and node.attr not in OF_SYS:
            yield f"uses sys.{node.attr[:40]}"
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return
    package = getattr(node, "module", None) or ""
    for name in [package] if package else [one.name for one in node.names]:
        first, *inner = name.split(".")
        inside = first == "minigrad" and INNER & {*inner[:1]}
        if (inside or not HARMLESS & {first, name}) and name not in names.imported:
            yield f"imports {name[:40]}"
        elif inside and package:
            taken = [f"{name}.{one.name}" for one in node.names]
            yield from [f"imports {one[:40]}" for one in taken if one not in names.imported]
    for one in node.names if package in ("sys", "minigrad") else []:
        if (package == "sys" and one.name not in OF_SYS) or (package == "minigrad" and one.name in INNER):
            full = f"{package}.{one.name}"
            yield from [] if full in names.imported else [f"imports {full[:40]}"]


@functools.lru_cache(maxsize=16)
def _imported(code: tuple[str, ...]) -> set[str]:
    """The modules that the release's own cells import, and what they take from one."""
    nodes = [node for source in code for node in _read(source, hurry=False).nodes or []]
    found = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    taken = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return found | {n.module or "" for n in taken} | {f"{n.module}.{one.name}" for n in taken for one in n.names}


def _is_part(name: str) -> bool:
    """Whether it is a module of minigrad's."""
    if not re.fullmatch(r"minigrad(\.\w{1,40}){1,5}", name):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def _in_the_open(node: ast.AST, names: _Names) -> list[ast.AST | None]:
    """What stands where it can be seen what becomes of a module: before a dot, or where it gets another name.

    That is also a parameter of a function of the notebook's own, and a loop's variable.
    """
    if isinstance(node, ast.Attribute):
        return [node.value]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        shown = node.func.id in names.functions or node.func.id in {"print", "repr", "str", "dir", "help", "type"}
        return [*node.args] if shown else []
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
        return [node.value, *getattr(node.value, "elts", [])]
    if isinstance(node, ast.For | ast.comprehension):
        return [*getattr(node.iter, "elts", [])]
    if isinstance(node, ast.arguments):
        return [*node.defaults, *node.kw_defaults]
    if isinstance(node, ast.withitem):
        return [node.context_expr]
    if isinstance(node, ast.Match):
        return [node.subject]
    return [node.value] if isinstance(node, ast.Expr) else []


def _handed(call: ast.Call, names: _Names) -> Iterator[tuple[ast.Attribute, str]]:
    """The assignments to attributes of a parameter for which a call of the function hands over a module."""
    for function in names.functions.get(call.func.id, []) if isinstance(call.func, ast.Name) else []:
        parameters = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
        given = {p: _root(a) for p, a in zip(parameters, call.args, strict=False) if _root(a) in names.modules}
        for inner in ast.walk(function) if given else []:
            if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and _root(inner) in given:
                yield inner, given[_root(inner)]


def _calls(node: ast.Call, names: _Names) -> Iterator[str]:
    """What of `_hooks` is a call."""
    called, first = _last(node.func), _root(node.args[0]) if node.args else ""
    own = _root(node.func) if called == "__setattr__" else ""  # `np.__setattr__("exp", …)`
    module = next((name for name in (first, own) if name in names.modules), "")
    if said := magic(node):
        if said[0] in RUNS_FILES or (said[0] in SHELL and any(".py" in text for text in said[1:])):
            yield "runs text or a file"
    elif called in SETS and module:
        yield f"assigns to what is in {module[:40]}"
    elif called in SETS and any(text(argument) in ANSWERS for argument in node.args):
        yield "assigns to what answers the grader"
    elif called == "patch" and node.args and "." in text(node.args[0]):
        yield f"assigns to {text(node.args[0])[:40]}"
    elif called == "vars" and first in names.modules:
        yield f"opens the names of {first[:40]}"
    elif called == "__import__":
        yield "calls __import__"
    elif called in {"run_path", "run_module", "exec_module"}:
        yield "runs text or a file"


def _root(node: ast.expr) -> str:
    """The name that an attribute or an item of an attribute begins with; "" where it is none."""
    for _ in range(50):  # nobody writes more, and each part of a chain is asked
        if not isinstance(node, ast.Attribute | ast.Subscript):
            break
        node = node.value
    if isinstance(node, ast.Call) and _last(node.func) in {"__import__", "import_module"}:
        return "__builtins__"  # some module
    return node.id if isinstance(node, ast.Name) else ""


def _dotted(node: ast.expr) -> str:
    """`minigrad.autograd.functional`, of a name and its attributes; "" of anything else."""
    pieces: list[str] = []
    while isinstance(node, ast.Attribute) and len(pieces) < 6:
        pieces.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *pieces]) if isinstance(node, ast.Name) else ""


def _last(node: ast.expr) -> str:
    """The last name of what is called or raised: `sqrt` of `np.sqrt(2)`."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)
