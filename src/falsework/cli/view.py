"""`falsework view`: the page of an assembly, live: it follows the file, and what is done to the parts in the page."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from falsework.cli.common import add_reading, print_json, read

if TYPE_CHECKING:
    from falsework.studio.server import LiveServer

HELP = "look at a file or a folder in the browser, live: remove, hold and load parts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", nargs="?", default=".", help="a file or a folder (default: this one)")
    add_reading(parser)
    parser.add_argument("--port", metavar="N", type=int, default=0, help="of 127.0.0.1 (default: any that is free)")
    parser.add_argument("--no-open", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> int:
    from falsework.studio.view import view

    def ready(server: LiveServer) -> None:
        if arguments.json:
            print_json({"address": server.address, "files": list(server.desk.names)})
        else:
            print(f"{arguments.input}: {server.address}  (Ctrl-C ends it)")
        sys.stdout.flush()

    view(
        arguments.input,
        port=arguments.port,
        open_browser=not arguments.no_open,
        read=lambda source: read(arguments, source),
        ready=ready,
    )
    return 0
