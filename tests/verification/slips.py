"""Wrong answers that no bank holds: slips as people make them, one, two or three at a time, in the right definitions.

A rule looks at one node of a definition and yields what somebody could have written in its place. Its name says what
kind of slip that is.
"""

from __future__ import annotations

import ast
import copy
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Replacement = Any  # an expression, or the statements in a statement's place
Rule = Callable[[Any], Iterator[Replacement]]

OTHER = {  # what is mistaken for what
    "maximum": ["minimum", "fmax"],
    "sum": ["mean", "max"],
    "mean": ["sum", "max"],
    "exp": ["log", "expm1"],
    "log1p": ["log", "exp"],
    "log_softmax": ["softmax"],
    "softmax": ["log_softmax", "sigmoid"],
    "sigmoid": ["tanh", "relu"],
    "relu": ["sigmoid", "tanh"],
    "zeros": ["ones"],
    "ones": ["zeros"],
    "tril": ["triu"],
    "outer": ["multiply", "dot"],
    "detach": ["clone"],
    "eye": ["ones"],
    "stack": ["concatenate", "hstack"],
    "append": ["extend"],
    "zero_": ["detach_", "zero"],
    "reduce": ["each"],
    "each": ["reduce"],
    "spread": ["count"],
    "step": ["relu"],
    "heappush": ["heappop"],
    "transpose": ["reshape"],
}
FLIPPED = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt],
    ast.Eq: [ast.NotEq, ast.Gt],
    ast.NotEq: [ast.Eq, ast.Gt, ast.Lt],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
OPERATORS = {
    ast.Add: [ast.Sub, ast.Mult],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add],
    ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.FloorDiv: [ast.Div],
}
RULES: dict[Rule, str] = {}


@dataclass(frozen=True)
class Slip:
    """A wrong definition: its text, and the kinds of slips that are in it."""

    text: str
    kinds: tuple[str, ...]


def rule(kind: str) -> Callable[[Rule], Rule]:
    """Add a rule to the table."""

    def add(function: Rule) -> Rule:
        RULES[function] = kind
        return function

    return add


# ---------------------------------------------------------------------- expressions


@rule("left out")
def term(node: Any) -> Iterator[Replacement]:
    """One side of an operation, of `and`, or of a condition."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    if isinstance(node, ast.BoolOp):
        yield from node.values
    if isinstance(node, ast.UnaryOp):
        yield node.operand
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)


@rule("another operator")
def operator(node: Any) -> Iterator[Replacement]:
    """+ for -, times for divided by; a comparison; `or` for `and`."""
    if isinstance(node, ast.BinOp):
        yield from (ast.BinOp(node.left, other(), node.right) for other in OPERATORS.get(type(node.op), ()))
    if isinstance(node, ast.Compare):
        others = FLIPPED.get(type(node.ops[0]), ())
        yield from (ast.Compare(node.left, [other()], node.comparators) for other in others)
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


@rule("the wrong way round")
def swapped(node: Any) -> Iterator[Replacement]:
    """Operands, arguments, results, or the branches of a condition."""
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mult):
        yield ast.BinOp(node.right, node.op, node.left)
    if isinstance(node, ast.Call) and len(node.args) >= 2:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        yield ast.Tuple(node.elts[::-1], node.ctx)
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)


@rule("a sign")
def sign(node: Any) -> Iterator[Replacement]:
    """A minus where there is none."""
    if isinstance(node, ast.Call | ast.BinOp | ast.Name) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield ast.UnaryOp(ast.USub(), node)


@rule("another number")
def number(node: Any) -> Iterator[Replacement]:
    """Off by one, twice as much, a flag that is turned round."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield from map(ast.Constant, dict.fromkeys((node.value + 1, node.value - 1, 2 * node.value)))
    elif isinstance(node, ast.Name) and node.id in ("steps", "size", "n", "t", "fan_in", "words", "width", "heads"):
        yield from (ast.BinOp(node, change(), ast.Constant(1)) for change in (ast.Add, ast.Sub))


