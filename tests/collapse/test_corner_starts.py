"""The first instant on corners and edges: by hand, as `check` has it, and as the motion that follows begins."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from falsework.collapse.collapse import collapse
from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.verdicts.check import check
from tests.geometry.assemblies import assembled, at
from tests.geometry.test_corner_contacts import hull_mesh, random_body, shift_to_touch
from tests.statics.test_corner_verdicts import a_frame, ladder, ladder_friction, over_a_hole

STEP = 1e-4


def test_a_ladder_stands_and_slides_where_check_says_so() -> None:
    least = ladder_friction()
    standing = collapse(ladder(1.01 * least), seconds=0.05)
    assert standing.answer == "stable" and standing.fallen == () and standing.motion.at_rest
    assert collapse(ladder(0.99 * least), seconds=0.01).answer == "unstable"


def test_a_ladder_without_friction_slides_by_the_constraint_of_its_ends() -> None:
    """Ends stay on floor and wall, so the motion is one turn about the instantaneous centre, above the foot and level
    with the top: its angular acceleration is the weight's moment over the inertia about that centre."""
    made = ladder(0.0)
    plank = made.parts[2]
    centre = np.array([1.0, 0.0, sqrt(3)])
    arm = plank.com_world_m - centre
    inertia = plank.inertia_part_kgm2[1, 1] + plank.mass_kg * float(arm @ arm)
    turn = np.cross(arm, plank.mass_kg * made.gravity)[1] / inertia
    found = collapse(made, seconds=STEP, step_s=STEP).initial.accelerations[2]
    assert found[4] == pytest.approx(turn, rel=1e-9)
    assert found[:3] == pytest.approx(np.cross([0.0, turn, 0.0], arm), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("friction", [0.1, 0.5, 0.65])
def test_ambiguous_contacts_leave_undecided_what_check_leaves_undecided(friction: float) -> None:
    made = a_frame(friction)
    assert collapse(made, seconds=STEP, step_s=STEP).answer == check(made, cone="exact").answer


def test_a_block_over_a_hole_of_its_own_width_is_undecided_here_too() -> None:
    found = collapse(over_a_hole(0.0), seconds=STEP, step_s=STEP)
    assert found.answer == "undecided" and found.initial.why == check(over_a_hole(0.0)).why


@pytest.mark.parametrize("seed", range(12))
def test_the_motion_begins_as_the_first_instant_says(seed: int) -> None:
    """Two finders: contacts of `interfaces` at the first instant, those of `collapse.touching` in time."""
    rng = np.random.default_rng(100 + seed)
    one, other = random_body(rng), random_body(rng)
    way = np.array([*(0.5 * rng.normal(size=2)), 1.0])
    shift, _ = shift_to_touch(one, other, way / np.linalg.norm(way))
    parts = assembled((hull_mesh(one), at()), (hull_mesh(other), at(*shift))).parts
    made = Assembly(parts, fixed=frozenset({"0"}), friction=0.3)
    assert len(interfaces(made).patches) >= 1
    steps = 20
    found = collapse(made, seconds=steps * STEP, step_s=STEP)
    assert found.answer == "unstable"
    T = found.motion.trajectory.T_world_part[[0, -1], 1]
    local = np.array([*parts[1].com_part_m, 1.0])
    moved = (T[1] @ local - T[0] @ local)[:3]
    fallen = 0.5 * (steps * STEP) ** 2 * found.initial.accelerations[1, :3]
    assert moved == pytest.approx(fallen, abs=0.08 * float(np.linalg.norm(fallen)))


@pytest.mark.parametrize("name", ["ladder", "box_on_studs", "b3d_1_45"])
def test_shared_cases_stand_here_as_they_do_for_check(name: str, shared: Path) -> None:
    made = load(shared / "soundness" / f"{name}.json")
    assert collapse(made, seconds=STEP, step_s=STEP).answer == check(made).answer == "stable"
