"""Snapshots on disk: an .npz that numpy reads without pickles, from which a world continues bit for bit.

`names`, `time`, `T_world_part`, `velocities`, `connections` (number, stud, hole, offset, turns) and `component` are for
people; the rest is the world's own.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.brickworld.breakage import OpenQuestion
from falsework.brickworld.grouping import Bunch, Grouping
from falsework.brickworld.guiding import Rail
from falsework.brickworld.joints import Joints
from falsework.brickworld.loads import Records, Windows
from falsework.brickworld.mechanics import Asked
from falsework.brickworld.monitor import Watched
from falsework.brickworld.pushes import Push, Ramp, Spring, Steady
from falsework.brickworld.snapshots import Snapshot
from falsework.brickworld.topology import Topology
from falsework.brickworld.world import World
from falsework.engine.groups import EngineState
from falsework.engine.hand_welds import HandWeld
from falsework.engine.sleep import Contacts, Slept
from falsework.formats.basics.atomic import write_whole
from falsework.model.arrays import Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput
from falsework.model.interfaces import ClutchKind, Patches

FORMAT = "falsework-snapshot/1"
PUSHES: dict[str, type[Steady] | type[Ramp] | type[Spring]] = {"steady": Steady, "ramp": Ramp, "spring": Spring}
CONTACTS = ("geoms", "points", "frames", "first_row", "rows", "forces")
RECORDS = ("outer", "motion", "effort", "pushed", "filled")
RAIL = ("part", "line", "turn", "centre_m", "arm_m")
SEATS = ("engaged", "gripped")
PATCHES = ("bodies", "normals", "friction", "starts", "points")
Table = npt.NDArray[Any]


def write_snapshot(path: str | Path, taken: Snapshot) -> None:
    """As a file that is there whole or not at all."""
    tables = {**_scene(taken), **_grouping(taken.grouping), **_memory(taken)}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **tables)
    write_whole(path, buffer.getvalue())


def read_snapshot(path: str | Path, world: World) -> Snapshot:
    """For a world of the same assembly, with the same frames and window; BadFile otherwise."""
    try:
        with np.load(path, allow_pickle=False) as file:
            tables = {name: file[name] for name in file.files}
        return _read(tables, world)
    except (OSError, EOFError, zipfile.BadZipFile) as why:
        raise BadFile(path, "", f"cannot be read as a snapshot: {why}") from why
    except KeyError as why:
        raise BadFile(path, "", f"there is no table {why} in it; expected a snapshot that simulate wrote") from why
    except (ValueError, IndexError, TypeError) as why:
        raise BadFile(path, "", f"it is not a snapshot of this scene: {why}") from why
    except BadInput as why:
        raise BadFile(path, "", str(why)) from why


def _scene(taken: Snapshot) -> dict[str, Table]:
    """What and where everything is, and the engine's own state."""
    assembly, slept = taken.grouping.assembly, taken.engine.slept
    kept = {f"asleep_{name}": table for name, table in zip(CONTACTS, slept.kept.arrays(), strict=True)}
    marks = {f"asleep_mark_{count}": table for count, table in enumerate(slept.marks)}
    return {
        "format": np.array(FORMAT),
        **_beginning(assembly),
        "time": np.array(taken.time_s),
        "frames": np.array(taken.frames),
        "T_world_part": taken.poses,
        "velocities": taken.velocities,
        "component": taken.grouping.topology.component_of,
        "engine": taken.engine.values,
        "asleep_counts": np.array(slept.counts),
        **marks,
        **kept,
    }


def _grouping(grouping: Grouping) -> dict[str, Table]:
    """Who is joined to whom."""
    connections, places, following = grouping.topology.table()
    bunches, joints = grouping.bunches, grouping.joints
    kinds = [
        json.dumps({**asdict(kind), **{name: getattr(kind, name).tolist() for name in ("points", "inward", "half")}})
        for kind in grouping.clutch_kinds.seen
    ]
    return {
        "connections": connections,
        "places": places,
        "next_connection": np.array(following),
        "local": grouping.local,
        "bunch_members": np.concatenate([bunch.members for bunch in bunches]),
        "bunch_starts": np.cumsum([0, *(len(bunch.members) for bunch in bunches)]),
        "bunch_still": np.array([bunch.still for bunch in bunches]),
        "bunch_poses": np.array([bunch.T_world_group for bunch in bunches]),
        "bunch_twists": np.array([bunch.twist for bunch in bunches]),
        "clutch_kinds": np.array(kinds, dtype=np.str_),
        "joint_numbers": joints.numbers,
        "joint_bodies": joints.bodies,
        "joint_frames": joints.frames,
        "joint_kind": joints.kind,
        **{f"patch_{name}": getattr(joints.patches, name) for name in PATCHES},
    }


