"""A case: files in a folder and the words of one command, chosen by chance from all verbs and their options.

Verbs and options are read off the command line itself, so that a new verb is fuzzed from its first day.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cache
from random import Random

from falsework import gallery
from falsework.cli import VERBS, parser
from falsework.formats import WRITABLE
from falsework.verdicts.registry import models
from tests.fuzz.assemblies import well_formed
from tests.fuzz.damage import ODD_NUMBERS, ODD_WORDS, damaged
from tests.fuzz.seeds import EVERY, PLAN

SLOW = ("bench", "build", "view")  # minutes by design, or until somebody ends it
READERS = tuple(verb for verb in VERBS if verb not in (*SLOW, "new", "doctor"))
OTHERS = list({**EVERY, **PLAN}.values())
ENDINGS = (".yaml", ".json", ".txt", ".ldr", ".mpd", ".glb", ".xml", "", ".step")
# What people might give, by the option's name; anything else gets odd words.
LIKELY: dict[str, tuple[str, ...]] = {
    "fixed": ("a", "1", "0", "left,right", "ground", "nobody", ""),
    "held": ("a", "b", "1", "lintel", "nobody"),
    "absent": ("a", "b", "1", "lintel", "nobody"),
    "ground": ("none", "table", "table:0.5", "baseplate", "sea", "table:x"),
    "mu": ("0", "0.5", "-1", "nan", "x"),
    "scale": ("0.001", "1", "1e-9", "1e9", "0"),
    "allow_overlap": ("0", "0.001", "1", "-1"),
    "gap": ("0.0002", "1", "1e-12", "0"),
    "seed": ("0", "7", "-1", "x", "99999999999999999999"),
    "model": ("auto", *(model.name for model in models()), "x"),
    "load": ("a:0,0,-1", "1:0,0,1e9", "lintel:1,2,3@0,0,0", "a:0,0", "a:nan,0,0", ":"),
    "gravity": ("0,0,-9.81", "0,0,0", "1,2", "0,0,nan", "0,0,1e300"),
    "timeout": ("2", "0.01", "0", "x"),
    "seconds": ("0.01", "0.05", "0", "-1", "nan"),
    "step": ("0.001", "0.01", "0", "x"),
    "samples": ("10", "0", "-1", "x"),
    "budget": ("5", "50", "0", "x"),
    "robots": ("1", "2", "3", "0", "x"),
    "hands": ("0", "1", "2", "-1"),
    "studs": ("1", "3", "8", "0", "x"),
    "hollow": ("1", "2", "0"),
    "new": ("panda", "two-ur5e", "nine-panda", "x"),
    "layouts": ("1", "3", "0", "x"),
    "tries": ("1", "3", "0"),
    "param": ("rings=2", "bricks=3", "steps=2", "x=1", "rings=x", "rings=nan", "rings=1e9"),
    "utilization": ("0.1,0.5", "2,1", "x", "0,0"),
    "to": (*WRITABLE, "step"),
    "set": ("mu=0.3,0.5", "model=auto", "x=1", "mu", "mu=x", "to=ldraw", "seconds=0.02", "budget=3"),
    "pool": ("serial", "processes:2", "processes:0", "nobody"),
    "memory_mb": ("500", "20", "0", "x"),
    "out": ("{out}/made", "{out}/a.yaml", "{out}/a/b/c.txt", "{in}", ""),
}
CAREFUL = {  # what keeps a verb's work short on files that are fine
    "batch": ("--out", "{out}/batch"),
    "check": ("--timeout", "2"),
    "learn": ("--updates", "1"),
    "collapse": ("--seconds", "0.02"),
    "margins": ("--samples", "10"),
    "plan": ("--timeout", "2"),
    "replan": ("--timeout", "2"),
    "simulate": ("--seconds", "0.02"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """Files by name, and words in which {in} and {out} stand for the folders of inputs and results."""

    files: dict[str, bytes]
    words: tuple[str, ...]


def any_case(random: Random) -> Case:
    """Some file, damaged or not, and some command that may or may not go with it."""
    if random.random() < 0.1:
        verb = random.choice([verb for verb in VERBS if verb not in SLOW])
        return Case({}, _words(random, verb, random.choice((*gallery.kinds(), *ODD_WORDS))))
    verb = random.choice(READERS)
    if verb == "batch":  # which has workers to start: not as often as the others
        verb = random.choice(READERS)
    if any(action.dest == "plan" for action in _actions(verb)) and random.random() < 0.9:
        plan = PLAN["plan.json"] if random.random() < 0.1 else damaged(random, "plan.json", PLAN["plan.json"], OTHERS)
        return Case({"r.yaml": EVERY["r.yaml"], "plan.json": plan}, _words(random, verb, "{in}/plan.json"))
    name, data = _file(random)
    source = "{in}/" + name + random.choice(("", "", "", "", "", "#one", "#", "#nobody"))
    return Case({name: data}, _words(random, verb, source))


def _file(random: Random) -> tuple[str, bytes]:
    if random.random() < 0.35:
        name, data = well_formed(random)
        return name, data if random.random() < 0.7 else damaged(random, name, data, OTHERS)
    name = random.choice(sorted(EVERY))
    data = EVERY[name]
    return name, data if random.random() < 0.1 else damaged(random, name, data, OTHERS)


def _words(random: Random, verb: str, source: str) -> tuple[str, ...]:
    """The verb, what it needs, some of its options; seldom something that it does not know."""
    words = [verb, *(_positional(random, action, source) for action in _actions(verb) if not action.option_strings)]
    if verb in CAREFUL and CAREFUL[verb][0] in _options(verb):
        words += CAREFUL[verb]
    known = sorted(_options(verb).values(), key=lambda action: action.dest)
    for action in random.sample(known, min(len(known), random.choice((0, 0, 1, 2)))):
        if action.option_strings[-1] in words:
            continue
        words.append(action.option_strings[-1])
        if action.nargs != 0:
            words.append(_value(random, action))
    if random.random() < 0.4 and "--json" in _options(verb) and "--json" not in words:
        words.append("--json")
    if random.random() < 0.03:
        words.append(random.choice((*ODD_WORDS, "--nothing", "-")))
    return tuple(words)


def _positional(random: Random, action: argparse.Action, source: str) -> str:
    if action.dest == "output":
        return "{out}/made" + random.choice(ENDINGS)
    if action.choices and random.random() < 0.95:
        return str(random.choice(list(action.choices)))
    return source


def _value(random: Random, action: argparse.Action) -> str:
    if action.choices and random.random() < 0.8:
        return str(random.choice(list(action.choices)))
    if random.random() < 0.8 and action.dest in LIKELY:
        return random.choice(LIKELY[action.dest])
    return random.choice(ODD_WORDS if action.dest not in LIKELY else (*ODD_WORDS, *ODD_NUMBERS[:8]))


@cache
def _actions(verb: str) -> tuple[argparse.Action, ...]:
    top = parser()
    choices = next(action.choices for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return tuple(action for action in choices[verb]._actions if action.dest not in ("help", "png"))


def _options(verb: str) -> dict[str, argparse.Action]:
    return {action.option_strings[-1]: action for action in _actions(verb) if action.option_strings}
