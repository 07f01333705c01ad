"""Faces as a CAD kernel tells them, as surfaces of a closed mesh: with their outside, halves of one surface as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.shapes.facets import twins_of
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.planes import cross, unit
from falsework.model.arrays import Ints
from falsework.model.shapes import Mesh
from falsework.model.surfaces import Primitive

SAME = 1e-6  # of the size of a part, and rad: what differs by less is one surface


def with_faces(mesh: Mesh) -> Mesh:
    """The mesh with surfaces that know where the material is; neighbours of one surface are one.

    Kernels cut what goes all around into halves, each a face of its own.
    """
    sided = [_sided(mesh, one) for one in mesh.primitives]
    if len(sided) < 2:
        return replace(mesh, primitives=tuple(sided))
    size = float(np.ptp(mesh.vertices, axis=0).max())
    meeting = [pair for pair in _meeting(mesh).tolist() if _same(sided[pair[0]], sided[pair[1]], size)]
    label = components_of(len(sided), *np.array(meeting, dtype=np.int64).reshape(-1, 2).T)
    joined = []
    for number in range(int(label.max()) + 1):
        members = [sided[k] for k in np.flatnonzero(label == number)]
        joined.append(replace(members[0], triangles=np.sort(np.concatenate([one.triangles for one in members]))))
    return replace(mesh, primitives=tuple(joined))


def _meeting(mesh: Mesh) -> Ints:
    """(k, 2) numbers of surfaces that share an edge."""
    owner = np.full(len(mesh.triangles), -1)
    for number, one in enumerate(mesh.primitives):
        owner[one.triangles] = number
    twins = twins_of(mesh.triangles)
    half = np.flatnonzero(twins >= 0)
    pairs = np.stack([owner[half // 3], owner[twins[half] // 3]], axis=1)
    pairs = pairs[(pairs[:, 0] < pairs[:, 1]) & (pairs >= 0).all(axis=1)]
    return np.unique(pairs, axis=0)


def _same(one: Primitive, other: Primitive, size: float) -> bool:
    """Whether two are parts of one surface."""
    if (one.kind, one.convex) != (other.kind, other.convex):
        return False
    lengths = [abs(one.radius_m - other.radius_m), abs(one.ring_m - other.ring_m)]
    apart = other.point - one.point
    if one.kind == "plane":
        lengths.append(abs(float(apart @ one.axis)))
    elif one.kind == "cylinder":
        lengths.append(float(np.linalg.norm(apart - (apart @ one.axis) * one.axis)))
    else:
        lengths.append(float(np.linalg.norm(apart)))
    lean = 0.0 if one.kind == "sphere" else float(np.linalg.norm(np.cross(one.axis, other.axis)))
    faces_away = one.kind in ("plane", "cone") and float(one.axis @ other.axis) < 0
    leans = max(lean, abs(one.half_angle_rad - other.half_angle_rad)) > SAME
    return not (leans or faces_away or max(lengths) > SAME * size)


def _sided(mesh: Mesh, surface: Primitive) -> Primitive:
    """A surface that knows where the material is: a plane by its normal, others by being convex or not."""
    corners = mesh.vertices[mesh.triangles[surface.triangles]]
    doubled = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if surface.kind == "plane":
        return replace(surface, axis=surface.axis if float(doubled.sum(axis=0) @ surface.axis) > 0 else -surface.axis)
    arms = corners.mean(axis=1) - surface.point
    if surface.kind != "sphere":
        arms = arms - (arms @ surface.axis)[:, None] * surface.axis
    if surface.kind == "torus":  # from the circle in the middle of the tube
        arms = corners.mean(axis=1) - surface.point - surface.ring_m * unit(arms)
    return replace(surface, convex=bool((doubled * arms).sum() > 0))
