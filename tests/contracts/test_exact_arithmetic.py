"""Machine code whose results lead into a physics engine computes the same bits whoever compiled it."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import pytest

import falsework.perception.locator
import falsework.robots

numba = pytest.importorskip("numba")
DRAWING = ("falsework.kernels.casting", "falsework.kernels.lighting", "falsework.kernels.round_casting")


def modules_of(package: ModuleType) -> list[str]:
    return [one.name for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.") if not one.ispkg]


@pytest.mark.parametrize("room", [falsework.robots, falsework.perception.locator, None])
def test_nothing_on_the_way_to_an_arm_reassociates_or_fuses(room: ModuleType | None) -> None:
    """Which way fast arithmetic goes depends on what was compiled before; a log must be the same for the same seed."""
    names = DRAWING if room is None else modules_of(room)
    jitted = {
        (name, function.__name__): function.targetoptions.get("fastmath")
        for name in names
        for function in vars(importlib.import_module(name)).values()
        if isinstance(function, numba.core.registry.CPUDispatcher)
    }
    assert jitted
    assert [where for where, fast in jitted.items() if fast] == []
