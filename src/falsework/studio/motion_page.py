"""The page of a motion in time: replay, time line with what happened on it, curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.spatial.transform import Rotation

from falsework.geometry.shapes.displacement import left_their_place
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.figures import count, left, length, mass
from falsework.model.figures import seconds as span
from falsework.model.provenance import Provenance
from falsework.model.trajectory import Trajectory
from falsework.studio.drawing import drawing
from falsework.studio.provenance import provenance_rows
from falsework.studio.scene import Column, Curve, Event, Frames, Headline, Scalar, Scene, Table
from falsework.studio.tables import MAX_ROWS, known, parts_table, round_up, shortened

FAR = 1e100  # m: where the squares of more would not be numbers
POSTER = 0.5  # of the assembly's size: pictures show the last moment at which no part has gone farther


def motion_scene(
    assembly: Assembly,
    trajectory: Trajectory,
    title: str,
    *,
    kind: Literal["collapse", "simulate"] = "collapse",
    events: Sequence[Event] = (),
    curves: Sequence[Curve] = (),
    held: Sequence[str] = (),
    absent: Sequence[str] = (),
    headline: Headline | None = None,
    facts: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    provenance: Provenance | None = None,
) -> Scene:
    """The scene of `falsework collapse` and `falsework simulate`.

    Without a headline the motion speaks for itself: of a collapse, whether parts moved; of a simulation, whether
    an event is a break. Own facts come after those of the motion.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> motion_scene(arch, Trajectory([0.0], arch.names, [arch.poses[:13]]), "arch").kind
    'collapse'
    """
    poses = _poses(assembly, trajectory)
    gone = _gone(assembly, poses)
    farthest = gone.max(axis=0)
    radii = np.array([body.radius_m for body in assembly.bodies])
    names = frozenset(left_their_place(assembly, trajectory)) - frozenset(absent)
    drawn = drawing(assembly, frozenset(held), frozenset(absent), names)
    there = np.array([role not in ("ground", "absent") for role in drawn.parts.role])
    scalars = (Scalar("Moved at most", "m", np.where(there, farthest, np.nan), 0.0, round_up(farthest[there])),)
    size = float((np.ptp(assembly.coms_m[there], axis=0) + 2 * np.median(radii[there])).max())
    seconds = float(trajectory.time_s[-1] - trajectory.time_s[0])
    own = [
        ("Parts", count(len(assembly.parts))),
        ("Mass", mass(assembly.mass_kg)),
        ("Time", f"{span(seconds)} in {count(len(trajectory.time_s), 'frame')}"),
        ("Left their place", count(len(names), "part")),
        ("Farthest anything went", length(float(farthest[there].max()))),
    ]
    return Scene(
        kind=kind,
        title=title,
        headline=headline or _headline(kind, len(assembly.parts), len(names), seconds, events),
        meshes=drawn.meshes,
        parts=drawn.parts,
        facts=(*own, *facts),
        notes=(*notes, *drawn.notes),
        scalars=scalars,
        timeline=_frames(trajectory, poses, events, gone, size),
        curves=tuple(curves),
        tables=(*([_events(events)] if events else []), parts_table(drawn.parts, scalars)),
        provenance=provenance_rows(provenance),
    )


def _poses(assembly: Assembly, trajectory: Trajectory) -> Array:
    """(t, bodies, 4, 4): the trajectory by body; what it does not name stays where it is."""
    unknown = [name for name in trajectory.names if name not in assembly.index]
    if unknown:
        raise BadInput(
            f"the motion names {count(len(unknown), 'part')} that the assembly does not have: {unknown[0]!r}"
        )
    poses = np.repeat(assembly.poses[None], len(trajectory.time_s), axis=0)
    poses[:, [assembly.index[name] for name in trajectory.names]] = trajectory.T_world_part
    return poses


def _gone(assembly: Assembly, poses: Array) -> Array:
    """(t, bodies) m: how far each part's centre is from its start, and how far its turn has carried its rim."""
    local = np.array([body.com_part_m for body in assembly.bodies])
    radii = np.array([body.radius_m for body in assembly.bodies])
    first = poses[0]
    centre = np.einsum("nij,nj->ni", first[:, :3, :3], local) + first[:, :3, 3]
    gone = np.empty(poses.shape[:2])
    for time, now in enumerate(poses):
        away = np.einsum("nij,nj->ni", now[:, :3, :3], local) + now[:, :3, 3] - centre
        turn = Rotation.from_matrix(now[:, :3, :3] @ first[:, :3, :3].transpose(0, 2, 1)).magnitude()
        gone[time] = np.linalg.norm(np.clip(away, -FAR, FAR), axis=1) + turn * radii
    return gone


def _frames(trajectory: Trajectory, poses: Array, events: Sequence[Event], gone: Array, size_m: float) -> Frames | None:
    """The replay, from time 0; None where there is but one moment."""
    times = trajectory.time_s - trajectory.time_s[0]
    if len(times) < 2:
        return None
    near = np.flatnonzero((gone <= POSTER * size_m).all(axis=1))
    start = float(trajectory.time_s[0])
    shifted = tuple(Event(event.time_s - start, event.label, event.parts, event.kind) for event in events)
    return Frames(times, poses, shifted, float(times[near[-1]]) if len(near) > 1 else None)


def _headline(kind: str, parts: int, moved: int, seconds: float, events: Sequence[Event]) -> Headline:
    breaks = [event.time_s for event in events if event.kind == "break"]
    if kind == "simulate":
        if breaks:
            return Headline("no", "Breaks", f"First after {span(min(breaks))}; {count(len(breaks), 'break')} in all.")
        return Headline("yes", "Holds", f"Nothing broke in {span(seconds)}.")
    sentence = f"{left(moved, parts)} after {span(seconds)}."
    return Headline("no", "Falls", sentence) if moved else Headline("yes", "Stands", sentence)


def _events(events: Sequence[Event]) -> Table:
    """What happened, in time."""
    rows = sorted(events, key=lambda event: event.time_s)[:MAX_ROWS]
    columns = (
        Column("Time (s)", "number", tuple(known(event.time_s) for event in rows)),
        Column("Event", "text", tuple(event.label for event in rows)),
        Column("Part", "part", tuple(event.parts[0] if event.parts else None for event in rows)),
        Column("and", "part", tuple(event.parts[1] if len(event.parts) > 1 else None for event in rows)),
    )
    return Table("Events", columns, shortened(len(events)))
