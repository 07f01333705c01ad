"""`falsework check`: does it stand?"""

from __future__ import annotations

import argparse
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.cli.common import about_input, add_input, names, number, positive, print_json, read
from falsework.cli.masonry import reaction_lines, reactions_dict, thickness
from falsework.cli.pages import add_pages, provenance, title, wants_pages, write_pages
from falsework.cli.touching import first_line, print_partial, touching_dict
from falsework.cli.ways import vector
from falsework.model.errors import BadInput, shown
from falsework.model.figures import (
    acceleration,
    count,
    direction,
    figure,
    length,
    milliseconds,
    of_the_load,
    percent,
    spare,
)

if TYPE_CHECKING:
    from falsework.laying.repair import Repair
    from falsework.model.assembly import Assembly, Load
    from falsework.model.interfaces import Interfaces
    from falsework.model.state import State
    from falsework.model.verdict import Verdict

HELP = "does it stand, with what forces and what margin"
EXIT_CODES = {"stable": 0, "unstable": 1, "undecided": 3}
MOST_LOADED = 5
SAME_DIGITS = 6  # of a share: joints that differ by less keep their order, so that rounding does not decide it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    add_model(parser)
    add_state(parser)
    parser.add_argument(
        "--cone", choices=("exact", "8"), default="exact", help="friction cones: exact, or 8 edges that lie inside them"
    )
    parser.add_argument(
        "--cohesion",
        metavar="PA",
        type=number,
        default=0.0,
        help="shear that joints bear without pressure (model mortar)",
    )
    parser.add_argument(
        "--crushing", metavar="PA", type=positive, default=math.inf, help="pressure that joints bear (model mortar)"
    )
    parser.add_argument("--timeout", metavar="S", type=positive, help="undecided after this many seconds")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="what mends it where it falls or is weak, checked; with --out also mended.yaml",
    )
    add_pages(parser, "certificate.npz and report.html")


def add_model(parser: argparse.ArgumentParser) -> None:
    """By which law things stand; which there are is not asked before one is needed."""
    parser.add_argument(
        "--model",
        default="auto",
        help="auto (default), blocks, cra, mortar, snapfit, bricksim, stablelego, simulated or yours",
    )


def add_state(parser: argparse.ArgumentParser) -> None:
    """Which state of the assembly, under what loads."""
    parser.add_argument("--held", metavar="A,B", type=names, default=(), help="parts that a hand holds")
    parser.add_argument("--absent", metavar="C,D", type=names, default=(), help="parts that are not there")
    parser.add_argument(
        "--load", metavar="NAME:FX,FY,FZ[@X,Y,Z]", action="append", default=[], help="a force on a part, N; repeatable"
    )
    parser.add_argument("--gravity", metavar="X,Y,Z", type=vector, help="m/s² (default 0,0,-9.81)")


def run(arguments: argparse.Namespace) -> int:
    from falsework.geometry.contacts.interfaces import interfaces
    from falsework.verdicts.check import check, question_of

    try:
        assembly = read(arguments)
        joints = interfaces(assembly)
        loads = (*assembly.loads, *map(load, arguments.load))
        verdict = check(
            assembly,
            model=arguments.model,
            cone=arguments.cone,
            held=arguments.held,
            absent=arguments.absent,
            loads=loads,
            gravity=arguments.gravity,
            timeout_s=arguments.timeout,
            cohesion_pa=arguments.cohesion,
            crushing_pa=arguments.crushing,
            joints=joints,
        )
    except BadInput as why:
        raise about_input(arguments, why) from why
    state = question_of(held=arguments.held, absent=arguments.absent, loads=loads, gravity=arguments.gravity).state_of(
        assembly
    )
    proved = joints if verdict.about is None else verdict.about
    if arguments.out is not None:
        _write_certificate(Path(arguments.out), assembly, proved, verdict)
    if wants_pages(arguments):
        from falsework.studio.check_page import check_scene

        asked = {"held": arguments.held, "absent": arguments.absent, "loads": loads}
        scene = check_scene(assembly, joints, verdict, title(arguments), **asked, provenance=provenance(arguments))
        write_pages(arguments, scene)
    mended = _mended(arguments, assembly) if arguments.fix else None
    if arguments.json:
        fixes = {} if mended is None else {"weak": mended.weak, "fixes": [fix.as_dict() for fix in mended.fixes]}
        print_json(as_dict(assembly, joints, verdict, state) | fixes)
    else:
        _print_table(arguments.input, assembly, joints, verdict, state)
        if mended is not None:
            _print_fixes(mended)
    return EXIT_CODES[verdict.answer]


