"""`falsework doctor`: which rooms of the house are usable on this machine."""

from __future__ import annotations

import argparse
import platform

from falsework.cli.common import add_json, print_json

HELP = "which rooms are usable on this machine, and the command that opens the others"

# room: (what it is for, the libraries it needs, the extra that brings them)
ROOMS = {
    "core": ("files, contacts, equilibrium", ("numpy", "scipy", "shapely", "manifold3d", "trimesh", "clarabel"), ""),
    "fast": ("compiled solvers, for many questions", ("numba",), "fast"),
    "engine": ("physics simulation", ("mujoco",), "engine"),
    "gym": ("brick worlds as Gymnasium environments", ("gymnasium",), "gym"),
    "learning": ("batched solver, policies", ("torch",), "learning"),
    "film": ("--gif and --mp4 of what is shown", ("pillow", "imageio-ffmpeg"), "film"),
    "bench": ("reference solvers to compare with", ("daqp", "osqp", "piqp"), "bench"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    rooms = [_examined(name) for name in ROOMS]
    if arguments.json:
        print_json({"python": platform.python_version(), "rooms": rooms})
        return 0
    print(f"Python {platform.python_version()}")
    for room in rooms:
        state = "usable" if room["usable"] else f"closed: {room['open_with']}"
        print(f"  {room['room']:9} {room['purpose']:38} {state}")
    return 0


def _examined(room: str) -> dict[str, object]:
    purpose, libraries, extra = ROOMS[room]
    versions = {name: _version(name) for name in libraries}
    command = f"pip install 'falsework[{extra}]'" if extra else "pip install --force-reinstall falsework"
    usable = all(versions.values())
    return {
        "room": room,
        "purpose": purpose,
        "usable": usable,
        "libraries": versions,
        "open_with": None if usable else command,
    }


def _version(library: str) -> str | None:
    import importlib.metadata

    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None
