"""Motion in time: closed forms to first order, and what must hold in every step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.collapse.events import Event
from falsework.collapse.fall import Fall, fall
from falsework.collapse.step import NotSolved, Step, Stepper
from falsework.formats import load
from falsework.gallery import make
from falsework.gallery.stones import cubes
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground, Hinge
from falsework.model.errors import BadInput
from falsework.model.interfaces import Hinges
from falsework.model.state import State
from tests.collapse.scenes import G, about_y, centres, cuboid, incline, mirror_images, on_table, over_the_edge

NO_HINGES = Hinges(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 3)))


def fallen(assembly: Assembly, seconds: float, step_s: float = 1e-3, *, absent: str = "", **options: object) -> Fall:
    state = State.complete(assembly, absent=assembly.mask([absent] if absent else []))
    hinges = interfaces(assembly).hinges if assembly.hinges else NO_HINGES
    return fall(assembly, hinges, state, seconds=seconds, step_s=step_s, **options)  # type: ignore[arg-type]


def last_centres(assembly: Assembly, motion: Fall) -> Array:
    return centres(assembly, motion.trajectory.T_world_part[-1])


def worst_gain(assembly: Assembly, motion: Fall) -> float:
    """The largest rise of the energy in a step, of the weight times the height."""
    height = float(np.ptp(centres(assembly, motion.trajectory.T_world_part[0])[:, 2])) or 0.1
    return float(np.diff(motion.energy_j).max()) / (assembly.mass_kg * G * height)


def floating(*parts: tuple[str, tuple[float, float, float], tuple[float, float, float]]) -> Assembly:
    """Boxes far above a fixed slab, without gravity."""
    slab = cuboid("slab", (1.0, 1.0, 0.1), (0.0, 0.0, -9.0))
    boxes = [cuboid(name, size, corner) for name, size, corner in parts]
    return Assembly((slab, *boxes), fixed=frozenset(["slab"]), gravity=np.zeros(3), friction=0.3)


def test_free_fall_is_a_parabola() -> None:
    tower = Assembly(
        (cuboid("slab", (1, 1, 0.1), (0, 0, -9)), cuboid("loose", (0.1, 0.2, 0.3), (0, 0, 0))), frozenset(["slab"])
    )
    motion = fallen(tower, 0.2, 2e-3)
    dropped = centres(tower, motion.trajectory.T_world_part)[:, 1, 2] - 0.15
    assert dropped == pytest.approx(-0.5 * G * motion.trajectory.time_s**2, abs=1e-12)
    assert np.ptp(motion.energy_j) < 1e-12


def test_a_tumbling_brick_keeps_momentum_and_energy_in_flight() -> None:
    brick = floating(("brick", (0.1, 0.2, 0.4), (0, 0, 0)))
    spin = np.array([1.0, -2.0, 0.5, 3.0, 8.0, -5.0])
    motion = fallen(brick, 0.5, events=[Event(0.0, "move", "brick", spin)])
    assert np.ptp(motion.energy_j) < 1e-12 * motion.energy_j[0]
    inertia, turns = brick.parts[1].inertia_part_kgm2, motion.trajectory.T_world_part[:, 1, :3, :3]
    momentum = inertia @ spin[3:]
    places = centres(brick, motion.trajectory.T_world_part)[:, 1]
    assert places[-1] - places[0] == pytest.approx(0.5 * spin[:3], abs=1e-12)
    # between two frames the body turns about the axis that its momentum gives it in the middle
    for k in (0, 200, 499):
        turn = turns[k + 1] @ turns[k].T
        axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (2 * 1e-3)
        middle = 0.5 * (turns[k] @ inertia @ turns[k].T + turns[k + 1] @ inertia @ turns[k + 1].T)
        assert middle @ axis == pytest.approx(momentum, rel=1e-3)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_block_slides_down_a_ramp(friction: float) -> None:
    ramp, tilt = incline(30.0, friction), np.deg2rad(30.0)
    pull = G * (np.sin(tilt) - friction * np.cos(tilt))
    motion = fallen(ramp, 0.2, 2e-3)
    way = (last_centres(ramp, motion) - centres(ramp, ramp.poses))[1] @ about_y(tilt)
    assert way == pytest.approx([0.5 * pull * 0.2**2, 0, 0], abs=1e-7)


def test_a_pushed_block_is_braked_and_stops() -> None:
    floor = on_table(cuboid("block", (0.4, 0.4, 0.1), (0, 0, 0)), friction=0.5)
    motion = fallen(floor, 0.4, 2e-3, events=[Event(0.0, "move", "block", np.array([1.0, 0.0, 0.0]))])
    gone = last_centres(floor, motion)[0, 0] - 0.2
    assert gone == pytest.approx(1.0 / (2 * 0.5 * G), rel=0.02)
    assert motion.kinetic_j[-1] < 0.5 * floor.mass_kg * 1e-9**2  # slower than a nanometre a second


def test_blocks_that_meet_stay_together() -> None:
    pair = floating(("left", (0.2, 0.2, 0.2), (-0.35, 0, 0)), ("right", (0.2, 0.2, 0.2), (0.1, 0, 0)))
    events = [Event(0.0, "move", "left", np.array([2.0, 0, 0])), Event(0.0, "move", "right", np.array([-1.0, 0, 0]))]
    motion = fallen(pair, 0.2, 1e-3, events=events)
    mass = pair.parts[1].mass_kg
    assert motion.kinetic_j[-1] == pytest.approx(mass * 0.5**2, rel=1e-12)
    left, right = last_centres(pair, motion)[1:]
    assert right[0] - left[0] == pytest.approx(0.2, abs=1e-12)


def hops(motion: Fall) -> int:
    """How often the parts were lowest."""
    height = motion.potential_j
    return int(((height[1:-1] < height[:-2]) & (height[1:-1] <= height[2:])).sum())


@pytest.mark.parametrize("step_s", [1e-3, 2.3e-3])
def test_a_hundred_full_bounces_keep_the_energy(step_s: float) -> None:
    block = cuboid("block", (0.1, 0.1, 0.1), (0.0, 0.0, 0.0125))
    slab = cuboid("slab", (1.0, 1.0, 0.1), (-0.5, -0.5, -0.1))
    seconds = step_s * round(10.45 / step_s)  # whole steps: a shorter one at the end measures energy otherwise
    motion = fallen(Assembly((slab, block), frozenset(["slab"])), seconds, step_s, restitution=1.0)
    assert hops(motion) >= 100
    energy = motion.energy_j - block.mass_kg * G * 0.05  # above that of lying on the slab
    assert energy == pytest.approx(np.full(len(energy), energy[0]), rel=1e-4)


def test_blocks_that_tumble_and_meet_keep_their_energy_without_friction() -> None:
    parts = [cuboid("slab", (2.0, 2.0, 0.1), (-1.0, -1.0, -0.1))]
    parts += [cuboid(str(n), (0.1, 0.1, 0.1), (0.03 * n, 0.02 * n, 0.05 + 0.2 * n)) for n in range(3)]
    motion = fallen(Assembly(tuple(parts), frozenset(["slab"]), friction=0.0), 1.5, 1e-3, restitution=1.0)
    assert hops(motion) >= 3
    assert np.ptp(motion.energy_j) < 1e-4 * float(np.ptp(motion.potential_j))


def test_what_lies_still_goes_on_lying_still_where_everything_bounces() -> None:
    pile = on_table(*(cuboid(str(n), (0.1, 0.1, 0.1), (0.01 * n, 0.0, 0.1 * n)) for n in range(3)))
    motion = fallen(pile, 0.2, restitution=1.0)
    assert np.abs(motion.trajectory.T_world_part[-1] - motion.trajectory.T_world_part[0]).max() < 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_dropped_block_bounces_as_high_as_it_is_told(restitution: float) -> None:
    dropped = grounded(Assembly((cuboid("block", (0.2, 0.2, 0.1), (0, 0, 0)),)), Ground("table"))
    lifted = [Event(0.0, "move", "block", np.array([0.0, 0.0, np.sqrt(2 * G * 0.2)]))]  # up by 0.2 m, and down again
    motion = fallen(dropped, 0.8, events=lifted, restitution=restitution)
    heights, when = centres(dropped, motion.trajectory.T_world_part)[:, 0, 2] - 0.05, motion.trajectory.time_s
    landed = 2 * np.sqrt(2 * 0.2 / G)
    assert heights[when > landed + 2e-3].max() == pytest.approx(0.2 * restitution**2, abs=0.2 * 0.02)
    assert heights.min() > -1e-9


def test_a_tipping_plank_keeps_its_energy() -> None:
    plank = over_the_edge(0.2)
    motion = fallen(plank, 0.25)
    assert worst_gain(plank, motion) < 1e-6
    assert motion.energy_j[-1] == pytest.approx(motion.energy_j[0], abs=2e-3 * motion.kinetic_j[-1])
    assert motion.penetration_m.max() < 1e-10


@pytest.mark.parametrize("name", ["semicircular-arch", "running-bond-wall"])
def test_what_stands_does_not_move(name: str) -> None:
    standing = make(name)
    motion = fallen(standing, 0.2)
    assert np.abs(motion.trajectory.T_world_part - motion.trajectory.T_world_part[0]).max() < 1e-12
    assert motion.residual.max() < 1e-8


@pytest.mark.parametrize(("name", "fixed"), [("tetris-1", "0"), ("rulin", "0")])
def test_published_assemblies_do_not_move(shared: Path, name: str, fixed: str) -> None:
    """A millionth of the size in ten seconds, at most."""
    standing = load(shared / "blocks" / name, fixed=[fixed])
    motion = fallen(standing, 0.05)
    drift = np.abs(motion.trajectory.T_world_part - motion.trajectory.T_world_part[0]).max()
    assert drift < 1e-6 * float(np.ptp(standing.coms_m, axis=0).max()) * 0.05 / 10


def test_small_gaps_and_overlaps_are_kept_as_they_are() -> None:
    stack = [
        cuboid("a", (1, 1, 0.2), (0, 0, 0)),
        cuboid("b", (1, 1, 0.2), (0.3, 0, 0.2 + 3e-6)),
        cuboid("c", (1, 1, 0.2), (0, 0, 0.4)),
    ]
    motion = fallen(grounded(Assembly(tuple(stack), allow_overlap_m=1e-5), Ground("table")), 0.1)
    assert np.abs(motion.trajectory.T_world_part - motion.trajectory.T_world_part[0]).max() < 1e-13


def test_no_step_of_a_falling_arch_raises_the_energy() -> None:
    arch = grounded(make("semicircular-arch", stones=7), Ground("table"))
    motion = fallen(arch, 0.3, 2e-3, absent="keystone")
    assert worst_gain(arch, motion) < 1e-6
    assert motion.penetration_m.max() < 1e-8
    assert motion.why == ""


def test_a_symmetric_tower_falls_symmetrically() -> None:
    diamond = make("diamond-tower", widest=5)
    motion = fallen(diamond, 0.3, 2e-3)
    places = centres(diamond, motion.trajectory.T_world_part)
    image = mirror_images(places[0])
    assert np.abs(places - places[:, image] * np.array([-1, 1, 1])).max() < 1e-9 * 0.2
    assert places[0, :, 2].sum() - places[-1, :, 2].sum() > 0.2


def test_the_order_of_parts_does_not_matter() -> None:
    tower = make("diamond-tower", widest=5)
    other = tower.changed(parts=tower.parts[::-1])
    poses = [fallen(one, 0.1, 2e-3).trajectory.T_world_part[-1] for one in (tower, other)]
    assert poses[0] == pytest.approx(poses[1][::-1], abs=1e-10)


def test_the_same_question_has_the_same_answer_to_the_last_bit() -> None:
    leaning = grounded(make("leaning-tower", bricks=4, lean=0.3), Ground("table"))
    runs = [fallen(leaning, 0.1, 2e-3).trajectory.T_world_part for _ in range(2)]
    assert np.array_equal(*runs)


def test_a_part_with_a_hollow_rests_on_two_feet() -> None:
    stool = cubes("stool", [(0, 0, 0), (2, 0, 0), (0, 0, 1), (1, 0, 1), (2, 0, 1)], 0.1)
    motion = fallen(on_table(stool), 0.1)
    assert np.abs(motion.trajectory.T_world_part - motion.trajectory.T_world_part[0]).max() < 1e-12


def test_a_hinged_arm_swings_and_keeps_its_pin() -> None:
    wall, arm = cuboid("wall", (0.1, 0.1, 1.0), (-0.2, 0, 0)), cuboid("arm", (0.6, 0.1, 0.1), (0, 0, 0.4))
    pin = Hinge("wall", "arm", np.array([0.0, 0.05, 0.45]), np.array([0.0, 1.0, 0.0]))
    swing = Assembly((wall, arm), fixed=frozenset(["wall"]), hinges=(pin,))
    motion = fallen(swing, 0.6)
    poses = motion.trajectory.T_world_part[:, 1]
    pinned = poses[:, :3, :3] @ np.array([0.0, 0.05, 0.05]) + poses[:, :3, 3]
    assert np.abs(pinned - pin.point_m).max() < 1e-11
    assert worst_gain(swing, motion) < 1e-6
    assert centres(swing, motion.trajectory.T_world_part)[:, 1, 2].min() < 0.16


def test_a_held_part_waits_until_it_is_released_and_a_removed_one_lets_go() -> None:
    stack = on_table(
        *(cuboid(name, (0.4, 0.4, 0.1), (0, 0, z)) for name, z in (("low", 0.0), ("mid", 0.1), ("top", 0.2)))
    )
    events = [Event(0.0, "hold", "top"), Event(0.05, "remove", "mid"), Event(0.1, "release", "top")]
    motion = fallen(stack, 0.2, 2e-3, events=events)
    top = centres(stack, motion.trajectory.T_world_part)[:, 2, 2]
    when = motion.trajectory.time_s
    assert np.abs(top[when <= 0.1] - 0.25).max() < 1e-15
    assert top[-1] == pytest.approx(0.25 - 0.5 * G * 0.1**2, rel=0.03)


def test_a_problem_that_will_not_solve_gets_shorter_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = _limited(monkeypatch, 1.1e-3)
    motion = fallen(over_the_edge(0.2), 0.02, 4e-3)
    assert motion.why == ""
    assert longest[0] <= 1.1e-3
    assert np.diff(motion.time_s).max() <= 1.1e-3


def test_a_run_that_cannot_go_on_ends_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    _limited(monkeypatch, 0.0)
    motion = fallen(over_the_edge(0.2), 0.02, 4e-3)
    assert "could be solved at 0 s" in motion.why
    assert len(motion.trajectory.time_s) == 1


def _limited(monkeypatch: pytest.MonkeyPatch, longest_s: float) -> list[float]:
    """Steps longer than this are not solved; the longest that was."""
    solve, longest = Stepper.step, [0.0]

    def step(self: Stepper, h: float, *, careful: bool = True, convex: bool = False) -> Step:
        if h > longest_s:
            raise NotSolved("too long")
        longest[0] = max(longest[0], h)
        return solve(self, h, careful=careful, convex=convex)

    monkeypatch.setattr(Stepper, "step", step)
    return longest


def test_where_coulombs_law_is_not_solved_a_short_convex_step_goes_on_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The convex law lets what slides part a little, and gains no energy by it."""
    for work in ("FACTORS", "SWEEPS"):
        monkeypatch.setattr(f"falsework.collapse.step.{work}", 0)
    ramp, tilt = incline(30.0, 0.3), np.deg2rad(30.0)
    motion = fallen(ramp, 1e-5)
    assert motion.why == ""
    assert motion.residual.max() > 1e-3
    assert worst_gain(ramp, motion) <= 1e-12
    way = (last_centres(ramp, motion) - centres(ramp, ramp.poses))[1] @ about_y(tilt)
    assert 0 < way[2] < 0.3 * way[0] < 0.3 * 0.5 * G * np.sin(tilt) * 1e-5**2


def test_nonsense_is_refused() -> None:
    plank = over_the_edge(0.2)
    with pytest.raises(BadInput, match="seconds: found -1"):
        fallen(plank, -1.0)
    with pytest.raises(BadInput, match="restitution: found 2"):
        fallen(plank, 0.1, restitution=2)
    with pytest.raises(BadInput, match="did you mean 'plank'"):
        fallen(plank, 0.1, events=[Event(0.0, "hold", "plink")])
    with pytest.raises(BadInput, match="is fixed"):
        fallen(plank, 0.1, events=[Event(0.0, "hold", "base")])
    with pytest.raises(BadInput, match="did you mean 'remove'"):
        Event(0.0, "removed", "plank")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="only with it"):
        Event(0.0, "hold", "plank", np.zeros(3))
