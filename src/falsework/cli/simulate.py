"""`falsework simulate`: what happens when it is pressed, pulled, pushed, tilted or dropped?"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from falsework.cli.common import about_input, add_input, number, positive, print_json, read, whole
from falsework.cli.pages import add_pages, provenance, title, wants_pages, write_pages
from falsework.cli.progress import progress_bar
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.figures import count, direction, figure, force, left, length, milliseconds, percent, seconds

if TYPE_CHECKING:
    from falsework.brickworld.events import Break, Join
    from falsework.brickworld.schemes import Scheme
    from falsework.brickworld.settings import Settings
    from falsework.brickworld.simulate import Action
    from falsework.brickworld.simulation import EngineTrouble, Simulation
    from falsework.brickworld.snapshots import Snapshot
    from falsework.model.assembly import Assembly
    from falsework.studio.scene import Headline

HELP = "what happens when it is pressed, pulled, pushed, tilted or dropped"
SCHEMES: tuple[Scheme, ...] = ("clutches", "welds", "plain")
SHOWN = 8  # events and components that are printed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("--drop", metavar="METRES", type=number, help="lift it clear of a table and let go")
    parser.add_argument(
        "--tilt", metavar="DEG", type=_degrees, help="turn it about y before the start (default 10 when dropped)"
    )
    parser.add_argument(
        "--tilts", metavar="N", type=whole, help="drop it N times with tilts drawn by --seed: how likely it breaks"
    )
    for way, what in (("press", "down"), ("pull", "up")):
        parser.add_argument(
            f"--{way}", metavar="NAME:N", action="append", default=[], help=f"force {what}, 0 to N newtons; repeatable"
        )
    parser.add_argument(
        "--push", metavar="NAME:N[:AXIS]", action="append", default=[], help="sideways force along x, -x, y or -y"
    )
    parser.add_argument("--seconds", metavar="S", type=positive, default=2.0, help="how long (default 2)")
    parser.add_argument("--window", metavar="S", type=positive, help="over which loads are averaged before they break")
    parser.add_argument("--stiffness", metavar="K", type=positive, help="of contacts, 1/s²: acceleration per metre")
    parser.add_argument(
        "--scheme",
        choices=SCHEMES,
        default="clutches",
        help="how bricks hold: by clutches (default), by welds as published, or by contact and friction alone",
    )
    parser.add_argument("--compare", action="store_true", help="show the other schemes beside it")
    parser.add_argument(
        "--resume", metavar="FILE", help="go on from a snapshot.npz that a run with the same input and options left"
    )
    parser.add_argument("--no-sleep", action="store_true", help="what lies still is computed like everything else")
    parser.add_argument("--no-break", action="store_true", help="nothing breaks")
    parser.add_argument("--no-join", action="store_true", help="nothing joins")
    add_pages(parser, "trajectory.npz, break-N.npz, snapshot.npz and report.html")


def run(arguments: argparse.Namespace) -> int:
    from falsework.brickworld.simulation import EngineTrouble

    schemes = [arguments.scheme, *(one for one in SCHEMES if arguments.compare and one != arguments.scheme)]
    if arguments.tilts is not None:
        return _dropped(arguments)
    try:
        assembly = read(arguments)
        joints, *others = [_simulated(arguments, assembly, scheme) for scheme in schemes]
    except EngineTrouble as trouble:
        if arguments.out is None:
            raise
        kept = _save_trouble(arguments, trouble)
        raise Undecided(f"{trouble}; the frame before is in {kept}, see --resume") from trouble
    except BadInput as why:
        raise about_input(arguments, why) from why
    if arguments.out is not None:
        _write(Path(arguments.out), joints)
        if joints.world is not None:
            _write_snapshot(arguments, joints.world.snapshot())
    if wants_pages(arguments):
        _write_page(arguments, joints)
    compared = dict(zip(schemes, (joints, *others), strict=True)) if arguments.compare else {}
    if arguments.json:
        beside = {"schemes": {name: _compared(one) for name, one in compared.items()}} if compared else {}
        print_json({**joints.as_dict(), **beside})
    else:
        _print_table(arguments.input, joints)
        for name, one in compared.items():
            print(f"  {name:10} {_told_apart(_compared(one))}")
    return 1 if joints.broke else 0


def _dropped(arguments: argparse.Namespace) -> int:
    """Many drops, and how many of them broke something."""
    from falsework.brickworld.drop_chance import drop_chance

    if arguments.drop is None or arguments.tilt is not None:
        raise BadInput("--tilts draws the tilts of a drop: give --drop METRES, and no --tilt")
    try:
        assembly = read(arguments)
        with progress_bar("drops") as progress:
            found = drop_chance(
                assembly,
                arguments.drop,
                arguments.tilts,
                seed=arguments.seed,
                seconds=arguments.seconds,
                settings=_settings(arguments),
                progress=progress,
            )
    except BadInput as why:
        raise about_input(arguments, why) from why
    if arguments.json:
        print_json({"chance": found.as_dict()})
    else:
        print(f"{arguments.input}: {found.broke} of {count(found.drops, 'drop')} broke something")
        print(f"  breaks     with {percent(found.broke / found.drops)}; {percent(found.low)} to {percent(found.high)}")
    return 1 if found.broke else 0


def _settings(arguments: argparse.Namespace) -> Settings:
    from falsework.brickworld.settings import Settings

    given = {"window_s": arguments.window, "stiffness_per_s2": arguments.stiffness}
    switched = Settings(breaking=not arguments.no_break, joining=not arguments.no_join, sleeping=not arguments.no_sleep)
    return replace(switched, **{name: value for name, value in given.items() if value is not None})


def _simulated(arguments: argparse.Namespace, assembly: Assembly, scheme: Scheme) -> Simulation:
    """In one scheme; forces act in the scheme that was asked for only."""
    from falsework.brickworld.simulate import simulate

    settings = _settings(arguments)
    actions = [action(way, text) for way in ("press", "pull", "push") for text in getattr(arguments, way)]
    with progress_bar(f"simulating {scheme}") as progress:
        return simulate(
            assembly,
            drop_m=arguments.drop,
            tilt_deg=arguments.tilt,
            actions=actions,
            seconds=arguments.seconds,
            settings=settings,
            scheme=scheme,
            resume=arguments.resume,
            progress=progress,
        )


def _compared(found: Simulation) -> dict[str, float | int]:
    """What schemes are compared by."""
    apart = sum(len(event.connections) for event in found.breaks)
    return {"apart": apart, "drift_m": found.drift_m, "frame_ms": float(found.frame_ms.sum(axis=1).mean())}


def _told_apart(row: dict[str, float | int]) -> str:
    drift = f"bricks of a connection moved by {length(row['drift_m'])} at most"
    return f"{count(int(row['apart']), 'connection')} apart, {drift}, {row['frame_ms']:.2f} ms a frame"


def action(way: str, text: str) -> Action:
    """NAME:N, and NAME:N:AXIS for a push; a name may itself have colons."""
    from falsework.brickworld.simulate import Action

    name, axis = text, "x"
    if way == "push" and text.rpartition(":")[2] in ("x", "-x", "y", "-y"):
        name, _, axis = text.rpartition(":")
    name, colon, size = name.rpartition(":")
    try:
        newtons = float(size)
    except ValueError:
        newtons = math.nan
    if not colon or not name or not 0 < newtons < math.inf:
        expected = "NAME:N:x, -x, y or -y" if way == "push" else "NAME:N"
        raise BadInput(f"--{way}: found {shown(text)}, expected {expected} with a positive force")
    return Action(way, name, newtons, axis)  # type: ignore[arg-type]


def _degrees(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected a number of degrees")
    return value


def _write(folder: Path, found: Simulation) -> None:
    from falsework.formats.trajectory_writing import write_trajectory

    write_trajectory(folder / "trajectory.npz", found.trajectory)
    for nth, event in enumerate(found.breaks, start=1):
        if event.cause is not None:
            event.dump(folder / f"break-{nth}.npz")


def _save_trouble(arguments: argparse.Namespace, trouble: EngineTrouble) -> Path:
    """What was reached before the engine failed, and the last good state."""
    if trouble.so_far is not None:
        _write(Path(arguments.out), trouble.so_far)
    return _write_snapshot(arguments, trouble.last_good)


def _write_snapshot(arguments: argparse.Namespace, taken: Snapshot) -> Path:
    from falsework.brickworld.snapshot_files import write_snapshot

    file = Path(arguments.out) / "snapshot.npz"
    write_snapshot(file, taken)
    return file


def _write_page(arguments: argparse.Namespace, found: Simulation) -> None:
    from falsework.studio.motion_page import motion_scene
    from falsework.studio.scene import Event, EventKind

    index = found.assembly.index

    def marks(kind: EventKind, happened: Sequence[Break | Join]) -> list[Event]:
        return [
            Event(
                one.time_s, _told(one.connections, f"{kind}s"), tuple(index[name] for name in one.connections[0]), kind
            )
            for one in happened
        ]

    events = marks("break", found.breaks) + marks("join", found.joins)
    cost = found.as_dict()
    facts = [("Components at the end", count(len(found.components)))] if found.is_of_bricks else []
    frame = cost["frame_ms"]
    facts.append(("A frame took", f"{milliseconds(frame['mean'])}, at most {milliseconds(frame['max'])}"))
    scene = motion_scene(
        found.assembly,
        found.trajectory,
        title(arguments),
        kind="simulate",
        events=events,
        headline=None if found.is_of_bricks else _of_blocks(found),
        facts=facts,
        provenance=provenance(arguments),
    )
    write_pages(arguments, scene)


def _of_blocks(found: Simulation) -> Headline:
    """The headline of things that cannot break."""
    from falsework.studio.scene import Headline

    sentence = f"{left(len(found.fallen), len(found.assembly.parts)).capitalize()} after {seconds(found.seconds)}."
    return Headline("no", "Moves", sentence) if found.fallen else Headline("yes", "Stays", sentence)


def _told(pairs: tuple[tuple[str, str], ...], word: str) -> str:
    first, second = pairs[0]
    return f"{first} - {second} {word}" if len(pairs) == 1 else f"{len(pairs)} connections: {first} - {second}, …"


def _print_table(source: str, found: Simulation) -> None:
    if found.is_of_bricks:
        _print_bricks(source, found)
    else:
        _print_blocks(source, found)
    cost = found.as_dict()
    print(f"  took       {cost['frame_ms']['mean']:.2f} ms a frame, {figure(cost['realtime_factor'])} x real time")


def _print_bricks(source: str, found: Simulation) -> None:
    """What broke and joined, and what hangs together at the end."""
    breaks, joins = len(found.breaks), len(found.joins)
    told = "nothing broke" if not breaks else count(breaks, "break")
    print(f"{source}: {told}{f', {count(joins)} joined' if joins else ''} in {seconds(found.seconds)}")
    for event in found.breaks[:SHOWN]:
        pairs = ", ".join(f"{first} - {second}" for first, second in event.connections)
        used = "beyond any strength" if event.utilization is None else f"{percent(event.utilization)} of its strength"
        why = "" if event.force_n is None else f"  at {used}, {force(event.force_n)}"
        late = f", proved {seconds(event.late_s)} later" if event.late_s else ""
        print(f"  breaks     {event.time_s:7.3f} s  {pairs}{why}{late}")
    _print_more("breaks", breaks)
    if found.fallen:
        print(f"  moved      {left(len(found.fallen), len(found.assembly.parts))}")
    if found.undecided:
        print(f"  undecided  {found.undecided} times it stayed unproved whether the clutches hold; nothing broke then")
    for joined in found.joins[:SHOWN]:
        pairs = ", ".join(f"{first} - {second}" for first, second in joined.connections)
        print(f"  joins      {joined.time_s:7.3f} s  {pairs}  pressed with {force(joined.force_n)}")
    _print_more("joins", joins)
    for names in found.components[:SHOWN]:
        print(f"  component  {', '.join(names[:12])}{f' and {len(names) - 12} more' if len(names) > 12 else ''}")
    _print_more("component", len(found.components))


def _print_blocks(source: str, found: Simulation) -> None:
    """Blocks have nothing that could break: what moved, where to, and what stayed."""
    from falsework.geometry.shapes.displacement import displacements

    parts = len(found.assembly.parts)
    print(f"{source}: {left(len(found.fallen), parts)} in {seconds(found.seconds)}")
    shifts = dict(zip(found.trajectory.names, displacements(found.assembly, found.trajectory).tolist(), strict=True))
    for name in sorted(found.fallen, key=lambda name: -math.hypot(*shifts[name]))[:SHOWN]:
        print(f"  moved      {name}: {length(math.hypot(*shifts[name]))} {direction(*shifts[name])}")
    _print_more("moved", len(found.fallen))
    print("  note       loose parts in a physics engine: a film, not a proof; blocks have no clutches that could break")


def _print_more(word: str, total: int) -> None:
    if total > SHOWN:
        print(f"  {word:10} … and {count(total - SHOWN)} more")
