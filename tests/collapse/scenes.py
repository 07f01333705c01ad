"""Small scenes with known answers."""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part
from falsework.model.shapes import box

G = 9.81


def about_y(angle_rad: float) -> Array:
    """(3, 3) a turn that lowers what lies along +x."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def cuboid(
    name: str, size: tuple[float, float, float], corner: tuple[float, float, float], tilt_rad: float = 0.0
) -> Part:
    """A box whose lowest corner is at a place of a frame that is tilted about the origin."""
    pose = np.eye(4)
    pose[:3, :3] = about_y(tilt_rad)
    pose[:3, 3] = pose[:3, :3] @ np.array(corner)
    return make_part(name, box(size), pose)


def incline(angle_deg: float, friction: float) -> Assembly:
    """A flat block on a fixed ramp; down the slope is `about_y(angle) @ x`."""
    tilt = np.deg2rad(angle_deg)
    ramp = cuboid("ramp", (6.0, 1.0, 0.2), (0.0, 0.0, -0.2), tilt)
    block = cuboid("block", (0.5, 0.4, 0.1), (1.0, 0.2, 0.0), tilt)
    return Assembly((ramp, block), fixed=frozenset(["ramp"]), friction=friction)


def over_the_edge(overhang_m: float) -> Assembly:
    """A plank 1 m long and 0.1 m high on a fixed block, its centre of mass so far beyond the edge."""
    base = cuboid("base", (1.0, 0.3, 0.5), (-1.0, 0.0, -0.5))
    plank = cuboid("plank", (1.0, 0.3, 0.1), (overhang_m - 0.5, 0.0, 0.0))
    return Assembly((base, plank), fixed=frozenset(["base"]), friction=2.0)


def on_table(*parts: Part, friction: float = 0.55) -> Assembly:
    return grounded(Assembly(parts, friction=friction), Ground("table"))


def centres(assembly: Assembly, poses: Array) -> Array:
    """(…, n, 3) centres of mass of the parts at poses (…, n, 4, 4)."""
    local = np.array([part.com_part_m for part in assembly.parts])
    moved: Array = np.einsum("...nij,nj->...ni", poses[..., :3, :3], local) + poses[..., :3, 3]
    return moved


def mirror_images(places: Array) -> Array:
    """(n,) for each place (n, 3) the number of the one that is its image in the plane x = 0."""
    return np.array([int(np.argmin(np.abs(places - place * [-1, 1, 1]).sum(axis=1))) for place in places])
