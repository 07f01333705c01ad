"""`falsework new`: an assembly of the gallery."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from falsework.cli.common import add_json, print_json, seed
from falsework.model.errors import BadInput, shown
from falsework.model.figures import count, spare

if TYPE_CHECKING:
    from falsework.gallery import Kind
    from falsework.model.assembly import Assembly

HELP = "make an assembly of the gallery; --list shows them all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", nargs="?", help="what to make")
    parser.add_argument("--list", action="store_true", help="the gallery, with verdicts and margins; or KIND alone")
    parser.add_argument(
        "--param", metavar="NAME=VALUE", type=_parameter, action="append", default=[], help="may be given several times"
    )
    parser.add_argument(
        "--utilization",
        metavar="LOW,HIGH",
        type=_range,
        help="adjust the kind's main parameter until its clutches work this hard",
    )
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="random seed (default 0)")
    parser.add_argument("--out", metavar="PATH", help="a file, by its ending, or a folder; default: YAML on stdout")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework import gallery

    if arguments.list:
        return _list(arguments)
    if arguments.kind is None:
        raise BadInput("name a KIND of the gallery, or ask for --list (see: falsework new --help)")
    parameters = dict(arguments.param)
    if arguments.utilization is not None:
        return _aimed(arguments)
    assembly = gallery.make(arguments.kind, arguments.seed, **parameters)
    return _write(arguments, assembly, parameters)


def _write(
    arguments: argparse.Namespace, assembly: Assembly, parameters: dict[str, float], **more: float | bool
) -> int:
    """Put the assembly where it was asked for; `more` are further keys of the JSON answer."""
    from falsework.formats import dumps, save

    target = None if arguments.out is None else _target(arguments.out, arguments.kind)
    if target is not None:
        save(assembly, target)
    if arguments.json:
        print_json({**_described(arguments.kind, arguments.seed, parameters, len(assembly.parts), target), **more})
    elif target is None:
        sys.stdout.write(dumps(assembly))
    else:
        print(f"{target}: {arguments.kind}, {count(len(assembly.parts), 'part')}")
    return 0


def _aimed(arguments: argparse.Namespace) -> int:
    """A model whose utilisation was measured: so it is known whether it stands."""
    from falsework import gallery
    from falsework.laying import aimed

    if arguments.param:
        raise BadInput("--utilization turns the parameter itself; leave --param out")
    found = aimed(arguments.kind, *arguments.utilization, seed=arguments.seed)
    knob = {gallery.kind_named(arguments.kind).knob: float(found.knob)}
    measured = {"utilization": found.utilization, "stands": found.utilization <= 1.0}
    return _write(arguments, found.assembly, knob, **measured)


def _described(kind: str, seed: int, parameters: dict[str, float], parts: int, target: Path | None) -> dict[str, Any]:
    from falsework import gallery

    truth = gallery.truth(kind, **parameters)
    return {
        "kind": kind,
        "seed": seed,
        "parameters": gallery.kind_named(kind).values(parameters),
        "parts": parts,
        "path": None if target is None else str(target),
        "stands": truth.stands,
        "why": truth.why,
        "hands": truth.hands,
        "building": truth.building or None,
        "unbuildable": truth.unbuildable or None,
    }


def _target(out: str, kind: str) -> Path:
    """The file to write: the path itself, or KIND.yaml in the folder that it names."""
    path = Path(out)
    return path if path.suffix and not path.is_dir() else path / f"{kind}.yaml"


def _list(arguments: argparse.Namespace) -> int:
    from falsework import gallery

    everything = {**gallery.kinds(), **gallery.cad_kinds()}
    names = list(everything) if arguments.kind is None else [gallery.kind_named(arguments.kind).name]
    stream = sys.stderr if arguments.json else sys.stdout
    print(f"{'kind':20} {'parts':>6} {'interfaces':>10} {'verdict':9} {'margin':>12}  description", file=stream)
    rows = []
    for name in names:
        kind = everything[name]
        rows.append(_row(kind, arguments.seed))
        row = rows[-1]
        margin = "" if row["utilization"] is None else spare(row["utilization"])
        counts = f"{row['parts']:6} {row['interfaces']:10}"
        print(f"{name:20} {counts} {row['verdict']:9} {margin:>12}  {kind.description}", file=stream, flush=True)
        if arguments.kind is not None:
            _print_details(kind, stream)
    if arguments.json:
        print_json({"gallery": rows})
    return 0


def _row(kind: Kind, seed: int) -> dict[str, Any]:
    """One entry at its defaults, checked. `margin` is what is spare, 1 − utilization; blocks have none."""
    from falsework import gallery
    from falsework.geometry.contacts.interfaces import interfaces
    from falsework.verdicts.check import check

    assembly = gallery.make(kind.name, seed)
    joints = interfaces(assembly)
    verdict = check(assembly, also=False, joints=joints)
    return {
        **_described(kind.name, seed, {}, len(assembly.parts), None),
        "description": kind.description,
        "interfaces": len(joints.patches) + len(joints.clutches) + len(joints.hinges),
        "verdict": verdict.answer,
        "utilization": verdict.utilization,
        "margin": None if verdict.utilization is None else 1.0 - verdict.utilization,
    }


def _print_details(kind: Kind, stream: TextIO) -> None:
    for one in kind.parameters:
        unit = f" {one.unit}" if one.unit else ""
        bounds = f"{one.low:g} to {one.high:g}"
        print(f"  --param {one.name}={one.default:g}{unit} ({bounds}): {one.meaning}", file=stream)
    truth = kind.truth(**kind.values({}))
    print(f"  {truth.why}", file=stream)
    if truth.hands is not None:
        reason = f": {truth.building}" if truth.building else ""
        print(f"  built with {truth.hands} hand{'s' if truth.hands > 1 else ''}{reason}", file=stream)
    if truth.unbuildable:
        print(f"  cannot be built one part at a time: {truth.unbuildable}", file=stream)


def _parameter(text: str) -> tuple[str, float]:
    """`name=value` with a number."""
    name, equals, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not equals or not name or number != number:
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected NAME=NUMBER")
    return name, number


def _range(text: str) -> tuple[float, float]:
    """`low,high`, two numbers above 0."""
    low, comma, high = text.partition(",")
    try:
        numbers = float(low), float(high)
    except ValueError:
        numbers = 0.0, 0.0
    if not comma or not 0 < numbers[0] < numbers[1] < float("inf"):
        raise argparse.ArgumentTypeError(f"found {shown(text)}, expected LOW,HIGH like 0.8,1.25")
    return numbers
