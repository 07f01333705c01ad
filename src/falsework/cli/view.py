"""`falsework view`: the page of an assembly, live: it follows the file, and what is done to the parts in the page."""

from __future__ import annotations

import argparse
import contextlib
import sys
import webbrowser

from falsework.cli.common import add_reading, print_json, read
from falsework.model.errors import BadInput

HELP = "look at a file or a folder in the browser, live: remove, hold and load parts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", nargs="?", default=".", help="a file or a folder (default: this one)")
    add_reading(parser)
    parser.add_argument("--port", metavar="N", type=int, default=0, help="of 127.0.0.1 (default: any that is free)")
    parser.add_argument("--no-open", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> int:
    from falsework.studio.desk import Desk
    from falsework.studio.server import LiveServer

    desk = Desk(arguments.input, lambda source: read(arguments, source))
    if len(desk.names) == 1:
        desk.sheet(desk.names[0])  # what cannot be read is said here, not in the browser
    try:
        server = LiveServer(desk, arguments.port)
    except (OSError, OverflowError) as why:
        raise BadInput(f"--port: 127.0.0.1:{arguments.port} cannot be used: {why}") from why
    with server:
        if arguments.json:
            print_json({"address": server.address, "files": list(desk.names)})
        else:
            print(f"{arguments.input}: {server.address}  (Ctrl-C ends it)")
        sys.stdout.flush()
        if not arguments.no_open:
            webbrowser.open(server.address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
        server.ended.set()
    return 0
