"""`falsework bench brickworld`: what a frame of 1/60 s costs, one core, and how it splits.

tumbling  one component, thrown onto a table
pile      components of ten bricks at rest on each other
break     a component on a baseplate, a brick of it pulled off: the frame in which it breaks, and the slowest after it

Beside it the published scheme, one body a brick and welds with shortcuts, in the same scene and the same steps; there a
frame is the engine alone. Drops and agreement with `check` are rows too: their times are those of a whole run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from falsework.bench.rows import Row
from falsework.brickworld.pushes import Ramp
from falsework.brickworld.settings import Settings
from falsework.brickworld.simulate import simulate
from falsework.brickworld.warm import warm
from falsework.brickworld.world import FrameTime, World
from falsework.brickworld.worlds import Worlds
from falsework.engine.welded import welded
from falsework.gallery import make
from falsework.gallery.bricklaying import Layout
from falsework.geometry.ground import grounded
from falsework.geometry.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part
from falsework.statics.check import check

SIZES = (30, 100, 300, 1000)
BUDGET_MS = {30: 1.0, 100: 2.0, 300: 6.0, 1000: 16.7}
WELDED = 300  # bricks; beyond, the welds take minutes
WELDED_FRAMES = 3
DROPS = {"brick-bookshelf": 1, "brick-bench": 2, "brick-guitar": 2}  # pieces that the seed's models came down in
BRICK_M = 0.0096


def run() -> Iterator[Row]:
    warm()
    for count in SIZES:
        yield _tumbling(count)
    for count in SIZES:
        yield _pile(count)
    for count in SIZES[:-1]:
        yield _break(count)
    yield from _drops()
    yield _agreement(200)
    yield _soak(20, 10.0)


def block(count: int) -> Assembly:
    """About so many 4x2 bricks on a baseplate, every layer shifted by half a brick both ways: all hang together."""
    side = max(1, round((count / 4) ** (1 / 3)))
    layout, layer = Layout(), 0
    while len(layout.parts) < count:
        for x, y in np.ndindex(side, 2 * side):
            layout.brick(4, 2, 4 * x + 2 * (layer % 2), 2 * y + layer % 2, layer)
        layer += 1
    return layout.on_baseplate()


def on_table(assembly: Assembly, up_m: float) -> Assembly:
    """Without its baseplate, above a table."""
    bare = grounded(assembly.changed(ground=Ground(), ground_part=None), Ground("table"))
    lift = np.eye(4)
    lift[2, 3] = up_m
    parts = tuple(replace(part, T_world_part=lift @ part.T_world_part) for part in bare.parts)
    return bare.changed(parts=parts)


def _tumbling(count: int) -> Row:
    assembly = on_table(block(count), 0.005)
    world = World(assembly)
    world.prepare()
    spin = np.array([0.1, 0.0, 0.0, 0.5, 2.0, 0.5])
    twists = np.where(world.scene.free[:, None], spin, 0.0)
    world.scene.move(world.scene.poses(), twists)
    times = _frames(world, 90)
    reference = _welded_ms(assembly, spin) if count <= WELDED else None
    notes = {**_split(times), "budget_ms": BUDGET_MS[count], "components": len(world.components) - 1}
    return Row(f"tumbling, {len(assembly.parts)} bricks", _mean(times), reference, "weld scheme", notes)


def _pile(count: int) -> Row:
    assembly = heap(count, np.random.default_rng(0))
    world = World(assembly)
    world.prepare()
    _frames(world, 90)
    times = _frames(world, 60)
    notes = {**_split(times), "budget_ms": BUDGET_MS[count], "components": len(world.components) - 1}
    return Row(f"pile, {len(assembly.parts)} bricks", _mean(times), notes=notes)


def heap(count: int, rng: np.random.Generator) -> Assembly:
    """Random components of ten bricks in two or three layers over a table."""
    parts: list[Part] = []
    side = max(1, round((count / 25) ** 0.5))
    for number in range(max(1, count // 10)):
        model = make("random-bricks", int(rng.integers(2**31)), bricks=10, spread=4)
        shift = np.eye(4)
        column, level = number % side**2, number // side**2
        shift[:3, 3] = (0.1634 * (column % side), 0.1634 * (column // side), 0.1111 * level)
        parts += [
            replace(part, name=f"{number}:{part.name}", T_world_part=shift @ part.T_world_part) for part in model.parts
        ]
    return grounded(Assembly(tuple(parts)), Ground("table"))


def _break(count: int) -> Row:
    assembly = block(count)
    world = World(assembly)
    world.prepare()
    top = max(range(len(assembly.parts)), key=lambda n: float(assembly.coms_m[n] @ (1e-3, 1e-3, 1.0)))
    ramp = Ramp(top, np.array([0.004, 0.004, BRICK_M]), np.array([0.0, 0.0, 40.0]), np.zeros(3), 0.5)
    world.pushes.append(ramp)
    broken: list[int] = []
    world.on_break.append(lambda _: broken.append(world.frames))
    world.on_break.append(lambda _: world.release(ramp) if ramp in world.pushes else None)
    times: list[FrameTime] = []
    while not broken:
        times.append(world.step())
    at, after = times[-1], _frames(world, 10)
    notes = {"physics": at.physics, "mechanics": at.mechanics, "topology": at.topology}
    slowest = max(one.total for one in after)
    budget = 16.7 if count <= 100 else 60.0
    notes |= {"slowest_after_ms": slowest, "before_ms": _mean(times[:-1]), "budget_ms": budget}
    return Row(f"break, {len(assembly.parts)} bricks", at.total, notes=notes)


def _frames(world: World, count: int) -> list[FrameTime]:
    return [world.step() for _ in range(count)]


def _mean(times: list[FrameTime]) -> float:
    return float(np.mean([one.total for one in times]))


def _split(times: list[FrameTime]) -> dict[str, float]:
    spent = np.array([(one.physics, one.mechanics, one.topology) for one in times]).mean(axis=0)
    parts = {name: float(mean) for name, mean in zip(("physics", "mechanics", "topology"), spent, strict=True)}
    totals = [one.total for one in times]
    return {**parts, "p99": float(np.percentile(totals, 99)), "max": max(totals)}


def _welded_ms(assembly: Assembly, twist: Array) -> float:
    """A frame of the published scheme in the same scene, the engine alone."""
    settings = replace(Settings().contact, iterations=100)
    scene = welded(assembly, interfaces(assembly).clutches.bodies, settings=settings)
    centre = assembly.coms_m[: len(assembly.parts)].mean(axis=0)
    velocities = scene.data.qvel.reshape(-1, 6)
    velocities[:, :3] = twist[:3] + np.cross(twist[3:], assembly.poses[: len(assembly.parts), :3, 3] - centre)
    velocities[:, 3:] = twist[3:]
    return _ms(lambda: scene.step(Settings().frame_s), WELDED_FRAMES)


def _ms(work: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        work()
    return 1e3 * (time.perf_counter() - start) / times


def _drops() -> Iterator[Row]:
    """The seed's drops, and how far window, stiffness and height move their outcomes."""
    for kind, wanted in DROPS.items():
        model = make(kind)
        for height, window, stiffness in (
            (15, 1 / 240, 4e4), (15, 1 / 480, 4e4), (15, 1 / 120, 4e4), (15, 1 / 240, 1e4), (15, 1 / 240, 5.7e4),
            (5, 1 / 240, 4e4), (30, 1 / 240, 4e4),
        ):  # fmt: skip
            settings = Settings(window_s=window, stiffness_per_s2=stiffness)
            start = time.perf_counter()
            found = simulate(model, drop_m=height * BRICK_M, seconds=0.6, settings=settings)
            spent = 1e3 * (time.perf_counter() - start)
            used = [one.utilization for one in found.breaks if one.utilization is not None]
            case = f"{kind.removeprefix('brick-')} {height} bricks {1e3 * window:.1f} ms {stiffness:.0e}"
            notes = {"pieces": len(found.components) - 1, "seed": wanted, "utilization": max(used, default=0.0)}
            yield Row(case, spent, notes=notes)