def _mended(arguments: argparse.Namespace, assembly: Assembly) -> Repair:
    """What mends the whole model as it was read; questions about some of its parts have no fix."""
    from falsework.cli.progress import progress_bar
    from falsework.formats import save
    from falsework.laying.repair import repaired

    for option in ("held", "absent", "gravity"):
        if getattr(arguments, option):
            raise BadInput(f"--fix mends the whole model; leave --{option} out")
    loads = (*assembly.loads, *map(load, arguments.load))
    with progress_bar("fixes") as progress:
        found = repaired(assembly.changed(loads=loads), progress=progress)
    if arguments.out is not None and found.is_mended:
        save(found.fixes[-1].assembly, Path(arguments.out) / "mended.yaml")
    return found


def _print_fixes(mended: Repair) -> None:
    if not mended.weak:
        print("  fix        nothing is weak")
        return
    print(f"  weak       {mended.weak}")
    for fix in mended.fixes:
        print(f"  fix        {fix.words}")
    if not mended.fixes:
        print(f"  fix        none was found among {mended.tried} that were tried")


def as_dict(assembly: Assembly, joints: Interfaces, verdict: Verdict, state: State) -> dict[str, Any]:
    """As `falsework check --json` prints it."""
    from falsework.geometry.summary import curved_dicts, named_pairs

    cornered = joints.ambiguous.cornered.bodies
    certificate = verdict.certificate
    kind = None if certificate is None else type(certificate).__name__.lower()  # forces, motion or criterion
    return {
        "verdict": verdict.answer,
        "model": verdict.model,
        "parts": len(assembly.parts),
        "interfaces": joints.counts(),
        **touching_dict(assembly, verdict.missing),
        **({"ambiguous": named_pairs(assembly, cornered)} if len(cornered) else {}),
        **({"curved": curved_dicts(assembly, joints)} if joints.curved else {}),
        "utilization": verdict.utilization,
        **({"unbounded": True} if verdict.unbounded else {}),
        "connections": connections(assembly, joints, verdict),
        "breaking": [list(pair) for pair in verdict.breaking],
        "falling": list(verdict.falling),
        "certificate": {"kind": kind, "residual": verdict.residual, "checked": verdict.certificate is not None},
        "calibrated": verdict.calibrated,
        **({"why": verdict.why} if verdict.why else {}),
        **({"also": verdict.also} if verdict.also else {}),
        **reactions_dict(assembly, joints, verdict, state),
        "build_ms": verdict.build_ms,
        "solve_ms": verdict.solve_ms,
    }


def connections(assembly: Assembly, joints: Interfaces, verdict: Verdict) -> list[dict[str, Any]]:
    """Every clutch of the state with how far it is toward its capacity; null where that was not found."""
    if verdict.joint_utilization is None:
        return []
    bodies = [body.name for body in assembly.bodies]
    rows = zip(joints.clutches.bodies.tolist(), verdict.joint_utilization.tolist(), strict=True)
    return [
        {"parts": [bodies[a], bodies[b]], "utilization": None if math.isnan(share) else share} for (a, b), share in rows
    ]


def load(text: str) -> Load:
    """NAME:FX,FY,FZ[@X,Y,Z]; a name may itself have colons."""
    from falsework.model.assembly import Load

    name, colon, rest = text.rpartition(":")
    force, at, point = rest.partition("@")
    if not colon or not name:
        raise BadInput(f"--load: found {shown(text)}, expected NAME:FX,FY,FZ or NAME:FX,FY,FZ@X,Y,Z")
    try:
        return Load(name, vector(force), vector(point) if at else None)  # type: ignore[arg-type]
    except argparse.ArgumentTypeError as why:
        raise BadInput(f"--load: {why}") from why


def _write_certificate(folder: Path, assembly: Assembly, joints: Interfaces, verdict: Verdict) -> None:
    import numpy as np

    from falsework.formats.basics.atomic import write_whole
    from falsework.statics.clutches.capacities import clutch_rows
    from falsework.statics.core.points import certificate_arrays

    kinds = tuple(clutch_rows(kind) for kind in joints.clutches.kinds)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **certificate_arrays(assembly, joints, kinds, verdict.certificate))
    write_whole(folder / "certificate.npz", buffer.getvalue())


