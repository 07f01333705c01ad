"""Which rooms of the house are usable on this machine."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass

# room: (what it is for, the libraries it needs, the extra that brings them)
ROOMS = {
    "core": ("files, contacts, equilibrium", ("numpy", "scipy", "shapely", "manifold3d", "trimesh", "clarabel"), ""),
    "cad": ("STEP files", ("cascadio",), "cad"),
    "fast": ("compiled solvers, for many questions", ("numba",), "fast"),
    "engine": ("physics simulation", ("mujoco", "numba"), "engine"),
    "gym": ("brick worlds as Gymnasium environments", ("gymnasium", "mujoco", "numba"), "gym"),
    "learning": ("batched solver, policies", ("torch",), "learning"),
    "film": ("--gif and --mp4 of what is shown", ("pillow", "imageio-ffmpeg"), "film"),
    "instruct": ("building instructions as PDF", ("reportlab", "pillow"), "instruct"),
    "batch": ("results of many questions as Parquet", ("pyarrow",), "batch"),
    "vision": (
        "calibration, prompts",
        ("numba", "pillow", "opencv-python-headless", "torch", "transformers"),
        "vision",
    ),
    "ray": ("many questions on many machines", ("ray",), "ray"),
    "bench": ("reference solvers to compare with", ("daqp", "osqp", "piqp"), "bench"),
}


@dataclass(frozen=True, slots=True)
class Room:
    """What a room needs and has."""

    room: str
    purpose: str
    libraries: dict[str, str | None]  # versions; None where a library is not there
    opened_by: str  # the command

    @property
    def usable(self) -> bool:
        return all(self.libraries.values())


def doctor() -> tuple[Room, ...]:
    """Every room, with the versions of its libraries and the command that opens it.

    >>> [room.room for room in doctor()][:2]
    ['core', 'cad']
    """
    return tuple(_examined(name) for name in ROOMS)


def _examined(room: str) -> Room:
    purpose, libraries, extra = ROOMS[room]
    command = f"pip install 'falsework[{extra}]'" if extra else "pip install --force-reinstall falsework"
    return Room(room, purpose, {name: _version(name) for name in libraries}, command)


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None
