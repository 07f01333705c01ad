"""A search that was cut off goes on to the plan that it would have found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsework import gallery, plan
from falsework.model.errors import BadFile
from falsework.model.state import State
from falsework.planning.nodes.journal import Journals, Saver, read_journal, write_journal
from falsework.planning.plans.jobs import Planned, Progress
from falsework.statics.core.batches import Finding


class Killed(Exception):
    pass


def steps(planned: Planned) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(step.action, step.parts, step.held) for step in planned.plan.steps]


@pytest.mark.parametrize("after", [1, 7, 40, 90])
def test_killed_and_resumed_it_finds_the_same_plan(after: int, tmp_path: Path) -> None:
    vault = gallery.make("barrel-vault", stones=5, rows=2)
    undisturbed = plan(vault)
    kept: Journals = {}

    def kill(now: Progress) -> None:
        if now.evaluations >= after:
            raise Killed

    if after < undisturbed.evaluations:
        with pytest.raises(Killed):
            plan(vault, journals=kept, progress=kill)
    write_journal(tmp_path / "journal.json", "q", kept)
    resumed = plan(vault, journals=read_journal(tmp_path / "journal.json", "q"))
    assert steps(resumed) == steps(undisturbed)
    assert resumed.evaluations == undisturbed.evaluations


def test_what_the_journal_knows_is_not_solved_again(tmp_path: Path) -> None:
    vault = gallery.make("barrel-vault", stones=5, rows=2)
    kept: Journals = {}
    plan(vault, journals=kept, margins=True)  # margins ask about other loads, which no journal keeps
    write_journal(tmp_path / "journal.json", "q", kept)
    again = read_journal(tmp_path / "journal.json", "q")
    known = dict(again[0])
    plan(vault, journals=again)
    assert again[0] == known == kept[0]


def test_a_journal_comes_back_as_it_was(tmp_path: Path) -> None:
    kept: Journals = {0: {State(7, 2): Finding("unstable", 5), State(3): Finding("stable")}, 2: {}}
    write_journal(tmp_path / "j.json", "q", kept)
    assert read_journal(tmp_path / "j.json", "q") == {0: kept[0]}


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "absent.json", "q") == {}


def test_the_journal_of_another_question_is_refused(tmp_path: Path) -> None:
    write_journal(tmp_path / "j.json", "one", {})
    with pytest.raises(BadFile, match="another input or other options"):
        read_journal(tmp_path / "j.json", "two")


@pytest.mark.parametrize(
    ("findings", "message"),
    [
        ([[0, "1", "0", "s"]], "pose, installed, held, answer and moving"),
        ([[0, "1", "0", "maybe", "0"]], "expected one of s, u"),
        ([[0, "1", "xyz", "s", "0"]], "hexadecimal"),
        ([[0, "1", "2", "s", "0"]], "can only hold parts that are installed"),
        ("none", "list"),
    ],
)
def test_damaged_journals_are_refused(findings: object, message: str, tmp_path: Path) -> None:
    file = tmp_path / "j.json"
    file.write_text(json.dumps({"format": "falsework-journal/1", "question": "q", "findings": findings}))
    with pytest.raises(BadFile, match=message):
        read_journal(file, "q")


def test_saving_takes_a_small_share_of_the_time() -> None:
    now, saves = [0.0], []

    def save() -> None:
        saves.append(now[0])
        now[0] += 1.0  # a slow disk

    saver = Saver(save, clock=lambda: now[0])
    while now[0] < 100.0:
        saver.tick()
        now[0] += 0.1
    assert 3 <= len(saves) <= 6
