"""The attack on proofs sees what is wrong with them: forces and motions of a case solved by hand, then spoiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.adversary.brick_grid import Brick
from tests.adversary.certificates import Report, about_forces, about_motion, complaints
from tests.adversary.kinds import Case
from tests.adversary.kinds.dressing import block, floor
from tests.adversary.problem import problem_of
from tests.adversary.scene import Load, Scene
from tests.adversary.solids import box

WEIGHT = 1000 * 9.81


def box_on_a_floor(*loads: Load, friction: float = 0.5) -> Case:
    scene = Scene((floor(3), block("box", box((0, 0, 0), (1, 1, 1)))), friction=friction, loads=loads)
    return Case("by hand", 0, 0, scene, problem_of(scene))


def forces_of(per_corner: np.ndarray, shift: float = 0.0) -> dict[str, np.ndarray]:
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float) + np.array([shift, 0, 0])
    pairs = np.tile([0, 1], (4, 1))
    return {
        "names": np.array(["floor", "box"]),
        "points": corners,
        "forces": np.tile(per_corner, (4, 1)),
        "pairs": pairs,
    }


def test_a_quarter_of_the_weight_at_each_corner_is_a_proof() -> None:
    assert about_forces(box_on_a_floor(), forces_of(np.array([0, 0, WEIGHT / 4]))) == []


@pytest.mark.parametrize(
    ("per_corner", "shift", "complaint"),
    [
        ((0, 0, WEIGHT / 4 * (1 + 1e-5)), 0.0, "out of balance by 1"),
        ((0, 0, -WEIGHT / 4), 0.0, "out of balance by 2"),
        ((0, 0, WEIGHT / 4), 0.1, "no contact of what is fixed and box carries"),
        ((1, 0, WEIGHT / 4), 0.0, "out of balance by 4"),
        ((np.nan, 0, WEIGHT / 4), 0.0, "out of balance by nan"),
    ],
)
def test_forces_that_do_not_balance_or_act_elsewhere_are_seen(
    per_corner: tuple[float, ...], shift: float, complaint: str
) -> None:
    found = about_forces(box_on_a_floor(), forces_of(np.array(per_corner), shift))
    assert any(complaint in one for one in found), found


def test_friction_beyond_its_cone_is_seen() -> None:
    push = Load("box", np.array([0.3 * WEIGHT, 0, 0]), np.array([0.5, 0.5, 0]))
    acting = forces_of(np.array([-0.3 * WEIGHT / 4, 0, WEIGHT / 4]))
    assert about_forces(box_on_a_floor(push), acting) == []
    assert len(about_forces(box_on_a_floor(push, friction=0.29), acting)) == 4


def motion_of(*twist: float) -> dict[str, np.ndarray]:
    return {"names": np.array(["floor", "box"]), "motion": np.array([np.zeros(6), twist])}


def test_a_motion_proves_a_fall_only_where_it_gains_after_what_contacts_take() -> None:
    push = Load("box", np.array([0.6 * WEIGHT, 0, 0]), np.array([0.5, 0.5, 0]))
    slides = motion_of(1, 0, 0.5 + 1e-9, 0, 0, 0)  # the associated motion rises by μ
    assert about_motion(box_on_a_floor(push).problem, slides) == []
    for twist in ((1, 0, 0), (-1, 0, 0.5), (0, 0, -1), (0, 0, 0), (1, 0, 0.49)):
        assert about_motion(box_on_a_floor(push).problem, motion_of(*twist, 0, 0, 0)) != []
    assert about_motion(box_on_a_floor(push, friction=0.61).problem, motion_of(1, 0, 0.61, 0, 0, 0)) != []


def test_a_clutch_takes_up_what_it_is_worth() -> None:
    for pull, proves in ((13.5, True), (13.4, False)):
        load = Load("b", np.array([0, 0, pull + 0.00981]))
        scene = Scene((Brick("b", "brick_2x4", (0, 0, 0), mass=1e-3),), loads=(load,), ground="baseplate")
        up = {"names": np.array(["b", "ground"]), "motion": np.array([(0, 0, 1.0, 0, 0, 0), np.zeros(6)])}
        assert (about_motion(problem_of(scene), up) == []) == proves


def test_a_verdict_without_a_proof_is_seen() -> None:
    assert complaints(box_on_a_floor(), Report("stable", None, {})) == ["stable with a proof of kind None"]
    assert complaints(box_on_a_floor(), Report("undecided", None, {})) == []
