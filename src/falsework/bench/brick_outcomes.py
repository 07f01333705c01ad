"""What comes out of brick worlds, as rows of `bench brickworld`: their times are those of whole runs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.brick_limits import limits
from falsework.bench.brick_scenes import on_table
from falsework.bench.rows import Row, peak_mb, resident_mb
from falsework.brickworld.masses import momentum
from falsework.brickworld.schemes import SCHEMES
from falsework.brickworld.settings import Settings
from falsework.brickworld.simulate import simulate
from falsework.brickworld.world import World
from falsework.brickworld.worlds import Worlds
from falsework.gallery import make
from falsework.gallery.bricklaying import Layout
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Ground
from falsework.verdicts.check import check

DROPS = {"brick-bookshelf": 1, "brick-bench": 2, "brick-guitar": 2}  # pieces that the seed's models came down in
BRICK_M = 0.0096
DROPPED = (15, 1 / 240, 4e4)  # brick heights, window in s, stiffness in 1/s²: the seed's, and what was calibrated on it
OTHERWISE = (
    *((15, 1 / 480, 4e4), (15, 1 / 120, 4e4), (15, 1 / 240, 1e4), (15, 1 / 240, 5.7e4)),
    *((5, 1 / 240, 4e4), (30, 1 / 240, 4e4)),
)
AGREEING = 200  # models
RESTING_S = 60.0
WORLDS, MANY_WORLDS = 20, 1000
WORLD_S = 10.0
REPORTED = 50  # worlds


def outcomes(full: bool) -> Iterator[Row]:
    """Limits of joints, momentum, drops, other schemes, agreement with `check`, rest, and many worlds."""
    yield limits()
    yield from _momentum()
    yield from _drops()
    yield from _schemes()
    yield _agreement(AGREEING)
    yield from _rest()
    yield from _many(MANY_WORLDS if full else WORLDS, WORLD_S)


def _momentum() -> Iterator[Row]:
    """A weightless tower that spins: what its loads sum to, and what is left of its momentum when it flies apart."""
    layout = Layout()
    for layer in range(8):
        layout.brick(2, 2, 0, 0, layer)
    tower = layout.on_baseplate().changed(ground=Ground(), ground_part=None, gravity=np.zeros(3))
    for spin, what in ((20.0, "loads"), (500.0, "momentum")):
        world = World(tower)
        world.scene.move(world.scene.poses(), np.array([[0.3, -0.2, 0.1, spin, 0.1 * spin, 0.2 * spin]]))
        before = _total_momentum(world)
        start = time.perf_counter()
        world.run(0.1)
        spent = 1e3 * (time.perf_counter() - start)
        if what == "loads":
            loads = world.breakage.recorder.windows(0, np.arange(len(tower.parts))).mean(0)
            share = float(np.linalg.norm(loads[:, :3].sum(axis=0)) / np.abs(loads[:, :3]).sum())
            yield Row("spinning tower", spent, target="net load ≤ 1e-6 of the loads", figure=f"{share:.1e}")
        else:
            lost = np.abs(_total_momentum(world) - before)
            off = max(float(lost[half].max() / np.linalg.norm(before[half])) for half in (slice(3), slice(3, 6)))
            figure = f"{off:.1e}, in {len(world.components)} pieces"
            yield Row("tower that flies apart", spent, target="momentum lost ≤ 1e-9", figure=figure)


def _total_momentum(world: World) -> Array:
    """(6,) linear, and angular about the origin, over all parts."""
    rows = zip(world.assembly.bodies, world.poses(), world.velocities(), strict=True)
    total: Array = np.sum(
        [momentum(b.mass_kg, b.com_part_m, b.inertia_part_kgm2, twist, T) for b, T, twist in rows], axis=0
    )
    return total


def _drops() -> Iterator[Row]:
    """The seed's drops, and how far window, stiffness and height move their outcomes."""
    for kind, wanted in DROPS.items():
        model = make(kind)
        for height, window, stiffness in (DROPPED, *OTHERWISE):
            settings = Settings(window_s=window, stiffness_per_s2=stiffness)
            start = time.perf_counter()
            found = simulate(model, drop_m=height * BRICK_M, seconds=0.6, settings=settings)
            spent = 1e3 * (time.perf_counter() - start)
            used = [one.utilization for one in found.breaks if one.utilization is not None]
            pieces = len(found.components) - 1
            case = f"{kind.removeprefix('brick-')} {height} bricks {1e3 * window:.1f} ms {stiffness:.0e}"
            notes = {"pieces": pieces, "seed": wanted, "utilization": max(used, default=0.0)}
            target = f"{wanted}, as in seed 000" if (height, window, stiffness) == DROPPED else ""
            yield Row(case, spent, notes=notes, target=target, figure=f"{pieces} pieces")


