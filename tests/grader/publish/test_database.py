"""The gradebook's database, as nbgrader opens it again and again."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbgrader import api
from nbgrader.api import Base, Gradebook
from sqlalchemy import create_engine, event, inspect, text

from grader.classroom.classroom import Classroom
from grader.publish.course import course_root, script
from grader.publish.database import OnceCompiled, alembic_here, newest, once_compiled
from grader.publish.release import make_release


def test_a_new_gradebook_has_the_revision_that_alembic_names(tmp_path):
    with alembic_here(), Gradebook(f"sqlite:///{tmp_path}/new.db") as gradebook:
        (written,) = gradebook.db.execute(text("SELECT version_num FROM alembic_version")).scalars()
    scripts = Path(api.__file__).parent / "alembic"
    config = tmp_path / "alembic.ini"
    config.write_text(f"[alembic]\nscript_location = {scripts}\n")
    program = "import grader.light; from alembic.config import main; main()"
    command = [sys.executable, "-c", program, "-c", str(config), "heads"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == f"{written} (head)\n" and newest() == written


def test_a_query_is_compiled_once_a_process(tmp_path, empty_gradebook):
    """However often the gradebook is opened; each time it is asked anew."""
    shutil.copy(empty_gradebook, tmp_path)

    def enroll(student: str) -> set[str]:
        with Gradebook(once_compiled(f"sqlite:///{tmp_path}/gradebook.db"), course_id="minigrad") as gradebook:
            gradebook.update_or_create_student(student)
            return {student.id for student in gradebook.students}

    enroll("ada")
    assert enroll("eve") == {"ada", "eve"}
    known = len(OnceCompiled.queries)
    assert enroll("zoe") == {"ada", "eve", "zoe"}
    assert len(OnceCompiled.queries) == known > 0


def statements(url: str) -> list[str]:
    """What creating nbgrader's tables asks of the database; afterwards, all of them are there."""
    engine, asked = create_engine(once_compiled(url)), []
    event.listen(engine, "before_cursor_execute", lambda connection, cursor, statement, *_: asked.append(statement))
    Base.metadata.create_all(engine)
    assert set(inspect(engine).get_table_names()) >= set(Base.metadata.tables)
    return asked


def test_tables_are_looked_for_all_at_once(tmp_path, empty_gradebook):
    shutil.copy(empty_gradebook, tmp_path)
    found = statements(f"sqlite:///{tmp_path}/gradebook.db")
    assert not [statement for statement in found if "table_info" in statement]


def test_tables_that_are_missing_are_made(tmp_path):
    """All of them, and one alone."""
    url = f"sqlite:///{tmp_path}/new.db"
    assert [statement for statement in statements(url) if "CREATE TABLE" in statement]
    with create_engine(url).begin() as connection:
        connection.execute(text("DROP TABLE comment"))
    made = [statement.split()[2] for statement in statements(url) if "CREATE TABLE" in statement]
    assert made == ["comment"]


def test_another_database_is_opened_as_it_is():
    """With its driver, and its password."""
    for url in "postgresql+psycopg://ada:secret@db.example/grades", "sqlite+pysqlite:////srv/gradebook.db":
        assert once_compiled(url) == url


def test_a_chapter_gains_and_loses_cells_in_a_class_that_has_submissions(tmp_path, empty_gradebook):
    room = Classroom(Path(shutil.copytree(empty_gradebook.parent, tmp_path / "room")))
    room.enroll(1)
    with room.gradebook() as gradebook:
        gradebook.add_student("ada")
        gradebook.add_submission("chapter1", "ada")
        for grade in gradebook.find_submission("chapter1", "ada").notebooks[0].grades:
            grade.auto_score = 1.0
        gradebook.db.commit()
    path = script(1).with_suffix(".ipynb")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("grade_id", "").startswith("pow"):
            about["grade_id"] = about["grade_id"].replace("pow", "power")
    changed = {path.relative_to(course_root()): nbformat.writes(notebook)}
    make_release(1, course_root(), changed, room.db_url)
    with room.gradebook() as gradebook:
        (handed_in,) = gradebook.find_submission("chapter1", "ada").notebooks
        points = {one.name: (one.auto_score, one.max_score) for one in handed_in.grades}
        assert points["power-graded"] == (None, 2.0) and points["mul-graded"] == (1.0, 2.0)
        assert "pow-graded" not in points and len(points) == 6
        assert {one.name for one in handed_in.comments} >= {"power", "mul"}
        (book,) = gradebook.find_assignment("chapter1").notebooks
        assert "power-graded" in {cell.name for cell in book.source_cells}
