"""What `plan` and `replan` share: the journal beside the plan, progress, files, JSON and the table for people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import print_json
from falsework.cli.pages import NOT_SETTINGS, title, wants_pages, write_pages
from falsework.model.errors import BadFile, BadInput

if TYPE_CHECKING:
    from falsework.model.arrays import Array
    from falsework.model.assembly import Assembly
    from falsework.model.plan import Step
    from falsework.planning.jobs import Planned, Progress
    from falsework.planning.journal import Journals
    from falsework.studio.scene import Scene

EXIT_CODES = {"complete": 0, "infeasible": 1, "budget": 3, "timeout": 3}
TURNED = 1e-9  # of a rotation matrix: more is a turn
PLAN_FILE, JOURNAL_FILE, TREE_FILE = "plan.json", "plan.journal.json", "tree.json"
LIMITS = frozenset(["budget", "timeout", "resume", "alternatives", "margins"])  # more of these is the same question


class Journal:
    """The findings of a run, kept in a file while it goes on if there is a place for it."""

    def __init__(self, file: Path | None, question: str, resume: bool) -> None:
        from falsework.planning.journal import Saver, read_journal

        self._file, self._question, self.finished = file, question, False
        self.found: Journals = read_journal(file, question) if file is not None and resume else {}
        self._saver = Saver(self.save)

    def tick(self) -> None:
        if self._file is not None:
            self._saver.tick()

    def save(self) -> None:
        from falsework.planning.journal import write_journal

        if self._file is not None:
            write_journal(self._file, self._question, self.found)

    def close(self) -> None:
        """What is done needs no journal; what was cut off does."""
        if self._file is None:
            return
        if self.finished:
            self._file.unlink(missing_ok=True)
        else:
            self.save()


@contextmanager
def journal_kept(arguments: argparse.Namespace, input_sha256: str) -> Iterator[Journal]:
    """The journal in `--out`; saved even if the work is interrupted, but not where bad input kept it from beginning."""
    from falsework.formats.loading import split_source
    from falsework.planning.journal import question_hash

    if arguments.resume and arguments.out is None:
        raise BadInput("--resume needs the --out of the run that was cut off")
    options = {name: value for name, value in vars(arguments).items() if name not in NOT_SETTINGS | LIMITS}
    structure = split_source(arguments.input)[1]  # of a file that holds several
    question = question_hash({**options, "seed": arguments.seed, "input": input_sha256, "structure": structure})
    if arguments.out is not None and Path(arguments.out).is_file():
        raise BadFile(arguments.out, "", "is a file, expected a folder to write into, or none yet")
    file = None if arguments.out is None else Path(arguments.out) / JOURNAL_FILE
    journal = Journal(file, question, arguments.resume)
    try:
        yield journal
    except BadInput:
        raise
    except BaseException:
        journal.close()
        raise
    journal.close()


@contextmanager
def shown_progress(parts: int) -> Iterator[Callable[[Progress], None]]:
    """A line on a terminal: evaluations, how many a second, how far the best state is."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("planning …") as status:

        def show(now: Progress) -> None:
            rate = now.evaluations / max(now.elapsed_s, 1e-9)
            best = f"best leaves {now.fewest_left} of {parts} parts"
            status.update(f"planning: {now.evaluations} evaluations, {rate:.0f} a second, {best}")

        yield show


def both(tick: Callable[[], None], show: Callable[[Progress], None]) -> Callable[[Progress], None]:
    """One callback for the journal and the terminal."""

    def progress(now: Progress) -> None:
        tick()
        show(now)

    return progress


def deliver(arguments: argparse.Namespace, assembly: Assembly, planned: Planned) -> None:
    """Files first, then what is printed."""
    from falsework.formats.plan_writing import plan_document, proof_entry, subassembly_entry, write_plan
    from falsework.planning.alternatives import diversity
    from falsework.planning.tree_writing import write_tree
    from falsework.planning.why_not import reasons

    others = [replace(other, source=planned.plan.source) for other in planned.alternatives]
    blocked = [] if planned.status == "complete" else reasons(assembly, planned)
    where: str | dict[str, Any]
    if arguments.out is None:
        where = plan_document(planned.plan)
        elsewhere: list[Any] = [plan_document(other) for other in others]
    else:
        where = str(Path(arguments.out) / PLAN_FILE)
        write_plan(planned.plan, where)
        write_tree(Path(arguments.out) / TREE_FILE, assembly, planned.tree, planned.refused)
        elsewhere = [str(Path(arguments.out) / f"plan-{number}.json") for number in range(2, len(others) + 2)]
        for other, file in zip(others, elsewhere, strict=True):
            write_plan(other, file)
    if wants_pages(arguments):
        write_pages(arguments, _scene(arguments, assembly, planned))
    if arguments.json:
        apart = [subassembly_entry(built) for built in planned.plan.apart]
        print_json(
            {
                "status": planned.status,
                "plan": where,
                "steps": len(planned.plan.steps),
                "evaluations": planned.evaluations,
                "max_held": planned.plan.max_held,
                "wall_s": planned.wall_s,
                **({"alternatives": elsewhere, "diversity": diversity((planned.plan, *others))} if others else {}),
                **({"subassemblies": apart} if apart else {}),
                **({} if planned.fewest is None else _fewest(planned)),
                **({"why": planned.why} if planned.why else {}),
                **({} if planned.plan.proof is None else {"proof": proof_entry(planned.plan.proof)}),
                **({"why_not": [reason.as_dict() for reason in blocked]} if blocked else {}),
            }
        )
        return
    _print_table(arguments, planned)
    for reason in blocked:
        print(f"  {reason.part:16} {reason.sentence}")
    if isinstance(where, str):
        print(f"  written    {', '.join((where, *elsewhere))}")
    if others:
        print(f"  and        {len(others)} other plans, diversity {diversity((planned.plan, *others)):.2f}")


