"""What a command says where only some extras are installed, by blocked imports.

The answer of a command depends only on those libraries that it looks for. So it is run with none of them, then with
each choice of those that it was seen to look for, and stands for all subsets that agree on these. Runs are forks of one
process that has read the core libraries: started by `python -m tests.extras.probing`, which prints one JSON line a
command.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import json
import os
import re
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from falsework.bench.suites import SUITES

# as they are imported, where the name is another
MODULES = {
    "imageio-ffmpeg": "imageio_ffmpeg",
    "opencv-python-headless": "cv2",
    "pillow": "PIL",
    "ur-rtde": "rtde_control",
}
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
ANSWERS = (0, 1, 3)
CORE = (
    "falsework.formats.loading",
    "falsework.statics.core.equilibrium",
    "falsework.geometry.contacts.interfaces",
    "scipy.optimize",
)


def extras() -> dict[str, frozenset[str]]:
    """The modules that each extra for users brings, as `pyproject.toml` says."""
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = {extra: [re.split(r"\W*[<>=]", one)[0] for one in wanted] for extra, wanted in tables.items()}
    return {
        extra: frozenset(MODULES.get(one, one) for one in those) for extra, those in named.items() if extra != "test"
    }


EXTRAS = extras()
OPTIONAL = frozenset().union(*EXTRAS.values())

ARCH, STAIRS, TOWER = (str(EXAMPLES / name) for name in ("arch.yaml", "stairs.txt", "duplo-bridge.yaml"))
DRUM = str(ROOT / "tests" / "formats" / "step" / "drum.step")
LOADED = f"falsework.load({TOWER!r})"
ENDED = "lambda server: __import__('threading').Thread(target=server.shutdown).start()"  # as soon as it has begun
NO_TIME = "__import__('falsework.execution.control.settings', fromlist=['x']).ControlSettings(limit_s=0.0)"
BOARD = "__import__('falsework.perception.calibration.boards', fromlist=['Board'])"
COMMANDS: dict[str, str] = {  # {out} is an empty folder; what begins with "python" is run by it
    "info": f"info {ARCH}",
    "info step": f"info {DRUM}",
    "check blocks": f"check {ARCH}",
    "check bricks": f"check {STAIRS} --json",
    "check report": f"check {STAIRS} --out {{out}}/report",
    "check bricksim": f"check {STAIRS} --model bricksim",
    "check stablelego": f"check {STAIRS} --model stablelego",
    "check cra": f"check {ARCH} --model cra",
    "check simulated": f"check {ARCH} --model simulated",
    "check gif": f"check {ARCH} --gif {{out}}/no/such/arch.gif",
    "collapse": f"collapse {ARCH} --absent keystone --seconds 0.01",
    "margins": f"margins {ARCH} --only friction",
    "margins many": f"margins {STAIRS} --only chance,weakest --samples 3",
    "simulate": f"simulate {STAIRS} --seconds 0.02",
    "simulate pulled": f"simulate {STAIRS} --pull 3:1 --seconds 0.02",
    "plan": f"plan {TOWER} --out {{out}}/plan",
    "plan blocks": f"plan {ARCH} --robots 2 --paths none --budget 20",
    "plan any": f"plan {ARCH} --robots 2 --paths any --budget 20",
    "replan": "replan {made}/plan.json --at 2",
    "verify": "verify {made}/plan.json",
    "cell": "cell --new two-ur5e --out {out}",
    "locate": "locate {made}/scenes/frames/000000",
    "scenes": "scenes --count 1 --kind empty --out {out}/scenes",
    "calibrate": f"python {BOARD}.Board((7, 5), 0.03, 0.022).picture()",
    "new": "new semicircular-arch",
    "new knob": "new brick-bridge --utilization 0.2,0.9",
    "convert": f"convert {ARCH} {{out}}/arch.obj --to glb",
    "convert bricks": f"convert {STAIRS} {{out}}/stairs.ldr",
    "instruct": f"instruct {EXAMPLES / 'guitar.ldr'} --ldraw --out {{out}}",
    "instruct pdf": f"instruct {EXAMPLES / 'guitar.ldr'} --pdf --out {{out}}",
    "check fix": f"check {STAIRS} --fix",
    "batch": f"batch info {ARCH} --out {{out}}/batch --pool serial",
    "learn": f"learn {ARCH} --updates 1",
    "view": f"python falsework.view({ARCH!r}, open_browser=False, ready={ENDED})",
    "doctor": "doctor",
    "python check": f"python falsework.check(falsework.load({ARCH!r}))",
    "python collapse": f"python falsework.collapse(falsework.load({ARCH!r}), seconds=0.01)",
    "python simulate": f"python falsework.simulate(falsework.load({STAIRS!r}), seconds=0.02)",
    "python plan": f"python falsework.plan(falsework.load({ARCH!r}), robots=2, paths='none', budget=20)",
    "python rehearse": f"python falsework.rehearse(falsework.plan({LOADED}).plan, {LOADED})",
    "python build": f"python falsework.build({LOADED}, settings={NO_TIME})",
    "python gym": "python falsework.brickworld.environment.make_environment().reset(seed=0)",
    **{f"bench {suite}": f"python next(falsework.bench({suite!r}))" for suite in SUITES},
}


LONG = frozenset(f"bench {suite}" for suite in SUITES if suite != "contacts")  # minutes altogether


class Shelf:
    """Stands in for the finder of installed libraries: of the optional ones, those that some extras bring are there."""

    def __init__(self, there: frozenset[str]) -> None:
        self.there, self.asked = there, set[str]()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        library = name.partition(".")[0]
        if library in OPTIONAL:
            self.asked.add(library)
            if library not in self.there:
                return None
        return PathFinder.find_spec(name, path, target)


def brought(allowed: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*(EXTRAS[extra] for extra in allowed))


def answered(command: str, allowed: frozenset[str], made: Path) -> dict[str, Any]:
    """Exit code, what was said on stderr, and which extras were asked for; in a fork of this process."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        child = os.fork()
        if child == 0:
            try:
                report.write_text(json.dumps(_run(command, allowed, made, Path(folder))))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        return dict(json.loads(report.read_text()))


