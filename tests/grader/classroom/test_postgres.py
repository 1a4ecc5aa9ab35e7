"""PostgreSQL as the gradebook: four writers of four chapters at once lose nothing, and write what SQLite gets."""

import shutil
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import nbformat
import pytest

from grader.classroom.classroom import Classroom
from grader.classroom.demo import solution_notebook
from grader.classroom.grading import Crew, autograde, processes
from grader.publish.course import notebook_name
from tests.bench.postgres import missing, postgres
from tests.grader.classroom.test_gradebook_writer import drawn, rows

pytestmark = [pytest.mark.skipif(bool(missing()), reason=missing()), pytest.mark.timeout(900)]
CHAPTERS, STUDENTS = (1, 2, 3, 4), [f"student{number:02}" for number in range(12)]


@pytest.fixture(scope="module")
def server():
    with postgres() as url:
        yield url


def section(folder, chapter, url=""):
    """A classroom of one chapter; its students are those of the other sections, too."""
    room = Classroom(folder / f"section{chapter}", unsafe=True, database=url)
    (room.folder / "submitted").mkdir(parents=True)
    (room.folder / "secret").write_bytes(b"s" * 32)
    notebook = solution_notebook(chapter)
    notebook.cells.insert(0, nbformat.v4.new_code_cell())
    for student in STUDENTS:
        notebook.cells[0].source = f"# the work of {student}"
        path = room.submitted(student, chapter) / notebook_name(chapter)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook))
    return room


def grade(room, chapter):
    return autograde(room, chapter, crew=Crew(lambda: ThreadPoolExecutor(1), 1, drawn))


def test_four_writers_of_four_chapters_lose_nothing(tmp_path, server, empty_gradebook):
    rooms = {chapter: section(tmp_path / "together", chapter, server) for chapter in CHAPTERS}
    with rooms[1].gradebook():  # its tables are made by one, once
        pass
    with ProcessPoolExecutor(len(CHAPTERS), processes(__name__)) as writers:
        assert list(writers.map(grade, rooms.values(), rooms)) == [{}] * len(CHAPTERS)
    for chapter, room in rooms.items():
        alone = section(tmp_path / "alone", chapter)
        shutil.copy(empty_gradebook, alone.folder)
        assert grade(alone, chapter) == {}
        (counts, *together), (_, *one_by_one) = rows(room, chapter), rows(alone, chapter)
        assert together == one_by_one
        assert counts["student"] == len(STUDENTS)
        assert counts["submitted_assignment"] == len(STUDENTS) * len(CHAPTERS)
