"""Every exercise accepts what is right, and rejects and names what is known to be wrong."""

import functools
import os

import pytest
from rich.console import Console
from rich.table import Table

from grader.ask.exercise import PUBLIC_SECRET, generator
from grader.chapters.answers import BANK
from grader.verdict.diagnose import answer_with, standing
from tests.verification import kill
from tests.verification.cases import EXERCISES, result_of

# A learner who turns all axes round is warned, and not stopped.
pytestmark = pytest.mark.filterwarnings("ignore:The use of `x.T` on tensors:UserWarning")
WRONG = [(exercise, m) for exercise in EXERCISES for m in BANK.get(exercise.name, ())]
SEEDS = range(int(os.environ.get("MINIGRAD_SEEDS", "5")))


def drawn(exercise, seed):
    secret, student = (PUBLIC_SECRET, "") if seed is None else (b"test", str(seed))
    return exercise.draw(generator(secret, student, exercise.name))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_the_reference_is_right_on_every_seed(exercise):
    for seed in (None, *SEEDS):
        result = result_of(exercise, drawn(exercise, seed), {})
        assert result.right and result.score == exercise.max_score, (seed, result.sentences())


@functools.cache
def kills(name):
    """What the comparison and the diagnosis say of each misconception of an exercise, on every seed: label -> counts."""
    return {one.name: one for one in kill.matrix(name, SEEDS)}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_each_misconception_is_rejected_and_named(exercise):
    for name, found in kills(exercise.name).items():
        assert found.rejected == found.seen, name
        assert found.named_right == found.seen, (name, found.named)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_no_definition_in_the_bank_stops_at_a_name_that_is_not_there(exercise):
    """It would stand for every answer that stops, and for none of those that it describes."""
    inputs = drawn(exercise, None)
    for misconception in BANK[exercise.name]:
        part = misconception.replaces
        for definition in misconception.definitions:
            with standing(exercise, {}):
                seen = answer_with(exercise, {part: inputs[part]}, {part: definition})
            assert not [one for one in seen if "NameError" in str(one.flags)], misconception.name


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_a_misconception_costs_the_points_of_its_part(exercise):
    for part, points in exercise.points.items():
        wrong = next(m for m in BANK[exercise.name] if m.replaces == part)
        result = result_of(exercise, drawn(exercise, None), {part: wrong.definition})
        assert result.findings[part].cause == wrong.name
        assert result.score == exercise.max_score - points


def test_every_misconception_has_a_sentence_of_its_own():
    said = [m.advice for _, m in WRONG]
    assert len(said) == len(set(said)) and all(sentence.endswith(".") for sentence in said)
    assert len({m.name for _, m in WRONG}) == len(WRONG)


def test_no_two_misconceptions_of_an_exercise_answer_the_same():
    for exercise in EXERCISES:
        inputs, twins = drawn(exercise, 0), {}
        for m in BANK.get(exercise.name, ()):
            answer = repr(answer_with(exercise, inputs, {m.replaces: m.definition}))
            assert answer not in twins, f"{m.name} and {twins[answer]} answer the same, and silence each other."
            twins[answer] = m.name


def test_inputs_differ_from_student_to_student_and_cannot_be_guessed():
    for exercise in EXERCISES:
        draws = [repr(exercise.draw(generator(s, who, exercise.name))) for s in (b"a", b"b") for who in ("ada", "bo")]
        assert len(set(draws)) == 4
        assert repr(exercise.draw(generator(b"a", "ada", exercise.name))) == draws[0]


def test_inputs_differ_from_hand_in_to_hand_in():
    for exercise in EXERCISES:
        draws = [repr(exercise.draw(generator(b"a", "ada", exercise.name, work))) for work in ("", "1", "2")]
        assert len(set(draws)) == 3


def test_kill_table(capsys):
    """Print the kill table: each misconception with the sentence that it gets."""
    columns = ("exercise", "misconception", "rejected", "named", "what the learner reads")
    table = Table(*columns, title=f"Kill table, {len(SEEDS)} seeds (MINIGRAD_SEEDS sets how many)")
    survivors = 0
    for exercise, wrong in WRONG:
        found = kills(exercise.name)[wrong.name]
        survivors += found.seen - found.rejected
        counts = (f"{found.rejected}/{found.seen}", f"{found.named_right}/{found.seen}")
        table.add_row(exercise.name, wrong.name, *counts, wrong.advice)
    with capsys.disabled():
        Console(width=160).print(table)
    assert survivors == 0
