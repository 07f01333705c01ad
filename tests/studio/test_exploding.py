"""The exploded view of a plan: every part out along its own path, clear of everything that leaves after it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework import gallery, plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.plan import Plan
from falsework.studio.encoding import encoded
from falsework.studio.exploding import GAP, ways_apart
from falsework.studio.plan_page import plan_scene
from falsework.studio.scene import Scene, SceneStep, Steps
from tests.statics.structures import stack
from tests.studio.looking import Look, changed

Open = Callable[..., Look]
POINTS = 9  # of each leg of a way at which boxes are looked at


def lifted(assembly: Assembly, number: int, shift: tuple[float, float, float]) -> Array:
    """A straight path from `shift` away."""
    final = assembly.poses[number]
    free = final.copy()
    free[:3, 3] += shift
    return np.stack([free, final])


def placing(scene: Scene) -> list[SceneStep]:
    assert isinstance(scene.timeline, Steps)
    return [step for step in scene.timeline.steps if step.placed]


def planned(assembly: Assembly, **options: object) -> tuple[Plan, Scene]:
    found = plan(assembly, **options)  # type: ignore[arg-type]
    assert found.status == "complete"
    return found.plan, plan_scene(assembly, interfaces(assembly), found.plan, "apart")


def boxes(assembly: Assembly, step: SceneStep, pose: Array) -> tuple[Array, Array]:
    """Lowest and highest of each part of a step when the first of them is there."""
    move = pose @ np.linalg.inv(assembly.poses[step.placed[0]])
    moved = [reach_in_world(assembly.parts[part]) @ move[:3, :3].T + move[:3, 3] for part in step.placed]
    return np.array([one.min(axis=0) for one in moved]), np.array([one.max(axis=0) for one in moved])


def assert_nothing_runs_into_what_has_left(assembly: Assembly, steps: list[SceneStep]) -> None:
    """On straight ways, which are shifts: boxes of parts on their way, against those of parts that are gone."""
    gone: list[tuple[Array, Array]] = []
    for step in reversed(steps):
        assert step.apart is not None
        for share in np.linspace(0.0, 1.0, POINTS):
            pose = step.apart[0] + share * (step.apart[-1] - step.apart[0])
            low, high = boxes(assembly, step, pose)
            for other_low, other_high in gone:
                assert ((low[:, None] > other_high) | (high[:, None] < other_low)).any(axis=2).all()
        gone.append(boxes(assembly, step, step.apart[-1]))


def test_a_stack_opens_upwards_the_last_block_highest() -> None:
    blocks = stack([0.1, 0.1, 0.1])
    coming = [((k,), lifted(blocks, k, (0.0, 0.0, 0.5))) for k in (1, 2)]
    first, second = (way[-1, 2, 3] - way[0, 2, 3] for way in ways_apart(blocks, coming, [0]) or [])
    assert first == pytest.approx(GAP * diameter(blocks), rel=1e-9)
    assert second == pytest.approx(2 * first, rel=1e-9)


def test_what_leaves_sideways_opens_sideways() -> None:
    blocks = stack([0.1, 0.1])
    ways = ways_apart(blocks, [((1,), lifted(blocks, 1, (-0.5, 0.0, 0.0)))], [0])
    assert ways is not None
    shift = ways[0][-1, :3, 3] - ways[0][0, :3, 3]
    assert shift[0] < 0.0 and shift[1] == shift[2] == 0.0


def test_a_bent_path_is_gone_to_its_end_and_then_on() -> None:
    blocks = stack([0.1, 0.1])
    path = np.concatenate([lifted(blocks, 1, (1.0, 0.0, 0.2))[:1], lifted(blocks, 1, (0.0, 0.0, 0.2))])
    ways = ways_apart(blocks, [((1,), path)], [0])
    assert ways is not None
    assert np.array_equal(ways[0][:3], path[::-1])
    assert ways[0][3, 0, 3] >= ways[0][2, 0, 3]


def test_without_paths_nobody_knows_how_it_opens() -> None:
    blocks = stack([0.1, 0.1])
    assert ways_apart(blocks, [((1,), None)], [0]) is None
    assert ways_apart(blocks, [], [0, 1]) is None


@pytest.mark.parametrize(("kind", "options"), [("housing", {"facets": 12}), ("gear-train", {"facets": 12})])
def test_cad_parts_leave_one_after_the_other_and_meet_none_that_has_left(kind: str, options: dict[str, int]) -> None:
    assembly = gallery.make(kind, **options)
    _, scene = planned(assembly, rules="reorient", robots=3)
    assert_nothing_runs_into_what_has_left(assembly, placing(scene))


def test_blocks_open_along_their_paths_and_keep_their_places_where_there_are_none() -> None:
    arch = gallery.make("flat-arch")
    order, scene = planned(arch, paths="straight")
    steps = placing(scene)
    assert_nothing_runs_into_what_has_left(arch, steps)
    for told, step in zip([one for one in order.steps if one.action == "place"], steps, strict=True):
        assert told.path is not None and step.apart is not None
        out, way = told.path[0] - told.path[-1], step.apart[-1] - step.apart[0]
        assert np.linalg.norm(np.cross(out[:3, 3], way[:3, 3])) < 1e-12
    _, bare = planned(arch, paths="none")
    assert all(step.apart is None for step in placing(bare))
    assert all("apart" not in step for step in encoded(bare)["timeline"]["steps"])


def test_the_slider_takes_it_apart_last_part_first(look: Open) -> None:
    _, scene = planned(gallery.make("housing", facets=12), rules="reorient", robots=3)
    page = look(scene)
    assert "Take apart" in page.text(".look")
    before = page.pixels()
    page.slide("#explode", 0.3)
    some = page.pixels()
    page.slide("#explode", 1)
    assert changed(before, some) > 0.005
    assert changed(some, page.pixels()) > 0.005
    page.slide("#explode", 0)
    assert changed(before, page.pixels()) < 1e-3
    assert page.complaints == []