def _soak(count: int, seconds: float) -> Row:
    """Worlds of ten bricks that fall on a table: what fails or gets lost, and how much memory they leave behind."""
    failed = lost = 0
    start, grown = time.perf_counter(), [_resident_mb()]
    for seed in range(count):
        model = on_table(make("random-bricks", seed, bricks=10, spread=4), 0.05)
        worlds = Worlds([World(model)])
        worlds.run(seconds)
        places = worlds.worlds[0].poses()[: len(model.parts), :3, 3]
        failed += len(worlds.failed)
        lost += int(not np.isfinite(places).all() or places[:, 2].min() < -0.02 or np.abs(places).max() > 2.0)
        grown.append(_resident_mb())
    spent = 1e3 * (time.perf_counter() - start) / (count * seconds * 60)
    notes = {"failed": failed, "lost": lost, "memory_grew_mb": grown[-1] - grown[count // 2]}
    return Row(f"{count} worlds, {seconds:g} s each", spent, notes=notes)


def _resident_mb() -> float:
    """Memory of this process now; from the kernel's own page count."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _agreement(count: int) -> Row:
    """Random models, half of them within a quarter of their limit: does the world break what check calls unstable?"""
    rng = np.random.default_rng(0)
    wrong: list[str] = []
    start = time.perf_counter()
    for number in range(count):
        seed = int(rng.integers(2**31))
        model = make("random-bricks", seed, bricks=int(rng.integers(5, 31)))
        found = interfaces(model)
        needed = check(model, found=found).utilization
        if needed is not None and number % 2 == 0:
            target = rng.choice([rng.uniform(0.8, 0.98), rng.uniform(1.02, 1.25)])
            model = model.changed(gravity=model.gravity * target / needed)
        stands = check(model, found=found).stands
        world = World(model, found=found)
        broken: list[object] = []
        world.on_break.append(broken.append)
        world.run(0.1)
        if stands == bool(broken):
            wrong.append(f"seed {seed}")
    spent = 1e3 * (time.perf_counter() - start) / count
    notes = {"agree": 1 - len(wrong) / count, "disagree": ", ".join(wrong)}
    return Row(f"agreement, {count} models", spent, notes=notes)
