"""Every exercise accepts what is right, and rejects and names what is known to be wrong."""

import functools
import os

import pytest
from rich.console import Console
from rich.table import Table

import minigrad
from grader import probe
from grader.assess import assess
from grader.chapters import CHAPTERS
from grader.diagnose import answer_with
from grader.exercise import PUBLIC_SECRET, generator
from grader.misconceptions import BANK
from minigrad import workshop

EXERCISES = [exercise for chapter in CHAPTERS.values() for exercise in chapter]
WRONG = [(exercise, m) for exercise in EXERCISES for m in BANK.get(exercise.name, ())]
SEEDS = range(int(os.environ.get("MINIGRAD_SEEDS", "5")))


def drawn(exercise, seed):
    secret, student = (PUBLIC_SECRET, "") if seed is None else (b"test", str(seed))
    return exercise.draw(generator(secret, student, exercise.name))


def result_of(exercise, inputs, **definitions):
    """Assess minigrad itself, with some definitions replaced."""
    own = workshop.own_parts(exercise.chapter)
    parts = {name: d for name, d in definitions.items() if name in own}
    with workshop.using(**{**own, **parts}):
        given = {**exercise.twin(minigrad), **definitions}
        return assess(exercise, inputs, probe.observe(exercise.probe, minigrad, given, inputs))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_the_reference_is_right_on_every_seed(exercise):
    for seed in (None, *SEEDS):
        result = result_of(exercise, drawn(exercise, seed))
        assert result.right and result.score == exercise.max_score, (seed, result.sentences())


@functools.cache
def verdicts(name):
    """What the comparison says of a misconception's every definition, on every seed: (result, finding) each."""
    exercise, wrong = next(pair for pair in WRONG if pair[1].name == name)
    results = [
        result_of(exercise, drawn(exercise, seed), **{wrong.replaces: definition})
        for seed in (None, *SEEDS)
        for definition in wrong.definitions
    ]
    return [(result, result.findings[wrong.replaces]) for result in results]


@pytest.mark.parametrize("exercise, wrong", WRONG, ids=lambda v: v.name)
def test_each_misconception_is_rejected_and_named(exercise, wrong):
    for result, finding in verdicts(wrong.name):
        assert not finding.right
        assert finding.cause == wrong.name, finding
        assert result.score == exercise.max_score - exercise.points[wrong.replaces]


def test_every_misconception_has_a_sentence_of_its_own():
    said = [m.advice for _, m in WRONG]
    assert len(said) == len(set(said)) and all(sentence.endswith(".") for sentence in said)
    assert len({m.name for _, m in WRONG}) == len(WRONG)


def test_no_two_misconceptions_of_an_exercise_answer_the_same():
    for exercise in EXERCISES:
        inputs = drawn(exercise, 0)
        answers = {
            m.name: repr(answer_with(exercise, inputs, {m.replaces: m.definition})) for m in BANK.get(exercise.name, ())
        }
        assert len(set(answers.values())) == len(answers)


def test_inputs_differ_from_student_to_student_and_cannot_be_guessed():
    for exercise in EXERCISES:
        draws = [repr(exercise.draw(generator(s, who, exercise.name))) for s in (b"a", b"b") for who in ("ada", "bo")]
        assert len(set(draws)) == 4
        assert repr(exercise.draw(generator(b"a", "ada", exercise.name))) == draws[0]


def test_kill_table(capsys):
    """Print the kill table: each misconception with the sentence that it gets."""
    columns = ("exercise", "misconception", "rejected", "named", "what the learner reads")
    table = Table(*columns, title=f"Kill table, {len(SEEDS) + 1} seeds (MINIGRAD_SEEDS sets how many)")
    survivors = 0
    for exercise, wrong in WRONG:
        findings = [finding for _, finding in verdicts(wrong.name)]
        rejected, named = sum(not f.right for f in findings), sum(f.cause == wrong.name for f in findings)
        survivors += len(findings) - rejected
        table.add_row(
            exercise.name, wrong.name, f"{rejected}/{len(findings)}", f"{named}/{len(findings)}", wrong.advice
        )
    with capsys.disabled():
        Console(width=160).print(table)
    assert survivors == 0
