"""Completion for shells, written from the parser's own tables: verbs, options, and the words that options take.

`source <(falsework --completion bash)`, the same for zsh, or `falsework --completion fish | source`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

PLACES = {"DIR": "folder", "FILE": "file", "PATH": "file", "INPUT": "file", "PLAN": "file", "OUT": "file"}


@dataclass(frozen=True, slots=True)
class Word:
    """An option, or a place for a word that is none."""

    spellings: tuple[str, ...]  # none for a place
    about: str
    takes: str  # "nothing", "words", "file", "folder" or "anything"
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verb:
    name: str
    about: str
    options: tuple[Word, ...]
    places: tuple[Word, ...]


class PrintCompletion(argparse.Action):
    """`--completion SHELL`: print the script and end."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: str | None = None) -> None:
        sys.stdout.write(WRITERS[str(values)](parser.prog, verbs_of(parser)))
        parser.exit(0)


def verbs_of(parser: argparse.ArgumentParser) -> list[Verb]:
    """All verbs with their options, as the parser has them."""
    (table,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    about = {choice.dest: choice.help or "" for choice in table._choices_actions}
    known = _known_words()
    return [
        Verb(
            name,
            about[name],
            tuple(_word(action, known) for action in verb._actions if action.option_strings),
            tuple(_word(action, known) for action in verb._actions if not action.option_strings),
        )
        for name, verb in table.choices.items()
    ]


def _word(action: argparse.Action, known: dict[str, tuple[str, ...]]) -> Word:
    spelled = tuple(action.option_strings)
    about = "" if action.help is None else action.help.replace("%%", "%")
    words = tuple(map(str, action.choices or ())) or known.get(spelled[-1] if spelled else action.dest, ())
    if action.nargs == 0:
        return Word(spelled, about, "nothing")
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return Word(spelled, about, "words" if words else PLACES.get(metavar, "anything"), words)


def _known_words() -> dict[str, tuple[str, ...]]:
    """What options take that ask their own rooms later which words there are."""
    from falsework import gallery
    from falsework.batch.pools.named import POOLS
    from falsework.formats.saving import WRITABLE
    from falsework.model.plan import GRASPINGS, PATH_KINDS
    from falsework.planning.nodes.rule_sets import rule_sets
    from falsework.planning.plans.jobs import PLANNERS
    from falsework.planning.search.fastener_order import FASTENER_ORDERS
    from falsework.planning.search.selectors import SELECTORS
    from falsework.verdicts.margins import QUESTIONS
    from falsework.verdicts.registry import AUTO, models

    return {
        "kind": (*gallery.kinds(), *gallery.cad_kinds()),
        "--model": (AUTO, *(model.name for model in models())),
        "--rules": tuple(one.name for one in rule_sets()),
        "--paths": PATH_KINDS,
        "--grasps": GRASPINGS,
        "--planner": PLANNERS,
        "--selector": SELECTORS,
        "--fasteners": FASTENER_ORDERS,
        "--only": QUESTIONS,
        "--to": WRITABLE,
        "--pool": POOLS,
        "--ground": ("baseplate", "table", "none"),
    }


def bash(program: str, verbs: Sequence[Verb]) -> str:
    """For bash 3 and later; what is not a known word is left to the completion of file names."""
    after, offered = [], []
    for verb in verbs:
        after += [
            f"    '{verb.name} {spelling}') words={_quoted(option.words)} ;;"
            for option in verb.options
            for spelling in option.spellings
            if option.words
        ]
        silent = [one for option in verb.options if option.takes == "anything" for one in option.spellings]
        if silent:
            after.append(f"    {'|'.join(_quoted((f'{verb.name} {one}',)) for one in silent)}) return ;;")
        spelled = tuple(spelling for option in verb.options for spelling in option.spellings)
        placed = tuple(word for place in verb.places for word in place.words)
        offered.append(f"    {verb.name}) options={_quoted(spelled)}; words={_quoted(placed)} ;;")
    lines = "\n".join
    return f"""\
_{program}() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" verb="" options="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{COMP_WORDS[i]}}" in -*) ;; *) verb="${{COMP_WORDS[i]}}"; break ;; esac
  done
  COMPREPLY=()
  case "$verb $prev" in
{lines(after)}
  esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); return; fi
  case "$verb" in
    '') words={_quoted([verb.name for verb in verbs])}; options='--help --version --completion' ;;
{lines(offered)}
  esac
  case "$cur" in -*) words="$options" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _{program} {program}
"""


def zsh(program: str, verbs: Sequence[Verb]) -> str:
    """For zsh, by its own `_arguments`, which shows what each option is for."""
    named = " ".join(_shell(f"{verb.name}:{verb.about}") for verb in verbs)
    cases = "\n".join(f"    {verb.name}) _arguments -s {' '.join(_zsh_specs(verb))} ;;" for verb in verbs)
    return f"""\
#compdef {program}
_{program}() {{
  if (( CURRENT == 2 )); then
    local -a verbs=({named})
    _describe verb verbs
    return
  fi
  local verb="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$verb" in
{cases}
  esac
}}
if [ "$funcstack[1]" = "_{program}" ]; then _{program} "$@"; else compdef _{program} {program}; fi
"""


def _zsh_specs(verb: Verb) -> list[str]:
    actions = {"file": "_files", "folder": "_files -/", "anything": " ", "nothing": ""}
    specs = []
    for option in verb.options:
        about = re.sub(r"([\[\]:])", r"\\\1", option.about)
        action = f"({' '.join(option.words)})" if option.words else actions[option.takes]
        value = "" if option.takes == "nothing" else f":value:{action}"
        specs += [_shell(f"*{spelling}[{about}]{value}") for spelling in option.spellings]
    places = [f":word:({' '.join(place.words)})" if place.words else ":file:_files" for place in verb.places]
    return [*specs, *map(_shell, places)]


def fish(program: str, verbs: Sequence[Verb]) -> str:
    """For fish, which shows what each option is for."""
    takes = {"nothing": "", "file": " -r -F", "folder": " -x -a '(__fish_complete_directories)'", "anything": " -x"}
    first = f"complete -c {program} -f -n __fish_use_subcommand"
    lines = [f"{first} -a {verb.name} -d {_shell(verb.about)}" for verb in verbs]
    for verb in verbs:
        here = f"complete -c {program} -n '__fish_seen_subcommand_from {verb.name}'"
        for option in verb.options:
            names = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in option.spellings)
            value = f" -x -a {_quoted(option.words)}" if option.words else takes[option.takes]
            lines.append(f"{here} {names}{value} -d {_shell(option.about)}")
        placed = [word for place in verb.places for word in place.words]
        if placed:
            lines.append(f"{here} -f -a {_quoted(placed)}")
    return "\n".join(lines) + "\n"


def _quoted(words: Sequence[str]) -> str:
    return _shell(" ".join(words))


def _shell(text: str) -> str:
    """In single quotes, as all three shells read them; help has no apostrophe that matters."""
    return "'" + text.replace("'", "’") + "'"


WRITERS: dict[str, Callable[[str, Sequence[Verb]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
