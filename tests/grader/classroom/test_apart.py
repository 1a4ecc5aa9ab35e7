"""One student's submission breaks, or leads elsewhere: it is that student's row, and the others are graded."""

import contextlib
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from grader.about.report import class_rows
from grader.classroom import work
from grader.classroom.classroom import Classroom, grades
from grader.classroom.grading import Crew, Fault, autograde
from grader.classroom.pages import feedback_pages
from grader.publish.course import course_root, notebook_name, read_secret, release_notebook
from grader.run.bulkhead import TooLong, bounded
from grader.run.judge import refuse
from grader.run.submission import Unreadable, digest

NAME = notebook_name(1)


def nobody_looks(job):
    """The verdict that nobody looked at it; the notebook is nbgrader's to write."""
    try:
        handed_in = digest(work.restored(job))
    except Unreadable:
        return work.do(job)
    return work.Done(refuse(1, "nobody looked at it").as_json(), digest=handed_in)


QUICK = Crew(lambda: ThreadPoolExecutor(1), 1, nobody_looks)


@pytest.fixture
def room(tmp_path, empty_gradebook):
    """A class of two, and aa's submission still to be spoilt, which comes first."""
    room = Classroom(tmp_path / "room")
    room.folder.mkdir()
    shutil.copy(empty_gradebook, room.folder)
    read_secret(room.folder)
    for student in ("aa", "bo"):
        room.submitted(student, 1).mkdir(parents=True)
        (room.submitted(student, 1) / NAME).write_text(nbformat.writes(release_notebook(1)))
    return room


def graded(room):
    with room.gradebook() as gradebook:
        return {who for who, cells in grades(gradebook, 1).items() if room.autograded(who, 1).is_file() and cells}


def test_one_that_cannot_be_written_is_one_students(room, monkeypatch):
    real = Classroom.autograde

    def fails(self, who, chapter):
        if who == "aa":
            "\ud800".encode()
        return real(self, who, chapter)

    monkeypatch.setattr(Classroom, "autograde", fails)
    problems = autograde(room, 1, crew=QUICK)
    assert list(problems) == ["aa"] and "cannot be graded (UnicodeEncodeError" in problems["aa"]
    assert not isinstance(problems["aa"], Fault) and graded(room) == {"bo"}


def test_one_that_breaks_its_reading_is_one_students(room, monkeypatch):
    broken, real = [], work.restore

    def breaks(submitted, release):
        if not broken:  # aa's, which comes first
            broken.append(submitted)
            raise KeyError("nobody foresaw it")
        return real(submitted, release)

    monkeypatch.setattr(work, "restore", breaks)
    crew = Crew(
        lambda: ThreadPoolExecutor(1), 1, lambda job: work.do(job) if job.student == "aa" else nobody_looks(job)
    )
    problems = autograde(room, 1, crew=crew)
    assert problems == {"aa": "its submission cannot be graded (KeyError: 'nobody foresaw it')"}
    assert not isinstance(problems["aa"], Fault) and graded(room) == {"bo"}


def student(room, secret):
    shutil.rmtree(room.submitted("aa", 1).parent)
    room.submitted("aa", 1).parent.symlink_to(room.submitted("bo", 1).parent)


def chapter(room, secret):
    shutil.rmtree(room.submitted("aa", 1))
    room.submitted("aa", 1).symlink_to(room.submitted("bo", 1))


def notebook(room, secret):
    (room.submitted("aa", 1) / NAME).unlink()
    (room.submitted("aa", 1) / NAME).symlink_to(room.submitted("bo", 1) / NAME)


def beside(room, secret):
    (room.submitted("aa", 1) / "notes.txt").symlink_to(secret)


def below(room, secret):
    (room.submitted("aa", 1) / "data").symlink_to(secret.parent)


def pipe(room, secret):
    os.mkfifo(room.submitted("aa", 1) / "pipe")


def itself(room, secret):
    (room.submitted("aa", 1) / "again").symlink_to(".")


@pytest.mark.parametrize("spoil", [student, chapter, notebook, beside, below, pipe, itself])
def test_what_leads_out_of_a_submission_is_not_followed(room, tmp_path, spoil):
    (tmp_path / "elsewhere").mkdir()
    (secret := tmp_path / "elsewhere" / "secret").write_text("the secret of somebody else")
    spoil(room, secret)
    problems = autograde(room, 1, crew=QUICK)
    assert list(problems) == ["aa"] and "which is not followed" in problems["aa"] and graded(room) == {"bo"}
    assert not isinstance(problems["aa"], Fault)


