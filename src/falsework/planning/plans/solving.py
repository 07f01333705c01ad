"""One search, from one node to another, to its end: a plan, a proof that there is none, or a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from falsework.model.assembly import Assembly
from falsework.model.plan import Plan, PlanStatus, Proof, ProofKind, Subassembly
from falsework.planning.nodes.deadline import Stopped
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.nodes.own_checks import elsewhere
from falsework.planning.plans.jobs import Job, Planned, Progress
from falsework.planning.plans.planners import search_for
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.groups import BuildApart
from falsework.planning.rules.too_few_hands import PAUSES, proof_of_too_few_hands
from falsework.planning.search.crewed import NAME
from falsework.planning.search.searches import Outcome, Search, best_first

GROUPED = 5  # moves a part for which groups are tried where hands are too few for single parts
SEEN_ALL = "every state that can be reached was tried"
MOST_TOLD = 3  # parts of which it is said what stopped arms
STRAIGHT = 50  # evaluations a part for which straight ways are tried alone, where any way is allowed


@dataclass(frozen=True, slots=True)
class Ending:
    """How a search ended: with moves, with a proof, or with the reason why there is neither."""

    status: PlanStatus
    moves: tuple[Move, ...] | None = None
    why: str = ""
    proof: Proof | None = None

    @staticmethod
    def impossible(by: ProofKind, why: str, groups: bool = False, directions: int | None = None) -> Ending:
        return Ending("infeasible", None, why, Proof(by, why, groups, directions))


def solve(job: Job) -> Planned:
    """What the search of a job comes to; where any way is allowed, straight ones are tried first: they cost least."""
    straight = job.workshop.straight
    if straight is None:
        return _solved(job)
    singly = replace(job, workshop=straight, settings=replace(job.settings, groups=False))
    first = _solved(singly.within(0, STRAIGHT * len(job.workshop.assembly.parts)) or singly)
    if first.status in ("complete", "timeout") or (first.plan.proof is not None and first.plan.proof.by == "fall"):
        return replace(first, plan=replace(first.plan, rules=job.workshop.rules))
    rest = job.within(first.evaluations)
    if rest is None:
        return replace(first, plan=replace(first.plan, status="budget", proof=None), why="the budget ran out")
    found = _solved(rest)
    return replace(found, evaluations=first.evaluations + found.evaluations)


def _solved(job: Job) -> Planned:
    ledger = Ledger(job.workshop.checks, job.settings.budget, job.deadline)
    apart: list[Subassembly] = []
    ending = _ending(job, ledger, apart)
    return as_planned(job, ledger, ending, apart)


def as_planned(job: Job, ledger: Ledger, ending: Ending, apart: Sequence[Subassembly] = ()) -> Planned:
    """What a job has come to, told as a plan."""
    workshop, goal = job.workshop, job.goal
    steps = () if ending.moves is None else workshop.steps(ending.moves, goal, lambda: job.deadline.is_past)
    finished = Plan(
        workshop.rules,
        ending.status,
        steps,
        start=workshop.start(goal),
        target=goal.target(workshop.assembly),
        apart=tuple(apart),
        proof=ending.proof,
    )
    return Planned(
        finished,
        ending.moves or (),
        ledger.evaluations,
        job.deadline.elapsed_s,
        ending.why,
        ledger.blocked,
        tree=tuple(ledger.tree),
        refused=tuple(ledger.refused),
        verdict_of=lambda node: None if job.deadline.is_past else workshop.stability.verdict(node),
        joints=workshop.joints,
    )


def _ending(job: Job, ledger: Ledger, apart: list[Subassembly]) -> Ending:
    """What the search comes to within its limits."""
    try:
        with job.deadline.kept():
            return _unlimited_ending(job, ledger, apart)
    except Stopped as stopped:
        return Ending(stopped.limit, why=f"the {stopped.limit} ran out")


def _unlimited_ending(job: Job, ledger: Ledger, apart: list[Subassembly]) -> Ending:
    for node, what in ((job.goal.whole, "the complete structure"), (job.goal.bare, "what is there already")):
        answer = job.workshop.stability.finding(node).answer
        if answer == "undecided":
            return Ending("budget", why=f"whether {what} stands is undecided")
        if answer == "unstable":
            return Ending.impossible("fall", f"{what} does not stand", groups=True)
    outcome = run(search_for(job, ledger, grouping=_grouping(job)), ledger, job)
    lying = "it may lie in other ways than the likeliest, which were tried"
    outcome = _with_groups_built(job, ledger, outcome, apart)
    if outcome.moves is None and outcome.by == "search" and _refused_by_own(job, ledger, unsure=True):
        outcome = _by_statics_alone(job, ledger, outcome)
    left_out = outcome.why or ("the beam left nodes out" if job.workshop.lying is None else lying)
    if outcome.exhaustive and outcome.moves is None and not outcome.groups and _grouping(job):
        outcome = _with_groups(job, ledger, outcome, apart)
        left_out = "parts placed one by one come to nothing, but not every group that a hand can carry was tried"
    if outcome.moves is not None:
        return Ending("complete", outcome.moves)
    if outcome.exhaustive and outcome.by == "search":
        ledger.settle()
    if not job.workshop.stability.monotone:
        left_out = f"model {job.workshop.rules.model} promises nothing about other ways to hold, and not all were tried"
        return Ending("budget", why=f"no plan was found, and none is ruled out: {left_out}")
    if not outcome.exhaustive or (ledger.undecided and outcome.by == "search"):
        what = f"{ledger.undecided} moves stayed undecided" if ledger.undecided else left_out
        if job.workshop.crew is not None and outcome.by == "search":
            return Ending("budget", why=_what_stopped_arms(job, ledger))
        if unsure := _refused_by_own(job, ledger, unsure=True):
            what = f"what check {', '.join(unsure)} refused may yet be possible, or with other parts held"
        return Ending("budget", why=f"no plan was found, and none is ruled out: {what}")
    directions = job.workshop.directions if outcome.by == "search" else None
    return Ending.impossible(outcome.by, outcome.why or SEEN_ALL, outcome.groups, directions)


def _with_groups_built(job: Job, ledger: Ledger, outcome: Outcome, apart: list[Subassembly]) -> Outcome:
    """Moves whose groups can be put together apart, if need be others than these."""
    groups = job.workshop.craft.groups_on_the_way(_apart(job, ledger))
    while groups is not None and outcome.moves is not None:
        several = [move.parts for move in outcome.moves if move.parts & (move.parts - 1)]
        unbuilt = [group for group in several if groups.built(group) is None]
        if not unbuilt:
            told = {built.parts: built for group in several for built in groups.built(group) or ()}
            apart += told.values()
            break
        groups.give_up(unbuilt)
        ledger.undecided += len(unbuilt)
        outcome = run(search_for(job, ledger, grouping=False), ledger, job)
    return outcome


def built_apart(job: Job, ledger: Ledger, moves: Sequence[Move]) -> tuple[Subassembly, ...] | None:
    """How the groups of moves are put together; None where no way was found."""
    several = [move.parts for move in moves if move.parts & (move.parts - 1)]
    if not several:
        return ()
    groups = job.workshop.craft.groups_on_the_way(_apart(job, ledger))
    if groups is None or any(groups.built(group) is None for group in several):
        return None
    return tuple({built.parts: built for group in several for built in groups.built(group) or ()}.values())


def _by_statics_alone(job: Job, ledger: Ledger, outcome: Outcome) -> Outcome:
    """Where checks refused so much that searches ended before the proofs came to it: what these say."""
    for proof in job.workshop.craft.proofs(job.task(), ledger, grouping=_grouping(job)):
        proved = run(proof, ledger, job, PAUSES + 1)
        if proved.exhaustive:
            return proved
    return outcome


def _refused_by_own(job: Job, ledger: Ledger, *, unsure: bool = False) -> list[str]:
    """The caller's checks that refused something; of those, the ones that prove nothing by it."""
    refused = {name for blocked in ledger.blocked.values() for name in blocked.counts}
    checks = [check for check in job.workshop.own_checks if check.name in refused]
    return [check.name for check in checks if not unsure or check.minds_hands or not check.certain]


