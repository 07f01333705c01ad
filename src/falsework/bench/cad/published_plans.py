"""Plans of assemblies that others published: ASAP's beam, and Bottle-12, from meshes to a verified plan."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from typing import Any

from falsework.bench.cad.errands import sent
from falsework.bench.published import folder_of
from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row, Skipped
from falsework.formats import load
from falsework.gallery.cad.cad_set import cad_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.distance.warm import warm
from falsework.planning.plan import plan
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.verification.verify import verify

BEAM, BASE = "cad/beam", "6"
SMALL = 2  # of the set
PATIENCE_S = 120.0
PUBLIC = "public code of seed 001, same machine"


def rows() -> Iterator[Row | Skipped]:
    beam, bottle = DATA.find(BEAM), folder_of("Bottle-12")
    with tempfile.TemporaryDirectory() as known:
        if beam is not None:
            yield _plan_row("beam, whole plan, first time", str(beam), BASE, 2.0, 76.0, known)
            yield _plan_row("beam, whole plan, second time", str(beam), BASE, 2.0, 76.0, known)
            yield _check_row(str(beam))
        if bottle is not None:
            yield _plan_row("Bottle-12, base fixed", str(bottle), "0", 0.4, 135.0, known)
            yield _plan_row("Bottle-12, free", str(bottle), "", 0.4, 92.0, known)


def _plan_row(case: str, folder: str, fixed: str, target_s: float, public_s: float, known: str) -> Row | Skipped:
    """`known`: where contacts that were found once are found again."""
    errand = sent(planned, folder, fixed, patience_s=PATIENCE_S, known=known)
    if errand.told is None:
        return Skipped(case, errand.why)
    spent, told = errand.told["cpu_s"], errand.told
    figure = f"{spent:.2f} s" if told["verified"] else f"{told['status']}, no valid plan in {spent:.2f} s"
    return Row(case, 1e3 * spent, 1e3 * public_s, PUBLIC, told, f"≤ {target_s:g} s", figure)


def planned(folder: str, fixed: str) -> dict[str, Any]:
    """Read, find contacts, plan under seed 001's rules and verify, in a process that has planned before."""
    _warm()
    start = time.process_time()
    assembly = load(folder, fixed=fixed.split(",") if fixed else ())
    found = plan(assembly, rules="reorient", robots=3, selector="least-blocked")
    valid = found.status == "complete" and verify(found.plan, assembly).valid
    spent = time.process_time() - start
    return {"cpu_s": spent, "status": found.status, "verified": valid, "evaluations": found.evaluations}


def _warm() -> None:
    """Plan something small with round parts, and ask about surfaces of many facets: that loads machine code."""
    warm()
    small = cad_set()[SMALL].make()
    verify(plan(small, rules="reorient", robots=3, selector="least-blocked").plan, small)


def _check_row(folder: str) -> Row | Skipped:
    case = "beam, one removal check"
    errand = sent(removal_checks, folder, BASE, patience_s=PATIENCE_S)
    if errand.told is None:
        return Skipped(case, errand.why)
    each = errand.told["each_s"]
    return Row(case, 1e3 * each, 9.1e3, PUBLIC, errand.told, "≤ 0.05 s", f"{each:.3f} s")


def removal_checks(folder: str, fixed: str) -> dict[str, Any]:
    """Whether each part can leave the whole, by an oracle that has just been made; contacts are known."""
    _warm()
    assembly = load(folder, fixed=[fixed])
    joints = interfaces(assembly)
    start = time.process_time()
    removals = Workshop(assembly, rules_for(assembly, "holds", 2), joints=joints).removals
    assert removals is not None, "straight ways are looked at"
    everything, bodies = (1 << len(assembly.bodies)) - 1, range(len(assembly.parts))
    free = [n for n in bodies if assembly.parts[n].name not in assembly.fixed]
    leaves = [assembly.parts[n].name for n in free if removals.leaves(1 << n, everything)]
    return {"each_s": (time.process_time() - start) / len(free), "leave": leaves}
