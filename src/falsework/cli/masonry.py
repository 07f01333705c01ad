"""What `check` and `margins` say to masonry engineers: reactions, thickness, shaking, thrust, loads that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from falsework.cli.ways import way_in_words
from falsework.model.figures import bearing, count, force, listed, shaking, signed, thinner

if TYPE_CHECKING:
    from falsework.model.assembly import Assembly
    from falsework.model.interfaces import Interfaces
    from falsework.model.state import State
    from falsework.model.verdict import Verdict
    from falsework.verdicts.limits.bracket import Bracket
    from falsework.verdicts.margins import Margins
    from falsework.verdicts.masonry.reactions import Reaction
    from falsework.verdicts.masonry.thrust import Thrust, Yielding
    from falsework.verdicts.masonry.thrust_line import ThrustLine

MOST_SHOWN = 6
MOST_POINTS = 800  # of contacts, for which `check` looks for the margin too
ROUGHLY = 1e-3  # how narrow the bracket of that margin is


def masonry_dict(found: Margins) -> dict[str, Any]:
    """As `falsework margins --json` prints it; null where something was not asked or makes no sense."""
    thin = found.thickness
    return {
        "thickness": None if thin is None else {**_ends(thin.share), "geometric_safety_factor": thin.factor},
        "shaking": [
            {"direction": one.direction.tolist(), "share_of_g": _ends(one.share_of_g)} for one in found.shaking
        ],
        "thrust": [_thrust_dict(one) for one in found.thrusts],
        "settlement": None if found.settlement is None else _settlement_dict(found.settlement),
        "moving": None
        if found.moving is None
        else [
            {"part": one.part, "point_m": one.point_m.tolist(), "newtons": _ends(one.newtons)}
            for one in found.moving.loads
        ],
    }


def masonry_lines(found: Margins) -> list[str]:
    """The same for people, one line a figure."""
    lines = []
    if found.thickness is not None and found.thickness.factor is not None:
        lines.append(f"thickness  {thinner(found.thickness.share.stands, found.thickness.share.falls)}")
    for one in found.shaking:
        borne = shaking(one.share_of_g.stands, one.share_of_g.falls)
        lines.append(f"shaking    along {way_in_words(one.direction.tolist())}: {borne}")
    lines += [_thrust(one) for one in found.thrusts[:MOST_SHOWN]]
    if found.thrusts:
        lines += [f"hinges     where {limit}: {told}" for limit, told in _hinges(found.thrusts[0])]
    if found.settlement is not None:
        lines += _settlement(found.settlement)
    if found.thrusts and any(one.line is None for one in found.thrusts[0].bounds):
        lines.append("thrust     no line of thrust: that needs contacts, and all of them and the loads in one plane")
    if found.moving is not None:
        worst = found.moving.worst
        borne = bearing(worst.newtons.stands, worst.newtons.falls)
        lines.append(f"moving     worst on {worst.part} at {signed(worst.point_m.tolist())} m: {borne}")
    return lines


def reactions_dict(assembly: Assembly, joints: Interfaces, verdict: Verdict, state: State) -> dict[str, Any]:
    """What supports and hands carry in the forces that prove it, as `falsework check --json` prints it."""
    found = _reactions(assembly, joints, verdict, state)
    told = [{"part": one.part, "force_n": one.force_n.tolist(), "moment_nm": one.moment_nm.tolist()} for one in found]
    return {"reactions": told} if told else {}


def reaction_lines(assembly: Assembly, joints: Interfaces, verdict: Verdict, state: State) -> list[str]:
    """The same for people, largest first; one support alone carries everything, which is no news."""
    found = sorted(_reactions(assembly, joints, verdict, state), key=lambda one: -float((one.force_n**2).sum()))
    if len(found) < 2:
        return []
    lines = [f"reaction   {one.part}: {signed(one.force_n.tolist())} N" for one in found[:MOST_SHOWN]]
    more = len(found) - MOST_SHOWN
    return [*lines, *([f"reaction   … and of {count(more, 'other support')}"] if more > 0 else [])]


def thickness(assembly: Assembly, joints: Interfaces, verdict: Verdict, state: State) -> str:
    """The margin of what stands by contacts, in a few solves; of much more than that, where to ask for it."""
    from falsework.statics.core.equilibrium import Equilibrium
    from falsework.verdicts.masonry.thinner_joints import thinnest_joints
    from falsework.verdicts.registry import described

    if not described(verdict.model).is_core or len(joints.patches.points) > MOST_POINTS:
        return "not of strength, there are no clutches; see falsework margins"
    found = thinnest_joints(Equilibrium(assembly, joints), state, ROUGHLY).share
    return thinner(found.stands, found.falls)


def _reactions(assembly: Assembly, joints: Interfaces, verdict: Verdict, state: State) -> tuple[Reaction, ...]:
    """Of forces that the convex core found; a published model's own forces need not balance so well."""
    from falsework.model.verdict import Forces
    from falsework.statics.core.equilibrium import Equilibrium
    from falsework.verdicts.masonry.reactions import reactions
    from falsework.verdicts.registry import described

    if not isinstance(verdict.certificate, Forces) or not described(verdict.model).is_core:
        return ()
    proved = joints if verdict.about is None else verdict.about
    return reactions(Equilibrium(assembly, proved), state, verdict.certificate)


