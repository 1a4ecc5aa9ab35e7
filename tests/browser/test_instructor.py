"""An instructor in formgrader: sees the class, opens a submission, changes a grade, and grades again."""

from grader.classroom.classroom import Classroom


def test_formgrader_shows_the_class_and_a_grade_by_hand_is_kept(page, lab, classroom, course, monkeypatch):
    page.goto(lab("formgrader"))  # JupyterLab's menu leads there, but not a learner's, which this one is
    row = page.locator("tr", has=page.get_by_role("link", name="chapter1", exact=True))
    row.wait_for()
    assert str(len(classroom.students)) in row.inner_text().split()

    page.goto(lab("formgrader/gradebook/chapter1/one-step"))
    rows = page.locator("tbody tr", has_text="/ 16")
    rows.first.wait_for()
    assert rows.count() == len(classroom.students)
    page.get_by_role("button", name="Show All Names").click()

    page.get_by_role("link", name="wrong-mul-own-value").click()
    score = page.locator("#mul-graded")
    page.locator("#mul-graded[placeholder='0']").wait_for()  # grades arrive after the page
    assert "Your Mul hands each operand its own value" in page.inner_text("body")
    page.locator("#notebook .MathJax").first.wait_for()  # formulas are set, with nothing from the network
    with page.expect_response(lambda answer: "/api/grade/" in answer.url and answer.request.method == "PUT"):
        score.fill("1.5")
        score.press("Tab")

    said = classroom.grader("autograde", "--again")
    assert f"{len(classroom.students)} submissions have a verdict" in said
    page.reload()
    page.locator("#mul-graded[placeholder='0']").wait_for()
    assert score.input_value() == "1.5"
    monkeypatch.chdir(course)
    with Classroom(course / "classroom").gradebook() as gradebook:
        grade = gradebook.find_grade("mul-graded", "one-step", "chapter1", "wrong-mul-own-value")
        assert (grade.auto_score, grade.manual_score, grade.score) == (0, 1.5, 1.5)
    # The mistake in Mul is paid for once: 14 points of the other exercises, and 1.5 by hand.
    classroom.grader("feedback", "--student", "wrong-mul-own-value")
    assert "15.5 of 16 points" in classroom.feedback("wrong-mul-own-value").read_text("utf-8")
