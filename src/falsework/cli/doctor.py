"""`falsework doctor`: which rooms of the house are usable on this machine."""

from __future__ import annotations

import argparse
import platform

from falsework.cli.common import add_json, print_json

HELP = "which rooms are usable on this machine, and the command that opens the others"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework.rooms import doctor

    rooms = doctor()
    if arguments.json:
        entries = [
            {
                "room": room.room,
                "purpose": room.purpose,
                "usable": room.usable,
                "libraries": room.libraries,
                "open_with": None if room.usable else room.opened_by,
            }
            for room in rooms
        ]
        print_json({"python": platform.python_version(), "rooms": entries})
        return 0
    print(f"Python {platform.python_version()}")
    for room in rooms:
        print(f"  {room.room:9} {room.purpose:38} {'usable' if room.usable else f'closed: {room.opened_by}'}")
    return 0
