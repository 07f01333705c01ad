"""`falsework margins`: how far is it from falling, or what would keep it standing?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from falsework.cli.check import EXIT_CODES, add_state, load
from falsework.cli.common import about_input, add_input, names, number, print_json, read
from falsework.cli.masonry import masonry_dict, masonry_lines, write_elevation
from falsework.cli.pages import add_pages, provenance, title, wants_pages, write_pages
from falsework.cli.progress import progress_bar
from falsework.cli.touching import first_line, print_partial, touching_dict
from falsework.cli.ways import vector, way, way_in_words
from falsework.model.errors import BadInput, shown
from falsework.model.figures import bearing, count, friction, listed, percent, probability, spare, tilting

if TYPE_CHECKING:
    from falsework.model.assembly import Assembly
    from falsework.verdicts.limits.bracket import Bracket
    from falsework.verdicts.limits.greatest_load import GreatestLoad
    from falsework.verdicts.limits.strength import Strength
    from falsework.verdicts.margins import Margins

HELP = "how far it is from falling: friction, loads, tilt, weakest joints, what holds what; or what to hold"
MOST_SHOWN = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    add_state(parser)
    parser.add_argument(
        "--only",
        metavar="A,B",
        type=names,
        help="strength, friction, load, tilt, weakest, without, hold, chance, thickness, shaking, thrust; or moving",
    )
    parser.add_argument("--at", metavar="NAME[@X,Y,Z]", help="where to load it (default: the top of the highest part)")
    parser.add_argument(
        "--along",
        metavar="WAY",
        type=way,
        help="down, +x, … or X,Y,Z (default: down and to four sides; thrust: in its plane)",
    )
    parser.add_argument(
        "--axis",
        metavar="WAY",
        type=way,
        action="append",
        help="+x, … or X,Y,Z to tilt it about (default: four); repeatable",
    )
    parser.add_argument(
        "--settle", metavar="NAME:X,Y,Z", type=settlement, help="a support that gives way, and which way it moves"
    )
    parser.add_argument("--hands", metavar="N", type=int, default=3, help="parts that may be held (default 3)")
    parser.add_argument("--samples", metavar="N", type=int, default=10_000, help="for the probability of standing")
    parser.add_argument("--spread", metavar="S", type=number, help="of the clutch strength, relative")
    parser.add_argument("--svg", metavar="FILE", help="draw a plane assembly with its thrust, reactions and a scale")
    parser.add_argument("--pdf", metavar="FILE", help="the same drawing on paper (extra instruct)")
    add_pages(parser, "report.html")


def run(arguments: argparse.Namespace) -> int:
    from falsework.geometry.contacts.interfaces import interfaces
    from falsework.verdicts.margins import USUAL, margins

    try:
        assembly = read(arguments)
        touching = interfaces(assembly)
        loads = (*assembly.loads, *map(load, arguments.load))
        at, point = _place(arguments.at)
        with progress_bar("parts taken away") as progress:
            found = margins(
                assembly,
                only=USUAL if arguments.only is None else arguments.only,
                held=arguments.held,
                absent=arguments.absent,
                loads=loads,
                gravity=arguments.gravity,
                at=at,
                point_m=point,
                along=arguments.along,
                **({} if arguments.axis is None else {"axes": arguments.axis}),
                settle=arguments.settle,
                hands=arguments.hands,
                samples=arguments.samples,
                spread=arguments.spread,
                seed=arguments.seed,
                joints=touching,
                progress=progress,
            )
        if arguments.svg is not None or arguments.pdf is not None:
            write_elevation(arguments.svg, arguments.pdf, assembly, touching, found, title(arguments))
    except BadInput as why:
        raise about_input(arguments, why) from why
    if wants_pages(arguments):
        from falsework.studio.margins_page import margins_scene

        asked = {"held": arguments.held, "absent": arguments.absent, "loads": loads}
        scene = margins_scene(assembly, touching, found, title(arguments), **asked, provenance=provenance(arguments))
        write_pages(arguments, scene)
    if arguments.json:
        print_json(as_dict(assembly, found))
    else:
        _print_table(arguments.input, assembly, found)
    return EXIT_CODES[found.verdict.answer]


def settlement(text: str) -> tuple[str, tuple[float, float, float]]:
    """NAME:X,Y,Z; a name may itself have colons."""
    name, _, motion = text.rpartition(":")
    if not name:
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected NAME:X,Y,Z")
    return name, vector(motion)


def _place(text: str | None) -> tuple[str | None, tuple[float, float, float] | None]:
    """NAME or NAME@X,Y,Z; a name may itself have an @."""
    if text is None:
        return None, None
    name, sign, point = text.rpartition("@")
    if not sign or point.count(",") != 2:
        return text, None
    try:
        return name, vector(point)
    except argparse.ArgumentTypeError as why:
        raise BadInput(f"--at: found {shown(text)}: {why}") from why


def as_dict(assembly: Assembly, found: Margins) -> dict[str, Any]:
    """As `falsework margins --json` prints it; null where something was not asked or makes no sense."""
    return {
        "verdict": found.verdict.answer,
        "model": found.verdict.model,
        "calibrated": found.verdict.calibrated,
        **touching_dict(assembly, found.verdict.missing),
        "utilization": None if found.strength is None else found.strength.utilization,
        "friction": _ends(found.friction),
        "loads": [_load_dict(one) for one in found.loads],
        "tilts": [
            {"axis": tilt.axis.tolist(), "degrees": _ends(tilt.degrees), "proved": tilt.proved} for tilt in found.tilts
        ],
        "weakest": None if found.weakest is None else [list(pair) for pair in found.weakest.pairs],
        "without": None
        if found.without is None
        else {part: None if fallen is None else list(fallen) for part, fallen in found.without.items()},
        "hold": _hold_dict(assembly, found),
        "chance": _chance_dict(found),
        **masonry_dict(found),
    }


def _ends(bracket: Bracket | None) -> dict[str, float | None] | None:
    return None if bracket is None else {"stands": bracket.stands, "falls": bracket.falls}


def _load_dict(one: GreatestLoad) -> dict[str, Any]:
    return {
        "part": one.part,
        "point_m": one.point_m.tolist(),
        "direction": one.direction.tolist(),
        "newtons": _ends(one.newtons),
    }


def _hold_dict(assembly: Assembly, found: Margins) -> dict[str, Any] | None:
    holding, greedy = found.holding, found.greedy
    if holding is None or greedy is None:
        return None
    return {
        "parts": None if holding.held is None else list(assembly.named(holding.held)),
        "most": holding.most,
        "exact": holding.exact,
        "moving": [list(assembly.named(bits)) for bits in holding.moving],
        "greedy": None if greedy.held is None else list(assembly.named(greedy.held)),
    }


def _chance_dict(found: Margins) -> dict[str, Any] | None:
    chance = found.chance
    if chance is None:
        return None
    return {
        "probability": chance.probability,
        "interval": [chance.low, chance.high],
        "samples": chance.samples,
        "undecided": chance.undecided,
        "solves": chance.solves,
    }


def _print_table(source: str, assembly: Assembly, found: Margins) -> None:
    words = {"stable": "stands", "unstable": "falls", "undecided": "undecided"}
    verdict = found.verdict
    print(f"{first_line(source, words[verdict.answer], verdict.missing)}  (model {verdict.model})")
    print_partial(assembly)
    if not found.verdict.calibrated:
        print("  note       the clutch strength of these bricks has not been calibrated")
    if found.strength is not None:
        print(f"  strength   {_strength(found.strength)}")
    if found.friction is not None:
        print(f"  friction   {friction(found.friction.stands, found.friction.falls)}")
    for one in found.loads:
        borne = bearing(one.newtons.stands, one.newtons.falls)
        print(f"  load       {one.part} {way_in_words(one.direction.tolist())}: {borne}")
    for tilt in found.tilts:
        print(
            f"  tilt       about {way_in_words(tilt.axis.tolist())}: {tilting(tilt.degrees.stands, tilt.degrees.falls)}"
        )
    if found.weakest is not None and found.weakest.pairs:
        print(f"  weakest    {listed([f'{a} - {b}' for a, b in found.weakest.pairs], MOST_SHOWN)}")
    _print_without(found)
    _print_hold(assembly, found)
    if found.chance is not None:
        likely = probability(found.chance.low, found.chance.high)
        samples = count(found.chance.samples, "sample")
        print(f"  chance     stands with probability {likely} (95 %), {samples}")
    for line in masonry_lines(found):
        print(f"  {line}")


def _strength(strength: Strength) -> str:
    """What is left, and what is needed."""
    if strength.unbounded:
        return "none would hold it"
    used = strength.utilization
    return "not found" if used is None else f"{spare(used)}: {percent(used)} of the clutch strength is needed"


def _print_without(found: Margins) -> None:
    if found.without is None:
        return
    holding = {part: fallen for part, fallen in found.without.items() if fallen != ()}
    for part, fallen in list(holding.items())[:MOST_SHOWN]:
        print(f"  without    {part}: {'undecided' if fallen is None else 'falls ' + listed(fallen, MOST_SHOWN)}")
    if len(holding) > MOST_SHOWN:
        print(f"  without    … and {len(holding) - MOST_SHOWN} more whose loss lets something fall")
    spared = len(found.without) - len(holding)
    if spared:
        others = count(spared, "other part" if holding else "part")
        which = f"any one of {others}" if spared > 1 else f"the {others[2:]}"
        print(f"  without    {which}: nothing falls")


def _print_hold(assembly: Assembly, found: Margins) -> None:
    holding, greedy = found.holding, found.greedy
    if holding is None or greedy is None:
        return
    if holding.held is None:
        print(
            f"  hold       {holding.most} hands are not enough{'' if holding.exact else ', as far as could be decided'}"
        )
    else:
        proof = "no smaller set is enough" if holding.exact else "a smaller set may be enough"
        print(f"  hold       {listed(assembly.named(holding.held), MOST_SHOWN)} ({proof})")
    other = "not enough" if greedy.held is None else listed(assembly.named(greedy.held), MOST_SHOWN)
    print(f"  greedy     holding what falls first: {other}")
