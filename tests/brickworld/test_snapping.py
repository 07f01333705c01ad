"""Joining: what is found near a new joint alone is what the whole has, and a frame joins what it has time for."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench.brick_scenes import block
from falsework.brickworld.joints import Joints
from falsework.brickworld.settings import Settings
from falsework.brickworld.world import World
from falsework.model.assembly import Assembly
from tests.brickworld.scenes import watched
from tests.brickworld.test_world import lifted
from tests.conftest import brick, on_baseplate

STUDS_M = 1.7e-3


def table(joints: Joints) -> tuple[dict[tuple[int, ...], np.ndarray], dict[tuple[int, ...], np.ndarray]]:
    """Frames of all clutches by their bricks, and points of all contacts by theirs and their normals."""
    clutches = {tuple(pair): frame for pair, frame in zip(joints.bodies.tolist(), joints.frames, strict=True)}
    patches = joints.patches
    contacts = {}
    for row, (pair, normal) in enumerate(zip(patches.bodies.tolist(), patches.normals, strict=True)):
        points = patches.points[patches.starts[row] : patches.starts[row + 1]]
        if pair[0] > pair[1]:
            pair, normal = pair[::-1], -normal
        contacts[(*pair, *np.rint(normal).astype(int).tolist())] = points[np.lexsort(np.round(points, 9).T)]
    return clutches, contacts


def test_bricks_taken_off_and_put_back_have_all_their_joints_and_contacts_again() -> None:
    world = World(block(60))
    grouping = world.grouping
    before = table(grouping.joints)
    tops = np.flatnonzero(world.assembly.coms_m[:, 2] > world.assembly.coms_m[:, 2].max() - 1e-4).tolist()
    chosen = [
        [number for number, one in sorted(grouping.topology.connections.items()) if one.hole == top] for top in tops[:4]
    ]
    kept = [grouping.topology.connections[numbers[0]] for numbers in chosen]
    counts = [len(numbers) for numbers in chosen]
    for numbers in chosen:
        grouping.split(int(grouping.group_of[grouping.topology.connections[numbers[0]].hole]), numbers)
    assert len(grouping.bunches) == 5
    assert [len(grouping.join(one) or ()) for one in kept] == counts
    after = table(grouping.joints)
    for one, other in zip(before, after, strict=True):
        assert one.keys() == other.keys()
        for key, value in one.items():
            assert other[key] == pytest.approx(value, abs=1e-12)


def three_pressed() -> Assembly:
    """Three loose bricks on the studs of others, far from each other."""
    low = [brick(f"low {n}", "brick_2x2", 6 * n, 0, 0) for n in range(3)]
    high = [lifted(brick(f"high {n}", "brick_2x2", 6 * n, 0, 3), STUDS_M) for n in range(3)]
    model = on_baseplate(*low)
    return model.changed(parts=(*model.parts, *high))


@pytest.mark.parametrize(("proof_ms", "together"), [(7.0, 1), (np.inf, 3)])
def test_what_is_pressed_at_the_same_time_joins_frame_by_frame(proof_ms: float, together: int) -> None:
    world = World(three_pressed(), Settings(proof_ms=proof_ms))
    _, joins = watched(world)
    most = 0
    for _ in range(12):
        for n in range(3):
            world.apply_force(f"high {n}", (0.0, 0.0, -2.0))
        seen = len(joins)
        world.step()
        most = max(most, len(joins) - seen)
    assert most == together
    assert {event.connections for event in joins} == {((f"low {n}", f"high {n}"),) for n in range(3)}
