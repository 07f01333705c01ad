"""`falsework collapse`: how does it fall?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import about_input, add_input, names, positive, print_json, read
from falsework.cli.pages import add_pages, provenance, title, wants_pages, write_pages
from falsework.cli.progress import progress_bar
from falsework.cli.touching import first_line, print_partial, touching_dict
from falsework.cli.ways import vector
from falsework.model.errors import BadInput, shown
from falsework.model.figures import count, left, of_the_load, seconds, signed

if TYPE_CHECKING:
    from falsework.collapse.collapse import Collapse
    from falsework.collapse.events import Event
    from falsework.model.assembly import Assembly
    from falsework.studio.scene import Headline, Scene

HELP = "how does it fall: which parts move first, and the whole motion"
EXIT_CODES = {"stable": 0, "unstable": 1, "undecided": 3}
MOST_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument(
        "--seconds", metavar="S", type=positive, help="default: until all is at rest, 10 at most; without ground 2"
    )
    parser.add_argument("--step", metavar="H", type=positive, default=1e-3, help="seconds per step (default 0.001)")
    parser.add_argument("--held", metavar="A,B", type=names, default=(), help="parts that a hand holds")
    parser.add_argument("--absent", metavar="C,D", type=names, default=(), help="parts that are not there")
    parser.add_argument(
        "--restitution", metavar="E", type=float, default=0.0, help="what arrives bounces by E of its speed (default 0)"
    )
    parser.add_argument(
        "--event",
        metavar="T:ACTION:NAME[:VX,VY,VZ]",
        action="append",
        default=[],
        help="at T seconds hold, release, remove or move a part, the last with a velocity; repeatable",
    )
    add_pages(parser, "trajectory.npz and report.html")


def run(arguments: argparse.Namespace) -> int:
    from falsework.collapse.collapse import collapse
    from falsework.formats.trajectory_writing import write_trajectory

    try:
        assembly = read(arguments)
        with progress_bar("milliseconds of motion") as progress:
            result = collapse(
                assembly,
                seconds=arguments.seconds,
                step_s=arguments.step,
                held=arguments.held,
                absent=arguments.absent,
                restitution=arguments.restitution,
                events=[event(text) for text in arguments.event],
                progress=progress,
            )
    except BadInput as why:
        raise about_input(arguments, why) from why
    if arguments.out is not None:
        write_trajectory(Path(arguments.out) / "trajectory.npz", result.motion.trajectory)
    if wants_pages(arguments):
        write_pages(arguments, _scene(arguments, assembly, result))
    if arguments.json:
        print_json(as_dict(assembly, result))
    else:
        _print_table(arguments.input, assembly, result)
    return EXIT_CODES[result.answer] if result.could_go_on else 3


def event(text: str) -> Event:
    """T:ACTION:NAME or T:move:NAME:VX,VY,VZ; a name may itself have colons."""
    from falsework.collapse.events import Event

    when, _, rest = text.partition(":")
    action, _, part = rest.partition(":")
    velocity = None
    try:
        if action == "move":
            part, _, speeds = part.rpartition(":")
            velocity = vector(speeds)
        return Event(float(when), action, part, velocity)  # type: ignore[arg-type]
    except (ValueError, argparse.ArgumentTypeError) as why:
        raise BadInput(f"--event: found {shown(text)}, expected T:ACTION:NAME or T:move:NAME:VX,VY,VZ") from why


def as_dict(assembly: Assembly, result: Collapse) -> dict[str, Any]:
    """As `falsework collapse --json` prints it."""
    motion, initial = result.motion, result.initial
    return {
        "verdict": result.answer,
        "accelerations": {name: initial.accelerations[assembly.index[name]].tolist() for name in result.free},
        "falling": list(result.falling),
        **touching_dict(assembly, result.missing),
        "residual": initial.residual,
        "fallen": list(result.fallen),
        "seconds": float(motion.trajectory.time_s[-1]),
        "steps": len(motion.time_s),
        "at_rest": motion.at_rest,
        "worst": {
            "residual": float(motion.residual.max(initial=0.0)),
            "penetration_m": float(motion.penetration_m.max(initial=0.0)),
            "energy_gained_j": float((motion.energy_j[1:] - motion.energy_j[:-1]).max(initial=0.0)),
        },
        **({"why": why} if (why := motion.why or initial.why or result.doubt) else {}),
        **({"also": result.also} if result.also else {}),
        "frames": len(motion.trajectory.time_s),
        "wall_s": result.wall_s,
    }


def _scene(arguments: argparse.Namespace, assembly: Assembly, result: Collapse) -> Scene:
    """The replay, with energy and penetration against time."""
    from falsework.studio.motion_page import motion_scene
    from falsework.studio.scene import Curve, Event

    motion = result.motion
    curves = (
        Curve("Kinetic energy", "J", motion.time_s, motion.kinetic_j),
        Curve("Total energy", "J", motion.time_s, motion.energy_j),
        Curve("Penetration", "m", motion.time_s, motion.penetration_m),
        Curve("Residual", "g·h", motion.time_s, motion.residual),
    )
    happened = [event(text) for text in arguments.event]
    marks = [Event(one.time_s, f"{one.action} {one.part}", (assembly.index[one.part],), "note") for one in happened]
    proof = of_the_load(result.initial.residual)
    return motion_scene(
        assembly,
        motion.trajectory,
        title(arguments),
        events=marks,
        curves=curves,
        held=arguments.held,
        absent=arguments.absent,
        headline=_headline(result),
        facts=(("Coulomb's law", proof), ("Steps", count(len(motion.time_s)))),
        notes=(motion.why,) if motion.why else (),
        provenance=provenance(arguments),
    )


def _headline(result: Collapse) -> Headline:
    """The verdict of the first instant, and what came of it."""
    from falsework.studio.scene import Headline

    words = {"stable": ("yes", "Stands"), "unstable": ("no", "Falls"), "undecided": ("open", "Undecided")}
    span = seconds(result.motion.trajectory.time_s[-1])
    sentence = f"{left(len(result.fallen), len(result.there)).capitalize()} after {span}."
    return Headline(*words[result.answer], sentence)  # type: ignore[arg-type]


def _print_table(source: str, assembly: Assembly, result: Collapse) -> None:
    words = {"stable": "stands", "unstable": "falls", "undecided": "undecided"}
    motion = result.motion
    print(first_line(source, words[result.answer], result.missing))
    print_partial(assembly)
    print(f"  proof      Coulomb's law to {of_the_load(result.initial.residual)} at the first instant")
    if result.doubt:
        print(f"  but        {result.doubt}")
    for model, said in result.also.items():
        print(f"  also       {model}: {words[said]}, if parts may be wedged as hard as friction needs")
    if result.initial.why:
        print(f"  ambiguous  {result.initial.why}")
    for name in result.falling[:MOST_SHOWN]:
        print(f"  moves      {name}: {signed(result.initial.accelerations[assembly.index[name], :3].tolist())} m/s²")
    if len(result.falling) > MOST_SHOWN:
        print(f"  moves      … and {count(len(result.falling) - MOST_SHOWN)} more")
    ending = "at rest" if motion.at_rest else "still moving"
    print(
        f"  after      {seconds(motion.trajectory.time_s[-1])} {ending}, {left(len(result.fallen), len(result.there))}"
    )
    if motion.why:
        print(f"  ended      {motion.why}")
    print(f"  took       {seconds(result.wall_s)} for {count(len(motion.time_s), 'step')}")