def _memory(taken: Snapshot) -> dict[str, Table]:
    """Recent loads and presses, and who pushes and guides."""
    watched = taken.watched
    codes, forces = watched.codes, watched.forces
    pushes = [json.dumps(_push_fields(push)) for push in taken.pushes]
    return {
        **{f"record_{name}": getattr(taken.records, name) for name in RECORDS},
        "record_row": np.array(taken.records.row),
        "open_questions": np.array(
            [(one.group, one.pieces, one.is_new, one.asked.end) for one in taken.questions], dtype=np.int64
        ).reshape(-1, 4),
        "open_times": np.array([one.asked.time_s for one in taken.questions]),
        **{f"open_loads_{n}": one.loads for n, one in enumerate(taken.questions)},
        **{f"open_steps_{n}": one.asked.windows.steps for n, one in enumerate(taken.questions)},
        **{f"open_pushed_{n}": one.asked.windows.pushed for n, one in enumerate(taken.questions)},
        "press_codes": np.concatenate([np.zeros(0, dtype=np.int64), *codes]),
        "press_forces": np.concatenate([np.zeros((0, 3)), *forces]),
        "press_starts": np.cumsum([0, *(len(one) for one in codes)]),
        **{name: np.array(sorted(getattr(watched, name)), dtype=np.int64).reshape(-1, 2) for name in SEATS},
        "pushes": np.array(pushes, dtype=np.str_),
        **{f"rail_{name}": np.array([getattr(rail, name) for rail in taken.rails]) for name in RAIL},
        "weld_bodies": np.array([json.dumps([weld.hand, *weld.beside]) for weld in taken.welds], dtype=np.str_),
        "weld_parts": np.array([weld.part for weld in taken.welds], dtype=np.int64),
        "weld_poses": np.array([weld.T_hand_part for weld in taken.welds]).reshape(-1, 4, 4),
    }


def _read(tables: dict[str, Table], world: World) -> Snapshot:
    assembly = world.assembly
    if str(tables["format"]) != FORMAT:
        raise BadInput(f"found format {str(tables['format'])!r}, expected {FORMAT!r}")
    if not all(np.array_equal(tables[name], table) for name, table in _beginning(assembly).items()):
        raise BadInput(
            "it is from another assembly, or began differently (--drop, --tilt, --mu); give the same input and options"
        )
    grouping = _read_grouping(tables, world.grouping)
    fresh = world.breakage.recorder.saved()
    records = Records(**{name: tables[f"record_{name}"] for name in RECORDS}, row=int(tables["record_row"]))
    if records.outer.shape != fresh.outer.shape:
        raise BadInput("it was taken with another --window; give the same one")
    steps = zip(tables["press_starts"][:-1].tolist(), tables["press_starts"][1:].tolist(), strict=True)
    rows = [slice(*ends) for ends in steps]
    watched = Watched(
        tuple(tables["press_codes"][row] for row in rows),
        tuple(tables["press_forces"][row] for row in rows),
        *(frozenset((int(stud), int(hole)) for stud, hole in _bodies(tables[name], assembly)) for name in SEATS),
    )
    return Snapshot(
        frames=int(tables["frames"]),
        time_s=float(tables["time"]),
        grouping=grouping,
        engine=_read_engine(tables),
        records=records,
        questions=tuple(_questions(tables, world.breakage.recorder.window, grouping)),
        watched=watched,
        pushes=tuple(_push(text, assembly) for text in tables["pushes"].tolist()),
        rails=tuple(_rails(tables, assembly)),
        welds=tuple(_welds(tables)),
        poses=tables["T_world_part"],
        velocities=tables["velocities"],
    )


def _welds(tables: dict[str, Table]) -> Iterator[HandWeld]:
    """Files of before there were any have none."""
    if "weld_bodies" in tables:
        rows = zip(tables["weld_bodies"].tolist(), tables["weld_parts"].tolist(), tables["weld_poses"], strict=True)
        for bodies, part, T in rows:
            hand, *beside = json.loads(bodies)
            yield HandWeld(hand, part, T, tuple(beside))


