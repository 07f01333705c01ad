"""`falsework bench brickworld`: what a frame of 1/60 s costs, one core, and how it splits; then what comes out.

tumbling  one component, thrown onto a table
pile      components of ten bricks that have come to rest on each other: awake, and with what lies still asleep
break     a component on a baseplate, a brick of it pulled off: the frame in which it breaks, and the slowest after it

Before these, single frames (`frame_times`): seed 000's Fig. 8, and that no frame takes too long, in processor time.

Beside it the published scheme, one body per brick and welds with shortcuts, in the same scene and the same steps; there
a frame is the engine alone. Outcomes (`brick_outcomes`) are rows too: their times are those of a whole run. With
--full, a thousand worlds of ten bricks for ten seconds each instead of twenty (ten minutes on a quiet core).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from falsework.bench.brick_outcomes import outcomes
from falsework.bench.brick_scenes import block, corner_pulled, heap, on_table
from falsework.bench.frame_times import drops, frames
from falsework.bench.rows import Row
from falsework.brickworld.collector import nothing_old_collected
from falsework.brickworld.schemes import scene_of
from falsework.brickworld.settings import Settings
from falsework.brickworld.warm import warm
from falsework.brickworld.world import FrameTime, World
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly

SIZES = (30, 100, 300, 1000)
FRAME_MS = {30: 1.0, 100: 2.0, 300: 6.0, 1000: 16.7}  # the mean to be reached
BREAK_MS = {30: 16.7, 100: 16.7, 300: 60.0}
WELDED = 300  # bricks; beyond, the welds take minutes
WELDED_FRAMES = 3
SETTLING, MEASURED = 240, 60  # frames until a pile has come to rest, and after that
BREAKS = 5  # the same break so often: the median counts, since it is one frame


def run(full: bool = False) -> Iterator[Row]:
    """All rows; `full` runs the thousand worlds too."""
    warm()
    with nothing_old_collected():
        yield from frames()
        yield from drops()
        yield from _frames_of_scenes()
    yield from outcomes(full)


def _frames_of_scenes() -> Iterator[Row]:
    for count in SIZES:
        yield _tumbling(count)
    for count in SIZES:
        yield from _pile(count)
    for count in BREAK_MS:
        yield _break(count)


def _tumbling(count: int) -> Row:
    assembly = on_table(block(count), 0.005)
    world = World(assembly, Settings(sleeping=False))
    world.prepare()
    spin = np.array([0.1, 0.0, 0.0, 0.5, 2.0, 0.5])
    world.scene.move(world.scene.poses(), np.where(world.scene.free[:, None], spin, 0.0))
    times = _frames(world, 90)
    welds = _welded_ms(assembly, interfaces(assembly).clutches.bodies, spin) if count <= WELDED else None
    notes = {**_split(times), "components": len(world.components) - 1}
    return _row(f"tumbling, {len(assembly.parts)} bricks", _mean(times), FRAME_MS[count], notes, welds)


def _pile(count: int) -> Iterator[Row]:
    """The same pile with everything kept awake, and as it comes."""
    assembly = heap(count, np.random.default_rng(0))
    welds: float | None = None
    for name, settings in (("awake", Settings(sleeping=False)), ("asleep", Settings())):
        world = World(assembly, settings)
        world.prepare()
        _frames(world, SETTLING)
        if welds is None and count <= WELDED:
            welds = _welded_pile_ms(world)
        times = _frames(world, MEASURED)
        left = int(world.scene.data.ntree_awake)
        notes = {**_split(times), "components": len(world.components) - 1, "bodies_awake": left}
        yield _row(f"pile {name}, {len(assembly.parts)} bricks", _mean(times), FRAME_MS[count], notes, welds)


def _welded_pile_ms(world: World) -> float:
    """A frame of the published scheme with all bricks where they are now."""
    placed = zip(world.assembly.parts, world.poses(), strict=False)
    rested = world.assembly.changed(parts=tuple(replace(part, T_world_part=pose) for part, pose in placed))
    return _welded_ms(rested, world.grouping.topology.table()[0][:, 1:3], np.zeros(6))


def _break(count: int) -> Row:
    assembly = block(count)
    found = [_broken(assembly) for _ in range(BREAKS)]
    at, slowest, before = sorted(found, key=lambda one: one[0].total)[BREAKS // 2]
    notes = {"physics": at.physics, "mechanics": at.mechanics, "topology": at.topology}
    notes |= {"slowest_after_ms": slowest, "before_ms": before}
    return _row(f"break, {len(assembly.parts)} bricks", at.total, BREAK_MS[count], notes)


def _broken(assembly: Assembly) -> tuple[FrameTime, float, float]:
    """The frame in which a corner brick comes off, the slowest of the ten after it, and the mean before."""
    world, broken = corner_pulled(assembly)
    times: list[FrameTime] = []
    while not broken:
        times.append(world.step())
    return times[-1], max(one.total for one in _frames(world, 10)), _mean(times[:-1])


def _row(case: str, ours: float, most_ms: float, notes: dict[str, float], welds: float | None = None) -> Row:
    return Row(case, ours, welds, "weld scheme", notes, target=f"≤ {most_ms:g} ms", figure=f"{ours:.2f} ms")


def _frames(world: World, count: int) -> list[FrameTime]:
    return [world.step() for _ in range(count)]


def _mean(times: list[FrameTime]) -> float:
    return float(np.mean([one.total for one in times]))


def _split(times: list[FrameTime]) -> dict[str, float]:
    spent = np.array([(one.physics, one.mechanics, one.topology) for one in times]).mean(axis=0)
    parts = {name: float(mean) for name, mean in zip(("physics", "mechanics", "topology"), spent, strict=True)}
    totals = [one.total for one in times]
    return {**parts, "p99": float(np.percentile(totals, 99)), "max": max(totals)}


def _welded_ms(assembly: Assembly, pairs: Ints, twist: Array) -> float:
    """A frame of the published scheme in the same scene, the engine alone."""
    settings = Settings()
    scene = scene_of(assembly, "welds", pairs, settings)
    centre = assembly.coms_m[: len(assembly.parts)].mean(axis=0)
    velocities = scene.data.qvel.reshape(-1, 6)
    velocities[:, :3] = twist[:3] + np.cross(twist[3:], assembly.poses[: len(assembly.parts), :3, 3] - centre)
    velocities[:, 3:] = twist[3:]
    return _ms(lambda: scene.step(settings.frame_s), WELDED_FRAMES)


def _ms(work: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        work()
    return 1e3 * (time.perf_counter() - start) / times