def _print_table(source: str, assembly: Assembly, joints: Interfaces, verdict: Verdict, state: State) -> None:
    from falsework.verdicts.missing_contacts import nearness, touching_words
    from falsework.verdicts.other_laws import disagreement

    words = {"stable": "stands", "unstable": "falls", "undecided": "undecided"}
    print(f"{first_line(source, words[verdict.answer], verdict.missing)}  (model {verdict.model})")
    print(f"  margin     {_margin(assembly, joints, verdict, state)}")
    print_partial(assembly)
    if joints.curved:
        print(f"  curved     {_assumed(joints)}")
    if ambiguous := joints.counts()["ambiguous"]:
        contacts = count(ambiguous, "contact")
        print(f"  ambiguous  {contacts} whose direction is not determined; the answer rests on none")
    if not verdict.calibrated:
        print("  note       the clutch strength of these bricks has not been calibrated")
    print(f"  {_proof(verdict)}")
    for model, said in verdict.also.items():
        print(f"  also       {disagreement(model, said)}")
    for line in reaction_lines(assembly, joints, verdict, state):
        print(f"  {line}")
    shares = [row for row in connections(assembly, joints, verdict) if row["utilization"] is not None]
    for row in sorted(shares, key=lambda row: -round(row["utilization"], SAME_DIGITS))[:MOST_LOADED]:
        print(f"  joint      {percent(row['utilization']):>8}  {row['parts'][0]} - {row['parts'][1]}")
    for first, second in verdict.breaking[:MOST_LOADED]:
        print(f"  breaks     {first} - {second}")
    _print_falling(assembly, verdict)
    for miss in verdict.missing.pairs[:MOST_LOADED] if verdict.missing else ():
        print(f"  near       {nearness(miss)}")
    if told := touching_words(assembly):
        print(f"  touching   {told}")
    print(f"  took       {milliseconds(verdict.build_ms)} to build, {milliseconds(verdict.solve_ms)} to solve")


def _assumed(joints: Interfaces) -> str:
    """What curved surfaces were taken for, with how much play."""
    kinds = sorted({kind for contact in joints.curved for kind in contact.kinds} - {"plane", "edge", "corner"})
    plays = [contact.play_m for contact in joints.curved if contact.play_m is not None]
    loose = f", play up to {length(max(plays))}" if max(plays, default=0.0) > 0 and joints.patches.has_play else ""
    contacts = count(len(joints.curved), "contact")
    return f"{contacts} of surfaces taken for {' and '.join(f'{kind}s' for kind in kinds)}{loose}"


def _proof(verdict: Verdict) -> str:
    """What the verdict rests on, in words."""
    from falsework.model.verdict import Criterion
    from falsework.verdicts.registry import described

    found, model = verdict.certificate, described(verdict.model)
    if verdict.answer == "undecided":
        return f"proof      {verdict.why}"
    if isinstance(found, Criterion):
        return f"criterion  {found.name} {figure(found.value)}, at most {figure(found.limit)}, {model.criterion_source}"
    if verdict.answer == "stable":
        return f"proof      imbalance {of_the_load(verdict.residual or 0.0)}, checked"
    return f"proof      {model.motion_figure} {of_the_load(verdict.residual or 0.0)}, checked"


def _margin(assembly: Assembly, joints: Interfaces, verdict: Verdict, state: State) -> str:
    """What is left; what is needed beside it."""
    from falsework.verdicts.registry import described

    if verdict.unbounded:
        return "none: no clutch strength would hold it"
    if verdict.utilization is None:
        if len(joints.clutches) or verdict.answer == "undecided":
            return "not found"
        return "none" if verdict.answer == "unstable" else thickness(assembly, joints, verdict, state)
    if not described(verdict.model).is_core:
        return f"{percent(verdict.utilization)} of the clutch strength is used by the model's own forces"
    if verdict.utilization > 1:
        return f"none: {percent(verdict.utilization)} of the clutch strength is needed"
    return f"{spare(verdict.utilization)}: {percent(verdict.utilization)} of the clutch strength is needed"


def _print_falling(assembly: Assembly, verdict: Verdict) -> None:
    from falsework.model.verdict import Motion

    if not isinstance(verdict.certificate, Motion):
        for name in verdict.falling[: 2 * MOST_LOADED]:
            print(f"  falls      {name}")
        return
    for name in verdict.falling[: 2 * MOST_LOADED]:
        x, y, z = verdict.certificate.twists[assembly.index[name], :3]
        print(f"  falls      {name}: {direction(x, y, z) or 'turning'} at {acceleration(math.hypot(x, y, z))}")
    if len(verdict.falling) > 2 * MOST_LOADED:
        print(f"  falls      … and {len(verdict.falling) - 2 * MOST_LOADED} more parts")