def write_elevation(
    svg: str | None, pdf: str | None, assembly: Assembly, joints: Interfaces, found: Margins, title: str
) -> None:
    """The drawing of `margins --svg` and `--pdf`."""
    from pathlib import Path

    from falsework.formats.basics.atomic import write_whole
    from falsework.model.verdict import Forces
    from falsework.studio.elevation import elevation
    from falsework.studio.elevation_pdf import elevation_pdf
    from falsework.verdicts.masonry.thrust_line import thrust_line

    carried = _reactions(assembly, joints, found.verdict, found.state)
    thrust = found.thrusts[0] if found.thrusts else None
    forces = found.verdict.certificate
    within = thrust_line(assembly, joints, found.state, forces) if carried and isinstance(forces, Forces) else None
    drawn = elevation(assembly, joints, found.state, title, thrust, carried, within)
    if svg is not None:
        write_whole(Path(svg), drawn.encode())
    if pdf is not None:
        write_whole(Path(pdf), elevation_pdf(drawn))


def _thrust(one: Thrust) -> str:
    low, high = (None if end is None else force(end) for end in one.range_n)
    match low, high:
        case None, None:
            told = "no bound was found, neither a least nor a greatest"
        case None, _:
            told = f"at most {high}; no least bound was found"
        case _, None:
            told = f"at least {low}; no greatest bound was found"
        case _:
            told = f"{low}, no other is possible" if low == high else f"{low} to {high}"
    return f"thrust     {one.part} along {way_in_words(one.direction.tolist())}: {told}"


def _hinges(one: Thrust) -> list[tuple[str, str]]:
    """Where joints come to turn about an end when the thrust of a support is least and greatest."""
    limits = (("it is least", one.least), ("it is greatest", one.greatest))
    return [(limit, told) for limit, at in limits if at is not None and (told := _hinged(at.line))]


def _hinged(line: ThrustLine | None) -> str:
    return "" if line is None else listed([f"{a} - {b}" for a, b in (one.parts for one in line.hinges)], MOST_SHOWN)


def _settlement(one: Yielding) -> list[str]:
    """What becomes of the forces when a support gives way."""
    size = float((one.direction[:3] ** 2).sum() ** 0.5)
    lines = []
    if size:
        along = way_in_words((one.direction[:3] / size).tolist())
        lines.append(f"settles    {one.part} along {along}: it still pushes back with {force(-one.work / size)}")
    if told := _hinged(one.line):
        lines.append(f"settles    hinges at {told}")
    return lines


def _thrust_dict(one: Thrust) -> dict[str, Any]:
    return {
        "part": one.part,
        "direction": one.direction.tolist(),
        "least_n": None if one.least is None else _bound_dict(one.least, -1.0),
        "greatest_n": None if one.greatest is None else _bound_dict(one.greatest, 1.0),
    }


def _bound_dict(one: Yielding, sign: float) -> dict[str, Any]:
    return {"attained": sign * one.work, "bound": sign * one.most, "line": _line_dict(one)}


def _settlement_dict(one: Yielding) -> dict[str, Any]:
    return {
        "part": one.part,
        "motion": one.direction.tolist(),
        "work": {"attained": one.work, "bound": one.most},
        "line": _line_dict(one),
    }


def _line_dict(one: Yielding) -> list[dict[str, Any]] | None:
    """Where the thrust crosses each joint; null where the assembly is not plane."""
    if one.line is None:
        return None
    return [
        {
            "parts": list(crossing.parts),
            "point_m": crossing.point_m.tolist(),
            "force_n": crossing.force_n.tolist(),
            "eccentricity": crossing.eccentricity,
            "hinge": crossing.is_hinge,
        }
        for crossing in one.line.crossings
    ]


def _ends(bracket: Bracket) -> dict[str, float | None]:
    return {"stands": bracket.stands, "falls": bracket.falls}