def _what_stopped_arms(job: Job, ledger: Ledger) -> str:
    """What arms could not do, part by part: those first that were refused least often."""
    names = job.workshop.assembly.names
    refused = [
        (blocked.counts[NAME], names[part], blocked.nearest[NAME][1].why)
        for part, blocked in ledger.blocked.items()
        if NAME in blocked.counts
    ]
    told = "; ".join(f"{name}: {why}" for _, name, why in sorted(refused, reverse=True)[:MOST_TOLD])
    more = f"; and {len(refused) - MOST_TOLD} parts more" if len(refused) > MOST_TOLD else ""
    return (
        f"no plan was found that the arms carry out, and none is ruled out: {told or 'they tried all they know'}{more}"
    )


def _grouping(job: Job) -> bool:
    """Whether parts may be placed as one, where single ones come to nothing."""
    return job.settings.groups and job.settings.planner in ("auto", "best-first") and job.workshop.craft.has_groups


def _with_groups(job: Job, ledger: Ledger, singly: Outcome, apart: list[Subassembly]) -> Outcome:
    """Where parts come to nothing one by one, the same with groups placed as one."""
    task, workshop = job.task(), job.workshop
    walk = workshop.craft.group_walk(task, _apart(job, ledger))
    if walk is None:
        return singly
    most = GROUPED * len(workshop.assembly.parts) if singly.by == "hands" else None  # it may well go on for ever
    outcome = run(best_first(walk, ledger), ledger, job, most)
    if outcome.moves is None and not outcome.exhaustive and workshop.stability.monotone:
        proof = proof_of_too_few_hands(task, workshop.stability, workshop.air)
        return proof if proof.groups else outcome
    groups = [move.parts for move in outcome.moves or () if move.parts.bit_count() > 1]
    told = {built.parts: built for group in groups for built in walk.apart.built(group) or ()}
    apart += told.values()
    seen_all = outcome.exhaustive and not _refused_by_own(job, ledger)  # a check may let a group through, but no part
    why = f"{singly.why or SEEN_ALL}, also with parts placed as one"
    return replace(outcome, exhaustive=seen_all, why=why, groups=True)


def _apart(job: Job, ledger: Ledger) -> BuildApart:
    """How a group is built by itself, by the same rules; where none was found but one may be, the ledger knows."""

    def build_apart(alone: Assembly, end: Node) -> Plan | None:
        whole, checks = job.workshop.assembly, job.workshop.own_checks
        shop = Workshop(alone, job.workshop.rules, checks=elsewhere(checks, whole, alone))
        settings = replace(job.settings, selector="height", guide=None)
        planned = solve(Job(shop, replace(shop.everything, whole=end), settings, deadline=job.deadline))
        if planned.status == "complete":
            return planned.plan
        ledger.undecided += planned.status != "infeasible" or bool(checks)
        return None

    return build_apart


def run(search: Search, ledger: Ledger, job: Job, most: int | None = None) -> Outcome:
    """To its end, or until it has paused so often."""
    for _ in count() if most is None else range(most):
        try:
            fewest_left = next(search)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome
        if job.progress is not None:
            job.progress(Progress(ledger.evaluations, fewest_left, job.deadline.elapsed_s))
    return Outcome(None)
