"""The journal of a search: every solve it paid for, in a file, so that a search that was cut off can be resumed.

A search asks the same questions in the same order every time. Run again with its journal it goes through what it
already knew in no time and carries on where it stopped, to the very plan an undisturbed run would have found.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import write_whole
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json
from falsework.formats.basics.text import read_text
from falsework.model.errors import BadFile
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.core.batches import Finding

JOURNAL_FORMAT = "falsework-journal/1"
ANSWERS: dict[str, Answer] = {"s": "stable", "u": "unstable", "?": "undecided"}
LETTERS = {answer: letter for letter, answer in ANSWERS.items()}
SHARE = 20  # saving takes at most one part in so many of the time
SOONEST_S = 0.5
MOST_FINDINGS = 10_000_000

Journal = dict[State, Finding]
Journals = dict[int, Journal]  # by pose


def question_hash(question: Mapping[str, Any]) -> str:
    """What a journal belongs to: the input, the rules and the settings, limits aside."""
    return sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()


def write_journal(path: Path, question: str, journals: Journals) -> None:
    """All findings; the file appears whole or not at all."""
    rows = [
        [pose, f"{state.installed:x}", f"{state.held:x}", LETTERS[finding.answer], f"{finding.moving:x}"]
        for pose, journal in journals.items()
        for state, finding in journal.items()
    ]
    write_whole(path, json.dumps({"format": JOURNAL_FORMAT, "question": question, "findings": rows}))


def read_journal(path: Path, question: str) -> Journals:
    """The findings of an earlier run; none if there was none."""
    if not path.exists():
        return {}
    root = load_json(path, read_text(path))
    root.only(("format", "question", "findings"))
    if root["format"].value != JOURNAL_FORMAT:
        raise root["format"].expected(repr(JOURNAL_FORMAT))
    if root["question"].text() != question:
        raise BadFile(path, "question", "it belongs to another input or other options; remove it or omit --resume")
    journals: Journals = {}
    for row in root["findings"].elements(MOST_FINDINGS):
        if len(row.elements()) != 5:
            raise row.expected("pose, installed, held, answer and moving")
        pose, installed, held, letter, moving = row.elements()
        journal = journals.setdefault(pose.whole(0, 1 << 32), {})
        with row.blamed():
            if letter.value not in ANSWERS:
                raise letter.expected(f"one of {', '.join(ANSWERS)}")
            journal[State(_mask(installed), _mask(held))] = Finding(ANSWERS[letter.value], _mask(moving))
    return journals


def _mask(node: Node) -> int:
    try:
        return int(node.text(), 16)
    except ValueError as why:
        raise node.expected("a hexadecimal number") from why


class Saver:
    """Saves a journal now and then, never so often that it slows the search down."""

    def __init__(self, save: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._save, self._clock = save, clock
        self._next = clock() + SOONEST_S

    def tick(self) -> None:
        """Save if it is time."""
        now = self._clock()
        if now >= self._next:
            self._save()
            done = self._clock()
            self._next = done + max(SOONEST_S, SHARE * (done - now))
