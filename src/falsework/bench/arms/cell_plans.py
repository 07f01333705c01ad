"""Plans with arms inside the search: bases chosen, then order, holds, arms, grasps and branches together.

CPU time of one process for all of it, motions and their verification included; plans are verified outside of the time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from falsework.bench.published import FOLDERS, folder_of
from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row, Skipped
from falsework.formats import load
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.surfaces.removals import SurfaceRemovals
from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided
from falsework.model.robots.tilting import UPRIGHT
from falsework.planning.plan import plan
from falsework.planning.plans.jobs import Planned
from falsework.planning.verification.verify import verify
from falsework.robots.cells.placing import placed_cell
from falsework.robots.keyframes.cell_planning import Arms
from falsework.robots.keyframes.judging import judge_of
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.verify_motion import verify_motion

SEED = 0
TIMEOUT_S = 600.0
BEAM, BASE, BEAM_SCALE = "cad/beam", "6", 0.01


@dataclass(frozen=True, slots=True)
class Case:
    """An assembly, the cell that is to build it, and what was asked for."""

    name: str
    kind: str
    target: str
    scale: float = 1.0


PUBLISHED = (
    Case("Dome-37", "two-irb2600", "30 s with motions (seed 002: 5 min on a 4090 and 32 cores)"),
    Case("Bottle-12", "two-panda", "15 s with motions", 0.1),
    Case("Bottle-12", "two-gofa+suction-20", "built (seed 002's real one)", 0.1),
)


def rows() -> Iterator[Row | Skipped]:
    """Published models, a vault of the gallery, and one part of the beam."""
    for case in PUBLISHED:
        folder = folder_of(case.name)
        told = f"{case.name} by {case.kind}"
        if folder is None:
            yield Skipped(told, "the published model is not at hand")
            continue
        fixed = FOLDERS[case.name][1].split(",")
        yield _built(told, load(folder, fixed=fixed, scale=case.scale), case)
    vault = make("barrel-vault", stones=9, rows=6, radius=0.45)
    target = "5 min (seed 002's Vault-62: 96 min)"
    yield _built(f"vault of {len(vault.parts)} by three IRB 2600", vault, Case("vault", "three-irb2600", target))
    yield _beam()


def _built(told: str, assembly: Assembly, case: Case) -> Row:
    start = time.process_time()
    cell = placed_cell(case.kind, assembly, rng=np.random.default_rng(SEED), judge=judge_of(assembly)).cell
    placed = time.process_time()
    planned = plan(assembly, cell=cell, timeout_s=TIMEOUT_S, seed=SEED)
    found = time.process_time()
    moved = _moved(planned, assembly)
    ended = time.process_time()
    valid = planned.in_cell is not None and verify(planned.plan, assembly).valid
    sound = valid and moved.get("verified", False)
    return Row(
        told, 1e3 * (ended - start), target=case.target,
        figure=f"{planned.status}, {'verified' if sound else 'not verified'}, {ended - start:.1f} s",
        notes=moved | {
            "status": planned.status, "valid": valid, "bases_s": placed - start, "plan_s": found - placed,
            "motion_s": ended - found,
            "evaluations": planned.evaluations, "held": planned.plan.max_held, "why": planned.why[:200],
        },
    )  # fmt: skip


def _moved(planned: Planned, assembly: Assembly) -> dict[str, Any]:
    """How long the arms take for a plan, one after another and together, and whether that is verified."""
    if planned.in_cell is None:
        return {}
    try:
        motion = motions_of(planned.in_cell, assembly, np.random.default_rng(SEED))
    except Undecided as why:
        return {"motion": str(why)}
    judged = verify_motion(motion, assembly)
    said = {} if judged.valid else {"motion": judged.complaints[0].why}
    return {"makespan_s": motion.makespan_s, "one_by_one_s": motion.one_by_one_s, "verified": judged.valid, **said}


def _beam() -> Row | Skipped:
    """Grasps, a path and keyframes for one part of the beam of seed 001, among all others."""
    told = "beam: grasp and path for one part, xArm 7"
    folder = DATA.find(BEAM)
    if folder is None:
        return Skipped(told, "the beam is not at hand")
    beam = load(folder, fixed=[BASE], scale=BEAM_SCALE)
    joints = interfaces(beam)
    cell = placed_cell("xarm7", beam, layouts=300).cell
    start = time.process_time()
    rest = (1 << len(beam.bodies)) - 2
    path = SurfaceRemovals(beam, joints).path(1, rest)
    frames = [] if path is None else Arms(cell, beam).tables.at(UPRIGHT).of(0, [path], rest)[0]
    ours = 1e3 * (time.process_time() - start)
    return Row(told, ours, target="2 s (seed 001: about 80 s)", notes={"keyframes": len(frames)})
