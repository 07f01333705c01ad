"""Small assemblies that the tests of learning share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from falsework.learning.problems.problem import Problem
from falsework.model.assembly import Assembly

ARCH = Path(__file__).resolve().parents[2] / "examples" / "arch.yaml"


BOXES = {  # size and centre
    "plate": ((5, 1, 0.5), (0, 0, 0)),
    "left": ((1, 1, 2), (-1.5, 0, 1.25)),
    "right": ((1, 1, 2), (1.5, 0, 1.25)),
    "beam": ((4, 1, 0.5), (0, 0, 2.5)),
}


def bridge(scale: float = 1.0, shift: float = 0.0, order: Sequence[str] = tuple(BOXES)) -> Assembly:
    """A fixed plate, two posts, a beam across them: whoever takes a post while the beam is there, and free, loses."""
    sizes = [scale * np.array(BOXES[name][0]) for name in order]
    centres = [scale * np.array(BOXES[name][1]) + shift for name in order]
    return Assembly.from_boxes(np.array(sizes), np.array(centres), names=list(order), fixed="plate")


def problem(robots: int = 1) -> Problem:
    return Problem.of(bridge(), robots)
