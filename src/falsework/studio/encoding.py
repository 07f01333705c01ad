"""A scene as JSON: compact, never NaN, and safe inside a script element."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from falsework.model.poses import to_quaternion
from falsework.studio.packing import packed, packed_indices, packed_known
from falsework.studio.scene import PUSHES, ROLES, Frames, Scene, SceneMesh, Steps, Table
from falsework.studio.time_encoding import encoded_curve, encoded_frames, encoded_snapshot, encoded_steps
from falsework.studio.view_units import ViewUnits

FORMAT = "falsework-scene/1"


def scene_json(scene: Scene) -> str:
    """The scene as one line of JSON with no character that HTML could take for a tag."""
    text = json.dumps(encoded(scene), allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def encoded(scene: Scene) -> dict[str, Any]:
    """The scene as JSON values."""
    view = ViewUnits.of(scene)
    return {
        "format": FORMAT,
        "kind": scene.kind,
        "title": scene.title,
        "headline": _headline(scene),
        "facts": [list(fact) for fact in scene.facts],
        "notes": list(scene.notes),
        "colorBy": scene.color_by,
        "view": {"origin": view.origin.tolist(), "size": view.size, "floor": view.floor},
        "meshes": _meshes(scene.meshes, view),
        "parts": _parts(scene, view),
        "arrows": _arrows(scene, view),
        "motion": _motion(scene, view),
        "scalars": _scalars(scene),
        "joints": _joints(scene, view),
        "timeline": _timeline(scene, view),
        "alternatives": [encoded_steps(steps, view) for steps in scene.alternatives],
        "curves": [encoded_curve(curve) for curve in scene.curves],
        "snapshots": [encoded_snapshot(one) for one in scene.snapshots],
        "tables": [_table(table) for table in scene.tables],
        "provenance": [list(row) for row in scene.provenance],
    }


def changes(scene: Scene, tables: bool) -> dict[str, Any]:
    """What another answer about the same parts changes: no shapes, no places; tables only where asked for."""
    view = ViewUnits.of(scene)
    parts = scene.parts
    values = {"role": packed([ROLES.index(role) for role in parts.role], "u8"), "falling": packed(parts.falling, "u8")}
    joints = _joints(scene, view)
    return {
        "headline": _headline(scene),
        "facts": [list(fact) for fact in scene.facts],
        "notes": list(scene.notes),
        "colorBy": scene.color_by,
        "parts": values,
        "arrows": _arrows(scene, view),
        "motion": _motion(scene, view),
        "scalars": _scalars(scene),
        "joints": joints and {key: joints[key] for key in ("values", "known", "breaking")},
        **({"tables": [_table(table) for table in scene.tables]} if tables else {}),
    }


def _headline(scene: Scene) -> dict[str, str]:
    return {"tone": scene.headline.tone, "word": scene.headline.word, "sentence": scene.headline.sentence}


def _scalars(scene: Scene) -> list[dict[str, Any]]:
    return [
        {"label": one.label, "unit": one.unit, "low": one.low, "high": one.high, **packed_known(one.values)}
        for one in scene.scalars
    ]


def _meshes(meshes: tuple[SceneMesh, ...], view: ViewUnits) -> dict[str, Any]:
    """Vertices as 16-bit steps along the sides of their box; meshes that are then equal are stored once.

    All cuboids are one stored surface, whatever their sides.
    """
    stored: dict[tuple[bytes, bytes], int] = {}
    geometries, which, lows, sides = [], [], [], []
    for mesh in meshes:
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        side = np.where(high > low, high - low, 1.0)
        steps = np.rint((mesh.vertices - low) / side * 65535).astype(np.uint16)
        key = (steps.tobytes(), mesh.triangles.tobytes())
        if key not in stored:
            stored[key] = len(stored)
            geometries.append({"vertices": packed(steps, "u16"), "triangles": packed_indices(mesh.triangles)})
        which.append(stored[key])
        lows.append(view.lengths(low))
        sides.append(view.lengths(side))
    return {
        "geometries": geometries,
        "geometry": packed_indices(which),
        "low": packed(lows, "f32"),
        "side": packed(sides, "f32"),
    }


def _parts(scene: Scene, view: ViewUnits) -> dict[str, Any]:
    parts = scene.parts
    colors, color = np.unique(np.array(parts.color), return_inverse=True)
    labels, label = np.unique(np.array(parts.labels), return_inverse=True)
    return {
        "names": list(parts.names),
        "labels": labels.tolist(),
        "label": packed_indices(label),
        "mesh": packed_indices(parts.mesh),
        "position": packed(view.points(parts.T_world_part[:, :3, 3]), "f32"),
        "quaternion": packed(to_quaternion(parts.T_world_part[..., :3, :3]), "f32"),
        "com": packed(view.points(parts.com_world_m), "f32"),
        "mass": packed(parts.mass_kg, "f32"),
        "colors": colors.tolist(),
        "color": packed_indices(color),
        "roles": list(ROLES),
        "role": packed([ROLES.index(role) for role in parts.role], "u8"),
        "falling": packed(parts.falling, "u8"),
    }


def _arrows(scene: Scene, view: ViewUnits) -> dict[str, Any] | None:
    arrows = scene.arrows
    if arrows is None:
        return None
    return {
        "point": packed(view.points(arrows.points_m), "f32"),
        "force": packed(arrows.forces_n, "f32"),
        "first": packed(arrows.first, "i32"),
        "second": packed(arrows.second, "i32"),
        "pushes": list(PUSHES),
        "push": packed([PUSHES.index(push) for push in arrows.push], "u8"),
    }


def _motion(scene: Scene, view: ViewUnits) -> dict[str, Any] | None:
    """Twists with the linear part in view units, and its true length apart."""
    if scene.motion is None:
        return None
    twists = scene.motion.twists.copy()
    twists[:, :3] /= view.size
    return {"twist": packed(twists, "f32"), "note": scene.motion.note}


def _joints(scene: Scene, view: ViewUnits) -> dict[str, Any] | None:
    joints = scene.joints
    if joints is None:
        return None
    return {
        "bodies": packed_indices(joints.bodies),
        "point": packed(view.points(joints.points_m), "f32"),
        **packed_known(joints.utilization),
        "breaking": packed(joints.breaking, "u8"),
    }


def _timeline(scene: Scene, view: ViewUnits) -> dict[str, Any] | None:
    match scene.timeline:
        case None:
            return None
        case Frames() as frames:
            return encoded_frames(frames, view)
        case Steps() as steps:
            return encoded_steps(steps, view)


def _table(table: Table) -> dict[str, Any]:
    columns = [{"label": column.label, "kind": column.kind, "values": list(column.values)} for column in table.columns]
    return {"title": table.title, "caption": table.caption, "columns": columns}
