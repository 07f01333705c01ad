"""The jobs of a batch, answered as the command line answers them: a row is what `falsework VERB INPUT --json` prints.

Beside it stand the key, the input, the options and the exit code. Times go elsewhere: a row is the same whoever did the
job, when and how often.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import json
import logging
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from falsework.cli.complaints import WrongUsage, told
from falsework.model.errors import BadInput, FalseworkError, MissingExtra, Undecided, did_you_mean, shown
from falsework.model.extras import missing

if TYPE_CHECKING:
    from falsework.batch.inputs.sweeps import Options
    from falsework.batch.keys import Job

BATCHED = ("check", "collapse", "convert", "info", "margins", "plan", "simulate", "verify")
OURS = frozenset(["out", "png", "gif", "mp4", "json", "resume", "help", "portfolio", "pool"])  # not of a single job
TIMES = frozenset(["build_ms", "solve_ms", "wall_s", "frame_ms", "realtime_factor"])
ENDINGS = {  # of converted files; the others are YAML
    "brick-text": ".txt",
    "ldraw": ".ldr",
    "glb": ".glb",
    "mjcf": ".xml",
    "mesh-folder": "",
    "stablelego-json": ".json",
    "bricksim-topology": ".json",
}
UNSOLVED = ("convert", "info")  # verbs that solve nothing
WARMING = {  # verbs whose jobs are worth a sample, and what keeps it short
    "check": {},
    "collapse": {"seconds": "0.01"},
    "info": {},
    "margins": {"only": "friction,strength"},
    "plan": {"budget": "5"},
    "simulate": {"seconds": "0.02"},
}
SAMPLES = (("brick-wall", (("columns", 3), ("courses", 2))), ("running-bond-wall", (("columns", 3), ("courses", 2))))
ARTEFACTS, CONVERTED = "artefacts", "converted"
Artefacts = Literal["none", "failures", "all"]


@dataclass(frozen=True)  # without slots: then pickle needs no help from Python
class Answered:
    """What a worker says of a job."""

    key: str
    row: bytes  # a line of JSON
    times: dict[str, Any]  # what of the answer depends on the clock
    missing: tuple[str, str] | None = None  # the library that this verb needs and its extra, where it is not there


@dataclass(frozen=True, slots=True)
class Answering:
    """Answers jobs of one verb; artefacts go into a folder of their own, for `failures` or for all."""

    verb: str
    artefacts: Artefacts
    folder: str

    def refuse(self, options: Options) -> None:
        """Options that no job can have, before there is one."""
        if self.verb not in BATCHED:
            raise BadInput(f"batch: unknown verb {shown(self.verb)}; {did_you_mean(self.verb, BATCHED)}")
        if self.verb == "convert" and "to" not in options and "bricks" not in options:
            raise BadInput("batch convert: name the format to write: --set to=FORMAT")
        _parsed(self.verb, json.dumps(options, sort_keys=True))

    def warm(self) -> None:
        """Libraries and machine code, once, before workers are forked: two small jobs bring what others will need."""
        from falsework.batch.inputs.sources import MadeSource
        from falsework.batch.keys import Job
        from falsework.model.interfaces import Interfaces
        from falsework.statics.core.worth_compiling import pays_off

        if self.verb not in UNSOLVED and pays_off(Interfaces.none(), worthwhile=True):
            from falsework.verdicts.warm import warm

            warm()
        options = WARMING.get(self.verb)
        for kind, parameters in SAMPLES if options is not None else ():
            with contextlib.suppress(FalseworkError, ModuleNotFoundError):  # a job says what is missing
                self._answer(Job(self.verb, MadeSource(kind, parameters), options or {}), "")
        logging.getLogger("falsework").setLevel(logging.ERROR)

    def __call__(self, job: Job) -> Answered:
        key = job.key()
        code, answer, lacking = self._answer(job, key)
        if self.artefacts == "all" or (self.artefacts == "failures" and code in (1, 3)):
            self._keep_artefacts(job, key)
        times = {word: answer.pop(word) for word in TIMES & answer.keys()}
        row = {"key": key, "input": job.source.name, "options": job.options, "exit": code, **_timeless(answer)}
        return Answered(key, json.dumps(row, allow_nan=False).encode(), times, lacking)

    def _answer(self, job: Job, key: str) -> tuple[int, dict[str, Any], tuple[str, str] | None]:
        """The exit code and the object on standard output; as `falsework.cli.main` would have it."""
        try:
            arguments = _parsed(self.verb, json.dumps(job.options, sort_keys=True))
            code, answer = _run(self._about(arguments, job, key))
            if self.verb == "convert" and answer.get("path"):  # wherever the folder is
                answer["path"] = Path(answer["path"]).relative_to(self.folder).as_posix()
            return code, answer, None
        except Undecided as why:
            return 3, {"error": told(why, 3)}, None
        except MissingExtra as why:
            return 2, {"error": told(why, 2)}, (why.library, why.extra)
        except FalseworkError as why:
            return 2, {"error": told(why, 2)}, None
        except ModuleNotFoundError as why:
            if (lacking := missing(why)) is None:
                raise
            return 2, {"error": told(lacking, 2)}, (lacking.library, lacking.extra)

    def _about(self, arguments: argparse.Namespace, job: Job, key: str) -> argparse.Namespace:
        """The same words, about this job's input."""
        words = copy.copy(arguments)
        if self.verb == "verify":
            if not job.source.is_file:
                raise BadInput(f"{job.source.name}: verify is asked about plan files")
            words.plan = job.source.name
            return words
        words.input = job.source.name
        words.given = None if job.source.is_file else job.source
        if self.verb == "convert":
            words.output = self._target(words, job, key)
        return words

    def _target(self, arguments: argparse.Namespace, job: Job, key: str) -> str:
        """Where a converted file goes: named for its input, and told apart by its key."""
        stem = Path(job.source.name.replace("#", "-")).stem if job.source.is_file else job.source.name
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in stem)[:80]
        ending = ENDINGS.get(arguments.to or "brick-text", ".yaml")
        folder = Path(self.folder) / CONVERTED
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder / f"{plain}-{key[:8]}{ending}")

    def _keep_artefacts(self, job: Job, key: str) -> None:
        """Certificate, report and drawing of one job; the row stays what it was."""
        from falsework.formats import save
        from falsework.formats.basics.atomic import beside, write_whole
        from falsework.studio.notebook import drawing_svg

        folder = Path(self.folder) / ARTEFACTS / key
        if folder.exists():
            return
        making = beside(folder)
        try:
            making.mkdir(parents=True)
            arguments = self._about(_parsed(self.verb, json.dumps(job.options, sort_keys=True)), job, key)
            if not job.source.is_file:  # so that a plan knows what it builds, and anybody can ask again
                arguments.given, arguments.input = None, str(making / "assembly.yaml")
                save(job.source.assembly(), arguments.input)
            if hasattr(arguments, "out"):
                arguments.out = str(making)
                _run(arguments)
            if self.verb != "verify":
                write_whole(making / "drawing.svg", drawing_svg(job.source.assembly()))
            making.replace(folder)
        except FalseworkError:  # the row has told it
            shutil.rmtree(making, ignore_errors=True)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise


