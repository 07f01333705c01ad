"""The page of a plan: step by step, what comes where, what is held, and the other ways to do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.bits import bits
from falsework.model.figures import count, force, listed, mass, percent
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan, Step
from falsework.model.provenance import Provenance
from falsework.studio.drawing import drawing
from falsework.studio.exploding import ways_apart
from falsework.studio.provenance import provenance_rows
from falsework.studio.scene import Column, Headline, Scalar, Scene, SceneStep, Steps, Table
from falsework.studio.tables import MAX_ROWS, known, parts_table, round_up, shortened

WORDS = {"place": "Place", "hold": "Hold", "release": "Let go of", "reorient": "Turn the model"}
NAMED = 4  # parts in a line of text; more are counted
LEAST_SHARE = 0.01


def plan_scene(
    assembly: Assembly,
    joints: Interfaces,
    plan: Plan,
    title: str,
    *,
    alternatives: Sequence[Plan] = (),
    failures: Sequence[tuple[int, str]] = (),
    headline: Headline | None = None,
    facts: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    provenance: Provenance | None = None,
) -> Scene:
    """The scene of `falsework plan`, `replan` and `verify`; `joints` tells what each part is put on.

    `failures` are what is wrong with the plan: the step, from 1, or 0 for all of it, and why.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> plan_scene(arch, falsework.interfaces(arch), falsework.plan(arch).plan, "arch").kind
    'plan'
    """
    touching = [frozenset(bits(mask)) for mask in joints.neighbours(len(assembly.bodies))]
    orders = [_steps(assembly, touching, one, number) for number, one in enumerate((plan, *alternatives), start=1)]
    if orders[0] is not None:
        orders[0] = _with_failures(orders[0], failures)
    drawn = drawing(assembly, absent=_never_placed(assembly, plan))
    scalars = _scalars(assembly, plan)
    tables = [
        *([_failures_table(failures)] if failures else []),
        *([_steps_table(assembly, plan)] if plan.steps else []),
        *([_alternatives_table((plan, *alternatives))] if alternatives else []),
        parts_table(drawn.parts, scalars),
    ]
    return Scene(
        kind="plan",
        title=title,
        headline=headline or _headline(assembly, plan),
        meshes=drawn.meshes,
        parts=drawn.parts,
        facts=(*_facts(assembly, plan), *facts),
        notes=(*notes, *drawn.notes),
        scalars=scalars,
        timeline=orders[0],
        alternatives=tuple(order for order in orders[1:] if order is not None) if orders[0] is not None else (),
        tables=tuple(tables),
        provenance=provenance_rows(plan.provenance if provenance is None else provenance),
        color_by="order" if plan.steps else "part",
    )


def _headline(assembly: Assembly, plan: Plan) -> Headline:
    placed = sum(len(step.parts) for step in plan.steps if step.action == "place")
    reached = f"{count(placed)} of {count(_to_place(assembly, plan), 'part')} placed"
    match plan.status:
        case "complete":
            held = plan.max_held
            holding = f", at most {count(held, 'part')} held between steps" if held else ", nothing held between steps"
            return Headline("yes", "Buildable", f"In {count(len(plan.steps), 'step')}{holding}.")
        case "infeasible":
            return Headline("no", "Not buildable", "No order keeps to the rules.")
        case "budget":
            return Headline("open", "Unfinished", f"The budget ran out: {reached}.")
        case "timeout":
            return Headline("open", "Unfinished", f"The time ran out: {reached}.")


def _facts(assembly: Assembly, plan: Plan) -> tuple[tuple[str, str], ...]:
    rules = plan.rules
    facts = [
        ("Parts", count(len(assembly.parts))),
        ("Mass", mass(assembly.mass_kg)),
        ("Steps", count(len(plan.steps))),
        ("Most held at once", count(plan.max_held)),
        ("Rules", rules.name + (" with regrasps" if rules.regrasp else "")),
        ("Hands", count(rules.robots)),
        ("Paths", rules.paths),
        ("Model", rules.model),
    ]
    if rules.checks:
        facts.append(("Own checks", ", ".join(rules.checks)))
    turns = sum(step.action == "reorient" for step in plan.steps)
    return (*facts, *([("Turns of the model", count(turns))] if turns else []))


def _never_placed(assembly: Assembly, plan: Plan) -> frozenset[str]:
    """What is neither there from the start nor placed: what an unfinished plan leaves out, or does not want."""
    placed = {name for step in plan.steps if step.action == "place" for name in step.parts}
    return frozenset(assembly.names) - placed - assembly.fixed - frozenset(plan.start.installed)


def _to_place(assembly: Assembly, plan: Plan) -> int:
    wanted = assembly.names if plan.target is None else plan.target
    return len(frozenset(wanted) - assembly.fixed - frozenset(plan.start.installed))


def _steps(assembly: Assembly, touching: list[frozenset[int]], plan: Plan, number: int) -> Steps | None:
    if not plan.steps:
        return None
    placed = {part for step in plan.steps if step.action == "place" for part in _numbers(assembly, step.parts)}
    installed = set(range(len(assembly.bodies))) - placed - set(_numbers(assembly, _never_placed(assembly, plan)))
    steps = []
    at_first = sorted(installed)
    for step in plan.steps:
        parts = _numbers(assembly, step.parts)
        under = set().union(*(touching[part] for part in parts)) & installed if step.action == "place" else set()
        steps.append(_step(assembly, step, parts, sorted(under)))
        installed.update(parts)
    return Steps(_taken_apart(assembly, steps, at_first), f"Plan {number}", _numbers(assembly, plan.start.held))


def _taken_apart(assembly: Assembly, steps: Sequence[SceneStep], there: Sequence[int]) -> tuple[SceneStep, ...]:
    """The same with where parts go in the exploded view, if all paths are known."""
    ways = ways_apart(assembly, [(step.placed, step.path) for step in steps if step.placed], there)
    if ways is None:
        return tuple(steps)
    apart = iter(ways)
    return tuple(replace(step, apart=next(apart)) if step.placed else step for step in steps)


def _with_failures(steps: Steps, failures: Sequence[tuple[int, str]]) -> Steps:
    """The same with what is wrong said where it is."""
    wrong: dict[int, list[str]] = {}
    for number, why in failures:
        wrong.setdefault(number, []).append(why)
    marked = (
        replace(step, failed=True, detail="; ".join(filter(None, (*wrong[number], step.detail))))
        if number in wrong
        else step
        for number, step in enumerate(steps.steps, start=1)
    )
    return replace(steps, steps=tuple(marked))


def _failures_table(failures: Sequence[tuple[int, str]]) -> Table:
    rows = failures[:MAX_ROWS]
    columns = (
        Column("Step", "number", tuple(number or None for number, _ in rows)),
        Column("What is wrong", "text", tuple(why for _, why in rows)),
    )
    return Table("Failures", columns, shortened(len(failures)))


def _step(assembly: Assembly, step: Step, parts: tuple[int, ...], under: list[int]) -> SceneStep:
    names = [body.name for body in assembly.bodies]
    label = " ".join((WORDS[step.action], listed(step.parts, NAMED))).strip()
    details = []
    if under:
        details.append(f"on {listed([names[part] for part in under], NAMED)}")
    if step.grasped:
        details.append(f"carried by {listed(step.grasped, NAMED)}")
    if step.held:
        details.append(f"held: {listed(step.held, NAMED)}")
    if step.press is not None:
        details.append(f"pressed with {force(float(np.linalg.norm(step.press.force_n)))}")
        if step.press.utilization is not None:
            details.append(f"the busiest joint works at {percent(step.press.utilization)}")
    if step.secured is not None:
        details.append(f"{step.secured} meanwhile")
    if step.robot is not None:
        details.append(f"by {step.robot}")
    if step.utilization is not None:
        details.append(f"needs {percent(step.utilization)} of the clutch strength")
    return SceneStep(
        label,
        placed=parts if step.action == "place" else (),
        held=_numbers(assembly, step.held),
        detail="; ".join(details),
        path=step.path,
        T_world_assembly=step.T_world_assembly,
    )


def _numbers(assembly: Assembly, names: Sequence[str] | frozenset[str]) -> tuple[int, ...]:
    for name in names:
        if name not in assembly.index:
            assembly.mask([name])  # says which names there are
    return tuple(assembly.index[name] for name in names)


def _scalars(assembly: Assembly, plan: Plan) -> tuple[Scalar, ...]:
    """How hard the joints work once each part has been placed, where the plan says."""
    shares = np.full(len(assembly.bodies), np.nan)
    for step in plan.steps:
        if step.action == "place" and step.utilization is not None and np.isfinite(step.utilization):
            shares[list(_numbers(assembly, step.parts))] = step.utilization
    if not np.isfinite(shares).any():
        return ()
    return (Scalar("Utilisation", "%", shares, 0.0, max(LEAST_SHARE, round_up(shares))),)


def _steps_table(assembly: Assembly, plan: Plan) -> Table:
    rows = plan.steps[:MAX_ROWS]
    first = [assembly.index[step.parts[0]] if step.parts else None for step in rows]
    shares = [None if step.utilization is None else known(step.utilization) for step in rows]
    tilts = [None if step.margin_deg is None else known(step.margin_deg) for step in rows]
    columns = [
        Column("Step", "number", tuple(range(1, len(rows) + 1))),
        Column("Action", "text", tuple(WORDS[step.action] for step in rows)),
        Column("Part", "part", tuple(first)),
        Column("Held once done", "text", tuple(", ".join(step.held) for step in rows)),
        *([Column("Utilisation", "share", tuple(shares))] if any(share is not None for share in shares) else []),
        *(
            [Column("May be tilted about x or y (°)", "number", tuple(tilts))]
            if any(tilt is not None for tilt in tilts)
            else []
        ),
    ]
    return Table("Steps", tuple(columns), shortened(len(plan.steps)))


def _alternatives_table(plans: Sequence[Plan]) -> Table:
    def turns(plan: Plan) -> int:
        return sum(step.action == "reorient" for step in plan.steps)

    columns = (
        Column("Plan", "text", tuple(f"Plan {number}" for number in range(1, len(plans) + 1))),
        Column("Status", "text", tuple(plan.status for plan in plans)),
        Column("Steps", "number", tuple(len(plan.steps) for plan in plans)),
        Column("Most held at once", "number", tuple(plan.max_held for plan in plans)),
        Column("Turns", "number", tuple(turns(plan) for plan in plans)),
        Column("Order", "text", tuple(_order(plan) for plan in plans)),
    )
    return Table("Alternatives", columns)


def _order(plan: Plan) -> str:
    """The parts in the order of their placing."""
    return listed([name for step in plan.steps if step.action == "place" for name in step.parts], 40, last=", ")
