"""What a student of the sample class must get, as its file says under `expect`."""

from grader.chapters import exercises
from grader.classroom.demo import samples


def scores(sample, chapter):
    """Exercise -> the points that it must get."""
    given = sample.expect.get("scores")
    return {e.name: e.max_score if given is None else float(given.get(e.name, 0)) for e in exercises(chapter)}


def state(sample, exercise):
    """`graded` or `not graded`."""
    return sample.expect.get("states", {}).get(exercise, sample.expect.get("state", "graded"))


def having(misconceptions, chapter):
    """The students of a chapter's sample class who have these misconceptions, by the misconception's name."""
    there = {sample.student: sample for sample in samples(chapter)}
    return {one.name: there[f"wrong-{one.name}"] for one in misconceptions}