@pytest.mark.parametrize("spoil", [notebook, beside, below, pipe])
def test_nbgraders_own_commands_copy_no_link(room, tmp_path, spoil):
    (tmp_path / "elsewhere").mkdir()
    (secret := tmp_path / "elsewhere" / "secret").write_text("the secret of somebody else")
    autograde(room, 1, ["bo"], QUICK)
    spoil(room, secret)
    room.autograde("aa", 1)
    room.generate_feedback("aa", 1)
    for step in ("autograded", "feedback"):
        made = [path for path in (room.folder / step).rglob("*") if path.is_file()]
        assert not any(b"somebody else" in path.read_bytes() for path in made)
        assert not [path for path in made if path.name in ("notes.txt", "secret", "pipe") or path.is_symlink()]


def test_the_time_of_a_block_is_the_processors():
    with pytest.raises(TooLong), bounded(0.05):
        while True:
            with contextlib.suppress(Exception):  # it is no mistake of the block's
                sum(range(1000))
    with bounded(0.05):
        os.waitpid(os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "0.2"), 0)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux limits memory")
def test_the_memory_of_a_block_is_limited_and_given_back():
    with pytest.raises(MemoryError), bounded(60, 100 << 20):
        bytearray(1 << 30)
    assert len(bytearray(300 << 20))


def a_folder_like_the_courses_file(folder):
    (folder / "graph.svg").mkdir()
    (folder / "graph.svg" / "x").write_text("x")


def a_folder_for_a_notebook(folder):
    (folder / NAME).unlink()
    (folder / NAME).mkdir()
    (folder / NAME / NAME).write_text("x")


def names_that_are_no_text(folder):
    """In the place of a picture, of a folder and of another notebook."""
    there = os.fsencode(folder)
    os.mkdir(there + b"/\xff")
    for name in (b"\xfc.png", b"\xff/\xfc.txt", b"\xfc.ipynb", b"timestamp.txt\xff"):
        with open(there + b"/" + name, "w") as file:
            file.write("{}")


def a_folder_for_a_time(folder):
    (folder / "timestamp.txt").mkdir()


def a_time_without_end(folder):
    (folder / "timestamp.txt").write_text("1 " * 1_000_000)


def a_time_in_a_zone_that_is_a_file(folder):
    (folder / "timestamp.txt").write_text("2026-11-20 18:30 /etc/passwd")


def a_time_that_is_no_text(folder):
    (folder / "timestamp.txt").write_bytes(b"\xff\xfe")


def a_path_as_long_as_paths_can_be(folder):
    """One letter more, as in autograded/, is too long."""
    here = os.open(folder, os.O_RDONLY)
    left = os.pathconf(folder, "PC_PATH_MAX") - 1 - len(str(folder))
    while left:
        name = "a" * min(200, left - 1 if left <= 201 else 200)
        left -= len(name) + 1
        if left <= 1:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=here))
            return
        os.mkdir(name, dir_fd=here)
        here = os.open(name, os.O_RDONLY, dir_fd=here)


@pytest.mark.parametrize(
    "spoil",
    [
        a_folder_like_the_courses_file,
        a_folder_for_a_notebook,
        names_that_are_no_text,
        a_folder_for_a_time,
        a_time_without_end,
        a_time_in_a_zone_that_is_a_file,
        a_time_that_is_no_text,
        a_path_as_long_as_paths_can_be,
    ],
)
def test_files_of_any_name_are_one_students(room, spoil):
    spoil(room.submitted("aa", 1))
    problems = autograde(room, 1, crew=QUICK)
    assert set(problems) <= {"aa"} and not any(isinstance(problem, Fault) for problem in problems.values())
    assert graded(room) - {"aa"} == {"bo"}


def no_time(room, secret):
    a_time_without_end(room.submitted("aa", 1))


@pytest.mark.parametrize("spoil", [student, chapter, notebook, beside, pipe, no_time])
def test_the_report_says_why_a_submission_is_not_graded(room, tmp_path, spoil):
    (tmp_path / "elsewhere").mkdir()
    spoil(room, tmp_path / "elsewhere" / "secret")
    autograde(room, 1, crew=QUICK)
    with room.gradebook() as gradebook:
        rows = [row for row in class_rows(room.folder, gradebook, [1]) if row.student == "aa"]
    assert rows and {row.state for row in rows} == {"not graded"}
    (words,) = {row.diagnosis for row in rows}
    assert "is not followed" in words or "is no time" in words
    assert "run grader autograde" not in words and "aa" not in words, "the row has the name, or is to have none"


