"""What would move without a part that is held: solved by hand, against the oracle, and without machine code."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from falsework.gallery.registry import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.learning.graphs.balancing import unrest
from falsework.learning.graphs.imagining import HALF, SLOWEST, Imagined, touching
from falsework.model.arrays import Bools
from falsework.model.assembly import Assembly
from falsework.model.bits import flags_of
from falsework.planning.plans.truth import truth_of
from tests.learning.small import BOXES, bridge

STILL, FREE_FALL = np.log10(10 * SLOWEST), 1.0


def told(assembly: Assembly, *held: str) -> dict[str, list[float]]:
    """What is imagined of every part of the whole, by name."""
    there = np.ones((1, len(assembly.bodies)), bool)
    hands = flags_of([assembly.mask(list(held))], len(assembly.bodies))
    found = Imagined(assembly, interfaces(assembly))(there, hands)[0]
    return {name: found[n].tolist() for n, name in enumerate(assembly.names)}


def test_what_stands_on_a_part_alone_falls_freely_without_it() -> None:
    tower = Assembly.from_boxes([1, 1, 1], [[0, 0, 0], [0, 0, 1], [0, 0, 2]], fixed="box-1")
    assert told(tower, "box-2")["box-2"] == pytest.approx([FREE_FALL, FREE_FALL])
    assert told(tower, "box-3")["box-3"] == pytest.approx([STILL, STILL])


def test_a_beam_tips_without_its_post_unless_it_is_held() -> None:
    assert told(bridge(), "left")["left"][1] > 0.5
    assert told(bridge(), "left", "beam")["left"] == pytest.approx([STILL, STILL])
    assert told(bridge(), "beam")["beam"] == pytest.approx([STILL, STILL])


def test_nothing_is_imagined_of_what_nobody_holds() -> None:
    found = told(bridge(), "beam")
    assert all(found[name] == [0.0, 0.0] for name in BOXES if name != "beam")


def test_neither_units_nor_places_nor_numbers_matter() -> None:
    expected = told(bridge(), "left", "right")
    for other in (bridge(scale=0.01, shift=3.0), bridge(order=("beam", "right", "plate", "left"))):
        for name, values in told(other, "left", "right").items():
            assert values == pytest.approx(expected[name], abs=1e-4)


def test_bricks_that_are_pressed_together_hold_each_other() -> None:
    """How much a clutch can bear is not looked at."""
    bridge_of_bricks = make("brick-bridge", 0)
    assert touching(bridge_of_bricks, interfaces(bridge_of_bricks)).friction.min() < 0
    values = told(bridge_of_bricks, bridge_of_bricks.names[-1])
    assert np.isfinite(list(values.values())).all()


def questions(assembly: Assembly) -> tuple[Bools, Bools, Bools, Bools]:
    """States of the table with someone held: installed, held, whose removal is asked about, and what falls without."""
    truth = truth_of(assembly)
    rows = np.flatnonzero(truth.held > 0)[::5]
    bodies = np.arange(len(assembly.bodies), dtype=np.uint64)
    installed, held = ((masks[rows, None] >> bodies & np.uint64(1)) != 0 for masks in (truth.installed, truth.held))
    asked, falls = np.zeros((2, *installed.shape), bool)
    led = truth.actions(rows)[:, :, 1]
    asked[:, truth.parts], falls[:, truth.parts] = led != -2, led == -1
    return installed, held, asked, falls


def test_with_many_rounds_it_says_what_the_oracle_says_and_with_few_nearly_that() -> None:
    arch = make("semicircular-arch", 0, stones=9)
    installed, held, asked, falls = questions(arch)
    assert 0.2 < falls[asked].mean() < 0.8
    for half, most_wrong in ((500, 0.0), (HALF, 0.05)):
        speeds = np.zeros((*installed.shape, 2))
        unrest(touching(arch, interfaces(arch)), installed, held, half, speeds)
        assert ((speeds[:, :, 1] > 0.05) != falls)[asked].mean() <= most_wrong


def test_what_is_remembered_is_what_was_imagined() -> None:
    arch = make("semicircular-arch", 0, stones=7)
    installed, held, _, _ = questions(arch)
    imagined = Imagined(arch, interfaces(arch))
    first = imagined(installed, held)
    assert (imagined(installed, held) == first).all()
    assert (Imagined(arch, interfaces(arch))(installed[-1:], held[-1:]) == first[-1:]).all()


def test_without_machine_code_it_says_the_same() -> None:
    asked = (
        "import sys; sys.modules['numba'] = None\n"
        "import json; from tests.learning.test_imagining import told, bridge\n"
        "print(json.dumps(told(bridge(), 'left', 'right')))"
    )
    without = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    expected = told(bridge(), "left", "right")
    for name, values in json.loads(without.stdout).items():
        assert values == pytest.approx(expected[name], abs=1e-4)
