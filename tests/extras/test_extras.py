"""Every verb, with every subset of the extras: an answer, or one line that names the extra that is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from falsework.cli import VERBS
from falsework.model.errors import FalseworkError, MissingExtra
from falsework.model.extras import EXTRA_OF, library, missing
from tests.extras.probing import ANSWERS, COMMANDS, EXTRAS, LONG, OPTIONAL, complaint


def test_every_verb_is_asked() -> None:
    assert {name.removeprefix("python ").split()[0] for name in COMMANDS} >= set(VERBS)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_every_verb_answers_or_names_the_extra_with_every_subset_of_extras() -> None:
    names = [name for name in COMMANDS if name not in LONG]
    words = [sys.executable, "-m", "tests.extras.probing", *names]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["against"] for line in lines] == [[] for _ in names], done.stderr
    asked = {library for line in lines for library in line["asked"]}
    assert asked >= {"numba", "mujoco", "gymnasium", "PIL"}


def test_an_answer_that_says_nothing_is_complained_about() -> None:
    lacking = "falsework: this needs mujoco, which is not installed: pip install 'falsework[engine]'\n"
    assert not complaint({"code": 2, "said": lacking, "allowed": []})
    assert "engine" in complaint({"code": 2, "said": lacking, "allowed": ["engine"]})
    assert "exit -1" in complaint({"code": -1, "said": "ModuleNotFoundError: No module named 'piqp'", "allowed": []})
    assert all(not complaint({"code": code, "said": "", "allowed": []}) for code in ANSWERS)


def test_every_optional_library_has_an_extra_that_brings_it() -> None:
    assert set(EXTRA_OF) == OPTIONAL
    assert all(name in EXTRAS[extra] for name, extra in EXTRA_OF.items())


def test_a_library_that_is_not_there_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "piqp", None)
    with pytest.raises(MissingExtra, match=r"needs piqp, which is not installed: pip install 'falsework\[bench\]'"):
        library("piqp")
    with pytest.raises(ImportError):  # as whoever falls back on something else expects
        library("piqp")


def test_what_is_missing_and_nobodys_extra_stays_what_it_is() -> None:
    assert missing(ModuleNotFoundError("No module named 'nowhere'", name="nowhere")) is None
    with pytest.raises(ModuleNotFoundError, match="nowhere") as raised:
        library("nowhere")
    assert not isinstance(raised.value, FalseworkError)
