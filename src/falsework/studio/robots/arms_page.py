"""The page of a motion: the cell plays, arms and parts moving; what each arm does when, and who waits for whom."""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.figures import count
from falsework.model.figures import seconds as span
from falsework.model.robots.cell import ROTARY, Cell, CellArm, Rotary
from falsework.model.robots.motion import Motion, Segment, Stay
from falsework.robots.collision.surroundings import table_corners
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.studio.drawing import drawing
from falsework.studio.provenance import provenance_rows
from falsework.studio.robots.cell_page import (
    ARM_COLORS,
    OBSTACLE_COLOR,
    TABLE_COLOR,
    TOOL_COLOR,
    Things,
    add_feeders,
    add_turntable,
    capsule_mesh,
    hull_mesh,
)
from falsework.studio.scene import Column, Curve, Event, Frames, Headline, Scene, Table
from falsework.studio.tables import MAX_ROWS, shortened

FRAME_S = 0.1
MOST_FRAMES = 1200
DOING = {"wait": 0.0, "hold": 0.5}  # all else moves: 1
GONE = -100.0  # m: where a part is before a station shows it


def arms_scene(motion: Motion, assembly: Assembly, title: str, headline: Headline | None = None) -> Scene:
    """The scene of a motion."""
    end = motion.makespan_s
    frames = int(min(MOST_FRAMES, max(2, math.ceil(end / FRAME_S) + 1)))
    times = np.linspace(0.0, max(end, 1e-3), frames)
    things = Things()
    poses: list[Array] = []
    add_standing(things, poses, motion.cell, times)
    tools = []
    for number, one in enumerate(motion.cell.arms):
        q = motion.track_of(one.name).many(times)
        openings = np.array([motion.opening_at(one.name, float(time)) for time in times])
        color = ARM_COLORS[number % len(ARM_COLORS)]
        tools.append((one.name, add_arm(things, poses, one, q, openings, color)))
    if motion.cell.rotary is not None:
        tools.append(_turntable(things, poses, motion, motion.cell.rotary, times))
    _parts(things, poses, motion, assembly, times, tools)
    return Scene(
        kind="simulate",
        title=title,
        headline=headline or Headline("open", span(end), f"{count(len(motion.cell.arms), 'arm')}, not verified here."),
        meshes=tuple(things.meshes),
        parts=things.parts(),
        facts=_facts(motion),
        timeline=Frames(times, np.stack(poses, axis=1), _events(motion, things)),
        curves=tuple(_curves(motion)),
        tables=(_waits(motion), _segments(motion)),
        provenance=provenance_rows(motion.provenance),
    )


def add_standing(things: Things, poses: list[Array], cell: Cell, times: Array) -> None:
    """What never moves: table, obstacles, feeders."""
    if cell.table is not None:
        things.add("table", "table", [hull_mesh(table_corners(cell))], np.eye(4), TABLE_COLOR, "ground")
    for obstacle in cell.obstacles:
        solids = [hull_mesh(piece.vertices) for piece in pieces_of(obstacle.shape).all]
        things.add(obstacle.name, "obstacle", solids, obstacle.T_world_obstacle, OBSTACLE_COLOR)
    add_feeders(things, cell)
    poses += [np.repeat(T[None], len(times), axis=0) for T in things.poses]


def _turntable(things: Things, poses: list[Array], motion: Motion, rotary: Rotary, times: Array) -> tuple[str, Array]:
    joints = motion.track_of(ROTARY).many(times)
    frames = np.array([rotary.turned(*rotary.stance(q)) for q in joints]) @ rotary.as_arm.T_world_base
    add_turntable(things, motion.cell, rotary)
    poses.append(frames)
    return ROTARY, frames


def add_arm(things: Things, poses: list[Array], one: CellArm, q: Array, openings: Array, color: str) -> Array:
    """Links and tool of an arm at joints (t, n) and openings (t,); where its tool point is, (t, 4, 4)."""
    links = one.T_world_base @ Kinematics(one.arm).links(q)
    for link in range(links.shape[1]):
        solids = [capsule_mesh(c.start_m, c.end_m, c.radius_m) for c in one.arm.capsules if c.link == link]
        if solids:
            called = "base" if link == 0 else one.arm.joints[link - 1].name
            things.add(f"{one.name}/{called}", one.arm.name, solids, links[0, link], color)
            poses.append(links[:, link])
    flange: Array = links[:, -1] @ one.arm.T_last_flange
    for body in one.tool.bodies:
        shifts = np.repeat(np.eye(4)[None], len(q), axis=0)
        shifts[:, :3, 3] = openings[:, None] * body.travel
        things.add(
            f"{one.name}/{body.name}", one.tool.name, [hull_mesh(body.corners_m)], flange[0] @ shifts[0], TOOL_COLOR
        )
        poses.append(flange @ shifts)
    tool: Array = flange @ one.tool.T_flange_tool
    return tool