def _run(command: str, allowed: frozenset[str], made: Path, out: Path) -> dict[str, Any]:
    shelf = Shelf(brought(allowed))
    sys.meta_path = [shelf if finder is PathFinder else finder for finder in sys.meta_path]  # type: ignore[misc]
    said = io.StringIO()
    command = command.format(made=made, out=out)
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = _python(command) if command.startswith("python ") else _command_line(command)
        except BaseException:  # noqa: BLE001 - it is what is looked for
            said.write(traceback.format_exc())
            code = -1
    return {"code": code, "said": said.getvalue(), "asked": sorted(shelf.asked), "allowed": sorted(allowed)}


def _command_line(command: str) -> int:
    from falsework.cli import main

    return main(command.split())


def _python(command: str) -> int:
    import falsework
    from falsework.model.errors import FalseworkError

    try:
        if "environment" in command:
            importlib.import_module("falsework.brickworld.environment")
        eval(command.partition(" ")[2], {"falsework": falsework})
    except FalseworkError as why:
        sys.stderr.write(f"falsework: {why}\n")
        return 2
    return 0


def explored(command: str, made: Path) -> list[dict[str, Any]]:
    """Answers that stand for all subsets of extras."""
    found: list[dict[str, Any]] = []
    for count in range(len(EXTRAS) + 1):
        for allowed in map(frozenset, itertools.combinations(EXTRAS, count)):
            if not any(_stands_for(answer, allowed) for answer in found):
                found.append(answered(command, allowed, made))
    return found


def _stands_for(answer: dict[str, Any], allowed: frozenset[str]) -> bool:
    there, asked = brought(answer["allowed"]), frozenset(answer["asked"])
    return asked & there == asked & brought(allowed)


def complaint(answer: dict[str, Any]) -> str:
    """What is to be said against an answer: it must be one, or name an extra that is not there in one line."""
    if answer["code"] in ANSWERS and "Traceback" not in answer["said"]:
        return ""
    named = re.fullmatch(r"falsework: .* pip install 'falsework\[(\w+)\]'\n", answer["said"])
    if answer["code"] == 2 and named is not None and named[1] in EXTRAS and named[1] not in answer["allowed"]:
        return ""
    return f"with {answer['allowed']}: exit {answer['code']}: {answer['said'][-400:]}"


def main() -> int:
    bad = 0
    for module in CORE:
        importlib.import_module(module)
    with tempfile.TemporaryDirectory() as folder:
        answered(f"plan {TOWER} --out {folder}", frozenset(EXTRAS), Path(folder))
        answered(f"scenes --count 1 --kind empty --out {folder}/scenes", frozenset(EXTRAS), Path(folder))
        for name in sys.argv[1:] or COMMANDS:
            answers = explored(COMMANDS[name], Path(folder))
            against = [why for answer in answers if (why := complaint(answer))]
            bad += len(against)
            asked = sorted(frozenset().union(*(answer["asked"] for answer in answers)))
            sys.stdout.write(
                json.dumps({"name": name, "runs": len(answers), "asked": asked, "against": against}) + "\n"
            )
            sys.stdout.flush()
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