@rule("a setting left out")
def setting(node: Any) -> Iterator[Replacement]:
    """A keyword that was forgotten, or an argument."""
    if isinstance(node, ast.Call):
        for i in range(len(node.keywords)):
            yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
        if len(node.args) > 1:
            yield ast.Call(node.func, node.args[:-1], node.keywords)


@rule("another function")
def function(node: Any) -> Iterator[Replacement]:
    """One that is easily taken for it."""
    if isinstance(node, ast.Call):
        called = node.func
        if isinstance(called, ast.Attribute):
            for name in OTHER.get(called.attr, ()):
                yield ast.Call(ast.Attribute(called.value, name, called.ctx), node.args, node.keywords)
        elif isinstance(called, ast.Name):
            for name in OTHER.get(called.id, ()):
                yield ast.Call(ast.Name(name, ast.Load()), node.args, node.keywords)


@rule("a call left out")
def call(node: Any) -> Iterator[Replacement]:
    """f(x) becomes x, and x.f() becomes x; so does x.T."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        if node.args:
            yield node.args[0]
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "flat"):
        yield node.value


@rule("the length of one axis")
def length(node: Any) -> Iterator[Replacement]:
    """`len(x)` for the number of elements."""
    counted = None
    if isinstance(node, ast.Attribute) and node.attr == "size":
        counted = node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("numel", "count"):
        counted = node.func.value
    if counted is not None:
        yield ast.Call(ast.Name("len", ast.Load()), [counted], [])
        yield ast.Attribute(counted, "ndim", ast.Load())


@rule("a small number added")
def epsilon(node: Any) -> Iterator[Replacement]:
    """So that nothing is divided by 0."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        yield ast.BinOp(node.left, node.op, ast.BinOp(node.right, ast.Add(), ast.Constant(1e-8)))


@rule("fewer digits")
def digits(node: Any) -> Iterator[Replacement]:
    """Single precision, or a rounded number."""
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        yield ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "float32", ast.Load()), [node], [])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item":
        yield ast.Call(ast.Name("round", ast.Load()), [node, ast.Constant(4)], [])


@rule("part of a range")
def part_of(node: Any) -> Iterator[Replacement]:
    """A loop that misses the first or the last, or all but one."""
    if isinstance(node, ast.For):
        listed = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
        for source in ("[1:]", "[:-1]", "[:1]"):
            chosen = ast.parse(f"_{source}", mode="eval").body
            assert isinstance(chosen, ast.Subscript)
            yield [ast.For(node.target, ast.Subscript(listed, chosen.slice, ast.Load()), node.body, node.orelse)]


# ---------------------------------------------------------------------- statements


@rule("a statement left out")
def statement(node: Any) -> Iterator[Replacement]:
    """Anything that is done."""
    if isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Pass):
        yield [ast.Pass()]


@rule("too soon")
def early(node: Any) -> Iterator[Replacement]:
    """Out of a loop after its first turn; a loop that is an `if`."""
    if isinstance(node, ast.For | ast.While):
        again = copy.deepcopy(node)
        again.body.append(ast.Break())
        yield [again]
    if isinstance(node, ast.While):
        yield [ast.If(node.test, node.body, [])]


@rule("a condition lost")
def condition(node: Any) -> Iterator[Replacement]:
    """Whatever is asked, the same is done; or the other thing."""
    if isinstance(node, ast.If):
        yield node.body
        yield node.orelse or [ast.Pass()]
        yield [ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)]
        if node.orelse:
            yield [*node.body, *node.orelse]


