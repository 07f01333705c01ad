"""Plans written by hand: parts in their order, each let go at once or in the end."""

from __future__ import annotations

from pathlib import Path

from falsework.formats import load, write
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.lattice import lattices
from falsework.geometry.ways.brick_grasps import BrickGrasps
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.assembly import Assembly
from falsework.model.plan import Plan, Rules, Step


def in_part_order(assembly: Assembly, rules: Rules, *, hold_to_the_end: bool = False) -> Plan:
    """Place every part along a straight path; let go of each at once, or of all in the end, first part first."""
    removals = StraightRemovals(assembly, interfaces(assembly))
    grids = lattices(assembly)
    grasps = BrickGrasps(grids[0]) if grids else None
    installed = assembly.fixed_mask()
    steps: list[Step] = []
    held: tuple[str, ...] = ()
    for number, part in enumerate(assembly.parts):
        if installed >> number & 1:
            continue
        path = removals.path(1 << number, installed)
        grasp = grasps.free(number, installed) if grasps is not None else None
        held = (*held, part.name)
        steps.append(Step("place", (part.name,), held, path, grasp=grasp))
        installed |= 1 << number
        if not hold_to_the_end:
            steps.append(Step("release", (part.name,), ()))
            held = ()
    while held:
        steps.append(Step("release", held[:1], held[1:]))
        held = held[1:]
    return Plan(rules, "complete", tuple(steps))


def written(folder: Path, kind: str, rules: Rules, *, hold_to_the_end: bool = False, **parameters: float) -> Path:
    """A plan file for an assembly of the gallery, which lies beside it."""
    write(make(kind, **parameters), folder / "thing.yaml")
    assembly = load(folder / "thing.yaml")
    plan = in_part_order(assembly, rules, hold_to_the_end=hold_to_the_end)
    source = source_of(folder / "thing.yaml", assembly)
    write_plan(Plan(rules, "complete", plan.steps, source=source), folder / "plan.json")
    return folder / "plan.json"
