"""Shapes whose way out is known: found, proved free by the verifier, and looked at by an independent library.

Every shape is asked for with the planner's own oracle for any way (`RemovalOracle`); the one who proves is the judge of
`verify`, and `fcl` looks at ten times as many poses as the path has. Where nothing is found, that is said; nothing is
called locked without a proof.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from falsework.bench.cad.errands import sent
from falsework.bench.rows import Row, Skipped
from falsework.gallery.cad import cad_shape
from falsework.gallery.cad.workpieces import common, solid_of
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.distance.warm import warm
from falsework.geometry.shapes.solids import surface
from falsework.geometry.ways.surfaces.removals import SurfaceRemovals
from falsework.geometry.ways.sweeping import between
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.verification.paths import PathJudge

PATIENCE_S, LONG_S = 20.0, 90.0
SHAPES: dict[str, tuple[str, dict[str, float]]] = {
    "nut off an M16 bolt": ("nut-and-bolt", {"facets": 110}),
    "nut off a tight M16 bolt": ("nut-and-bolt", {"facets": 110, "play": 8e-6}),
    "mortise and tenon": ("mortise-and-tenon", {}),
    "dovetail": ("dovetail", {}),
    "L-slide": ("l-slide", {}),
    "burr": ("loose-burr", {}),
    "open ball socket": ("ball-in-socket", {"play": 1e-5}),
    "bayonet": ("bayonet", {}),
    "stacked gears": ("stacked-gears", {}),
    "key in lock": ("key-in-lock", {}),
    "captive ball": ("ball-in-socket", {"captive": 1, "play": 1e-5}),
    "locked burr": ("loose-burr", {"locked": 1}),
}
TARGETS = {
    "nut off an M16 bolt": "≤ 3 s, proof ≤ 10 s (Assemble-Them-All 62 s, 0.1 mm deep)",
    "captive ball": "reported as locked, or not found",
    "locked burr": "reported as locked, or not found",
}
USUAL = "removed and proved free to 1e-4"
FINER = 10  # times as many poses as the path has, for the other library
DEEP = 1e-4  # of the assembly's size


def rows(full: bool = False) -> Iterator[Row | Skipped]:
    for case, (kind, parameters) in SHAPES.items():
        words = [word for item in parameters.items() for word in item]
        patience = LONG_S if full else PATIENCE_S
        errand = sent(taken_apart, kind, *words, patience_s=patience)
        target = TARGETS.get(case, USUAL)
        if errand.told is None:
            yield Row(case, 1e3 * patience, None, "", {"why": errand.why}, target, f"not found: {errand.why}")
        else:
            yield Row(case, 1e3 * errand.told["cpu_s"], None, "", errand.told, target, _figure(errand.told))


def _figure(told: dict[str, Any]) -> str:
    if told["stuck"]:
        kind = "locked" if told["locked"] else "not found"
        return f"{kind}: {', '.join(told['stuck'])} ({told['cpu_s']:.2f} s)"
    if told["complaints"]:
        return f"removed in {told['cpu_s']:.2f} s, not proved: {told['complaints'][0]}"
    other = {None: "no fcl", 0: "fcl agrees"}.get(told["struck"], f"fcl: {told['struck']} poses too deep")
    found = f"removed in {told['cpu_s']:.2f} s ({told['contacts_s']:.2f} s of them for contacts)"
    return f"{found}, proved in {told['proof_s']:.2f} s, {other}"


def taken_apart(kind: str, *words: str | float) -> dict[str, Any]:
    """Take a shape apart in its declared order, or, where it is locked, try every part of it.

    Machine code has been loaded before.
    """
    parameters = dict(zip(words[::2], words[1::2], strict=True))
    made = cad_shape(kind, **{str(name): value for name, value in parameters.items()})
    assembly, declared = made.assembly, made.declared
    warm()
    start = time.process_time()
    rules = rules_for(assembly, "holds", 2, "any")
    removals = Workshop(assembly, rules).removals
    assert removals is not None, "ways are looked at"
    contacts = time.process_time() - start
    there = (1 << len(assembly.bodies)) - 1
    names = [one.part for one in declared.order] or sorted(declared.locked)
    paths: list[tuple[str, int, Array]] = []
    stuck = []
    for name in names:
        body = 1 << assembly.index[name]
        path = removals.path(body, there & ~body)
        if path is None:
            stuck.append(name)
        else:
            paths.append((name, there & ~body, path))
            there &= ~body
    spent = time.process_time() - start
    return {
        "cpu_s": spent,
        "contacts_s": contacts,
        "faces": sum(len(surface(part.shape).triangles) for part in assembly.parts),
        "stuck": stuck,
        "locked": bool(stuck) and (removals.certain or _are_locked(assembly, stuck, there)),
        **_judged(assembly, paths),
    }


def _are_locked(assembly: Assembly, names: list[str], there: int) -> bool:
    """Whether it is proved, by surfaces, that none of these parts gets further than its play."""
    by_surfaces = SurfaceRemovals(assembly, interfaces(assembly))
    return all(by_surfaces.locked(body, there & ~body) for body in (1 << assembly.index[name] for name in names))


def _judged(assembly: Assembly, paths: list[tuple[str, int, Array]]) -> dict[str, Any]:
    """What the verifier says of the paths, and at how many poses the other library finds parts in each other."""
    start, complaints = time.process_time(), []
    judge = PathJudge(assembly)
    for name, rest, path in paths:
        installed = [n for n in range(len(assembly.bodies)) if rest >> n & 1]
        complaints += [f"{name}: {why}" for why in judge.complaints([assembly.index[name]], installed, path, None)]
    spent = time.process_time() - start
    return {"complaints": complaints, "proof_s": spent, "struck": _struck(assembly, paths)}


def _struck(assembly: Assembly, paths: list[tuple[str, int, Array]]) -> int | None:
    """Poses along the paths where fcl finds a part too deep in another; None where it is not installed."""
    try:
        fcl = importlib.import_module("fcl")
    except ModuleNotFoundError:
        return None
    bodies = [_body(fcl, surface(part.shape)) for part in assembly.parts]
    for body, part in zip(bodies, assembly.parts, strict=True):
        body.setTransform(fcl.Transform(part.T_world_part[:3, :3], part.T_world_part[:3, 3]))
    corners = np.concatenate([part.T_world_part[:3, 3] + surface(part.shape).vertices for part in assembly.parts])
    deep, struck = DEEP * float(np.ptp(corners, axis=0).max()), 0
    for name, rest, path in paths:
        mine = assembly.index[name]
        moving, others = bodies[mine], [n for n in range(len(bodies)) if rest >> n & 1]
        for start, end in pairwise(path):
            for share in np.arange(FINER) / FINER:
                pose = between(start, end, float(share))
                moving.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
                met = [n for n in others if fcl.collide(moving, bodies[n])]  # faces that touch meet too
                struck += any(_thickness(assembly.parts[mine], pose, assembly.parts[n]) > deep for n in met)
    return struck


def _thickness(moving: Part, pose: Array, still: Part) -> float:
    """How thick what two parts share is, m: twice its volume by its surface."""
    shared = common(solid_of(surface(moving.shape), pose), solid_of(surface(still.shape), still.T_world_part))
    return 0.0 if shared.is_empty() else 2.0 * float(shared.volume()) / float(shared.surface_area())


def _body(fcl: Any, mesh: Any) -> Any:
    model = fcl.BVHModel()
    model.beginModel(len(mesh.vertices), len(mesh.triangles))
    model.addSubModel(mesh.vertices, mesh.triangles)
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform())