@rule("in place")
def in_place(node: Any) -> Iterator[Replacement]:
    """`x += y; return x`, `x += y` for `x = x + y`."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.BinOp) and isinstance(node.value.left, ast.Name):
        name = node.value.left.id
        changed = ast.AugAssign(ast.Name(name, ast.Store()), node.value.op, node.value.right)
        yield [changed, ast.Return(ast.Name(name, ast.Load()))]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        same = ast.unparse(node.targets[0]) == ast.unparse(node.value.left)
        yield from [[ast.AugAssign(node.targets[0], node.value.op, node.value.right)]] * same


@rule("not in place")
def anew(node: Any) -> Iterator[Replacement]:
    """`x = x + y` for `x += y`; a name of its own instead of what is kept."""
    if isinstance(node, ast.AugAssign):
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        yield [ast.Assign([node.target], ast.BinOp(read, node.op, node.value))]
        yield [ast.Assign([node.target], node.value)]
    if isinstance(node, ast.Assign) and isinstance(node.targets[-1], ast.Attribute | ast.Subscript):
        yield [ast.Assign([ast.Name("kept", ast.Store())], node.value)]


@rule("one of two results")
def results(node: Any) -> Iterator[Replacement]:
    """Only one of them is returned, or one twice."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        first, *_, last = node.value.elts
        yield from ([ast.Return(one)] for one in node.value.elts)
        yield [ast.Return(ast.Tuple([first] * len(node.value.elts), ast.Load()))]
        yield [ast.Return(ast.Tuple([last] * len(node.value.elts), ast.Load()))]


def blocks(tree: ast.AST) -> Iterator[tuple[Any, str]]:
    """Where statements stand one after another: the node, and its field."""
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            if isinstance(getattr(node, field, None), list) and getattr(node, field):
                yield node, field


