"""Screws of any length, looked at along the orbits of their points, against the proof that does without."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.distance import free_motion as proofs
from falsework.geometry.distance.free_motion import free_screw
from falsework.geometry.distance.surface import Surface, surface_of
from falsework.model.poses import exponential
from falsework.model.shapes import Polyhedron, box
from tests.geometry.assemblies import at
from tests.geometry.distance.meshes import ball, bolt, nut

pytest.importorskip("numba")

NEVER = 10**12  # tests before orbits are looked at


def _cube(side: float) -> Surface:
    corners = box((side, side, side))
    return surface_of(Polyhedron(corners.vertices - 0.5 * side, corners.faces))


@pytest.mark.parametrize("seed", range(3))
def test_orbits_change_no_answer(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    one, other = ball(4, 5, axes=(1.0, 0.5, 0.3)), ball(5, 6, axes=(0.4, 1.0, 0.6))
    answers = set()
    for _ in range(8):
        start = exponential(np.concatenate([rng.normal(size=3) * 1.5, rng.normal(size=3)]))
        twist = np.concatenate([rng.normal(size=3), rng.normal(size=3) * 3.0])
        told = []
        for first in (1, NEVER):
            monkeypatch.setattr(proofs, "AT_FIRST", first)
            told.append(free_screw(one, other, start, twist, 1e-3).answer)
        assert told[0] == told[1] != "not settled"
        answers.add(told[0])
    assert answers == {"free", "meets"} or seed


@pytest.mark.parametrize(("height", "answer"), [(0.75, "meets"), (0.5, "free"), (1.25, "free"), (0.25, "meets")])
def test_what_comes_by_turns_later_is_met_at_its_height(
    height: float, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "AT_FIRST", 1)
    turn = np.array([0, 0, 4 * np.pi])  # two turns about the still one's z axis, which rise by a half each
    start = at(1.0, 0, -height)
    still_at = np.array([-1.0, 0, 0])
    twist = np.concatenate([np.cross(turn, [1.0, 0, 0]) + np.array([0, 0, 1.0]), turn])
    start[:3, 3] -= still_at
    assert free_screw(_cube(0.2), _cube(0.2), start, twist, 1e-4).answer == answer


def test_a_nut_is_screwed_off_by_one_proof_and_not_at_another_pitch() -> None:
    rod, ring = bolt(8.0, 2.0, 12.0, around=32), nut(8.0, 2.0, 5.0, 0.05, around=32)
    for pitch, answer in ((2.0, "free"), (1.9, "meets")):
        twist = np.array([0, 0, 4.5 * pitch, 0, 0, 9 * np.pi])
        found = free_screw(ring, rod, at(0, 0, 4.0), twist, 1e-4 * ring.size_m)
        assert found.answer == answer
        assert found.tests < 1_000_000
