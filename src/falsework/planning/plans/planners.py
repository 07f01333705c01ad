"""The searches by name: which of them a job's settings ask for, over which walks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.ports import Guide
from falsework.planning.nodes.checks import PathCheck
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.rule_sets import COMPARED, LOCAL, RuleSet
from falsework.planning.plans.baselines import genetic, random_permutation, stability_blind
from falsework.planning.plans.jobs import BASELINES, Job
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.reorienting import Turning
from falsework.planning.search.guided import ByGuide, GuidedRemoval, led, slowed, straight_on
from falsework.planning.search.searches import Search, beam, best_first, depth_first, in_turns
from falsework.planning.search.subassemblies import Subassemblies
from falsework.planning.search.walks import Walk

MADE_FOR = {  # planners that not every rule set takes, and what is said where one does not
    **dict.fromkeys(sorted(LOCAL), "it is seed 004's and takes --rules bricks, not {rules}"),
    **dict.fromkeys(sorted(COMPARED), "it is there to be compared with under --rules reorient"),
}
WITH_ARMS = ("auto", "best-first", "depth-first", "beam", "growing-beam")  # those that go by walks
BEAM_WIDTH, FIRST_WIDTH, GROWTH = 64, 4, 2.0  # as seed 002; of a growing beam


def refuse_without_arms(robots: int, planner: str) -> int:
    """So many hands; BadInput where a planner is asked for that does not go by walks."""
    if planner not in WITH_ARMS:
        raise BadInput(f"planner {planner}: with arms, use one of: {', '.join(WITH_ARMS)}")
    return robots


def refuse_turning_with_arms(rules: RuleSet, assembly: Assembly) -> None:
    """BadInput where a structure would have to be turned over that no positioner of a cell can hold."""
    if not rules.turns:
        return
    if rules.for_bricks:
        raise BadInput(f"rules {rules.name}: nobody in a cell turns bricks over that are pressed; use rules bricks")
    if not assembly.is_grounded:
        why = "nothing of it is fixed, so no positioner could hold it"
        raise BadInput(
            f"rules {rules.name} with a cell: {why}; say which parts are bolted to one, or leave the cell out"
        )


def search_for(job: Job, ledger: Ledger, *, grouping: bool) -> Search:
    """The search that the settings ask for, or several that take turns; `grouping` where groups are tried after it."""
    workshop, planner, task = job.workshop, job.settings.planner, job.task()
    look_up = workshop.stability.look_up
    rng = np.random.default_rng(job.settings.seed).spawn(2)[1]
    craft, rule_set = workshop.craft, workshop.rule_set
    if planner in MADE_FOR and planner not in rule_set.planners:
        raise BadInput(f"planner {planner}: {MADE_FOR[planner]}".format(rules=workshop.rules.name))
    walks = craft.walks(task)
    if planner in BASELINES:
        return _baseline(workshop, walks[0], planner, ledger, rng)
    match planner:
        case "depth-first":
            return depth_first(craft.beam_walk(task) if rule_set.turns else walks[-1], ledger)  # as seed 001 has it
        case "beam":
            return beam(craft.beam_walk(task), ledger, rng, BEAM_WIDTH, look_up=look_up)
        case "growing-beam":
            return beam(craft.beam_walk(task), ledger, rng, FIRST_WIDTH, GROWTH, look_up)
        case "subassemblies" | "one-by-one":
            return Subassemblies(task, workshop.joints, ledger, grouped=planner == "subassemblies").search()
        case _:
            searches = [best_first(walk, ledger) for walk in walks]
            searches += craft.proofs(task, ledger, grouping=grouping)
            guide = job.settings.guide
            if guide is None:
                return in_turns(searches)
            return _guided(job, guide, searches, ledger)


def _guided(job: Job, guide: Guide, others: list[Search], ledger: Ledger) -> Search:
    """Under rules `holds` a guide goes ahead. Other rules, and arms, have holds and refusals that it is not asked
    about: there it orders the parts of one more search, which waits until the others have had several evaluations a
    part: whoever is done by then has paid nothing for it."""
    task, craft = job.task(), job.workshop.craft
    if job.workshop.rules.name == "holds" and job.workshop.crew is None:
        return led(straight_on(GuidedRemoval(task, guide), ledger), others, ledger, len(craft.walks(task)))
    ordered = craft.walks(replace(task, selector=ByGuide(guide)))[-1]
    patience = len(job.workshop.assembly.parts)
    return in_turns([slowed(best_first(ordered, ledger), ledger, at_least=patience), *others])


def _baseline(workshop: Workshop, walk: Walk, planner: str, ledger: Ledger, rng: np.random.Generator) -> Search:
    assert isinstance(walk, Turning), "they are made for rule sets that turn"
    if planner == "random-permutation":
        return random_permutation(walk, ledger, rng)
    if planner == "genetic":
        return genetic(walk, ledger, rng)
    path = None if workshop.removals is None else PathCheck(workshop.removals)
    return stability_blind(walk, ledger, path, rng)