def whole(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """Slips that are about more than one node: names, orders, levels, rules of another input, what is left over."""
    for i, (_, field) in enumerate(blocks(tree)):
        for j in range(len(getattr(list(blocks(tree))[i][0], field))):
            for kind, change in (
                ("another order", exchanged),
                ("another level", indented),
                ("another level", dedented),
            ):
                made = copy.deepcopy(tree)
                block, field = list(blocks(made))[i]
                if change(getattr(block, field), j):
                    yield kind, made
    yield from another_name(tree)
    yield from another_rule(tree)
    yield from left_over(tree)


def exchanged(body: list[Any], j: int) -> bool:
    """Two statements, the one before the other."""
    if j + 1 >= len(body) or isinstance(body[j], ast.FunctionDef):
        return False
    body[j : j + 2] = body[j : j + 2][::-1]
    return True


def indented(body: list[Any], j: int) -> bool:
    """The statement after a block, in it."""
    if j + 1 >= len(body) or not isinstance(body[j], ast.For | ast.While | ast.With | ast.If):
        return False
    body[j].body.append(body.pop(j + 1))
    return True


def dedented(body: list[Any], j: int) -> bool:
    """The last statement of a block, behind it."""
    if not isinstance(body[j], ast.For | ast.While | ast.With | ast.If) or len(body[j].body) < 2:
        return False
    body.insert(j + 1, body[j].body.pop())
    return True


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    """Functions and methods."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def names_in(one: ast.FunctionDef) -> list[str]:
    """The names of a function's own: parameters, and what is assigned."""
    given = [argument.arg for argument in (*one.args.args, *one.args.kwonlyargs)]
    made = [n.id for n in ast.walk(one) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return [name for name in dict.fromkeys(given + made) if name not in ("self", "_")]


def another_name(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """A variable where another one is meant."""
    for i, one in enumerate(functions(tree)):
        loads = [n for n in ast.walk(one) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        for j, name in enumerate(loads):
            for other in names_in(one) if name.id in names_in(one) else ():
                if other != name.id:
                    made = copy.deepcopy(tree)
                    twin = functions(made)[i]
                    [n for n in ast.walk(twin) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)][j].id = other
                    yield "another name", made


def another_rule(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """A method with the body, and the parameters, of another."""
    for i, one in enumerate(functions(tree)):
        for j, other in enumerate(functions(tree)):
            if i != j and one.name.startswith("backward") and other.name.startswith("backward"):
                made = copy.deepcopy(tree)
                twin, source = functions(made)[i], copy.deepcopy(functions(made)[j])
                twin.args, twin.body = source.args, source.body
                yield "another input's rule", made


def left_over(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """A list, set or dictionary that is made once, as a default, and not at each call."""
    for i, one in enumerate(functions(tree)):
        for j, node in enumerate(one.body):
            empty = isinstance(node, ast.Assign) and ast.unparse(node.value) in ("[]", "set()", "{}")
            if empty and isinstance(node.targets[0], ast.Name) and not one.args.kwonlyargs:
                made = copy.deepcopy(tree)
                twin = functions(made)[i]
                twin.args.args.append(ast.arg(node.targets[0].id))
                twin.args.defaults.append(node.value)
                del twin.body[j]
                twin.body = twin.body or [ast.Pass()]
                yield "left over", made


# ---------------------------------------------------------------------- one, two, three


def single(text: str) -> list[Slip]:
    """Every definition with one slip, each text once."""
    tree = ast.parse(text)
    found: dict[str, str] = {}
    for i, node in enumerate(ast.walk(tree)):
        for made, kind in RULES.items():
            for new in made(node):
                keep(found, kind, at(tree, i, new))
    for kind, made_whole in whole(tree):
        keep(found, kind, made_whole)
    found.pop(ast.unparse(tree), None)
    return [Slip(one, (kind,)) for one, kind in found.items()]


def keep(found: dict[str, str], kind: str, tree: ast.Module | None) -> None:
    """Note the text of a definition, if it is one."""
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) if tree else ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<slip>", "exec")
    except (SyntaxError, ValueError, TypeError, AttributeError):
        return
    if text:
        found.setdefault(text, kind)


def at(tree: ast.Module, index: int, new: Replacement) -> ast.Module | None:
    """A copy of the tree with something else in the place of one node; None where it cannot stand there."""
    made = copy.deepcopy(tree)
    old = next(node for i, node in enumerate(ast.walk(made)) if i == index)
    for parent in ast.walk(made):
        for field, value in ast.iter_fields(parent):
            if value is old and not isinstance(new, list):
                setattr(parent, field, copy.deepcopy(new))
                return made
            if isinstance(value, list) and any(item is old for item in value):
                own = copy.deepcopy(new) if isinstance(new, list) else [copy.deepcopy(new)]
                setattr(parent, field, [x for item in value for x in (own if item is old else [item])])
                return made
    return None


def one_more(text: str, rng: random.Random) -> Slip | None:
    """The definition with one more slip, which is drawn; None where the one that was drawn changes nothing."""
    tree = ast.parse(text)
    nodes = list(enumerate(ast.walk(tree)))
    i, node = rng.choice(nodes)
    could = [(kind, new) for made, kind in RULES.items() for new in made(node)]
    if not could:
        return None
    kind, new = rng.choice(could)
    found: dict[str, str] = {}
    keep(found, kind, at(tree, i, new))
    return next((Slip(made, (kind,)) for made in found if made != text), None)


def slips(text: str, most: int, seed: str = "") -> list[Slip]:
    """Definitions with one slip, then, as many as are wanted, with two and three; drawn, but the same for each seed."""
    rng = random.Random(seed + text)
    ones = single(text)
    rng.shuffle(ones)
    found = {text: Slip(text, ())} | {one.text: one for one in ones[: 2 * most // 3]}
    for _ in range(60 * most):
        if len(found) > most or not ones:
            break
        before = rng.choice(list(found.values()))
        further = one_more(before.text, rng) if len(before.kinds) in (1, 2) else None
        if further:
            found.setdefault(further.text, Slip(further.text, before.kinds + further.kinds))
    del found[text]
    return list(found.values())[:most]
