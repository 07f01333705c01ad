"""The force-torque graph of seed 002 (5.4, Fig. 8): parts, contact normals and contact points as nodes of three kinds.

force nodes   one for each pair of parts and contact normal, which points up, so that it does not depend on the parts'
              numbers
torque nodes  for each point and normal two, one of either part: the arm from the part's centre of mass to the point;
              each joins one force node, one part and the other one of the two, its twin

A node of force or torque is there while both of its parts are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.learning.graphs.contact_graph import contact_graph
from falsework.model.arrays import Array, Bools, Ints, freeze, freeze_ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.travel import MadeAnew

SAME_NORMAL = 1e-6  # by which normals may differ and still be the same; points: as a part of the assembly's scale


@dataclass(frozen=True, slots=True, eq=False)
class ForceTorqueGraph(MadeAnew):
    """What does not change while parts come and go. Lengths in units of `ContactGraph.scale_m`, masses likewise."""

    masses: Array  # (bodies,)
    force_bodies: Ints  # (f, 2) the normal points from the first into the second
    normals: Array  # (f, 3)
    torque_force: Ints  # (t,) the force node that a torque node belongs to
    torque_body: Ints  # (t,) the part whose arm it has
    torque_twin: Ints  # (t,)
    arms: Array  # (t, 3)

    def __post_init__(self) -> None:
        freeze(self, masses=(None,), normals=(None, 3), arms=(None, 3))
        freeze_ints(self, force_bodies=(None, 2), torque_force=(None,), torque_body=(None,), torque_twin=(None,))

    def present(self, installed: Bools) -> tuple[Bools, Bools]:
        """(…, f) and (…, t) which nodes of force and torque are there while these bodies, (…, bodies), are."""
        forces: Bools = np.logical_and(*(installed[..., self.force_bodies[:, n]] for n in (0, 1)))
        return forces, forces[..., self.torque_force]


def force_torque_graph(assembly: Assembly, joints: Interfaces) -> ForceTorqueGraph:
    """The graph of an assembly of blocks; clutches and hinges have no normals and points of the seed's kind."""
    compact = contact_graph(assembly, joints)
    patches, scale = _upward(joints.patches), compact.scale_m
    keys: dict[tuple[int, ...], int] = {}
    owner = np.empty(len(patches), dtype=np.int64)
    firsts: list[int] = []
    for n, (pair, normal) in enumerate(zip(patches.bodies.tolist(), patches.normals, strict=True)):
        key = (*pair, *np.round(normal / SAME_NORMAL).astype(int).tolist())
        if key not in keys:
            keys[key] = len(firsts)
            firsts.append(n)
        owner[n] = keys[key]
    points = _distinct(owner[patches.owner], patches.points, scale)
    coms = np.zeros((len(assembly.bodies), 3))
    coms[: len(assembly.parts)] = assembly.coms_m[: len(assembly.parts)]
    force = np.repeat(owner[patches.owner][points], 2)
    bodies = patches.bodies[firsts]
    body = bodies[force[::2]].reshape(-1)
    arms = (np.repeat(patches.points[points], 2, axis=0) - coms[body]) / scale
    twin = np.arange(len(force)) ^ 1
    masses = np.exp(compact.nodes[:, 0])
    return ForceTorqueGraph(masses, bodies, patches.normals[firsts], force, body, twin, arms)


def _upward(patches: Patches) -> Patches:
    """With normals that point up, or else along x, or y: which part comes first is then no matter of their numbers."""
    main = np.round(patches.normals[:, [2, 0, 1]] / SAME_NORMAL)
    signs = np.array([next((side for side in row if side), 1.0) for row in main.tolist()])
    down = signs < 0
    bodies, normals = patches.bodies.copy(), patches.normals.copy()
    bodies[down], normals[down] = bodies[down][:, ::-1], -normals[down]
    return Patches(bodies, normals, patches.friction, patches.starts, patches.points)


def _distinct(force: Ints, points: Array, scale: float) -> Ints:
    """The numbers of points that are not the same point of the same force node again."""
    keys = np.column_stack([force, np.round(points / (SAME_NORMAL * scale)).astype(np.int64)])
    _, first = np.unique(keys, axis=0, return_index=True)
    return np.sort(first)