def _parts(
    things: Things, poses: list[Array], motion: Motion, assembly: Assembly, times: Array, tools: list[tuple[str, Array]]
) -> None:
    drawn = drawing(assembly)
    by_arm = dict(tools)
    stays: dict[str, list[Stay]] = {}
    for stay in motion.stays:
        stays.setdefault(stay.part, []).append(stay)
    for number, part in enumerate(assembly.parts):
        own = np.repeat((motion.T_world_assembly @ part.T_world_part)[None], len(times), axis=0)
        if part.name in stays:
            own[:] = np.eye(4)
            own[:, 2, 3] = GONE
        for stay in stays.get(part.name, ()):
            now = (times >= stay.begin_s) & (times <= stay.end_s)
            own[now] = stay.T if stay.arm is None else by_arm[stay.arm][now] @ stay.T
        mesh = drawn.meshes[drawn.parts.mesh[number]]
        color, role = drawn.parts.color[number], drawn.parts.role[number]
        things.add(part.name, drawn.parts.labels[number], [mesh], own[0], color, role, part.mass_kg)
        poses.append(own)


def _facts(motion: Motion) -> tuple[tuple[str, str], ...]:
    alone, bound = motion.one_by_one_s, motion.bound_s
    saved = "" if not alone else f" ({100 * (1 - motion.makespan_s / alone):.0f} % saved)"
    return (
        ("Time", span(motion.makespan_s) + saved),
        *((("One arm at a time", span(alone)),) if alone else ()),
        *((("No schedule goes below", span(bound)),) if bound else ()),
        ("Arms", ", ".join(one.name for one in motion.cell.arms)),
        ("Steps", count(len(motion.plan.steps))),
    )


def _events(motion: Motion, things: Things) -> tuple[Event, ...]:
    numbers = {name: k for k, name in enumerate(things.names)}
    found = []
    for grip in motion.grips:
        part = tuple(numbers[name] for name in grip.parts[:1] if name in numbers)
        found.append(Event(grip.begin_s, f"{grip.arm} grips {grip.parts[0]}", part, "join"))
        if math.isfinite(grip.end_s):
            found.append(Event(grip.end_s, f"{grip.arm} lets go of {grip.parts[0]}", part, "note"))
    return tuple(sorted(found, key=lambda one: one.time_s))


def _curves(motion: Motion) -> list[Curve]:
    """One line for each arm: 1 where it moves, a half where it holds, 0 where it waits."""
    found = []
    for one in motion.cell.movers:
        own = _own(motion, one.name)
        times = np.array([time for each in own for time in (each.begin_s, each.end_s)] or [0.0])
        values = np.array([DOING.get(each.kind, 1.0) for each in own for _ in range(2)] or [0.0])
        found.append(Curve(one.name, "", times, values, "Arms: 1 moves, 0.5 holds, 0 waits"))
    return found


def _own(motion: Motion, arm: str) -> list[Segment]:
    return sorted((one for one in motion.segments if one.arm == arm), key=lambda one: one.begin_s)


def _segments(motion: Motion) -> Table:
    rows = sorted(motion.segments, key=lambda one: (one.begin_s, one.arm))[:MAX_ROWS]
    return Table(
        "Time line",
        (
            Column("Begin (s)", "number", tuple(round(one.begin_s, 3) for one in rows)),
            Column("End (s)", "number", tuple(round(one.end_s, 3) for one in rows)),
            Column("Arm", "text", tuple(one.arm for one in rows)),
            Column("Does", "text", tuple(one.kind for one in rows)),
            Column("To", "text", tuple(one.to for one in rows)),
            Column("Task", "number", tuple(one.task + 1 for one in rows)),
        ),
        shortened(len(motion.segments)),
    )


def _waits(motion: Motion) -> Table:
    """Every pause of an arm, and what ends at its end: whom it has waited for."""
    rows = []
    for one in motion.cell.arms:
        for segment in _own(motion, one.name):
            if segment.kind in ("wait", "hold") and not segment.to and segment.end_s - segment.begin_s > 0.05:
                busy = [
                    each
                    for each in motion.segments
                    if each.arm != one.name
                    and each.kind not in DOING
                    and each.begin_s < segment.end_s <= each.end_s + 1e-6
                ]
                rows.append((segment, min(busy, key=lambda each: each.end_s) if busy else None))
    rows = sorted(rows, key=lambda pair: pair[0].begin_s)
    return Table(
        "Who waits for whom",
        (
            Column("Arm", "text", tuple(one.arm for one, _ in rows[:MAX_ROWS])),
            Column("From (s)", "number", tuple(round(one.begin_s, 2) for one, _ in rows[:MAX_ROWS])),
            Column("For (s)", "number", tuple(round(one.end_s - one.begin_s, 2) for one, _ in rows[:MAX_ROWS])),
            Column("Waits for", "text", tuple("" if other is None else other.arm for _, other in rows[:MAX_ROWS])),
            Column("Which does", "text", tuple("" if other is None else other.kind for _, other in rows[:MAX_ROWS])),
        ),
        shortened(len(rows)),
    )
