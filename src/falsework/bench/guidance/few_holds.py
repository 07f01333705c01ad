"""Plans of fewest holds: the optimum of the table, and a plain beam that asks about every move and keeps the cheapest.

The beam walks both ways, building and taking apart, and the better of the two counts, with the evaluations of that one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from falsework.bench.rows import Row
from falsework.bench.samples import vault
from falsework.gallery.registry import make
from falsework.model.assembly import Assembly
from falsework.planning.nodes.deadline import Deadline
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Node
from falsework.planning.plans.jobs import Job
from falsework.planning.plans.minimising import minimised
from falsework.planning.plans.qualities import counted
from falsework.planning.plans.solving import solve
from falsework.planning.plans.truth import truth_in
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.search.sparing import SparingBuilding, SparingRemoval, SparingWalk
from falsework.planning.search.thin_beam import Stop
from falsework.planning.verification.verify import verify

WIDTH, SMALL_WIDTH = 64, 16


def few_holds_rows(full: bool = False) -> Iterator[Row]:
    yield against_the_table()
    width = WIDTH if full else SMALL_WIDTH
    cases: list[tuple[str, Assembly]] = [("vault of 50 stones", vault(62, 1))]
    if full:
        cases += [
            (f"barrel vault {stones} x {along}", make("barrel-vault", 0, stones=stones, rows=along))
            for stones, along in ((7, 8), (9, 6), (11, 5), (13, 4))
        ]
    for name, assembly in cases:
        yield against_a_beam(name, assembly, width)


def _shop(assembly: Assembly) -> Workshop:
    return Workshop(assembly, rules_for(assembly, "holds", 2, "none"))


def against_the_table() -> Row:
    """Small assemblies, by beams alone and by the table: how often the beams have the optimum."""
    kinds = [("semicircular-arch", {"stones": n}) for n in (7, 9, 11)]
    kinds += [("barrel-vault", {"stones": 5, "rows": 2}), ("dome", {"rings": 2, "segments": 6})]
    same, start = 0, time.process_time()
    for kind, parameters in kinds:
        shop = _shop(make(kind, 0, **parameters))
        truth = truth_in(shop)
        planned = minimised(Job(shop, shop.everything), "holds")
        assert planned.quality is not None
        optimum = int(truth.holds_to_go[truth.row(truth.whole)])
        same += bool(planned.quality.value == optimum and verify(planned.plan, shop.assembly).valid)
    took = 1e3 * (time.process_time() - start) / len(kinds)
    return Row("fewest holds, small", took, target="the optimum for all", figure=f"{same} of {len(kinds)}")


def against_a_beam(name: str, assembly: Assembly, width: int = WIDTH) -> Row:
    """What minimising comes to, and a plain beam in the order of costs."""
    shop = _shop(assembly)
    first = solve(Job(shop, shop.everything, deadline=Deadline()))
    start = time.process_time()
    good = minimised(Job(shop, shop.everything), "holds", first)
    took = time.process_time() - start
    assert good.quality is not None
    task = Job(shop, shop.everything).task()
    start = time.process_time()
    beams = [plain_beam(walk, Ledger(shop.checks), width) for walk in (SparingBuilding(task), SparingRemoval(task))]
    reference = time.process_time() - start
    cost, evaluations = min((cost, evaluations) for cost, evaluations in beams if cost is not None)
    ours = good.evaluations - first.evaluations
    return Row(
        f"fewest holds, {name}",
        1e3 * took,
        1e3 * reference,
        f"plain beams, width {width}",
        notes={"first plan": counted(first.plan, "holds"), "beam": cost, "verified": verify(good.plan, assembly).valid},
        target="never worse, a tenth of the evaluations",
        figure=f"{good.quality.value:g} holds and {cost}; {ours} evaluations and {evaluations}",
    )


def plain_beam(walk: SparingWalk, ledger: Ledger, width: int) -> tuple[int | None, int]:
    """The least cost that a beam finds which asks about every move of a layer; and how many evaluations it took."""
    layer = [Stop(walk.start, 0)]
    while layer:
        reached: dict[Node, int] = {}
        for stop in layer:
            waiting = walk.candidates(stop.node)
            while waiting:
                candidate = waiting.pop()
                refusal = walk.refusal(candidate, ledger)
                if refusal is None:
                    cost = stop.cost + walk.cost(candidate.node)
                    reached[candidate.node] = min(cost, reached.get(candidate.node, cost))
                else:
                    waiting += walk.helped(candidate, refusal)
        layer = sorted((Stop(node, cost) for node, cost in reached.items()), key=lambda stop: stop.cost)[:width]
        if layer and walk.arrived(layer[0].node):
            return layer[0].cost, ledger.evaluations
    return None, ledger.evaluations
