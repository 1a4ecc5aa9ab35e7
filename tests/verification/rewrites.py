"""Right answers in other words: rewrites of the right definitions that cannot change what they answer, but for rounding.

A rule looks at one node of a definition and yields what says the same. In a class's rules only operators are used, as
the text asks; NumPy's functions stand where a definition works on arrays alone.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from typing import Any

from .slips import Replacement, at, functions, keep, names_in

NUMPY = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "true_divide"}
ON_ARRAYS = {
    "square", "average", "by_hand", "diamond", "softplus", "layer_by_hand", "sgd_step", "numerical_jacobian", "forward",
}  # fmt: skip
NEGATED = {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}  # = compares arrays, too


def expression(text: str, **parts: Any) -> Any:
    """An expression, with others in the place of its names."""
    made = ast.parse(text, mode="eval").body

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> Any:  # noqa: N802 - ast's name
            return parts.get(node.id, node)

    return Fill().visit(made)


def is_sequence(node: Any) -> bool:
    """Whether it is a list or a tuple: + joins them."""
    return isinstance(node, ast.List | ast.Tuple | ast.ListComp | ast.Constant) and not isinstance(
        getattr(node, "value", None), int | float
    )


def algebra(node: Any) -> Iterator[tuple[str, Replacement]]:
    """The same number by another formula."""
    if "step(" in ast.unparse(node):  # which is a flag on arrays: it has no minus
        return
    if not isinstance(node, ast.BinOp) or is_sequence(node.left) or is_sequence(node.right):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield "algebra", expression("0 - a", a=node.operand)
            yield "algebra", expression("-1 * a", a=node.operand)
            yield "algebra", expression("a * -1", a=node.operand)
        return
    a, b = node.left, node.right
    texts = {
        ast.Add: ["b + a", "a - -b", "-(-a - b)"],
        ast.Sub: ["a + -b", "-(b - a)", "-b + a"],
        ast.Mult: ["b * a", "-(a * -b)"],
        ast.Div: ["-(-a / b)", "1 / b * a"],
        ast.Pow: ["1 * a ** b", "(a ** b)"],
    }
    for text in texts.get(type(node.op), ()):
        yield "algebra", expression(text, a=a, b=b)
    if isinstance(node.op, ast.Pow) and isinstance(b, ast.Constant) and b.value == 2:
        yield "algebra", expression("a * a", a=a)
    if isinstance(node.op, ast.Mult) and isinstance(a, ast.Constant) and a.value == 2:
        yield "algebra", expression("b + b", b=b)
    if isinstance(node.op, ast.Mult) and ast.unparse(a) == ast.unparse(b):
        yield "algebra", expression("a ** 2", a=a)


def on_arrays(node: Any) -> Iterator[tuple[str, Replacement]]:
    """NumPy's functions, and loops in the place of vectors."""
    if isinstance(node, ast.BinOp) and type(node.op) in NUMPY:
        yield "another function", expression(f"np.{NUMPY[type(node.op)]}(a, b)", a=node.left, b=node.right)
        loop = "np.vectorize(lambda p, q: p {} q, otypes=[np.result_type(a, b)])(a, b)"
        if type(node.op) is not ast.Div:
            sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}[type(node.op)]
            yield "a loop", expression(loop.format(sign), a=node.left, b=node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield "another function", expression("np.matmul(a, b)", a=node.left, b=node.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "another function", expression("np.negative(a)", a=node.operand)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.maximum":
        a, b = node.args
        yield "another function", expression("np.where(a > b, a, b)", a=a, b=b)
        yield "another function", expression("np.fmax(a, b)", a=a, b=b)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.exp":
        yield "another function", expression("1 / np.exp(-a)", a=node.args[0])
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.outer":
        a, b = node.args
        yield "another function", expression("np.multiply.outer(a, b)", a=a, b=b)
        yield "another function", expression("a[:, None] * b", a=a, b=b)


def logic(node: Any) -> Iterator[tuple[str, Replacement]]:
    """Conditions the other way round."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in NEGATED:
        turned = ast.Compare(node.left, [NEGATED[type(node.ops[0])]()], node.comparators)
        yield "a condition", ast.UnaryOp(ast.Not(), turned)
    if isinstance(node, ast.IfExp):
        yield "a condition", ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)
    if isinstance(node, ast.If):
        yield "a condition", [ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse or [ast.Pass()], node.body)]
        if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) and not node.orelse:
            inner: list[ast.stmt] = node.body
            for part in reversed(node.test.values):
                inner = [ast.If(part, inner, [])]
            yield "a condition", inner
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
        one, two = (ast.Assign(node.targets, value) for value in (node.value.body, node.value.orelse))
        yield "a condition", [ast.If(node.value.test, [one], [two])]


def steps(node: Any) -> Iterator[tuple[str, Replacement]]:
    """In smaller steps, or with a helper."""
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Name | ast.Constant):
        yield "a name", [ast.Assign([ast.Name("result", ast.Store())], node.value), ast.parse("return result").body[0]]
        name = f"helper_{sum(1 for _ in ast.walk(node))}"  # another one in each helper of a helper
        helper = ast.parse(f"def {name}():\n    return 0").body[0]
        assert isinstance(helper, ast.FunctionDef)
        helper.body = [ast.Return(node.value)]
        yield "a helper", [helper, ast.parse(f"return {name}()").body[0]]
        yield "a helper", [ast.Return(expression("(lambda: a)()", a=node.value))]
        if isinstance(node.value, ast.BinOp):
            two = ast.parse("left = 0\nright = 0\nreturn 0").body
            two[0].value, two[1].value = node.value.left, node.value.right  # type: ignore[attr-defined]
            names = (ast.Name("left", ast.Load()), ast.Name("right", ast.Load()))
            two[2].value = ast.BinOp(names[0], node.value.op, names[1])  # type: ignore[attr-defined]
            yield "a name", two
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and isinstance(node.value, ast.Constant):
        yield "a name", [ast.Assign([node.target], expression("a + b", a=expression(node.target.id), b=node.value))]
    if isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef | ast.FunctionDef):
        yield "more than is needed", [*ast.parse("assert True").body, node]
        yield "more than is needed", [ast.If(ast.Constant(True), [node], [])]


def loops(node: Any) -> Iterator[tuple[str, Replacement]]:
    """Loops in other words."""
    if isinstance(node, ast.While):
        stop = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        yield "a loop", [ast.While(ast.Constant(True), [stop, *node.body], [])]
    if isinstance(node, ast.For) and not any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(node)):
        yield "a loop", [ast.For(node.target, expression("list(a)", a=node.iter), node.body, [])]
        if not any(isinstance(n, ast.Continue) for n in ast.walk(node)):
            text = "waiting_ones = iter(a)\nwhile True:\n    try:\n        one_more = next(waiting_ones)\n    except StopIteration:\n        break"
            made: Any = ast.parse(text).body
            made[0].value.args = [node.iter]
            target = ast.Assign([node.target], ast.Name("one_more", ast.Load()))
            made[1].body += [target, *node.body]
            yield "a loop", made
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        yield "a loop", ast.Call(ast.Name("list", ast.Load()), [ast.GeneratorExp(node.elt, node.generators)], [])


def renamed(tree: ast.Module, rng: random.Random) -> ast.Module:
    """With other names for what one function assigns; its parameters keep theirs, as rules ask by names."""
    one = rng.choice(functions(tree))
    given = {argument.arg for argument in (*one.args.args, *one.args.kwonlyargs)}
    outer = {"global"} | {n.id for f in functions(tree) if f is not one for n in ast.walk(f) if isinstance(n, ast.Name)}
    names = [name for name in names_in(one) if name not in given | outer]
    other = {name: f"{rng.choice(['my', 'the', 'a', 'new'])}_{name}" for name in names}
    for node in ast.walk(one):
        if isinstance(node, ast.Name) and node.id in other:
            node.id = other[node.id]
    return tree


def rewritten(text: str, rng: random.Random, numpy: bool) -> tuple[str, str] | None:
    """The definition after one rewrite that is drawn, and its kind; None where there is none at the place drawn."""
    tree = ast.parse(text)
    if rng.random() < 0.1:
        return ast.unparse(renamed(tree, rng)), "other names"
    one = rng.choice(functions(tree))
    places = {id(node) for node in ast.walk(one)}
    i, node = rng.choice([(i, node) for i, node in enumerate(ast.walk(tree)) if id(node) in places])
    rules = [algebra, logic, steps, loops] + [on_arrays] * (numpy and one.name in ON_ARRAYS)
    could = [found for rule in rules for found in rule(node)]
    if not could:
        return None
    kind, new = rng.choice(could)
    found: dict[str, str] = {}
    keep(found, kind, at(tree, i, new))
    return next(iter(found.items()), None)


def rewrites(text: str, most: int, numpy: bool) -> list[tuple[str, tuple[str, ...]]]:
    """Definitions that say the same, by one to four rewrites: each text once, with the kinds of its rewrites.

    `numpy` says whether the notebook has imported it.
    """
    rng = random.Random(f"right {text}")
    found: dict[str, tuple[str, ...]] = {text: ()}
    for _ in range(60 * most):
        if len(found) > most:
            break
        before = rng.choice(list(found))
        made = rewritten(before, rng, numpy) if len(found[before]) < 4 else None
        if made:
            found.setdefault(made[0], (*found[before], made[1]))
    del found[text]
    return list(found.items())
