"""Plans of which every state bears being tilted as far as can be: about x or y, either way.

That every state is to bear an angle is a check like any other, for which holding helps, so the searches find plans by
it or prove that there are none. No plan bears more than the finished structure does; between that and what the first
plan bears a bracket closes in. An angle that a search proves too large bounds all plans.
"""

from __future__ import annotations

from dataclasses import replace

from falsework.model.errors import BadInput
from falsework.planning.nodes.checks import Refusal
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.nodes.steps import node_after
from falsework.planning.plans.improving import PATIENCE
from falsework.planning.plans.jobs import Job, Planned
from falsework.planning.plans.qualities import Quality
from falsework.planning.plans.solving import solve
from falsework.planning.plans.tilt_margins import ANGLES_DEG, MOST_DEG, tilts
from falsework.planning.plans.workshop import Workshop

RESOLUTION_DEG = 0.1  # nothing is sought between angles that are nearer


class TiltCheck:
    """What a part is put on and what is left both bear being tilted."""

    name = "stability"  # more hands help against it, as against falling

    def __init__(self, shop: Workshop, angle_deg: float) -> None:
        self._shop, self._angle_deg = shop, angle_deg
        self._known: dict[Node, Refusal | None] = {}

    def refusal(self, move: Move) -> Refusal | None:
        for node in (move.earlier, move.later):
            if node not in self._known:
                self._known[node] = self._asked(node)
            if self._known[node] is not None:
                return self._known[node]
        return None

    def _asked(self, node: Node) -> Refusal | None:
        assembly = self._shop.assembly
        for finding in self._shop.stability.tilted(node, assembly, self._angle_deg):
            if finding.answer != "stable":
                why, undecided = f"it falls when it is tilted by {self._angle_deg:g}°", finding.answer == "undecided"
                moving = node.installed & ~node.held if undecided else finding.moving
                return Refusal(self.name, why, moving, node, undecided)
        return None


def least_risk(job: Job, first: Planned) -> Planned:
    """The plan that bears most of those that were found, with what none can exceed."""
    shop = job.workshop
    if shop.lying is not None or not shop.stability.monotone:
        raise BadInput("minimise risk: tilts are told of what stays as it lies, by models that prove; use rules holds")
    goal = job.goal
    bound = tilts([goal.whole], shop.assembly, shop.stability)[goal.whole]
    best = replace(first, quality=Quality("risk", _borne(first, job), bound))
    low, high, spent = best.quality.value, bound, first.evaluations  # type: ignore[union-attr]
    proved_singly, seen = False, set[float]()
    limit, angle = PATIENCE * max(first.evaluations, 10), bound
    while high > low and angle not in seen and (high - low >= RESOLUTION_DEG or not seen):
        seen.add(angle)
        tried = _bearing(job, angle).within(spent, limit)
        if tried is None:
            break
        found = solve(tried)
        spent += found.evaluations
        if found.status == "complete":
            low = angle
            best = replace(_told(found, best), quality=Quality("risk", _borne(found, job), bound))
        elif found.status == "timeout":
            break
        else:
            high = angle
            if found.status == "infeasible":
                bound, proved_singly = angle, True
            best = replace(best, quality=replace(best.quality, bound=bound))  # type: ignore[type-var]
        angle = _on_grid((low + high) / 2)
    quality = replace(best.quality, of_single_parts=proved_singly and shop.craft.has_groups)  # type: ignore[type-var]
    return replace(best, evaluations=spent, wall_s=job.deadline.elapsed_s, quality=quality)


def _bearing(job: Job, angle_deg: float) -> Job:
    """The same job where every state is to bear an angle, part by part."""
    shop = job.workshop.demanding(TiltCheck(job.workshop, angle_deg))
    return replace(job, workshop=shop, settings=replace(job.settings, groups=False))


def _borne(planned: Planned, job: Job) -> float:
    """What the state of a plan bears that bears least."""
    shop = job.workshop
    nodes = [node_after(shop.assembly, planned.plan, done) for done in range(1, len(planned.plan.steps) + 1)]
    fixed = shop.assembly.fixed_mask()
    alone = [node for node in dict.fromkeys(nodes) if node.installed & ~node.held & ~fixed]
    return min(tilts(alone, shop.assembly, shop.stability).values(), default=MOST_DEG)


def _told(found: Planned, best: Planned) -> Planned:
    return replace(found, tree=best.tree, refused=best.refused, blocked=best.blocked)


def _on_grid(angle_deg: float) -> float:
    return min(ANGLES_DEG, key=lambda one: abs(one - angle_deg))
