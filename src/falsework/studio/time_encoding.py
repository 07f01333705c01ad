"""What a page plays, as JSON: motions, plans step by step, curves over time, pictures of cameras."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.poses import to_quaternion
from falsework.studio.packing import packed, packed_indices, packed_known
from falsework.studio.scene import Curve, Frames, SceneStep, Snapshot, Steps
from falsework.studio.view_units import ViewUnits

MAX_POSES = 400_000  # of moving parts in all frames; more are thinned in time
OUT_OF_SIGHT = 50.0  # view units: what has gone farther is drawn no farther
MAX_POINTS = 4_000  # of a curve; of more, each stretch keeps its lowest and its highest


def encoded_frames(frames: Frames, view: ViewUnits) -> dict[str, Any]:
    """Only parts that move, at 16 bits per number; at most MAX_POSES poses, evenly thinned in time."""
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
        "quaternion": packed(np.rint(to_quaternion(poses[..., :3, :3]) * 32767), "i16"),
        "poster": frames.times_s[-1] if frames.poster_s is None else frames.poster_s,
        "events": [
            {"time": event.time_s, "label": event.label, "kind": event.kind, "parts": list(event.parts)}
            for event in sorted(frames.events, key=lambda event: event.time_s)
        ],
    }


def encoded_steps(steps: Steps, view: ViewUnits) -> dict[str, Any]:
    entries = [_step(step, view) for step in steps.steps]
    return {"kind": "steps", "label": steps.label, "held": list(steps.held), "steps": entries}


def _step(step: SceneStep, view: ViewUnits) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "label": step.label,
        "detail": step.detail,
        "placed": list(step.placed),
        "held": list(step.held),
        **({"failed": True} if step.failed else {}),
    }
    for name, poses in (("path", step.path), ("apart", step.apart)):
        if poses is not None and len(poses):
            places, turns = view.points(poses[:, :3, 3]), to_quaternion(poses[..., :3, :3])
            entry[name] = {"position": packed(places, "f32"), "quaternion": packed(turns, "f32")}
    if step.T_world_assembly is not None:
        entry["turn"] = to_quaternion(step.T_world_assembly[:3, :3]).tolist()
    return entry


def encoded_curve(curve: Curve) -> dict[str, Any]:
    kept = _telling(curve.values)
    return {
        "label": curve.label,
        "unit": curve.unit,
        "plot": curve.plot or curve.label,
        "times": packed(curve.times_s[kept], "f32"),
        **packed_known(curve.values[kept]),
    }


def encoded_snapshot(one: Snapshot) -> dict[str, Any]:
    data = base64.b64encode(one.jpeg).decode()
    return {
        "time": one.time_s,
        "camera": one.camera,
        "src": f"data:image/jpeg;base64,{data}",
        "caption": one.caption,
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
