"""What single frames of a brick world cost, in processor time of the thread that steps it; wall time is beside it.

drops   seed 000, Fig. 8: the three models let go of above a table, frame by frame, beside plain and welded bodies
frames  one dense component that tumbles, that is dropped, and of which a brick is pulled off: from the first frame
        after `prepare()` on none may be above what is allowed
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from falsework.bench.brick_scenes import block, corner_pulled, on_table
from falsework.bench.rows import Row
from falsework.brickworld.schemes import SCHEMES, Scheme, scene_of
from falsework.brickworld.settings import Settings
from falsework.brickworld.simulate import started
from falsework.brickworld.world import World
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly

DROPPED_M, SECONDS = 15 * 9.6e-3, 1.0
MODELS = ("brick-bookshelf", "brick-bench", "brick-guitar")
FRAME_MS = 16.7  # 60 frames a second
MOST_MS = {30: FRAME_MS, 100: FRAME_MS, 300: 100.0, 1000: 100.0}
HEIGHTS_M = (DROPPED_M, 0.5)
LEANS_DEG = (2.0, 10.0, 35.0)
AFTER = 10  # frames after a break


def drops() -> Iterator[Row]:
    """Fig. 8: mean ± standard deviation, least and most of the frames of each drop, in every scheme."""
    for kind in MODELS:
        start = started(make(kind), DROPPED_M, None)
        plain: float | None = None
        for scheme in reversed(SCHEMES):
            cpu, wall = _timed(_stepping(start, scheme), round(SECONDS / Settings().frame_s))
            mean = float(cpu.mean())
            plain = mean if scheme == "plain" else plain
            figure = f"{mean:.2f} ± {cpu.std():.2f}, {cpu.min():.2f} to {cpu.max():.2f} ms"
            reference = None if scheme == "plain" else plain
            target = f"≤ {FRAME_MS} ms, each frame" if scheme == "clutches" else ""
            case = f"Fig. 8, {kind.removeprefix('brick-')}, {scheme}"
            yield Row(case, mean, reference, "plain bodies", _spread(cpu, wall), target=target, figure=figure)


def _stepping(start: Assembly, scheme: Scheme) -> Callable[[], object]:
    settings = Settings()
    if scheme == "clutches":
        world = World(start, settings)
        world.prepare()
        return world.step
    scene = scene_of(start, scheme, interfaces(start).clutches.bodies, settings)
    return lambda: scene.step(settings.frame_s)


def frames(sizes: tuple[int, ...] = tuple(MOST_MS)) -> Iterator[Row]:
    """Tumbling, dense drops and a break at every size."""
    for name, run in (("tumbling", _tumbling), ("dense drop", _dense_drops), ("break", _break)):
        for count in sizes:
            cpu, wall, notes = run(count)
            figure = f"{cpu.mean():.2f}, {np.percentile(cpu, 99):.1f}, {cpu.max():.1f} ms"
            target = f"mean, p99, max: max ≤ {MOST_MS[count]:g} ms"
            case = f"frames, {name}, {count} bricks"
            yield Row(case, float(cpu.mean()), notes={**_spread(cpu, wall), **notes}, target=target, figure=figure)


def _tumbling(count: int) -> tuple[Array, Array, dict[str, int]]:
    world = World(on_table(block(count), 0.005), Settings(sleeping=False))
    world.prepare()
    spin = np.array([0.1, 0.0, 0.0, 0.5, 2.0, 0.5])
    world.scene.move(world.scene.poses(), np.where(world.scene.free[:, None], spin, 0.0))
    return (*_timed(world.step, 90), _told(world))


def _dense_drops(count: int) -> tuple[Array, Array, dict[str, int]]:
    """From two heights, leaning three ways: all their frames together."""
    times, notes = [], {"components": 0, "undecided": 0}
    for height in HEIGHTS_M:
        for lean in LEANS_DEG:
            world = World(started(block(count), height, lean))
            world.prepare()
            times.append(np.array(_timed(world.step, 60)))
            notes = {key: notes[key] + told for key, told in _told(world).items()}
    cpu, wall = np.concatenate(times, axis=1)
    return cpu, wall, notes


def _break(count: int) -> tuple[Array, Array, dict[str, int]]:
    """A corner brick is pulled off: the frame in which it comes off, and those after it."""
    world, broken = corner_pulled(block(count))
    times = []
    while not broken:
        times.append(np.array(_timed(world.step, 1)))
    times.append(np.array(_timed(world.step, AFTER)))
    cpu, wall = np.concatenate(times, axis=1)
    return cpu, wall, _told(world)


def _told(world: World) -> dict[str, int]:
    return {"components": len(world.components) - 1, "undecided": world.breakage.undecided}


def _timed(step: Callable[[], object], count: int) -> tuple[Array, Array]:
    """(count,) processor time and wall time of every frame, ms."""
    cpu, wall = np.empty(count), np.empty(count)
    for number in range(count):
        began, clock = time.thread_time(), time.perf_counter()
        step()
        cpu[number], wall[number] = 1e3 * (time.thread_time() - began), 1e3 * (time.perf_counter() - clock)
    return cpu, wall


def _spread(cpu: Array, wall: Array) -> dict[str, float]:
    told = {"std": cpu.std(), "min": cpu.min(), "p99": np.percentile(cpu, 99), "max": cpu.max()}
    return {**{key: float(value) for key, value in told.items()}, "wall_p99": float(np.percentile(wall, 99))}
