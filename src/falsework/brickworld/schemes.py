"""The same assembly as other schemes have it, to compare with: no clutch is checked, bodies only move.

welds  the published scheme (seed 000, section IV): one body per brick, welds along connections and along shortcuts
plain  what a general engine makes of bricks (seed 000, Fig. 2; seed 004): studs in hollow bricks, contact and friction

A connection has come apart when its bricks have moved by more than a stud's height against each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from falsework.brickworld.events import Break
from falsework.brickworld.settings import Settings
from falsework.brickworld.simulation import Simulation, shifts
from falsework.engine.contact import ContactSettings
from falsework.engine.hollow import pieces_of_mould
from falsework.engine.rigid import RigidScene
from falsework.engine.welded import welded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.kernels.clusters import clusters
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.interfaces import Interfaces
from falsework.model.shapes import BrickShape
from falsework.model.trajectory import Trajectory

Scheme = Literal["clutches", "welds", "plain"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
MOST_STUDS = 20_000
PLAIN_STEP_S = 1e-3  # studs have twenty micrometres of play


def watch(
    assembly: Assembly,
    scheme: Scheme,
    frames: int,
    settings: Settings,
    joints: Interfaces | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """So many frames of an assembly in one of the other schemes."""
    if assembly.hinges:
        raise BadInput("a scheme of bricks knows no hinges; take them out, or use collapse")
    known = interfaces(assembly) if joints is None else joints
    pairs = known.clutches.bodies
    scene = scene_of(assembly, scheme, pairs, settings)
    parts = len(assembly.parts)
    poses, times, spent = [scene.poses()[:parts]], [0.0], []
    breaks: list[Break] = []
    gone = np.zeros(len(pairs), dtype=bool)
    for number in range(frames):
        start = time.perf_counter()
        scene.step(settings.frame_s)
        spent.append((1e3 * (time.perf_counter() - start), 0.0, 0.0))
        poses.append(scene.poses()[:parts])
        times.append(scene.time_s)
        apart = shifts(assembly, pairs, scene.poses()) > _stud_heights(assembly, pairs)
        if (apart & ~gone).any():
            breaks.append(Break(scene.time_s, _names(assembly, pairs[apart & ~gone]), None, None, None))
        gone |= apart
        if progress is not None:
            progress(number + 1, frames)
    return Simulation(
        trajectory=Trajectory(np.array(times), assembly.names, np.array(poses)),
        breaks=tuple(breaks),
        joins=(),
        components=_components(assembly, pairs[~gone]),
        frame_ms=np.array(spent).reshape(-1, 3),
        seconds=times[-1],
        assembly=assembly,
        pairs=pairs,
    )


def scene_of(assembly: Assembly, scheme: Scheme, pairs: Ints, settings: Settings) -> RigidScene:
    """The engine's scene; `pairs` (k, 2) are the bodies that clutches connect."""
    contact = replace(settings.contact, sleeping=False)
    if scheme == "welds":
        return welded(assembly, pairs, settings=contact)
    if scheme == "plain":
        kinds = [body.shape.kind for body in assembly.bodies if isinstance(body.shape, BrickShape)]
        studs = sum(kind.flat * kind.width for kind in kinds if kind.has_studs)
        if studs > MOST_STUDS:
            raise BadInput(f"scheme plain: found {studs} studs, each of which collides, expected at most {MOST_STUDS}")
        return RigidScene(assembly, shapes=pieces_of_mould, settings=ContactSettings(step_s=PLAIN_STEP_S))
    raise BadInput(f"scheme {shown(scheme)}: {did_you_mean(scheme, SCHEMES)}")


def _stud_heights(assembly: Assembly, pairs: Ints) -> Array:
    shapes = [assembly.bodies[first].shape for first in pairs[:, 0].tolist()]
    return np.array([shape.kind.measures.stud_height_m for shape in shapes if isinstance(shape, BrickShape)])


def _names(assembly: Assembly, pairs: Ints) -> tuple[tuple[str, str], ...]:
    return tuple((assembly.bodies[a].name, assembly.bodies[b].name) for a, b in pairs.tolist())


def _components(assembly: Assembly, left: Ints) -> tuple[tuple[str, ...], ...]:
    """Names of the parts that the connections which are left hold together."""
    label = clusters(left, len(assembly.bodies))
    groups: dict[int, list[str]] = {}
    for body, name in enumerate(label.tolist()):
        groups.setdefault(name, []).append(assembly.bodies[body].name)
    return tuple(tuple(names) for names in groups.values())
