"""Scenes as MuJoCo's XML: the same bricks, studs, things, table and light, so that its pictures can be compared.

Bricks are closed below, and the sun's disc is a point: MuJoCo's shadows have no soft edge, its tables no grain.
"""

from __future__ import annotations

from xml.etree import ElementTree as Xml

import numpy as np

from falsework.engine.rendering import Rendered
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType, slope_profile
from falsework.model.perception.palette import reflectance
from falsework.model.poses import to_quaternion
from falsework.perception.scenes.drawing import BACKGROUND, PLATE, TABLE, TABLE_THICK_M, Labels
from falsework.perception.scenes.scene import Rgb, Scene, SceneBrick, Thing

PLATE_NAME, TABLE_NAME = "the plate", "the table"


def scene_mjcf(scene: Scene) -> str:
    """A scene as MJCF text; bodies have the names of bricks and things."""
    root = Xml.Element("mujoco", model=scene.name)
    Xml.SubElement(root, "statistic", extent="1", center="0 0 0")
    visual = Xml.SubElement(root, "visual")
    # what comes from all around is the headlight's: where a light throws a shadow, MuJoCo takes its ambient light too
    Xml.SubElement(visual, "headlight", ambient=_row(scene.light.sky), diffuse="0 0 0", specular="0 0 0")
    Xml.SubElement(visual, "map", znear="0.05", zfar="10", shadowclip="0.6", force="0.1")
    Xml.SubElement(visual, "quality", shadowsize="4096", offsamples="0", numslices="64")
    assets = Xml.SubElement(root, "asset")
    world = Xml.SubElement(root, "worldbody")
    light = scene.light
    Xml.SubElement(
        world, "light", type="directional", pos=_row(0.6 * light.toward), dir=_row(-light.toward), castshadow="true",
        diffuse=_row(light.sun), ambient="0 0 0", specular="0 0 0",
    )  # fmt: skip
    for brick in scene.bricks:
        _brick(world, assets, brick, brick.name)
    if scene.plate is not None:
        _brick(world, assets, scene.plate, PLATE_NAME)
    for thing in scene.things:
        _thing(world, thing)
    if scene.table is not None:
        (across, along), (x, y) = scene.table.size_m, scene.table.middle_m
        T = np.eye(4)
        T[:3, 3] = x, y, scene.table.top_m - TABLE_THICK_M / 2
        body = _body(world, TABLE_NAME, T)
        _geom(body, "box", (across / 2, along / 2, TABLE_THICK_M / 2), (0, 0, 0), scene.table.rgb)
    return Xml.tostring(root, encoding="unicode")


def labels_of(rendered: Rendered, scene: Scene) -> Labels:
    """(h, w) labels as `drawing` has them, of a picture that MuJoCo has made of the scene."""
    known = {one.name: number for number, one in enumerate(scene.bricks)}
    known |= {one.name: number for number, one in enumerate(scene.things, start=len(scene.bricks))}
    known |= {PLATE_NAME: PLATE, TABLE_NAME: TABLE}
    table = np.array([*(known.get(name, BACKGROUND) for name in rendered.names), BACKGROUND], dtype=np.int32)
    labels: Labels = table[rendered.bodies]
    return labels


def _brick(world: Xml.Element, assets: Xml.Element, brick: SceneBrick, name: str) -> None:
    body = _body(world, name, brick.T_base_brick)
    kind, rgb = brick.kind, reflectance(brick.color)
    x, y, z = kind.size_m
    if kind.family == "slope":
        mesh = f"{kind}"
        if assets.find(f"mesh[@name='{mesh}']") is None:
            points = [(a, side, c) for a, c in slope_profile(kind) for side in (0.0, y)]
            Xml.SubElement(assets, "mesh", name=mesh, vertex=" ".join(_row(one) for one in points), inertia="shell")
        Xml.SubElement(body, "geom", type="mesh", mesh=mesh, rgba=_row((*rgb, 1.0)))
    else:
        _geom(body, "box", (x / 2, y / 2, z / 2), (x / 2, y / 2, z / 2), rgb)
    for at in stud_places(kind):
        measures = kind.measures
        half = measures.stud_height_m / 2
        _geom(body, "cylinder", (measures.stud_radius_m, half), (at[0], at[1], z + half), rgb)


def stud_places(kind: BrickType) -> Array:
    """(n, 2) middles of a brick's studs, m, in its own frame."""
    if not kind.has_studs:
        return np.zeros((0, 2))
    pitch = kind.measures.pitch_m
    return pitch * np.array([(i + 0.5, j + 0.5) for i in range(kind.flat) for j in range(kind.width)])


def _thing(world: Xml.Element, thing: Thing) -> None:
    body = _body(world, thing.name, thing.T_base_thing)
    size = thing.size_m
    if thing.kind == "box":
        half = (size[0] / 2, size[1] / 2, size[2] / 2)
        _geom(body, "box", half, half, thing.rgb)
    elif thing.kind == "cylinder":
        _geom(body, "cylinder", (size[0], size[1] / 2), (0, 0, size[1] / 2), thing.rgb)
    else:
        _geom(body, "sphere", size, (0, 0, 0), thing.rgb)


def _body(world: Xml.Element, name: str, T: Array) -> Xml.Element:
    return Xml.SubElement(world, "body", name=name, pos=_row(T[:3, 3]), quat=_row(to_quaternion(T[:3, :3])))


def _geom(body: Xml.Element, kind: str, size: tuple[float, ...], at: tuple[float, float, float], rgb: Rgb) -> None:
    Xml.SubElement(body, "geom", type=kind, size=_row(size), pos=_row(at), rgba=_row((*rgb, 1.0)))


def _row(numbers: object) -> str:
    return " ".join(f"{float(one):.12g}" for one in np.asarray(numbers, dtype=float).ravel())
