"""One option has one name: on the command line, and in Python.

`--allow-overlap` is `allow_overlap_m`: dashes become underlines, a unit comes after what is a quantity, and what may be
given several times is plural.
"""

from __future__ import annotations

import argparse
import inspect

import pytest

import falsework
from falsework.cli import VERBS, parser

UNITS = ("", "_m", "_s", "_n", "_deg", "_pa")
SHOWING = {"help", "json", "out", "png", "gif", "mp4", "pdf", "svg"}  # where answers go: Python has them in hand
SEEDLESS = {"info", "check", "collapse", "simulate", "view", "convert"}  # nothing is random in them
ELSEWHERE = {  # options that are something else in Python
    "simulate": {
        "window": "settings",
        "stiffness": "settings",
        "no_sleep": "settings",
        "no_break": "settings",
        "no_join": "settings",
        "compare": "scheme",
    },
    "learn": {
        "net": "settings",
        "tasks": "settings",
        "teacher": "settings",
        "curriculum": "settings",
        "rate": "settings",
        "tensorboard": "progress",
    },
    "plan": {"resume": "journals"},
    "replan": {"resume": "journals"},
    "view": {"no_open": "open_browser"},
    "cell": {"for": "assembly"},
    "build": {
        "box": "safety",
        "speed": "safety",
        "force": "safety",
        "live": "watcher",
        "port": "watcher",
        "no_browser": "watcher",
        "paused": "controls",
    },
    "instruct": {"html": "kinds", "ldraw": "kinds", "parts": "ldraw"},
}
OTHER_FUNCTIONS = {  # options that are a function of their own
    "check": {"fix": "repair"},
    "simulate": {"tilts": "brickworld.drop_chance"},
    "plan": {"portfolio": "batch.portfolio", "pool": "batch.portfolio", "by_rank": "batch.portfolio"},
    "learn": {"runs": "learning.learn_seeds", "pool": "learning.learn_seeds"},
    "verify": {
        "rehearse": "rehearse",
        "cell": "robots.build_with_arms",
        "seed": "robots.build_with_arms",
        "grip": "robots.build_with_arms",
    },
    "cell": {"list": "robots.cell_kinds"},
    "new": {"list": "gallery.kinds", "param": "**parameters", "utilization": "laying.aimed"},
    "convert": {"bricks": "lay", "studs": "lay", "hollow": "lay", "tries": "lay"},
}


def options(verb: str) -> list[argparse.Action]:
    (verbs,) = (action for action in parser()._actions if action.dest == "verb")
    assert isinstance(verbs.choices, dict)
    return [action for action in verbs.choices[verb]._actions if action.option_strings]


def keywords(verb: str) -> set[str]:
    return set(inspect.signature(getattr(falsework, verb)).parameters)


def spelled(option: argparse.Action) -> str:
    return max(option.option_strings, key=len).lstrip("-").replace("-", "_")


def is_keyword(name: str, repeatable: bool, known: set[str]) -> bool:
    plural = {"axis": "axes"}.get(name, f"{name}s")
    return bool({plural} & known) if repeatable else any(name + unit in known for unit in UNITS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_a_verb_is_a_keyword_of_its_function(verb: str) -> None:
    known = keywords(verb)
    missing = []
    for option in options(verb):
        name = spelled(option)
        if name in SHOWING or (name == "seed" and verb in SEEDLESS) or name in OTHER_FUNCTIONS.get(verb, {}):
            continue
        if name in ELSEWHERE.get(verb, {}):
            assert ELSEWHERE[verb][name] in known
        elif not is_keyword(name, type(option).__name__ == "_AppendAction" and name not in known, known):
            missing.append(name)
    assert missing == []


def test_what_is_not_an_option_elsewhere_is_told_apart() -> None:
    assert is_keyword("timeout", False, {"timeout_s"}) and is_keyword("load", True, {"loads"})
    assert not is_keyword("timeout", False, {"seconds"}) and not is_keyword("load", True, {"load"})


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("doctor", "bench", "new")])
def test_every_verb_answers_an_unknown_option_with_the_one_that_was_meant(verb: str) -> None:
    function = getattr(falsework, verb)
    with pytest.raises(TypeError, match=rf"{verb}\(\) has no option 'nonsense'; "):
        function("examples/arch.yaml", nonsense=1)
