"""A scene as JSON: compact, never NaN, and safe inside a script element.

The page works in view units: the origin is the middle of the parts and 1 is their largest extent, so that single
precision serves a watch and a cathedral alike, wherever in the world they stand.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from falsework.formats.rotations import to_quaternion
from falsework.model.arrays import Array, Ints
from falsework.studio.packing import packed, packed_indices
from falsework.studio.scene import PUSHES, ROLES, Curve, Frames, Scene, SceneMesh, SceneStep, Steps, Table

FORMAT = "falsework-scene/1"
MAX_POSES = 400_000  # of moving parts in all frames; more are thinned in time
OUT_OF_SIGHT = 50.0  # view units: what has gone farther is drawn no farther
MAX_POINTS = 4_000  # of a curve; of more, each stretch keeps its lowest and its highest


def scene_json(scene: Scene) -> str:
    """The scene as one line of JSON with no character that HTML could take for a tag."""
    text = json.dumps(encoded(scene), allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def encoded(scene: Scene) -> dict[str, Any]:
    """The scene as JSON values."""
    view = _view(scene)
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
        "alternatives": [_steps(steps, view) for steps in scene.alternatives],
        "curves": [_curve(curve) for curve in scene.curves],
        "tables": [_table(table) for table in scene.tables],
        "provenance": [list(row) for row in scene.provenance],
    }


def changes(scene: Scene, tables: bool) -> dict[str, Any]:
    """What another answer about the same parts changes: no shapes, no places; tables only where asked for."""
    view = _view(scene)
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


def view_bounds(scene: Scene) -> tuple[Array, Array]:
    """Lowest and highest corner of the parts, the ground not counted unless it is all there is."""
    parts = scene.parts
    boxes = np.array([[mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)] for mesh in scene.meshes])
    chosen = np.array([role != "ground" for role in parts.role])
    if not chosen.any():
        chosen[:] = True
    which = (np.arange(8)[:, None] >> np.arange(3)) & 1  # the corners of a box
    corners = boxes[parts.mesh[chosen]][:, which, np.arange(3)]  # (n, 8, 3)
    poses = parts.T_world_part[chosen]
    world = np.einsum("nij,ncj->nci", poses[:, :3, :3], corners) + poses[:, None, :3, 3]
    return world.min(axis=(0, 1)), world.max(axis=(0, 1))


def _headline(scene: Scene) -> dict[str, str]:
    return {"tone": scene.headline.tone, "word": scene.headline.word, "sentence": scene.headline.sentence}


def _scalars(scene: Scene) -> list[dict[str, Any]]:
    return [
        {"label": one.label, "unit": one.unit, "low": one.low, "high": one.high, **_known(one.values)}
        for one in scene.scalars
    ]


def _view(scene: Scene) -> _View:
    low, high = view_bounds(scene)
    return _View(low, high)


class _View:
    """World metres to view units."""

    def __init__(self, low: Array, high: Array) -> None:
        self.origin: Array = 0.5 * (low + high)
        self.size = max(float((high - low).max()), 1e-12)
        self.floor = float(low[2] - self.origin[2]) / self.size

    def points(self, points_m: Array) -> Array:
        return (points_m - self.origin) / self.size

    def lengths(self, lengths_m: Array) -> Array:
        return lengths_m / self.size


def _meshes(meshes: tuple[SceneMesh, ...], view: _View) -> dict[str, Any]:
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


def _parts(scene: Scene, view: _View) -> dict[str, Any]:
    parts = scene.parts
    colors, color = np.unique(np.array(parts.color), return_inverse=True)
    labels, label = np.unique(np.array(parts.labels), return_inverse=True)
    return {
        "names": list(parts.names),
        "labels": labels.tolist(),
        "label": packed_indices(label),
        "mesh": packed_indices(parts.mesh),
        "position": packed(view.points(parts.T_world_part[:, :3, 3]), "f32"),
        "quaternion": packed(quaternions(parts.T_world_part), "f32"),
        "com": packed(view.points(parts.com_world_m), "f32"),
        "mass": packed(parts.mass_kg, "f32"),
        "colors": colors.tolist(),
        "color": packed_indices(color),
        "roles": list(ROLES),
        "role": packed([ROLES.index(role) for role in parts.role], "u8"),
        "falling": packed(parts.falling, "u8"),
    }


def _arrows(scene: Scene, view: _View) -> dict[str, Any] | None:
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


def _motion(scene: Scene, view: _View) -> dict[str, Any] | None:
    """Twists with the linear part in view units, and its true length apart."""
    if scene.motion is None:
        return None
    twists = scene.motion.twists.copy()
    twists[:, :3] /= view.size
    return {"twist": packed(twists, "f32"), "note": scene.motion.note}


def _joints(scene: Scene, view: _View) -> dict[str, Any] | None:
    joints = scene.joints
    if joints is None:
        return None
    return {
        "bodies": packed_indices(joints.bodies),
        "point": packed(view.points(joints.points_m), "f32"),
        **_known(joints.utilization),
        "breaking": packed(joints.breaking, "u8"),
    }


def _timeline(scene: Scene, view: _View) -> dict[str, Any] | None:
    match scene.timeline:
        case None:
            return None
        case Frames() as frames:
            return _frames(frames, view)
        case Steps() as steps:
            return _steps(steps, view)


def _frames(frames: Frames, view: _View) -> dict[str, Any]:
    """Only parts that move, at 16 bits a number; at most MAX_POSES poses, evenly thinned in time."""
    first = frames.T_world_part[0]
    moving = np.flatnonzero((frames.T_world_part != first).any(axis=(0, 2, 3)))
    most = max(2, MAX_POSES // max(1, len(moving)))
    count = len(frames.times_s)
    kept = np.arange(count) if count <= most else np.unique(np.rint(np.linspace(0, count - 1, most)).astype(int))
    poses = frames.T_world_part[np.ix_(kept, moving)]
    places = np.clip(view.points(poses[..., :3, 3]), -OUT_OF_SIGHT, OUT_OF_SIGHT)
    low = places.min(axis=0, initial=OUT_OF_SIGHT)  # (moving, 3): each part has steps of its own
    side = places.max(axis=0, initial=-OUT_OF_SIGHT) - low
    side = np.where(side > 0, side, 1.0)
    return {
        "kind": "frames",
        "times": packed(frames.times_s[kept], "f32"),
        "moving": packed_indices(moving),
        "low": packed(low, "f32"),
        "side": packed(side, "f32"),
        "position": packed(np.rint((places - low) / side * 65535), "u16"),
        "quaternion": packed(np.rint(quaternions(poses) * 32767), "i16"),
        "poster": frames.times_s[-1] if frames.poster_s is None else frames.poster_s,
        "events": [
            {"time": event.time_s, "label": event.label, "kind": event.kind, "parts": list(event.parts)}
            for event in sorted(frames.events, key=lambda event: event.time_s)
        ],
    }


def _steps(steps: Steps, view: _View) -> dict[str, Any]:
    entries = [_step(step, view) for step in steps.steps]
    return {"kind": "steps", "label": steps.label, "held": list(steps.held), "steps": entries}


def _step(step: SceneStep, view: _View) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "label": step.label,
        "detail": step.detail,
        "placed": list(step.placed),
        "held": list(step.held),
        **({"failed": True} if step.failed else {}),
    }
    if step.path is not None and len(step.path):
        entry["position"] = packed(view.points(step.path[:, :3, 3]), "f32")
        entry["quaternion"] = packed(quaternions(step.path), "f32")
    if step.T_world_assembly is not None:
        entry["turn"] = quaternions(step.T_world_assembly[None])[0].tolist()
    return entry


def _curve(curve: Curve) -> dict[str, Any]:
    kept = _telling(curve.values)
    return {
        "label": curve.label,
        "unit": curve.unit,
        "plot": curve.plot or curve.label,
        "times": packed(curve.times_s[kept], "f32"),
        **_known(curve.values[kept]),
    }


def _telling(values: Array) -> Ints:
    """Which points of a long curve to keep: of every stretch the lowest and the highest, so that no peak is lost."""
    if len(values) <= MAX_POINTS:
        return np.arange(len(values))
    ends = np.linspace(0, len(values), MAX_POINTS // 2).astype(int)
    finite = np.where(np.isfinite(values), values, 0.0)
    kept = [0, len(values) - 1]
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        kept += [start + int(finite[start:end].argmin()), start + int(finite[start:end].argmax())]
    return np.unique(kept)


def _table(table: Table) -> dict[str, Any]:
    columns = [{"label": column.label, "kind": column.kind, "values": list(column.values)} for column in table.columns]
    return {"title": table.title, "caption": table.caption, "columns": columns}


def _known(values: Array) -> dict[str, Any]:
    """Numbers, and which of them are known; the others are 0."""
    known = np.isfinite(values)
    return {"values": packed(np.where(known, values, 0.0), "f32"), "known": packed(known, "u8")}


def quaternions(poses: Array) -> Array:
    """(…, 4) wxyz of the rotations of (…, 4, 4) poses."""
    return to_quaternion(poses[..., :3, :3])
