"""`falsework info`: what a file holds."""

from __future__ import annotations

import argparse
from typing import Any

from falsework.cli.common import about_input, add_input, print_json, read
from falsework.cli.pages import add_pages, provenance, title, wants_pages, write_pages
from falsework.cli.touching import gap_dict, partial_dict, print_partial
from falsework.model.errors import BadInput
from falsework.model.figures import count, mass, size
from falsework.model.fits import Fit
from falsework.model.lengths import length

MOST_SHOWN = 5
ONE = {"contacts": "contact", "clutches": "clutch", "hinges": "hinge", "corners": "corner", "edges": "edge"}
ONE |= {"curved": "curved contact", "ambiguous": "ambiguous contact"}
HELP = "what a file holds: parts, contacts, clutches, mass, size"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    add_pages(parser, "report.html")


def run(arguments: argparse.Namespace) -> int:
    from falsework.geometry.summary import info
    from falsework.verdicts.missing_contacts import touching_words

    try:
        assembly = read(arguments)
        summary = info(assembly)
    except BadInput as why:
        raise about_input(arguments, why) from why
    if wants_pages(arguments):
        from falsework.studio.info_page import info_scene

        write_pages(arguments, info_scene(assembly, summary, title(arguments), provenance(arguments)))
    if arguments.json:
        print_json(summary.as_dict() | {"gap": gap_dict(assembly)} | partial_dict(assembly))
        return 0
    sides = summary.bounds_m[1] - summary.bounds_m[0]
    print(f"{arguments.input}: {summary.format}")
    print(f"  parts       {count(summary.parts)}, {mass(summary.mass_kg)}, {size(sides.tolist())}")
    print(f"  fixed       {', '.join(summary.fixed) or 'nothing'}; ground: {summary.ground}")
    print(f"  interfaces  {', '.join(_counted(summary.interfaces))}")
    for first, second in summary.ambiguous[:MOST_SHOWN]:
        print(
            f"  ambiguous   {first} - {second} touch where corners or edges meet: which way they push is not determined"
        )
    if len(summary.ambiguous) > MOST_SHOWN:
        print(f"  ambiguous   … and {len(summary.ambiguous) - MOST_SHOWN} more pairs")
    for one in summary.curved[:MOST_SHOWN]:
        print(f"  curved      {_curved(one)}")
    if len(summary.curved) > MOST_SHOWN:
        print(f"  curved      … and {len(summary.curved) - MOST_SHOWN} more contacts")
    for fit in summary.fits[:MOST_SHOWN]:
        print(f"  fit         {_fit_words(fit)}")
    if len(summary.fits) > MOST_SHOWN:
        print(f"  fit         … and {len(summary.fits) - MOST_SHOWN} more pairs")
    print(f"  components  {summary.components}")
    print_partial(assembly, 12)
    if told := touching_words(assembly):
        print(f"  touching    {told}")
    return 0


def _curved(contact: dict[str, Any]) -> str:
    """Two parts, what their surfaces were taken for, and the fit."""
    parts, kinds = contact["parts"], contact["primitives"]
    play = contact.get("play_m")
    fit = "" if play is None else f", play {length(play)}" if play > 0 else ", no play"
    return f"{parts[0]} - {parts[1]}: {kinds[0]} on {kinds[1]}{fit}"


def _fit_words(fit: Fit) -> str:
    """One line about a fit."""
    pair, size_m = f"{fit.first} - {fit.second}", length(abs(fit.play_m))
    if fit.diameter_m is None:
        return f"{pair} overlap by {size_m}"
    about = f"{pair}: {fit.kind}, Ø {length(fit.diameter_m)}"
    if fit.kind == "nominal":
        return about
    return f"{about}, {size_m} {'play' if fit.kind == 'loose' else 'too thick'}"


def _counted(interfaces: dict[str, int]) -> list[str]:
    """Contacts and clutches always, the other kinds where there are any."""
    return [
        count(number, ONE[kind]) for kind, number in interfaces.items() if number or kind in ("contacts", "clutches")
    ]
