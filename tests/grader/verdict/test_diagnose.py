"""What a finding says of a part that is right and waits for another, and how long its texts are."""

from grader.ask.exercise import PUBLIC_SECRET, generator
from grader.chapters import exercise_named
from grader.verdict import probe
from grader.verdict.assess import of_findings
from grader.verdict.diagnose import waits_for
from grader.verdict.finding import RIGHT, Finding, right_but_waiting
from grader.verdict.render import plain, report


def test_a_right_part_waits_for_what_it_runs_on_and_for_nothing_else():
    exercise = exercise_named("paths")
    inputs = exercise.draw(generator(PUBLIC_SECRET, "", exercise.name))
    wrong = [("add", "Add"), ("polynomial", "polynomial"), ("neg-sub", "Sub")]
    assert waits_for(exercise, "backpropagate", inputs, wrong) == ["Add", "Sub"]


def test_it_is_right_and_says_what_it_waits_for():
    finding = right_but_waiting(["Add", "Sub"])
    assert finding.right and finding.waits == "Add and Sub"
    result = of_findings(exercise_named("paths"), {"backpropagate": finding})
    assert result.right and result.score == 4
    assert result.sentences() == [finding.message] and finding.message.startswith("Right; waits for Add and Sub: ")
    assert "backpropagate: Right; waits for Add and Sub" in report(result)


def test_of_several_parts_each_that_waits_is_named():
    exercise = exercise_named("polynomial")
    found = {"polynomial": RIGHT, "differentiate": right_but_waiting(["Mul"])}
    assert of_findings(exercise, found).sentences() == [f"differentiate: {found['differentiate'].message}"]
    undone = {"polynomial": Finding("not done", message="Not done yet."), "differentiate": RIGHT}
    assert of_findings(exercise, undone).score == exercise.points["differentiate"]


def test_a_long_text_ends_with_a_whole_word():
    text = plain("gradients " * 60)
    assert len(text) <= 400 and text.endswith("gradients …")
    assert plain("x" * 500, 20) == "x" * 18 + " …"
    message = probe.describe_error(ValueError("several words " * 40))["message"]
    assert len(message) <= 300 and message.endswith(("several …", "words …"))
