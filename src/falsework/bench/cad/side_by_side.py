"""Our plans beside those of a planner that does not mind gravity (seed 001, Fig. 4): what falls on the way.

The stability-blind planner takes parts away in random order, whichever has a way out, as in a world without gravity.
Its order is followed on a table, nothing held, and the verifier tells which steps fall. With `--out` both plans are
written as pages that can be played step by step, and a page that shows the two beside each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from falsework.bench.rows import Row
from falsework.formats.basics.atomic import write_whole
from falsework.gallery.cad.cad_set import CadSpecimen, cad_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.bits import bits
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan
from falsework.planning.nodes.moves import Move
from falsework.planning.plans.jobs import Job, Settings
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.rules.reorienting import Turning
from falsework.planning.verification.failures import Verification
from falsework.planning.verification.verify import verify
from falsework.studio.scene import Headline

SHOWN = (16, 22, 25)  # of the set: three, as the figure has them, that are built with the base below
HELD = 2
PAGE = "side-by-side.html"
_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Falsework: with and without gravity in mind</title>
<style>
body {{ margin: 0; font: 15px/1.45 system-ui, sans-serif; color: #1d2733; background: #f4f5f7; }}
h1 {{ font-size: 1.15rem; margin: 1rem; }}
section {{ display: grid; grid-template-columns: 1fr 1fr; gap: 8px; margin: 0 8px 24px; }}
h2 {{ grid-column: 1 / -1; font-size: 1rem; margin: 8px 8px 0; }}
p {{ margin: 0 8px; }}
iframe {{ width: 100%; height: 78vh; border: 1px solid #c9ced6; background: white; }}
</style>
</head>
<body>
<h1>The same assemblies planned with gravity in mind (left) and without (right), as in seed 001, Fig. 4</h1>
{sections}
</body>
</html>
"""
_SECTION = """<section>
<h2>{name}: {parts} parts</h2>
<p>ours: {ours}</p>
<p>stability-blind: {blind}</p>
<iframe src="{name}-ours.html" title="{name}, ours"></iframe>
<iframe src="{name}-blind.html" title="{name}, stability-blind"></iframe>
</section>"""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One assembly, planned both ways, and what the verifier says of each."""

    name: str
    assembly: Assembly
    joints: Interfaces
    plans: tuple[Plan, Plan]  # ours, blind
    verified: tuple[Verification, Verification]

    def falls(self, which: int) -> int:
        """Steps of a plan with which something is wrong."""
        return len({failure.step for failure in self.verified[which].failures})

    def figure(self, which: int) -> str:
        wrong, steps = self.falls(which), len(self.plans[which].steps)
        return f"{wrong} of {steps} steps fall" if wrong else f"all {steps} steps stand"

    def headline(self, which: int) -> Headline | None:
        """None: as the plan itself has it."""
        return Headline("no", "Falls", f"{self.figure(which)}.") if self.falls(which) else None


def rows(out: Path | None = None) -> Iterator[Row]:
    pairs = []
    for number in SHOWN:
        start = time.process_time()
        pairs.append(pair := planned_both_ways(cad_set()[number]))
        yield Row(
            f"side by side, {pair.name}",
            1e3 * (time.process_time() - start),
            notes={"parts": len(pair.assembly.parts)},
            figure=f"ours: {pair.figure(0)}; blind: {pair.figure(1)}",
            target="ours all stand, as seed 001, Fig. 4",
        )
    if out is not None:
        write_pages(pairs, out)


def planned_both_ways(specimen: CadSpecimen, seed: int = 0) -> Pair:
    """Our plan, and the order of a planner in a world without gravity."""
    assembly = specimen.make()
    joints = interfaces(assembly)
    shop = Workshop(assembly, rules_for(assembly, "reorient", HELD + 1), joints=joints)
    ours = solve(Job(shop, shop.everything, Settings("auto", "least-blocked"))).plan
    blind = blind_plan(shop, np.random.default_rng(seed))
    return Pair(specimen.name, assembly, joints, (ours, blind), (verify(ours, assembly), verify(blind, assembly)))


def blind_plan(shop: Workshop, rng: np.random.Generator) -> Plan:
    """Parts in random order, each along a way out, whatever falls; it lies as the whole does."""
    goal = shop.everything
    walk = shop.craft.beam_walk(Job(shop, goal).task())
    assert isinstance(walk, Turning), "seed 001's rules turn"
    assert shop.removals is not None, "straight ways are looked at"
    node, moves = goal.whole, []
    while not walk.arrived(node):
        there = rng.permutation(list(bits(walk.movable(node)))).tolist()
        part = next(one for one in there if shop.removals.leaves(1 << one, node.installed))
        rest = walk.without(node, part)
        moves.append(Move(1 << part, rest, node))
        node = rest
    steps = shop.steps(walk.in_building_order(moves), goal)
    return Plan(shop.rules, "complete", steps, start=shop.start(goal), target=goal.target(shop.assembly))


def write_pages(pairs: list[Pair], out: Path) -> Path:
    """A page for each plan, and one that shows them in pairs."""
    from falsework.studio.plan_page import plan_scene
    from falsework.studio.report import report_html

    out.mkdir(parents=True, exist_ok=True)
    sections = []
    for pair in pairs:
        for which, word in enumerate(("ours", "blind")):
            plan, title = pair.plans[which], f"{pair.name}, {word}"
            wrong = [(failure.step, failure.why) for failure in pair.verified[which].failures]
            headline = pair.headline(which)
            scene = plan_scene(pair.assembly, pair.joints, plan, title, failures=wrong, headline=headline)
            write_whole(out / f"{pair.name}-{word}.html", report_html(scene))
        figures = {"ours": pair.figure(0), "blind": pair.figure(1)}
        sections.append(_SECTION.format(name=pair.name, parts=len(pair.assembly.parts), **figures))
    write_whole(out / PAGE, _SHELL.format(sections="\n".join(sections)))
    return out / PAGE