@pytest.mark.parametrize("name", ["a*", "a?", "[a]", " a", "a\nb"])
def test_the_report_says_which_names_nbgrader_refuses(room, name):
    room.submitted("aa", 1).parent.rename(room.folder / "submitted" / name)
    assert list(autograde(room, 1, crew=QUICK)) == [name]
    with room.gradebook() as gradebook:
        rows = [row for row in class_rows(room.folder, gradebook, [1]) if row.student == name]
    assert rows and all("nbgrader takes no name" in row.diagnosis and row.state == "not graded" for row in rows)


ACTIVE = b"<script>document.title = 'ran'</script>"


def test_nothing_that_was_handed_in_lies_beside_a_feedback_page(room):
    """Also under the page's own name, as a folder, and from before."""
    folder = room.submitted("aa", 1)
    for name in ("index.html", "feedback.html", "x.svg", "plot.png", ".htaccess", "ONE-STEP.html", "below/index.html"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(ACTIVE)
    (folder / "timestamp.txt").write_text("2026-11-20 18:30:00 UTC")
    (folder / "submission_secret.txt").write_text("0a" * 64)  # as nbgrader's exchange writes it
    (room.submitted("bo", 1) / "submission_secret.txt").write_bytes(ACTIVE)
    assert autograde(room, 1, crew=QUICK) == {}
    before = room.feedback("aa", 1).parent / "index.html"
    before.parent.mkdir(parents=True)
    before.write_bytes(ACTIVE)
    assert dict(feedback_pages(room, 1, ["aa", "bo"])) == {"aa": "", "bo": ""}
    made = {who: sorted(path.name for path in room.feedback(who, 1).parent.rglob("*")) for who in ("aa", "bo")}
    own = sorted(path.name for path in (course_root() / "notebooks" / "chapter1").glob("*.svg"))
    assert made["bo"] == sorted([*own, "one-step.html"])
    assert made["aa"] == sorted([*made["bo"], "submission_secret.txt", "timestamp.txt"])
    assert (before.parent / "submission_secret.txt").read_text() == "0a" * 64
    assert (before.parent / "timestamp.txt").read_text().startswith("2026-11-20 18:30")


@pytest.mark.parametrize("name", ["one-step.html", "one-step_files", "one-step"])
@pytest.mark.parametrize("kind", ["file", "folder", "empty folder"])
def test_nothing_that_was_handed_in_is_in_the_way_of_a_page(room, name, kind):
    path = room.submitted("aa", 1) / name
    if kind == "file":
        path.write_bytes(ACTIVE)
    else:
        path.mkdir()
    if kind == "folder":
        (path / "x").write_bytes(ACTIVE)
    assert autograde(room, 1, crew=QUICK) == {}
    assert dict(feedback_pages(room, 1, ["aa", "bo"])) == {"aa": "", "bo": ""}
    assert ACTIVE not in room.feedback("aa", 1).read_bytes() and room.feedback("bo", 1).is_file()


def test_a_student_whose_name_is_no_text_is_one_row(room):
    """Also with an extension to write, and where nothing else was handed in."""
    (room.folder / "course.toml").write_text("[due]\nchapter1 = 2026-11-30T18:00:00Z\n[more_time]\naa = 2\n")
    shutil.rmtree(room.submitted("aa", 1).parent)
    shutil.copytree(room.submitted("bo", 1), room.submitted("m\udcfcller", 1))
    problems = autograde(room, 1, crew=QUICK)
    assert list(problems) == ["m\udcfcller"] and "rename the folder" in problems["m\udcfcller"]
    assert not isinstance(problems["m\udcfcller"], Fault) and graded(room) == {"bo"}
    shutil.rmtree(room.submitted("bo", 1).parent)
    assert list(autograde(room, 1, crew=QUICK)) == ["m\udcfcller"]


def test_nbgraders_own_commands_read_no_time_without_end(room):
    autograde(room, 1, ["bo"], QUICK)
    a_time_without_end(room.submitted("aa", 1))
    assert "is no time" in room.autograde("aa", 1)
