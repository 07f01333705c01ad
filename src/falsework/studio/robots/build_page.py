"""The page of a build: the cell plays, arms and bricks; states and troubles on the time line, forces, pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from falsework.execution.running import BuildDone
from falsework.model.arrays import Array
from falsework.model.figures import count, percent
from falsework.model.figures import seconds as span
from falsework.model.provenance import Provenance
from falsework.studio.drawing import drawing
from falsework.studio.provenance import provenance_rows
from falsework.studio.robots.arms_page import add_arm, add_standing
from falsework.studio.robots.build_film import BuildFilm, forces_of, joints_of
from falsework.studio.robots.cell_page import ARM_COLORS, Things
from falsework.studio.scene import Column, Curve, Event, EventKind, Frames, Headline, Scene, Table
from falsework.studio.tables import MAX_ROWS, known, shortened

MOST_FRAMES = 1500
SHORTEST_S = 1e-3
EVENTS: dict[str, EventKind] = {
    "state": "note", "placed": "join", "trouble": "break", "stopped": "break", "plan": "note", "replan": "note",
}  # fmt: skip


def build_scene(
    film: BuildFilm, title: str, done: BuildDone | None = None, provenance: Provenance | None = None
) -> Scene:
    """The scene of what a film has gathered; `done` is how the build ended, if it has."""
    cell, product = film.begun
    instants = film.thinned(MOST_FRAMES)
    start, last = instants[0].time_s, instants[-1].time_s
    told = [float(line["t"]) for line in film.lines[-1:]] + [one.time_s for one in film.snapshots[-1:]]
    end = max(last, start + SHORTEST_S, *told)
    instants += [instants[-1]] if end > last else []  # what was seen last came after what was filmed last
    times = np.array([*(one.time_s for one in instants[:-1]), end]) - start
    things, poses = Things(), list[Array]()
    add_standing(things, poses, cell, times)
    curves: list[Curve] = []
    for number, one in enumerate(cell.arms):
        q, openings = joints_of(instants, one.name)
        add_arm(things, poses, one, q, openings, ARM_COLORS[number % len(ARM_COLORS)])
        pushed, gripped = forces_of(instants, one.name)
        curves.append(Curve(f"{one.name}: on the tool", "N", times, pushed, "Forces"))
        curves.append(Curve(f"{one.name}: between the fingers", "N", times, gripped, "Forces"))
    _add_bricks(things, poses, film, np.array([one.T_world_part for one in instants]))
    lines = [{**line, "t": float(line["t"]) - start} for line in film.lines]
    curves.append(_progress(lines, float(times[-1])))
    return Scene(
        kind="simulate",
        title=title,
        headline=_headline(lines, len(product.parts), done),
        meshes=tuple(things.meshes),
        parts=things.parts(),
        facts=_facts(lines, float(times[-1]), done),
        notes=() if film.draws else ("Pictures of the cameras are left out: they need Pillow.",),
        timeline=Frames(times, np.stack(poses, axis=1), _events(lines, things)),
        curves=tuple(curves),
        snapshots=tuple(replace(one, time_s=one.time_s - start) for one in film.snapshots),
        tables=(_troubles(lines), _states(lines)),
        provenance=provenance_rows(provenance),
    )


def _add_bricks(things: Things, poses: list[Array], film: BuildFilm, moved: Array) -> None:
    _, product = film.begun
    drawn = drawing(product)
    for number, body in enumerate(product.bodies):
        mesh = drawn.meshes[drawn.parts.mesh[number]]
        color, role = drawn.parts.color[number], drawn.parts.role[number]
        things.add(body.name, drawn.parts.labels[number], [mesh], moved[0, number], color, role, body.mass_kg)
        poses.append(moved[:, number])


def _headline(lines: list[dict[str, Any]], bricks: int, done: BuildDone | None) -> Headline:
    placed = len(_placed(lines))
    if done is None:
        return Headline("open", "Building", f"{placed} of {count(bricks, 'brick')} in place.")
    if done.scores.success:
        return Headline("yes", "Built", f"{count(bricks, 'brick')} in place, as the referee sees it.")
    why = done.built.failures[-1].words if done.built.failures else "its time was over" if done.is_late else ""
    sentence = f"{done.scores.in_place} of {count(bricks, 'brick')} in place" + (f": {why}." if why else ".")
    return Headline("open" if done.is_late else "no", "Out of time" if done.is_late else "Not built", sentence)


def _facts(lines: list[dict[str, Any]], seconds: float, done: BuildDone | None) -> tuple[tuple[str, str], ...]:
    own = [
        ("Cell's clock", span(seconds)),
        ("Placed", count(len(_placed(lines)), "brick")),
        ("Troubles", count(sum(line["event"] == "trouble" for line in lines))),
        ("Looks", count(sum(line["event"] == "sight" for line in lines))),
    ]
    if done is not None:
        own.append(("Planning and looking", span(done.built.planning_s)))
        own.append(("Connections there", percent(done.scores.accuracy)))
        own.append(("Strays", percent(done.scores.violations)))
    return tuple(own)


def _placed(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line["event"] == "placed"]


def _progress(lines: list[dict[str, Any]], end_s: float) -> Curve:
    """How many bricks are in place, as the controller believes: up with each, down where a plan knows of fewer."""
    times, values = [0.0], [0.0]
    for line in lines:
        if line["event"] == "placed":
            now = values[-1] + 1
        elif line["event"] in ("replan", "resume", "end"):
            now = float(len(line["placed"]))
        else:
            continue
        times += [line["t"], line["t"]]
        values += [values[-1], now]
    return Curve(
        "bricks in place", "", np.array([*times, max(end_s, times[-1])]), np.array([*values, values[-1]]), "Plan"
    )


def _events(lines: list[dict[str, Any]], things: Things) -> tuple[Event, ...]:
    numbers = {name: k for k, name in enumerate(things.names)}
    found = []
    for line in lines:
        if line["event"] in EVENTS:
            part = (numbers[line["brick"]],) if line.get("brick") in numbers else ()
            found.append(Event(line["t"], line_words(line), part, EVENTS[line["event"]]))
    return tuple(found)


def line_words(line: dict[str, Any]) -> str:
    """A line of the log in words."""
    brick = line.get("brick", "")
    match line["event"]:
        case "state":
            return f"{line['state']} {brick}"
        case "placed":
            return f"{brick} is in its place"
        case "trouble":
            return f"{line['kind']}: {line['words']}; {line['then'] or 'given up'}"
        case "stopped":
            return f"stopped: {line['why']}"
        case "plan" | "replan":
            return f"{line['event']}: {line['status']}, {count(line['steps'], 'step')}"
        case "pressed":
            return f"{brick} pressed with {line['most_n']:.1f} N"
        case event:
            return f"{event} {brick}".strip()


def _troubles(lines: list[dict[str, Any]]) -> Table:
    rows = [line for line in lines if line["event"] in ("trouble", "stopped")]
    return Table(
        "Troubles",
        (
            Column("Time (s)", "number", tuple(known(one["t"]) for one in rows[:MAX_ROWS])),
            Column("Brick", "text", tuple(str(one.get("brick", "")) for one in rows[:MAX_ROWS])),
            Column("State", "text", tuple(str(one.get("state", "")) for one in rows[:MAX_ROWS])),
            Column("Class", "text", tuple(str(one.get("kind", "stopped")) for one in rows[:MAX_ROWS])),
            Column("What was found", "text", tuple(str(one.get("words", one.get("why"))) for one in rows[:MAX_ROWS])),
            Column("Then", "text", tuple(str(one.get("then") or "given up") for one in rows[:MAX_ROWS])),
        ),
        shortened(len(rows)) or ("" if rows else "No check was violated."),
    )


def _states(lines: list[dict[str, Any]]) -> Table:
    rows = [line for line in lines if line["event"] == "state"]
    ends = [line["t"] for line in rows[1:]] + [lines[-1]["t"] if lines else 0.0]
    shown = list(zip(rows, ends, strict=False))[:MAX_ROWS]
    return Table(
        "States",
        (
            Column("Begin (s)", "number", tuple(known(one["t"]) for one, _ in shown)),
            Column("Lasts (s)", "number", tuple(known(end - one["t"]) for one, end in shown)),
            Column("Brick", "text", tuple(str(one["brick"]) for one, _ in shown)),
            Column("State", "text", tuple(str(one["state"]) for one, _ in shown)),
        ),
        shortened(len(rows)),
    )
