"""The grader's rooms: which there are, and which may import which. The arrows run one way."""

import ast
import keyword

from grader.publish.course import course_root

GRADER = course_root() / "grader"
# Each may import those that are named here, and `errors`, which anybody may: all of them stand above it.
MAY_IMPORT = {
    "ask": set(),
    "chapters": {"ask"},
    "verdict": {"ask", "chapters"},
    "learner": {"ask", "chapters", "verdict"},
    "run": {"ask", "chapters", "verdict"},
    "publish": {"ask", "chapters", "verdict", "learner"},
    "deploy": {"publish"},
    "classroom": {"ask", "chapters", "verdict", "run", "publish"},
    "about": {"ask", "chapters", "verdict", "learner", "run", "publish", "classroom"},
}


def dotted(path):
    parts = path.relative_to(GRADER.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {dotted(path): path for path in GRADER.rglob("*.py")}


def imported(name):
    """The grader's own modules that a module imports, in functions too; and the packages from outside, by first name."""
    package = name if FILES[name].name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(FILES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield f"{module}.{alias.name}" if f"{module}.{alias.name}" in FILES else module


def folders(place):
    """The folders of one level that hold something: what was deleted or moved can leave `__pycache__` behind."""
    within = [path for path in place.iterdir() if path.is_dir() and path.name != "__pycache__"]
    return {path.name for path in within if any(p.is_file() and p.suffix != ".pyc" for p in path.rglob("*"))}


def room(name):
    """`verdict` for `grader.verdict.compare`; "" for the files beside the rooms."""
    path = FILES[name].relative_to(GRADER)
    return path.parts[0] if len(path.parts) > 1 else ""


IMPORTS = {name: set(imported(name)) for name in FILES}
ARROWS = {name: (others & set(FILES)) - {name} for name, others in IMPORTS.items()}


def test_the_rooms_are_those_of_the_table():
    found = folders(GRADER)
    assert found == set(MAY_IMPORT) and len(found) <= 9


def test_a_room_imports_what_it_may_and_the_table_names_no_more():
    used = {name: set() for name in MAY_IMPORT}
    for name, others in ARROWS.items():
        if room(name):
            beside = {other for other in others if not room(other)}
            assert beside <= {"grader.errors"}, (name, beside)
            used[room(name)] |= {room(other) for other in others - beside} - {room(name)}
    assert used == MAY_IMPORT


def test_the_table_has_no_arrow_that_runs_back():
    rooms = list(MAY_IMPORT)
    assert all(rooms.index(other) < rooms.index(name) for name, others in MAY_IMPORT.items() for other in others)


def test_no_files_import_one_another_in_a_circle():
    left = {name: set(others) for name, others in ARROWS.items()}
    while free := {name for name, others in left.items() if not others & set(left)}:
        left = {name: others for name, others in left.items() if name not in free}
    assert not left, "each of these is in a circle, or imports one that is"


def test_a_level_is_taken_in_at_a_glance():
    """The chapters are counted by themselves: a folder each, however many there are."""
    for folder in [GRADER, *(path for path in GRADER.rglob("*") if path.is_dir())]:
        rooms = folders(folder)
        assert len(rooms) <= 9 or folder == GRADER / "chapters" and all(name.startswith("chapter") for name in rooms)
        assert not any(map(keyword.iskeyword, rooms))
    loose = {path.name for path in GRADER.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert len(loose) <= 3


def test_one_file_imports_torch():
    with_torch = [name for name, others in IMPORTS.items() if "torch" in {other.split(".")[0] for other in others}]
    assert with_torch == ["grader.verdict.assess"]
