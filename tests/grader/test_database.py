"""The gradebook's database, as nbgrader opens it again and again."""

import shutil

from nbgrader.api import Gradebook

from grader.database import OnceCompiled, once_compiled


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


def test_another_database_is_opened_as_it_is():
    """With its driver, and its password."""
    for url in "postgresql+psycopg://ada:secret@db.example/grades", "sqlite+pysqlite:////srv/gradebook.db":
        assert once_compiled(url) == url
