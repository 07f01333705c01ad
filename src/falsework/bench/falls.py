"""Assemblies of the gallery that fall or stand, and the same fall in MuJoCo beside ours."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from falsework.collapse.fall import Fall, fall
from falsework.engine.contact import ContactSettings
from falsework.engine.rigid import RigidScene
from falsework.gallery import make
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.state import State

LEFT = 0.01  # of the assembly's size: parts that moved farther have left their place
FINE_S = 2.5e-4  # the engine's steps where it is asked for the motion, not for its speed


@dataclass(frozen=True, slots=True)
class Scene:
    """A kind of the gallery with its parameters, on a table, with some parts missing."""

    kind: str
    parameters: dict[str, Any] = field(default_factory=dict)
    absent: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        numbers = " ".join(f"{value:g}" for value in self.parameters.values())
        missing = f" without {','.join(self.absent)}" if self.absent else ""
        return f"{self.kind} {numbers}{missing}".replace("  ", " ").strip()

    def assembly(self) -> Assembly:
        made = make(self.kind, 0, **self.parameters)
        return made if made.ground_part is not None else grounded(made, Ground("table"))


SCENES = (
    Scene("semicircular-arch", {"stones": 7}, ("keystone",)),
    Scene("semicircular-arch", {"stones": 15}, ("keystone",)),
    Scene("semicircular-arch", {"stones": 21, "thickness": 0.08}),
    Scene("semicircular-arch", {"stones": 15}),
    Scene("pointed-arch", {"stones": 5}, ("stone-5",)),
    Scene("flat-arch", {"stones": 7}, ("keystone",)),
    Scene("leaning-tower", {"bricks": 7, "lean": 0.2}),
    Scene("leaning-tower", {"bricks": 5, "lean": 0.3}),
    Scene("harmonic-tower", {"bricks": 6, "reach": 1.3}),
    Scene("running-bond-wall", {"columns": 4, "courses": 5}),
    Scene("running-bond-wall", {"columns": 3, "courses": 4}, ("block-1",)),
    Scene("diamond-tower", {"widest": 5}),
    Scene("diamond-tower", {"widest": 6}),
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One scene in both: who left their place, how far centres are apart, and what a step cost."""

    ours_ms: float  # a step
    engine_ms: float  # a step of the same length
    same_fallen: bool
    apart: float  # the largest distance between a part's two centres of mass, of the height fallen
    contacts: float  # in a step, on average


def compared(scene: Scene, seconds: float = 0.3, step_s: float = 1e-3) -> Comparison:
    """The scene after so many seconds here and in the engine."""
    assembly = scene.assembly()
    start = time.perf_counter()
    motion = ours(assembly, scene.absent, seconds, step_s)
    spent = time.perf_counter() - start
    begun, ended = centres(assembly, assembly.poses), centres(assembly, motion.trajectory.T_world_part[-1])
    theirs = centres(assembly, in_engine(assembly, scene.absent, seconds, FINE_S))
    start = time.perf_counter()
    in_engine(assembly, scene.absent, seconds, step_s)
    engine = time.perf_counter() - start
    there = np.array([name not in scene.absent for name in assembly.names])
    size = float(np.ptp(begun, axis=0).max())
    fallen = [np.linalg.norm(places - begun, axis=1)[there] > LEFT * size for places in (ended, theirs)]
    height = max(float((begun - ended)[there, 2].max()), LEFT * size)
    apart = float(np.linalg.norm(ended - theirs, axis=1)[there].max()) / height
    steps = len(motion.time_s)
    return Comparison(
        1e3 * spent / steps,
        1e3 * engine / round(seconds / step_s),
        bool((fallen[0] == fallen[1]).all()),
        apart,
        float(motion.contacts.mean()),
    )


def ours(assembly: Assembly, absent: tuple[str, ...], seconds: float, step_s: float) -> Fall:
    state = State.complete(assembly, absent=assembly.mask(absent))
    return fall(assembly, interfaces(assembly).hinges, state, seconds=seconds, step_s=step_s)


def in_engine(assembly: Assembly, absent: tuple[str, ...], seconds: float, step_s: float) -> Array:
    """(bodies, 4, 4) poses in MuJoCo."""
    scene = RigidScene(assembly, absent=absent, settings=ContactSettings(step_s=step_s))
    scene.step(seconds)
    return scene.poses()


def centres(assembly: Assembly, poses: Array) -> Array:
    """(…, n, 3) centres of mass of the parts at poses (…, n or more, 4, 4)."""
    local = np.array([part.com_part_m for part in assembly.parts])
    chosen = poses[..., : len(local), :, :]
    places: Array = np.einsum("...nij,nj->...ni", chosen[..., :3, :3], local) + chosen[..., :3, 3]
    return places
