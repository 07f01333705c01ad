"""Good plans: one first, then better ones by a measure, with a bound wherever one can be proved.

Fewest holds under rules `holds`: of small assemblies the table of all states has the optimum. Of others beams look for
it that ask about the cheapest candidates first, from the bare start and from the whole, by two orders each, and wider
ones while there is time; a guide leads one more by what it says is still to be paid. Other counts and rules, and all
plans that arms carry out: a beam in the order of costs; what the table says without arms is then a bound. Risk: the
angle that every state is to bear is a check like any other; so a search says of any angle whether there is such a plan,
and a bracket closes in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count, product
from typing import Any

from falsework.lazy import upstairs
from falsework.model.errors import BadInput
from falsework.planning.crafts.craft import ways_left
from falsework.planning.nodes.deadline import Stopped
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.plans.improving import PATIENCE
from falsework.planning.plans.jobs import Job, Planned, Planner
from falsework.planning.plans.least_risk import least_risk
from falsework.planning.plans.qualities import Measure, Quality, cost_of, counted, require_measure
from falsework.planning.plans.solving import Ending, as_planned, built_apart, run, solve
from falsework.planning.plans.truth import Truth, truth_in
from falsework.planning.search.cost_beam import cost_beam
from falsework.planning.search.guided import costs_to_go
from falsework.planning.search.searches import Search
from falsework.planning.search.sparing import Order, SparingBuilding, SparingRemoval
from falsework.planning.search.thin_beam import thin_beam

WIDTHS = (1, 4)  # of beams, where no timeout says how long to go on
TABLED, MOST_TABLED = 17, 300_000  # movable parts up to which all states are listed, and how many states
ORDERS: tuple[Order, ...] = ("selector", "neighbours")


def minimised(job: Job, measure: Measure, first: Planned | None = None) -> Planned:
    """The best plan found by a measure: never a worse one than the first, and `quality` says what is proved."""
    first = solve(job) if first is None else first
    if first.status != "complete":
        return first
    if measure == "risk":
        return least_risk(job, first)
    value = counted(first.plan, measure)
    best = replace(first, quality=Quality(measure, value, _trivial_bound(job, measure, value)))
    if best.quality is not None and best.quality.proved:
        return best
    truth = _tabled(job) if measure == "holds" and _is_plain(job) else None
    if truth is not None and job.workshop.crew is None and (exact := _by_table(job, best, truth)) is not None:
        return exact
    if truth is not None and job.workshop.crew is not None:
        best = _no_better_without_arms(best, truth)
    best = _bounded(job, _by_beams(job, best, measure))
    return replace(best, wall_s=job.deadline.elapsed_s)


def timed(job: Job, crew: Any) -> Planned:
    """The plan that the arms of a cell carry out soonest; only they know how long that takes."""
    if crew is None:
        raise BadInput("minimise makespan: how long a plan takes depends on the arms; add a cell")
    planned: Planned = upstairs("quickest")(job, crew)
    return planned


def asked_measure(name: str | None, planner: Planner, alternatives: int) -> Measure | None:
    """The measure that was asked for, where it goes together with the rest."""
    if name is None:
        return None
    if alternatives:
        raise BadInput("alternatives are as different as can be, and minimise asks for the best; leave one of them out")
    if planner != "auto":
        raise BadInput(f"minimise searches in its own way, and planner {planner} in another; leave one of them out")
    return require_measure(name)


def _is_plain(job: Job) -> bool:
    """Whether a node costs what it holds, and less is never worse."""
    shop = job.workshop
    return shop.rules.name == "holds" and not shop.rules.regrasp and shop.stability.monotone and not shop.own_checks


def _trivial_bound(job: Job, measure: Measure, value: int) -> int | None:
    """What no plan can have less of, whatever it builds: none, or of steps two a part where each comes by itself."""
    if value == 0 or measure == "regrasps":
        return 0
    if measure == "steps" and _is_plain(job) and not (job.goal.bare.held or job.goal.whole.held):
        return (
            2 * (job.goal.whole.installed & ~job.goal.bare.installed).bit_count() if not job.settings.groups else None
        )
    return None


def _tabled(job: Job) -> Truth | None:
    """The table of all states; None where there are too many of them, or the goal is another."""
    shop, goal = job.workshop, job.goal
    movable = (goal.whole.installed & ~goal.bare.installed).bit_count()
    if movable > TABLED or goal != shop.everything or shop.rules.require_connected or shop.rules.paths == "any":
        return None
    try:
        with job.deadline.kept():
            return truth_in(shop, MOST_TABLED)
    except (BadInput, Stopped):
        return None


def _no_better_without_arms(first: Planned, truth: Truth) -> Planned:
    """What arms carry out is a plan without them too: none holds less than the best of those."""
    assert first.quality is not None
    row = truth.row(truth.whole)
    if row < 0 or not truth.solvable[row]:  # parts come in groups only
        return first
    bound = min(int(truth.holds_to_go[row]), int(first.quality.value))
    return replace(first, quality=replace(first.quality, bound=bound))


def _by_table(job: Job, first: Planned, truth: Truth) -> Planned | None:
    """The optimum, from the table of all states; None where it has none."""
    shop = job.workshop
    moves = _read_off(truth)
    if moves is None:  # parts come in groups only
        return None
    ledger = Ledger(shop.checks, None, job.deadline)
    ledger.evaluations = first.evaluations
    planned = as_planned(job, ledger, Ending("complete", moves))
    value = counted(planned.plan, "holds")
    assert first.quality is not None
    best = planned if value <= first.quality.value else first
    bound = int(truth.holds_to_go[truth.row(truth.whole)])
    value = counted(best.plan, "holds")
    quality = Quality("holds", value, min(bound, value), of_single_parts=shop.craft.has_groups)
    return replace(best, tree=first.tree, refused=first.refused, blocked=first.blocked, quality=quality)


def _read_off(truth: Truth) -> tuple[Move, ...] | None:
    """The moves of a plan with the fewest holds, in building order."""
    row = truth.row(truth.whole)
    if row < 0 or not truth.solvable[row]:
        return None
    moves, later = [], Node(truth.whole)
    while truth.installed[row] & truth.movable:
        regret, led = truth.regret([row])[0], truth.actions([row])[0]
        removals = [n for n in range(len(truth.parts)) if regret[n, 1] == 0]
        if removals:
            row = int(led[removals[0], 1])
            earlier = Node(int(truth.installed[row]), int(truth.held[row]))
            moves.append(Move(1 << truth.parts[removals[0]], earlier, later))
            later = earlier
        else:
            row = int(next(led[n, 0] for n in range(len(truth.parts)) if regret[n, 0] == 0))
    return tuple(moves[::-1])


def _by_beams(job: Job, best: Planned, measure: Measure) -> Planned:
    """Ever wider beams, each for less than the best so far; without a timeout or budget, those of WIDTHS."""
    open_ended = job.deadline.is_set or job.settings.budget is not None
    shop = job.workshop.straight or job.workshop
    ledger = Ledger(shop.checks, job.settings.budget, job.deadline)
    ledger.evaluations = best.evaluations
    try:
        with job.deadline.kept():
            for width in (4**n for n in count()) if open_ended else WIDTHS:
                before = ledger.evaluations
                for beam in _beams(replace(job, workshop=shop), ledger, measure, width, best):
                    best = _better(job, replace(job, workshop=shop), ledger, beam, best)
                if best.quality is not None and best.quality.proved:
                    break
                if width > WIDTHS[-1] and ledger.evaluations == before:
                    break
    except Stopped:
        pass
    return replace(best, evaluations=ledger.evaluations)


def _beams(job: Job, ledger: Ledger, measure: Measure, width: int, best: Planned) -> Iterator[Search]:
    assert best.quality is not None
    task, shop = job.task(), job.workshop
    if not (measure == "holds" and _is_plain(job) and shop.crew is None):
        below = int(best.quality.value)
        yield cost_beam(shop.craft.walks(task)[-1], ledger, lambda move: cost_of(move, measure), width, below)
        return
    if (guide := job.settings.guide) is not None:
        guessed = partial(costs_to_go, guide)
        yield thin_beam(SparingRemoval(task), ledger, width, int(best.quality.value), guessed)
    ahead = ways_left(shop, task)
    for order, builds in product(ORDERS, (True, False)):
        walk = SparingBuilding(task, ahead, order) if builds else SparingRemoval(task, order)
        yield thin_beam(walk, ledger, width, int(best.quality.value))


def _better(job: Job, straight: Job, ledger: Ledger, beam: Search, best: Planned) -> Planned:
    """What a beam comes to, if it is better."""
    assert best.quality is not None
    outcome = run(beam, ledger, straight)
    if outcome.moves is None or (apart := built_apart(straight, ledger, outcome.moves)) is None:
        return best
    found = as_planned(straight, ledger, Ending("complete", outcome.moves), apart)
    quality = replace(best.quality, value=counted(found.plan, best.quality.measure))
    if not quality.beats(best.quality):
        return best
    plan = replace(found.plan, rules=job.workshop.rules)
    return replace(found, plan=plan, tree=best.tree, refused=best.refused, blocked=best.blocked, quality=quality)


def _bounded(job: Job, best: Planned) -> Planned:
    """Of holds: if it is proved that one hand is too few, some part is held meanwhile in every plan."""
    quality = best.quality
    if quality is None or quality.bound is not None or quality.measure != "holds" or not quality.value:
        return best
    alone = replace(job, workshop=job.workshop.with_robots(1), settings=replace(job.settings, groups=False))
    tried = alone.within(best.evaluations, PATIENCE * len(job.workshop.assembly.parts))
    if tried is None:
        return best
    proof = solve(tried)
    bound = 1 if proof.status == "infeasible" else None
    single = proof.plan.proof is not None and not proof.plan.proof.groups and job.workshop.craft.has_groups
    return replace(
        best,
        evaluations=best.evaluations + proof.evaluations,
        quality=replace(quality, bound=bound, of_single_parts=single and bound is not None),
    )
