"""Mutants: mechanical slips in every definition that a learner writes. Each that changes behaviour must be rejected.

Operators, comparisons, constants, signs, loops and conditions are mutated by Cosmic Ray; what it has
no operator for – a statement or a call that is left out, swapped arguments – is mutated here.
A mutant that is accepted is equivalent, and is listed with its reason in equivalent.toml, or it is a
hole in the comparison.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor

from grader.ask.exercise import Exercise

from .cases import EXERCISES, accepted, define, exercise_of, text_of

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
BITWISE = ("BitAnd", "BitOr", "BitXor", "LShift", "RShift", "Invert")  # no rule has them, and no learner slips there
OPERATORS = [
    name
    for name in sorted(cosmic_ray.plugins.operator_names())
    if not any(word in name for word in (*BITWISE, "Variable", "RemoveDecorator"))
]


@dataclass(frozen=True)
class Mutant:
    """One slip in one definition: the exercise, the part, its text, and the lines that differ."""

    exercise: str
    part: str
    text: str
    slip: str


def mutants(exercise: Exercise, part: str) -> list[Mutant]:
    """Every mutant of the definition, each once, without those that say the same in other words."""
    right = original(exercise, part)
    seen = {right}
    found = []
    for text in [*by_cosmic_ray(right), *by_hand(right)]:
        try:
            text = ast.unparse(ast.parse(text))
        except SyntaxError:
            continue
        if text not in seen:
            seen.add(text)
            found.append(Mutant(exercise.name, part, text, slip(right, text)))
    return found


def original(exercise: Exercise, part: str) -> str:
    """The course's own definition of a part, as it is mutated."""
    return ast.unparse(bare(ast.parse(text_of(exercise, part))))


def bare(tree: ast.Module) -> ast.Module:
    """Without docstrings, decorators and annotations, where a slip changes nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in (*node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            node.decorator_list = []
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return tree


def by_cosmic_ray(text: str) -> Iterator[str]:
    """Each occurrence of each of Cosmic Ray's operators, applied once."""
    tree = get_ast(text)
    for name in OPERATORS:
        operator = cosmic_ray.plugins.get_operator(name)()
        for occurrence in range(sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(tree))):
            yield MutationVisitor(occurrence, operator).walk(get_ast(text)).get_code()


def by_hand(text: str) -> Iterator[str]:
    """Statements left out, arguments swapped, method calls and attributes left out, operands swapped."""
    for index, node in enumerate(ast.walk(ast.parse(text))):
        if isinstance(node, ast.stmt | ast.Call | ast.Attribute | ast.BinOp):
            for change in (leave_out, swap_arguments, drop_call, drop_attribute, swap_operands):
                mutated = ast.parse(text)  # sooner done than a copy of the tree
                twin = next(itertools.islice(ast.walk(mutated), index, None))
                yield from (ast.unparse(mutated) for _ in change(mutated, twin))


def replace_node(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    """Put `new` where `old` stands."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(item is old for item in value):
                setattr(parent, field, [new if item is old else item for item in value])


def leave_out(tree: ast.AST, node: ast.AST) -> Iterator[None]:
    """A statement, one that does something."""
    if isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Pass | ast.Import):
        replace_node(tree, node, ast.Pass())
        yield


def swap_arguments(tree: ast.AST, node: ast.AST) -> Iterator[None]:
    """The first two arguments of a call."""
    if isinstance(node, ast.Call) and len(node.args) >= 2:
        node.args[:2] = node.args[1::-1]
        yield


def swap_operands(tree: ast.AST, node: ast.AST) -> Iterator[None]:
    """Of an operation whose order counts."""
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mult):
        node.left, node.right = node.right, node.left
        yield


def drop_call(tree: ast.AST, node: ast.AST) -> Iterator[None]:
    """`x.method(…)` becomes `x`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        replace_node(tree, node, node.func.value)
        yield


def drop_attribute(tree: ast.AST, node: ast.AST) -> Iterator[None]:
    """`x.T` becomes `x`."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in ("T", "mT"):
        replace_node(tree, node, node.value)
        yield


def slip(before: str, after: str) -> str:
    """The lines that differ, in one line."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    changed = [line for line in lines if line[:1] in "+-"]
    return " ".join(f"{line[0]} {line[2:].strip()}" for line in changed)


def survives(mutant: Mutant, seeds: range) -> bool:
    """Whether the grader accepts the mutant on every seed."""
    exercise = exercise_of(mutant.exercise)
    try:
        definitions = define(exercise, mutant.text)
    except Exception:
        return False  # a cell that does not run is no answer
    return mutant.part in definitions and accepted(exercise, definitions, seeds)


def unreadable() -> list[tuple[Exercise, str]]:
    """The parts whose own text, put in as a mutant is, would be rejected: no mutant of theirs would tell anything."""
    parts = [(exercise, part) for exercise in EXERCISES for part in exercise.points]
    return [(e, p) for e, p in parts if not survives(Mutant(e.name, p, original(e, p), ""), range(1))]


def equivalents() -> dict[tuple[str, str], str]:
    """(part, slip) -> why it changes nothing that the exercise asks for."""
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8")).get("mutant", [])
    return {(one["part"], one["slip"]): one["reason"] for one in listed}