@cache
def _verb_parser(verb: str) -> argparse.ArgumentParser:
    from falsework.cli import parser

    (verbs,) = (action for action in parser()._actions if action.dest == "verb")
    assert isinstance(verbs.choices, dict)
    found: argparse.ArgumentParser = verbs.choices[verb]
    return found


@cache
def _parsed(verb: str, options: str) -> argparse.Namespace:
    """The words of a job without its input, which is put in afterwards; options are few and jobs are many."""
    parser = _verb_parser(verb)
    known = {spelling.lstrip("-"): action for action in parser._actions for spelling in action.option_strings}
    words = []
    for name, value in json.loads(options).items():
        if name not in known or name in OURS:
            allowed = [word for word in known if word not in OURS and len(word) > 1]
            raise WrongUsage(f"--set: {verb} has no option {shown(name)} in a batch; {did_you_mean(name, allowed)}")
        words += _words(name, value, known[name])
    places = ["input"] * sum(not action.option_strings for action in parser._actions)
    arguments: argparse.Namespace = parser.parse_args([*words, "--json", "--", *places])
    arguments.verb = verb
    return arguments


def _words(name: str, value: Any, action: argparse.Action) -> list[str]:
    if action.nargs == 0:
        if value not in (True, "true", "false"):
            raise WrongUsage(f"--set {name}: found {shown(value)}, expected true or false")
        return [] if value == "false" else [f"--{name}"]
    if value is True:
        raise WrongUsage(f"--set {name}: it needs a value")
    if isinstance(value, list):
        repeatable = isinstance(action, argparse._AppendAction)
        return [f"--{name}={one}" for one in value] if repeatable else [f"--{name}={','.join(value)}"]
    return [f"--{name}={value}"]


def _run(arguments: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    from falsework.verdicts.check import many_to_come

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), many_to_come():
        code = arguments.run(arguments)
    return code, json.loads(printed.getvalue())


def _timeless(answer: Any) -> Any:
    """Without what depends on the clock, wherever it stands."""
    if isinstance(answer, dict):
        return {word: _timeless(value) for word, value in answer.items() if word not in TIMES}
    return [_timeless(value) for value in answer] if isinstance(answer, list) else answer
