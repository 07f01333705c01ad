"""`falsework convert`: the same assembly in another format."""

from __future__ import annotations

import argparse

from falsework.cli.common import add_input, print_json, read

HELP = "write an assembly in another format; refuses what that format cannot hold"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("output", metavar="OUT", help="a file, by its ending, or a new folder for meshes")
    parser.add_argument("--to", metavar="FORMAT", help="the format, where the ending of OUT does not tell")
    parser.add_argument("--lossy", action="store_true", help="accept that what the format cannot hold is lost")


def run(arguments: argparse.Namespace) -> int:
    from falsework.formats import save

    assembly = read(arguments)
    written = save(assembly, arguments.output, arguments.to, lossy=arguments.lossy)
    if arguments.json:
        print_json({"from": assembly.source, "to": written, "path": arguments.output, "parts": len(assembly.parts)})
        return 0
    print(f"{arguments.input} ({assembly.source}) -> {arguments.output} ({written}), {len(assembly.parts)} parts")
    return 0
