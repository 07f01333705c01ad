"""How far what is there may be tilted after each step, any way, before it falls: the margin of a plan.

Tilting by θ pulls sideways with tan θ of the weight. What a state bears is convex, so along one way the angles that it
bears are an interval, and a bracket closes in on its end. Four ways are looked at, level and square to each other; as
everywhere in a search, hands hold what they hold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.plan import Plan
from falsework.planning.jobs import Planned
from falsework.planning.moves import Node, bits
from falsework.planning.stability import Stability
from falsework.planning.steps import node_after
from falsework.planning.workshop import Workshop

ANGLES_DEG = (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 45.0)


def with_margins(planned: Planned, workshop: Workshop) -> Planned:
    """The plans with a margin for every step that leaves something on its own; not where the whole is turned over."""
    if workshop.lying is not None:
        return planned
    told = [_told(plan, workshop) for plan in (planned.plan, *planned.alternatives)]
    return replace(planned, plan=told[0], alternatives=tuple(told[1:]))


def _told(plan: Plan, workshop: Workshop) -> Plan:
    assembly = workshop.assembly
    nodes = [node_after(assembly, plan, done) for done in range(1, len(plan.steps) + 1)]
    free = [node for node in dict.fromkeys(nodes) if node.installed & ~node.held & ~assembly.fixed_mask()]
    margins = tilts(free, assembly, workshop.stability)
    steps = (replace(step, margin_deg=margins.get(node)) for step, node in zip(plan.steps, nodes, strict=True))
    return replace(plan, steps=tuple(steps))


def tilts(nodes: list[Node], assembly: Assembly, stability: Stability) -> dict[Node, float]:
    """The largest of ANGLES_DEG that each node bears in every way, 0 where it bears none of them."""
    ways = _ways(assembly.gravity)
    bracket = {node: (-1, len(ANGLES_DEG)) for node in nodes}
    while asked := [node for node, (low, high) in bracket.items() if high - low > 1]:
        middle = {node: sum(bracket[node]) // 2 for node in asked}
        pulls = [
            (node, _pulled(assembly, node, np.tan(np.radians(ANGLES_DEG[middle[node]])) * way))
            for node in asked
            for way in ways
        ]
        answers = stability.under(pulls)
        for number, node in enumerate(asked):
            stands = all(answer == "stable" for answer in answers[number * len(ways) : (number + 1) * len(ways)])
            low, high = bracket[node]
            bracket[node] = (middle[node], high) if stands else (low, middle[node])
    return {node: 0.0 if low < 0 else ANGLES_DEG[low] for node, (low, _) in bracket.items()}


def _ways(gravity: Array) -> Array:
    """(4, 3) m/s²: as strong as gravity and square to it; world axes where they are."""
    strength = float(np.linalg.norm(gravity))
    if strength == 0.0:
        return np.zeros((0, 3))
    up = -gravity / strength
    first = np.eye(3)[int(np.argmin(np.abs(up)))]
    first = first - (first @ up) * up
    first = first / np.linalg.norm(first)
    second = np.cross(up, first)
    return strength * np.array([first, second, -first, -second])


def _pulled(assembly: Assembly, node: Node, pull: Array) -> tuple[Load, ...]:
    """The loads of the assembly, and the pull on every free part."""
    free = list(bits(node.installed & ~node.held & ~assembly.fixed_mask()))
    there = set(assembly.named(node.installed))
    given = tuple(load for load in assembly.loads if load.part in there)
    return (*given, *(Load(assembly.bodies[part].name, assembly.masses_kg[part] * pull) for part in free))
