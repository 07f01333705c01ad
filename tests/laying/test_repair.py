"""What mends weak models: cases by hand, and every fix certified."""

from __future__ import annotations

import numpy as np
import pytest

import falsework
from falsework.bench.fixes import weakened
from falsework.geometry.contacts.interfaces import interfaces
from falsework.laying.repair import STRONG, is_weak, repair, repaired
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from tests.conftest import brick, on_baseplate


def test_a_brick_across_two_ends_of_a_gap_is_found() -> None:
    """Two towers, on one of them a beam that reaches out with a load at its end: one brick below that carries it."""
    tower = [brick(str(k + 1), "brick_2x2", 0, 0, 3 * k) for k in range(2)]
    beam = brick("3", "brick_10x2", 0, 0, 6)
    foot = brick("4", "brick_2x2", 8, 0, 0)
    model = on_baseplate(*tower, beam, foot).changed(
        loads=(falsework.Load("3", [0, 0, -12.0], [0.076, 0.008, 0.0288]),)
    )
    found = repaired(model)
    assert found.before.answer == "unstable" and found.is_mended
    (fix,) = found.fixes
    assert fix.added == ("fix-1",) and fix.removed == ()
    added = fix.assembly.parts[fix.assembly.index["fix-1"]]
    assert added.T_world_part[2, 3] == pytest.approx(0.0096)  # between the foot and the beam
    assert "below 3" in fix.words


def test_a_part_that_floats_is_caught() -> None:
    found = repaired(on_baseplate(brick("1", "brick_2x4", 0, 0, 0), brick("2", "brick_2x4", 0, 0, 6)))
    assert found.weak == "2 would fall"
    assert found.is_mended and len(found.fixes) == 1


def test_what_is_strong_is_left_alone() -> None:
    found = repair("examples/bridge.txt")
    assert (found.weak, found.fixes, found.tried, found.is_mended) == ("", (), 0, False)


def test_a_weak_joint_is_named_with_what_a_fix_brings_it_to() -> None:
    loads = (falsework.Load("10", [0.0, 0.0, -7.0]),)
    model = falsework.load("examples/bridge.txt").changed(loads=loads)
    found = repaired(model)
    assert found.weak.startswith("the joint of 7 and 9 works at 100 %")
    assert "brings the joint of 7 and 9 from 100 % to " in found.fixes[-1].words


def test_a_stone_that_falls_gets_a_prop() -> None:
    tower = Assembly.from_boxes([0.1, 0.1, 0.1], [[0, 0, 0.05], [0.06, 0, 0.15]], ground="table")
    found = repaired(tower)
    assert found.is_mended
    assert found.fixes[0].words == "a prop below box-2: stands"


def test_fixes_of_models_made_weak_are_certified_anew() -> None:
    mended = 0
    for _, weak in weakened(4, 3):
        found = repaired(weak)
        mended += found.is_mended
        for fix in found.fixes[-1:]:
            again = falsework.check(fix.assembly, also=False)
            assert again.stands and again.residual is not None and again.residual < 1e-6
            assert not is_weak(again, interfaces(fix.assembly), 1.0)
    assert mended >= 3


def test_the_same_model_gets_the_same_fix() -> None:
    (_, weak), *_ = list(weakened(1, 7))
    one, other = repaired(weak), repaired(weak)
    assert [fix.words for fix in one.fixes] == [fix.words for fix in other.fixes]
    for first, second in zip(one.fixes, other.fixes, strict=True):
        assert np.array_equal(first.assembly.poses, second.assembly.poses)


def test_a_share_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadInput, match=r"strong: found 1.5, expected a share above 0, up to 1"):
        repair("examples/bridge.txt", strong=1.5)
    assert 0 < STRONG < 1


def test_what_tips_over_is_shored_from_the_side_it_would_go_to() -> None:
    """A slab on edge, pushed by half its weight: solved by hand, it tips to +x, and nothing below it could hold it."""
    slab = Assembly.from_boxes([0.1, 0.5, 0.6], [[0, 0, 0.3]], ground="table")
    pushed = slab.changed(loads=(Load("box-1", np.array([0.5 * 9.81 * slab.mass_kg, 0.0, 0.0])),))
    found = falsework.repair(pushed)
    assert found.is_mended and found.fixes[-1].words == "a shore beside box-1: stands"
    (shore,) = (part for part in found.fixes[-1].assembly.parts if part.name == "prop-1")
    assert shore.com_world_m[0] > 0.05 and shore.name in found.fixes[-1].assembly.fixed


def test_a_prop_that_comes_down_on_something_weak_is_continued_below_it() -> None:
    """A stone in the air above a shelf that would tip under it: one post for the stone, one for the shelf."""
    sizes = np.array([[0.2, 0.2, 0.4], [0.8, 0.2, 0.1], [0.2, 0.2, 0.2]])
    stones = Assembly.from_boxes(sizes, [[0, 0, 0.2], [0.2, 0, 0.45], [0.5, 0, 0.8]], ground="table")
    found = falsework.repair(stones)
    assert found.is_mended and found.fixes[-1].verdict.stands
    assert any(fix.words.startswith("2 props, one below the other, below box-3") for fix in found.fixes)
    assert falsework.check(found.fixes[-1].assembly).stands


def test_two_sides_that_fall_alike_are_mended_one_after_the_other() -> None:
    """A roof whose walls are gone: after the first prop as many parts fall, with less power."""
    house = falsework.new("bird-house")
    gone = ("gable-front", "side-left", "side-right")
    left = house.changed(parts=tuple(part for part in house.parts if part.name not in gone), loads=())
    found = falsework.repair(left)
    assert found.is_mended and len(found.fixes) == 2
    assert found.fixes[0].words == "a prop below roof-left: still falls, with less power"