def _schemes() -> Iterator[Row]:
    """Seed 000, Fig. 2: a model that stands, in three schemes."""
    model = make("brick-guitar")
    for scheme in SCHEMES:
        found = simulate(model, scheme=scheme, seconds=0.5)
        apart = sum(len(event.connections) for event in found.breaks)
        figure = f"{apart} connections apart, {1e3 * found.drift_m:.3g} mm"
        target = "some apart" if scheme == "plain" else "0 apart"
        yield Row(f"guitar at rest, {scheme}", float(found.frame_ms.sum()), target=target, figure=figure)


def _agreement(count: int) -> Row:
    """Random models, half of them within a quarter of their limit: does the world break what check calls unstable?"""
    rng = np.random.default_rng(0)
    wrong: list[str] = []
    start = time.perf_counter()
    for number in range(count):
        seed = int(rng.integers(2**31))
        model = make("random-bricks", seed, bricks=int(rng.integers(5, 31)))
        joints = interfaces(model)
        needed = check(model, joints=joints).utilization
        if needed is not None and number % 2 == 0:
            target = rng.choice([rng.uniform(0.8, 0.98), rng.uniform(1.02, 1.25)])
            model = model.changed(gravity=model.gravity * target / needed)
        stands = check(model, joints=joints).stands
        world = World(model, joints=joints)
        broken: list[object] = []
        world.on_break.append(broken.append)
        world.run(0.1)
        if stands == bool(broken):
            wrong.append(f"seed {seed}")
    spent = 1e3 * (time.perf_counter() - start) / count
    figure = f"{count - len(wrong)} of {count}{': all but ' if wrong else ''}{', '.join(wrong)}"
    return Row(f"agreement, {count} models", spent, target="≥ 99 %", figure=figure)


def _rest() -> Iterator[Row]:
    """A minute of models that stand, loose on a table, nobody asleep: what breaks, and how far bricks drift."""
    settings = Settings(sleeping=False)
    for kind in DROPS:
        model = on_table(make(kind), 0.0)
        if not check(model).stands:
            continue
        start = time.perf_counter()
        found = simulate(model, seconds=RESTING_S, settings=settings)
        spent = 1e3 * (time.perf_counter() - start)
        figure = f"{len(found.breaks)} breaks, {found.drift_m:.1e} m"
        target = "0 breaks, 0 m to rounding"
        yield Row(f"{kind.removeprefix('brick-')} at rest, {RESTING_S:g} s", spent, target=target, figure=figure)


def _many(count: int, seconds: float) -> Iterator[Row]:
    """Worlds of ten bricks that fall on a table: what fails or gets lost, and how much memory they leave behind.

    A row after every REPORTED of them, so that whoever stops it knows how far it came.
    """
    failed = lost = broken = 0
    start, memory = time.perf_counter(), [resident_mb()]
    for seed in range(count):
        model = on_table(make("random-bricks", seed, bricks=10, spread=4), 0.05)
        worlds = Worlds([World(model)])
        whole = len(worlds.worlds[0].connections)
        worlds.run(seconds)
        places = worlds.worlds[0].poses()[: len(model.parts), :3, 3]
        failed += len(worlds.failed)
        lost += int(not np.isfinite(places).all() or places[:, 2].min() < -0.02 or np.abs(places).max() > 2.0)
        broken += int(len(worlds.worlds[0].connections) < whole)
        memory.append(resident_mb())
        done = seed + 1
        if done % REPORTED and done < count:
            continue
        spent = 1e3 * (time.perf_counter() - start)
        seen = {"failed": failed, "lost": lost, "broken": broken}
        notes = {**seen, "frame_ms": spent / (done * seconds * 60), "memory_mb": memory[-1], "peak_mb": peak_mb()}
        figure = f"{failed} failed, {lost} lost, {memory[-1] - memory[done // 2]:.1f} MB more in the second half"
        case = f"{done} of {count} worlds, {seconds:g} s each"
        yield Row(case, spent, notes=notes, target="0, 0, none" if done == count else "", figure=figure)
