"""How far what is there may be tilted about x or y after each step before it falls: the margin of a plan.

What a state bears is convex, so along one way the angles that it bears are an interval, and a bracket closes in on its
end, to the resolution of `margins`: of a finished structure both say the same. (Of bricks, whose clutches have a
strength, the pull of a plan is that of a tilt by a weight 1/cos as large: there it says a little less.) As everywhere
in a search, hands hold what they hold.
"""

from __future__ import annotations

from dataclasses import replace

from falsework.model.assembly import Assembly
from falsework.model.plan import Plan
from falsework.planning.nodes.deadline import Stopped
from falsework.planning.nodes.moves import Node, bits
from falsework.planning.nodes.stability import Stability
from falsework.planning.nodes.steps import node_after
from falsework.planning.nodes.tilted_loads import tilted
from falsework.planning.plans.jobs import Job, Planned
from falsework.planning.plans.workshop import Workshop

MOST_DEG = 45.0  # nothing is asked beyond
ANGLES_DEG = tuple(step / 100 for step in range(1, round(100 * MOST_DEG) + 1))


def with_margins(planned: Planned, job: Job) -> Planned:
    """The plans with a margin for every step that leaves something on its own.

    Not where the whole is turned over, nor once the time is up.
    """
    if job.workshop.lying is not None or job.workshop.tilted is not None:
        return planned
    try:
        with job.deadline.kept():
            told = [_told(plan, job.workshop) for plan in (planned.plan, *planned.alternatives)]
    except Stopped:
        return planned
    return replace(planned, plan=told[0], alternatives=tuple(told[1:]))


def _told(plan: Plan, workshop: Workshop) -> Plan:
    assembly = workshop.assembly
    nodes = [node_after(assembly, plan, done) for done in range(1, len(plan.steps) + 1)]
    left_alone = [node for node in dict.fromkeys(nodes) if _free(assembly, node)]
    margins = tilts(left_alone, assembly, workshop.stability)
    steps = (replace(step, margin_deg=margins.get(node)) for step, node in zip(plan.steps, nodes, strict=True))
    return replace(plan, steps=tuple(steps))


def tilts(nodes: list[Node], assembly: Assembly, stability: Stability) -> dict[Node, float]:
    """The largest of ANGLES_DEG that each node bears about x and y, both ways; 0 where it bears none of them."""
    bracket = {node: (-1, len(ANGLES_DEG)) for node in nodes}
    while asked := [node for node, (low, high) in bracket.items() if high - low > 1]:
        middle = {node: sum(bracket[node]) // 2 for node in asked}
        pulls = {node: tilted(assembly, _free(assembly, node), ANGLES_DEG[middle[node]]) for node in asked}
        answers = iter(stability.under([(node, pull) for node in asked for pull in pulls[node]]))
        for node in asked:
            told = [next(answers) for _ in pulls[node]]
            low, high = bracket[node]
            bracket[node] = (middle[node], high) if set(told) <= {"stable"} else (low, middle[node])
    return {node: 0.0 if low < 0 else ANGLES_DEG[low] for node, (low, _) in bracket.items()}


def _free(assembly: Assembly, node: Node) -> list[int]:
    return list(bits(node.installed & ~node.held & ~assembly.fixed_mask()))
