"""Optional libraries, and the extras of this package that bring them."""

from __future__ import annotations

import importlib
from typing import Any

from falsework.model.errors import MissingExtra

EXTRA_OF = {
    "PIL": "film",
    "cascadio": "cad",
    "cv2": "vision",
    "daqp": "bench",
    "gymnasium": "gym",
    "ikpy": "bench",
    "imageio_ffmpeg": "film",
    "mink": "bench",
    "mujoco": "engine",
    "numba": "fast",
    "osqp": "bench",
    "piqp": "bench",
    "pyarrow": "batch",
    "ray": "ray",
    "reportlab": "instruct",
    "rtde_control": "ur",
    "small_gicp": "bench",
    "torch": "learning",
    "transformers": "vision",
}


def library(name: str) -> Any:
    """A library by its name, or MissingExtra with the command that installs it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as why:
        raise missing(why) or why from why


def missing(why: ModuleNotFoundError) -> MissingExtra | None:
    """The extra that was missing, unless it is something else that was."""
    name = (why.name or "").partition(".")[0]
    return MissingExtra(name, EXTRA_OF[name]) if name in EXTRA_OF else None
