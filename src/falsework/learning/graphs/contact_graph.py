"""The compact graph of an assembly: a node for every body, an edge each way for every contact, what is known on both.

Lengths are in units of the assembly's own (`scale_m`), masses relative to the mean of the parts that can be moved, so
that a net trained on millimetres reads metres. Axes are the world's, z up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints, freeze, freeze_ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.travel import MadeAnew

NODE_FEATURES = ("log mass", "fixed", "x", "y", "z", "height", "contacts")
_VECTORS = ("normal", "centre from receiver", "centre from sender")
EDGE_FEATURES = (
    *(f"normal {axis}" for axis in "xyz"),  # out of the receiver, into the sender
    *(f"centre from receiver {axis}" for axis in "xyz"),  # from its centre of mass
    *(f"centre from sender {axis}" for axis in "xyz"),
    "wide",  # half lengths of the contact along its two main axes
    "narrow",
    "friction",
    "clutch",
    "hinge",
)


@dataclass(frozen=True, slots=True, eq=False)
class ContactGraph(MadeAnew):
    """What does not change while parts come and go; `edges[0]` sends to `edges[1]`, in the order of who receives.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> graph = contact_graph(arch, falsework.interfaces(arch))
    >>> graph.nodes.shape, graph.edges.shape, graph.features.shape
    ((13, 7), (2, 24), (24, 14))
    """

    nodes: Array  # (bodies, NODE_FEATURES)
    edges: Ints  # (2, e)
    features: Array  # (e, EDGE_FEATURES)
    reach: Array  # (e, 4) how far the contact goes from the receiver's centre of mass, along +x, -x, +y and -y
    scale_m: float

    def __post_init__(self) -> None:
        freeze(self, nodes=(None, len(NODE_FEATURES)), features=(None, len(EDGE_FEATURES)), reach=(None, 4))
        freeze_ints(self, edges=(2, None))


def contact_graph(assembly: Assembly, joints: Interfaces) -> ContactGraph:
    """The graph of an assembly whose interfaces are known. Contacts without a certain normal are left out."""
    coms = _coms(assembly)
    bodies, normals, centres, halves, others = _contacts(joints)
    boxes = _boxes(joints)
    arms = [centres - coms[bodies[:, n]] for n in (0, 1)]
    scale = _scale(arms, coms)
    sides, reach = [], []
    for sign, receiver, sender in ((1.0, 0, 1), (-1.0, 1, 0)):  # normals point from the first body into the second
        sides.append(np.hstack([sign * normals, arms[receiver] / scale, arms[sender] / scale, halves / scale, others]))
        reach.append((boxes - _both_ways(coms[bodies[:, receiver]])) / scale)
    edges = np.hstack([bodies[:, ::-1].T, bodies.T])
    order = np.argsort(edges[1], kind="stable")
    nodes, edges = _nodes(assembly, coms, edges, scale), edges[:, order]
    return ContactGraph(nodes, edges, np.vstack(sides)[order], np.vstack(reach)[order], scale)


def turned(graph: ContactGraph, quarters: int, mirrored: bool) -> ContactGraph:
    """The same assembly after so many quarter turns about the vertical, seen in a mirror or not: falls as it did."""
    nodes, features, reach = graph.nodes.copy(), graph.features.copy(), graph.reach.copy()
    along_x = [NODE_FEATURES.index("x")], [EDGE_FEATURES.index(f"{name} x") for name in _VECTORS]
    for table, columns in zip((nodes, features), along_x, strict=True):
        for x in columns:
            if mirrored:
                table[:, x] *= -1.0
            for _ in range(quarters):
                table[:, [x, x + 1]] = np.stack([-table[:, x + 1], table[:, x]], axis=1)
    if mirrored:
        reach = reach[:, [1, 0, 2, 3]]
    for _ in range(quarters):
        reach = reach[:, [3, 2, 0, 1]]
    return ContactGraph(nodes, graph.edges, features, reach, graph.scale_m)


def _contacts(joints: Interfaces) -> tuple[Ints, Array, Array, Array, Array]:
    """Of all interfaces: bodies, normals, centres, half lengths; friction and what kind it is."""
    patches, clutches, hinges = joints.patches, joints.clutches, joints.hinges
    centres, halves = patch_extents(patches)
    frames = clutches.T_world_clutch
    pressed = [np.sort(clutches.kinds[kind].half)[::-1] for kind in clutches.kind]
    kinds = [len(patches), len(clutches), len(hinges)]
    flags = np.repeat(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), kinds, axis=0)
    friction = np.concatenate([patches.friction, np.zeros(kinds[1] + kinds[2])])
    return (
        np.vstack([patches.bodies, clutches.bodies, hinges.bodies]),
        np.vstack([patches.normals, frames[:, :3, 2], hinges.axes]),
        np.vstack([centres, frames[:, :3, 3], hinges.points]),
        np.vstack([halves, np.reshape(pressed, (-1, 2)), np.zeros((kinds[2], 2))]),
        np.column_stack([friction, flags]),
    )


def _boxes(joints: Interfaces) -> Array:
    """(k, 4) how far each of these goes along +x, -x, +y and -y."""
    patches, clutches = joints.patches, joints.clutches
    farthest = np.full((len(patches), 4), -np.inf)
    np.maximum.at(farthest, patches.owner, _both_ways(patches.points))
    pressed = np.array([max(clutches.kinds[kind].half) for kind in clutches.kind]).reshape(-1, 1)
    return np.vstack(
        [farthest, _both_ways(clutches.T_world_clutch[:, :3, 3]) + pressed, _both_ways(joints.hinges.points)]
    )


def _both_ways(points: Array) -> Array:
    return np.stack([points[:, 0], -points[:, 0], points[:, 1], -points[:, 1]], axis=1)


def patch_extents(patches: Patches) -> tuple[Array, Array]:
    """(k, 3) middles of contact patches and (k, 2) standard deviations of their corners, the larger first, in m."""
    counts = np.maximum(patches.sizes, 1)[:, None]
    owner, count = patches.owner, len(patches)
    middle = np.zeros((count, 3))
    np.add.at(middle, owner, patches.points)
    middle /= counts
    off = patches.points - middle[owner]
    spread = np.zeros((count, 3, 3))
    np.add.at(spread, owner, off[:, :, None] * off[:, None, :])
    values = np.linalg.eigvalsh(spread / counts[:, :, None]) if count else np.zeros((0, 3))
    return middle, np.sqrt(np.maximum(values[:, :0:-1], 0.0))


def _coms(assembly: Assembly) -> Array:
    """(bodies, 3) centres of mass; the ground has none, and is said to be where its contacts are: at the origin."""
    coms = np.zeros((len(assembly.bodies), 3))
    coms[: len(assembly.parts)] = assembly.coms_m[: len(assembly.parts)]
    return coms


def _scale(arms: list[Array], coms: Array) -> float:
    """How far contacts are from centres of mass, as a rule; of what touches nothing, how far parts are apart."""
    lengths = np.linalg.norm(np.vstack(arms), axis=1)
    usual = float(np.median(lengths)) if len(lengths) else float(np.linalg.norm(np.ptp(coms, axis=0)))
    return usual if usual > 0 else 1.0


def _nodes(assembly: Assembly, coms: Array, edges: Ints, scale: float) -> Array:
    count, parts = len(assembly.bodies), len(assembly.parts)
    fixed = np.array([assembly.fixed_mask() >> n & 1 for n in range(count)], dtype=float)
    masses = np.ones(count)
    movable = np.flatnonzero(fixed[:parts] == 0)
    masses[movable] = assembly.masses_kg[movable] / assembly.masses_kg[movable].mean() if len(movable) else 1.0
    place = (coms - coms[:parts].mean(axis=0)) / scale
    size = max(float(np.abs(place[:parts]).max()), 1.0)
    height = (coms[:, 2:] - coms[:parts, 2].min()) / scale
    degree = np.bincount(edges[1], minlength=count)[:, None]
    return np.hstack([np.log(masses)[:, None], fixed[:, None], place / size, height / 4.0, degree / 4.0])