def _scene(arguments: argparse.Namespace, assembly: Assembly, planned: Planned) -> Scene:
    from falsework.model.interfaces import Interfaces
    from falsework.studio.plan_page import plan_scene

    found = Interfaces.none() if planned.found is None else planned.found
    return plan_scene(assembly, found, planned.plan, title(arguments), alternatives=planned.alternatives)


def _fewest(planned: Planned) -> dict[str, Any]:
    return {"fewest_hands": {"robots": planned.plan.rules.robots, "proved": planned.fewest}}


def _print_table(arguments: argparse.Namespace, planned: Planned) -> None:
    words = {"complete": "can be built", "infeasible": "cannot be built"}
    said = words.get(planned.status, f"unknown: {planned.why}")
    rules = planned.plan.rules
    hands = "1 hand" if rules.robots == 1 else f"{rules.robots} hands"
    print(f"{arguments.input}: {said}  (rules {rules.name}, {hands}, paths {rules.paths})")
    if planned.status == "infeasible":
        print(f"  because    {planned.why}{_reach(planned)}")
    if planned.plan.steps:
        print(f"  {'step':>4}  {'action':8} {'part':16} {'moves':20} {'margin':11} held")
    for number, step in enumerate(planned.plan.steps, start=1):
        held = ", ".join(step.held) or "–"
        print(f"  {number:4}  {step.action:8} {', '.join(step.parts):16} {_way(step):20} {_margin(step):11} {held}")
    for built in planned.plan.apart:
        done = "; ".join(f"{step.action} {step.parts[0]}" for step in built.steps)
        print(f"  apart      {', '.join(built.parts)}: hold {built.fast} fast; {done}")
    took = f"{planned.evaluations} evaluations in {planned.wall_s:.2f} s"
    print(f"  took       {took}, at most {planned.plan.max_held} held")


def _reach(planned: Planned) -> str:
    """Of which plans it is proved that there are none, where that is not all of them."""
    proof = planned.plan.proof
    if proof is None:
        return ""
    limits = []
    if planned.plan.rules.name == "holds" and not proof.groups:
        limits.append("parts placed one by one")
    if planned.plan.rules.name == "bricks" and proof.by in ("search", "bricks"):
        limits.append("bricks placed one by one, or with those that hang from them")
    if proof.directions is not None:
        limits.append(f"{proof.directions} directions to leave by, and those that contacts suggest")
    return f" ({'; '.join(limits)})" if limits else ""


def _margin(step: Step) -> str:
    """How far what is there is from falling or breaking, where that was found out."""
    if step.margin_deg is not None:
        return f"{step.margin_deg:g}° tilt"
    worked = step.utilization if step.press is None else step.press.utilization
    return "–" if worked is None else f"{100 * (1 - worked):.0f} % spare"


def _way(step: Step) -> str:
    """How a part moves to its place, in words."""
    if step.path is None or len(step.path) < 2:
        return ""
    shift: Array = step.path[-1][:3, 3] - step.path[0][:3, 3]
    size = float((shift @ shift) ** 0.5)
    named = ((shift[2], "up", "down"), (shift[0], "+x", "-x"), (shift[1], "+y", "-y"))
    ways = [plus if value > 0 else minus for value, plus, minus in named if abs(value) > 0.3 * size]
    turned = abs(step.path[:, :3, :3] - step.path[-1, :3, :3]).max() > TURNED
    bends = f", {len(step.path) - 2} bends" if len(step.path) > 2 else ""
    carried = f", by {', '.join(step.grasped)}" if step.grasped else ""
    return f"{' and '.join(ways)} {size:.3g} m{', turning' if turned else bends}{carried}"
