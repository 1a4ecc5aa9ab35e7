"""A solution cell and minigrad's own source hold the same definition, so that the two cannot drift."""

import ast

import nbformat
import pytest

from grader.publish.course import assignment, notebook_name
from grader.publish.release import chapters, course_root
from minigrad.workshop import PARTS
from minigrad.workshop.source import definition, reference

CHAPTERS = chapters()


def bare(text):
    """A definition's tree without decorators, docstrings, annotations, and the class-level lines that are no code."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            node.decorator_list, node.body = [], [line for line in node.body if not is_text(line)]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(tree)


def is_text(line):
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def solved(chapter):
    """The text of every solution cell of a chapter."""
    path = course_root() / "solutions" / assignment(chapter) / notebook_name(chapter)
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.metadata.get("nbgrader", {}).get("solution")]


@pytest.mark.parametrize("part", [p for p in PARTS if p.chapter in CHAPTERS], ids=lambda part: part.name)
def test_the_solution_and_minigrad_define_the_part_alike(part):
    found = [text for source in solved(part.chapter) if (text := definition(source, part.name))]
    assert len(found) == 1, f"chapter {part.chapter} should define {part.name} in one cell"
    assert bare(found[0]) == bare(reference(part))


def test_a_difference_would_be_seen():
    part = next(part for part in PARTS if part.name == "Mul")
    assert bare(reference(part)) != bare(reference(part).replace("grad * y", "grad + y"))
