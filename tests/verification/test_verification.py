"""A short form of `make verify`: the same checks on fewer seeds, and the published page is not stale."""

import pytest

from grader.chapters import CHAPTERS, exercises
from grader.chapters.answers import BANK
from grader.verdict.diagnose import answer_with, same

from . import accept, kill, mutants, page, reference
from .cases import EXERCISES, define, drawn

PARTS = [(exercise, part) for exercise in EXERCISES for part in exercise.points]
EVERY = 12  # of the mutants, the short form tries one in so many


def test_what_is_mutated_is_right_before():
    """Else a mutant would be rejected for a reason of its own, and tell nothing."""
    assert mutants.unreadable() == []


@pytest.mark.parametrize("exercise, part", PARTS, ids=lambda v: getattr(v, "name", v))
def test_mutants_are_rejected_or_listed_as_equivalent(exercise, part):
    known = mutants.equivalents()
    chosen = mutants.mutants(exercise, part)[::EVERY]
    survivors = [m.slip for m in chosen if mutants.survives(m, range(2)) and (part, m.slip) not in known]
    assert chosen and not survivors


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_right_answers_are_right(exercise):
    for found in accept.accepts(exercise.name, range(100, 103)):
        assert found.rejected == 0, (found.name, found.said)


@pytest.mark.parametrize("exercise, part", PARTS, ids=lambda v: getattr(v, "name", v))
def test_every_part_is_written_in_five_right_ways(exercise, part):
    assert accept.ways()[exercise.name, part] >= 5


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_two_mistakes_at_once_are_named(exercise):
    for found in kill.pairs(exercise.name, range(100, 101), most=8):
        assert found.rejected == found.seen and found.named_right + found.related == found.seen, found.name


@pytest.mark.parametrize("exercise", [e for e in EXERCISES if e.name in BANK], ids=lambda e: e.name)
def test_a_learners_cell_answers_as_the_banks_definition_does(exercise):
    """What an answer says of itself, as an error's message does, is the same wherever it was defined."""
    inputs = drawn(exercise, 100)
    for known in BANK[exercise.name]:
        own = {known.replaces: inputs[known.replaces]}
        cell = define(exercise, known.text())
        mine, banks = (
            answer_with(exercise, own, {known.replaces: d}) for d in (cell[known.replaces], known.definition)
        )
        assert same(mine, banks), known.name


def test_a_misconception_is_not_let_through_in_another_exercise():
    for misconception in [bank[0] for bank in BANK.values()]:
        where = kill.elsewhere(misconception.name, range(100, 101))
        assert not [name for name, seen in where.items() if seen != "rejected"]


def test_minigrad_agrees_with_three_others():
    found = reference.agreements(range(100, 101))
    assert found["torch"] == found["operations"]
    assert found["finite differences"] > 120 and found["autograd"] > 70


def test_the_published_page_is_about_this_grader():
    """Run `make verify` when what is verified has changed."""
    assert page.fingerprint() in page.PAGE.read_text("utf-8")


def test_of_the_bank_all_but_its_sentences_is_what_was_verified():
    for number in CHAPTERS:
        text = (page.ROOT / f"grader/chapters/chapter{number}" / page.BANKS).read_bytes()
        names = {m.name for e in exercises(number) for m in BANK.get(e.name, ()) if m.name}
        left = page.SENTENCE.sub(rb"\1\n", text)
        assert {name.decode() for name in page.SENTENCE.findall(text)} == {f"{name}:" for name in names}
        patches = [[line for line in one.splitlines() if line[:1] in b"-+=|@ "] for one in (text, left)]
        assert patches[0] == patches[1] and len(left) < len(text)


def test_the_page_says_what_readers_said_last():
    """Run `python -m tests.verification readers` when read.toml has changed."""
    assert f"{page.READERS}{page.read_by()}\n" in page.PAGE.read_text("utf-8")
