"""Least potential energy: optimal where it stands, lower where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.collapse.least_energy import lowest_state
from falsework.gallery import make
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from tests.collapse.scenes import G, cuboid, incline, on_table


@pytest.mark.parametrize(("widest", "stands"), [(3, True), (4, True), (5, False), (6, False)])
def test_diamonds_are_lowest_where_they_stand(widest: int, stands: bool) -> None:
    found = lowest_state(make("diamond-tower", widest=widest), 0.0)
    assert (found.energy_j > -1e-9) == stands


def test_forces_carry_the_weight() -> None:
    tower = make("diamond-tower", widest=4)
    found = lowest_state(tower, 0.0)
    on_floor = found.forces_n[found.pairs[:, 0] < 0].sum()
    assert on_floor == pytest.approx(tower.mass_kg * G, rel=1e-9)


def test_a_seesaw_comes_to_lie_on_its_end() -> None:
    base = cuboid("base", (0.2, 0.3, 0.5), (-0.1, 0.0, 0.0))
    plank = cuboid("plank", (2.0, 0.3, 0.1), (-0.5, 0.0, 0.5))
    found = lowest_state(Assembly((base, plank), fixed=frozenset(["base"])), 0.0)
    slope = -0.5 / 1.4  # from the edge at x = 0.1 down to the floor at x = 1.5
    assert found.slopes[1] == pytest.approx(slope, rel=1e-9)
    assert found.drops_m[1] == pytest.approx(slope * 0.4, rel=1e-9)


def test_the_optimum_of_a_stack_is_where_it_is() -> None:
    found = lowest_state(on_table(cuboid("a", (1, 1, 1), (0, 0, 0)), cuboid("b", (1, 1, 1), (0.4, 0, 1.0))), 0.0)
    assert np.abs(found.drops_m).max() < 1e-12


def test_tilted_bricks_are_refused() -> None:
    with pytest.raises(BadInput, match="not a level cuboid"):
        lowest_state(incline(20.0, 0.3), -10.0)