def _questions(tables: dict[str, Table], window: int, grouping: Grouping) -> Iterator[OpenQuestion]:
    rows = zip(tables["open_questions"].tolist(), tables["open_times"].tolist(), strict=True)
    for n, ((group, pieces, is_new, end), time_s) in enumerate(rows):
        loads, steps = tables[f"open_loads_{n}"], tables[f"open_steps_{n}"]
        asked = Asked(Windows(steps, tables[f"open_pushed_{n}"], window), end, time_s)
        if loads.shape != (len(grouping.bunches[group].members), 6) or steps.shape[1:] != loads.shape:
            raise BadInput("it holds an unfinished proof about groups that are not there")
        yield OpenQuestion(group, loads, pieces, bool(is_new), asked)


def _rails(tables: dict[str, Table], assembly: Assembly) -> Iterator[Rail]:
    parts = _bodies(tables["rail_part"], assembly)
    for row, part in enumerate(parts.tolist()):
        yield Rail(int(part), *(tables[f"rail_{name}"][row] for name in RAIL[1:]))


def _read_engine(tables: dict[str, Table]) -> EngineState:
    kept = Contacts(*(tables[f"asleep_{name}"] for name in CONTACTS))
    marks = tuple(tables[name] for name in sorted(tables) if name.startswith("asleep_mark_"))
    return EngineState(tables["engine"], Slept(marks, tuple(tables["asleep_counts"].tolist()), kept))


def _read_grouping(tables: dict[str, Table], fresh: Grouping) -> Grouping:
    """As it was, from the grouping with which a world of the same assembly begins."""
    assembly = fresh.assembly
    for number, text in enumerate(tables["clutch_kinds"].tolist()):
        fields = json.loads(text)
        arrays = {name: np.array(fields[name], dtype=float) for name in ("points", "inward", "half")}
        if fresh.clutch_kinds.number(ClutchKind(**{**fields, **arrays})) != number:
            raise BadInput("its kinds of clutches are not those of this assembly")
    _bodies(tables["connections"][:, 1:3], assembly)
    members = _bodies(tables["bunch_members"], assembly)
    if not np.array_equal(np.sort(members), np.arange(len(assembly.bodies))):
        raise BadInput("its groups do not hold every part once")
    pieces = np.split(members, tables["bunch_starts"][1:-1])
    rows = zip(pieces, tables["bunch_still"].tolist(), tables["bunch_poses"], tables["bunch_twists"], strict=True)
    following = int(tables["next_connection"])
    return fresh.replaced(
        Topology.of_table(fresh.kinds, tables["connections"], tables["places"], following),
        tables["local"],
        Joints(
            numbers=tables["joint_numbers"],
            bodies=_bodies(tables["joint_bodies"], assembly),
            frames=tables["joint_frames"],
            kind=tables["joint_kind"],
            patches=Patches(*(tables[f"patch_{name}"] for name in PATCHES)),
        ),
        [Bunch(*row) for row in rows],
    )


def _beginning(assembly: Assembly) -> dict[str, Table]:
    """What a run began with, and another must begin with to go on from it; a tilt is in the gravity."""
    friction, below = assembly.friction, assembly.ground.friction
    return {
        "names": np.array([body.name for body in assembly.bodies], dtype=np.str_),
        "start": np.array(assembly.poses),
        "masses": np.array(assembly.masses_kg),
        "gravity": np.array(assembly.gravity),
        "friction": np.array([friction, friction if below is None else below]),
        "fixed": np.array([assembly.fixed_mask() >> body & 1 for body in range(len(assembly.bodies))], dtype=bool),
    }


def _bodies(numbers: Table, assembly: Assembly) -> Ints:
    """The same, if all of them are bodies of the assembly."""
    if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(assembly.bodies):
        raise BadInput("it names parts that are not there")
    return numbers


def _push_fields(push: Push) -> dict[str, Any]:
    kind = next((name for name, made in PUSHES.items() if isinstance(push, made)), None)
    if kind is None:
        raise BadInput(f"a push of {type(push).__name__} cannot be written; expected {', '.join(PUSHES)}")
    fields = asdict(push)  # type: ignore[call-overload]
    return {"kind": kind, **{name: np.asarray(value).tolist() for name, value in fields.items()}}


def _push(text: str, assembly: Assembly) -> Push:
    fields = json.loads(text)
    made: Sequence[str] = [name for name, value in fields.items() if isinstance(value, list)]
    arrays = {name: np.array(fields[name], dtype=float) for name in made}
    kind = PUSHES[fields.pop("kind")]
    _bodies(np.array([fields["part"]]), assembly)
    return kind(**{**fields, **arrays})
