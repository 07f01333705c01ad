"""What tests share: the reference data beside the project, where it is there, and small assemblies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import brick_type
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

os.environ["FALSEWORK_CACHE"] = "off"  # of commands that tests run, too
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a suite in the background, whose ignoring all runs would inherit
    signal.signal(signal.SIGINT, signal.default_int_handler)
SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture
def shared() -> Path:
    """The folder of others' reference data; tests that need it skip when it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the reference data folder ../shared/data is absent")
    return SHARED


def brick(name: str, kind: str, x: float, y: float, plates: float, turn_deg: float = 0.0) -> Part:
    """A brick whose frame stands at x, y studs and a height in plates, turned about its corner."""
    found = brick_type(kind)
    measures = found.measures
    turn = np.deg2rad(turn_deg)
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    pose[:3, 3] = (x * measures.pitch_m, y * measures.pitch_m, plates * measures.plate_m)
    return make_part(name, BrickShape(found), pose)


def on_baseplate(*parts: Part) -> Assembly:
    return grounded(Assembly(parts), Ground("baseplate"))
