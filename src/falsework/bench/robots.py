"""`falsework bench robots`: kinematics and collisions of arms, beside ikpy, mink and MuJoCo on the same questions.

Times are CPU time of one process. Poses are those of random joints within limits, so that all of them can be reached.
"""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from falsework.bench.arms import bad_cells, brick_builds, cell_plans
from falsework.bench.motions.rows import motion_rows
from falsework.bench.rows import Row, Skipped
from falsework.bench.urdf_text import urdf_text
from falsework.engine.library import mujoco
from falsework.formats.robots.catalogue import arm_named, arm_names, tool_named
from falsework.formats.robots.cell_mjcf import cell_mjcf
from falsework.gallery import make
from falsework.model.arrays import Array
from falsework.model.errors import MissingExtra
from falsework.model.extras import library
from falsework.model.robots.cell import Cell, CellArm, Feeder, Obstacle
from falsework.model.scratch import scratch_prefix
from falsework.model.shapes import box
from falsework.robots.cells.placing import LAYOUTS, placed_cell
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, swept_blockers
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.kinematics.kinematics import Kinematics

POSES = 1000
REACHED = 1e-4  # m and rad: what others must come near to
OTHERS = ("panda", "ur5e")  # arms that others are asked about too
OTHER_POSES = {"ikpy": 20, "mink": 50, "ssik": 100, "ur_analytic_ik": 500}
BOXES = 50
MINK_STEPS = 100
PIP = {"ssik": "'ssik[urdf]'", "ur_analytic_ik": "ur-analytic-ik"}


def run(journal: Path | None = None) -> Iterator[Row | Skipped]:
    """Inverse kinematics of every arm, branches, collisions, where bases should stand, bad cells, plans and motions.

    `journal` keeps what came of random problems, and goes on from it.
    """
    for name in arm_names():
        yield _solved(name)
    for name in OTHERS:
        for other, solver in (("ikpy", _ikpy), ("mink", _mink)):
            yield _compared(name, other, solver)
    yield _branches("panda", "ssik", _ssik)
    yield _branches("ur5e", "ur_analytic_ik", _ur_analytic)
    yield _collisions()
    yield _sweeps()
    yield _placing()
    yield from bad_cells.rows()
    yield from cell_plans.rows()
    yield from motion_rows(journal)
    yield from brick_builds.rows()


def cpu_ms(work: Callable[[], object]) -> float:
    """What work costs in CPU time, the least of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def _wanted(kinematics: Kinematics, count: int) -> Array:
    arm = kinematics.arm
    return kinematics.forward(np.random.default_rng(0).uniform(arm.lower, arm.upper, (count, len(arm.joints))))


def _solved(name: str) -> Row:
    kinematics = Kinematics(arm_named(name))
    wanted = _wanted(kinematics, POSES)
    _, there = kinematics.solve_many(wanted)
    _, counts = kinematics.many_branches(wanted[:10])
    ours = cpu_ms(lambda: kinematics.solve_many(wanted)) / POSES
    every = cpu_ms(lambda: kinematics.many_branches(wanted)) / POSES
    _, counts = kinematics.many_branches(wanted)
    return Row(
        f"IK {name}",
        ours,
        notes={"solved": float(there.mean()), "branches": float(counts.mean()), "all_ms": every, "by": kinematics.form},
        target="99.9 % solved, 0.1 ms",
        figure=f"{100 * there.mean():.1f} %, {ours:.3f} ms",
    )


def _compared(name: str, other: str, solver: Callable[[str, Kinematics, Array], float]) -> Row | Skipped:
    """One answer for each pose, beside somebody else's."""
    case = f"IK {name}, {other}"
    kinematics = Kinematics(arm_named(name))
    wanted = _wanted(kinematics, OTHER_POSES[other])
    try:
        start = time.process_time()
        reached = solver(name, kinematics, wanted)
        theirs = 1e3 * (time.process_time() - start) / len(wanted)
    except MissingExtra as why:
        return Skipped(case, str(why))
    kinematics.solve_many(wanted)
    ours = cpu_ms(lambda: kinematics.solve_many(wanted)) / len(wanted)
    return Row(case, ours, theirs, other, {"poses": len(wanted), "they_solve": reached})


def _near(found: Array, wanted: Array) -> bool:
    return bool(np.abs(found - wanted).max() < REACHED)


def _ikpy(name: str, kinematics: Kinematics, wanted: Array) -> float:
    """The share of poses that ikpy reaches from the middle of the limits."""
    library("ikpy")
    import io
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chains = library("ikpy.chain")
        text = urdf_text(kinematics.arm)
        mask = [False, *(True for _ in kinematics.arm.joints), False]
        chain = chains.Chain.from_urdf_file(io.StringIO(text), base_elements=["base"], active_links_mask=mask)
        start = np.concatenate([[0.0], 0.5 * (kinematics.arm.lower + kinematics.arm.upper), [0.0]])
        good = 0
        for T in wanted:
            q = chain.inverse_kinematics_frame(T, initial_position=start, orientation_mode="all")
            good += _near(kinematics.forward(q[1:-1]), T)
    return good / len(wanted)


def _mink(name: str, kinematics: Kinematics, wanted: Array) -> float:
    """The share of poses that mink reaches from home in so many steps."""
    mink: Any = library("mink")
    one = CellArm("arm", kinematics.arm, tool_named("suction"), np.eye(4))
    scene = cell_mjcf(Cell("bench", (one,), (Feeder("f", np.eye(4), (0.1, 0.1)),), np.eye(4)))
    model = mujoco().MjModel.from_xml_string(scene)
    configuration = mink.Configuration(model)
    task = mink.FrameTask("arm/flange", "site", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)
    limits = [mink.ConfigurationLimit(model)]
    good = 0
    for T in wanted:
        configuration.update(np.array(one.home))
        task.set_target(mink.SE3.from_matrix(T))
        for _ in range(MINK_STEPS):
            try:
                speed = mink.solve_ik(configuration, [task], 1.0, "daqp", 1e-3, limits=limits)
            except mink.NoSolutionFound:
                break
            configuration.integrate_inplace(speed, 1.0)
            if np.linalg.norm(task.compute_error(configuration)) < REACHED:
                break
        good += _near(kinematics.forward(np.array(configuration.q)), T)
    return good / len(wanted)


def _branches(name: str, other: str, solver: Callable[[Kinematics, Array], float]) -> Row | Skipped:
    """All answers for each pose, beside a solver of others that finds them too."""
    case = f"branches {name}, {other}"
    kinematics = Kinematics(arm_named(name))
    wanted = _wanted(kinematics, OTHER_POSES[other])
    try:
        start = time.process_time()
        count = solver(kinematics, wanted)
        theirs = 1e3 * (time.process_time() - start) / len(wanted)
    except ImportError:  # 210 MB, or for one maker's arms only: in no extra
        return Skipped(case, f"{other} is not installed: pip install {PIP[other]}")
    _, counts = kinematics.many_branches(wanted)
    ours = cpu_ms(lambda: kinematics.many_branches(wanted)) / len(wanted)
    found = float(counts.mean())
    return Row(
        case, ours, theirs, other, {"branches": found, "theirs": count},
        target="80 % of theirs" if other == "ssik" else "all of theirs", figure=f"{100 * found / count:.0f} %",
    )  # fmt: skip


def _ssik(kinematics: Kinematics, wanted: Array) -> float:
    """How many answers ssik has, whole turns not counted."""
    ssik: Any = importlib.import_module("ssik")
    with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(urdf_text(kinematics.arm), encoding="utf-8")
        arm = ssik.Manipulator.from_urdf(str(path), base="base", ee="flange")
    return float(np.mean([_distinct([one.q for one in arm.solve(T)]) for T in wanted]))


def _ur_analytic(kinematics: Kinematics, wanted: Array) -> float:
    """How many answers Universal Robots' arms have by their own closed form."""
    solver: Any = importlib.import_module("ur_analytic_ik")
    return float(np.mean([len(solver.ur5e.inverse_kinematics(T)) for T in wanted]))


def _distinct(answers: list[Any]) -> int:
    turned = np.exp(1j * np.array(answers, dtype=np.float64)).reshape(len(answers), -1)
    return len(np.unique(np.round(turned, 4) + 0.0, axis=0))


def _among_boxes() -> tuple[ArmBodies, Surroundings, Cell, Array]:
    rng = np.random.default_rng(1)
    obstacles = []
    for number in range(BOXES):
        T = np.eye(4)
        T[:3, 3] = rng.uniform([-0.8, -0.8, 0.0], [0.8, 0.8, 1.0])
        obstacles.append(Obstacle(f"box {number}", box((0.1, 0.1, 0.1)), T))
    one = CellArm("arm", arm_named("panda"), tool_named("panda-hand"), np.eye(4))
    cell = Cell("bench", (one,), (Feeder("f", np.eye(4), (0.1, 0.1)),), np.eye(4), obstacles=tuple(obstacles))
    q = rng.uniform(one.arm.lower, one.arm.upper, (POSES, 7))
    return ArmBodies(one), Surroundings.of(cell), cell, q


def _collisions() -> Row:
    """Which of fifty boxes are in the way of a Panda, beside MuJoCo's search for contacts in the same scene."""
    arm, around, cell, q = _among_boxes()
    blockers(arm, q[:2], around)
    ours = cpu_ms(lambda: blockers(arm, q, around)) / POSES
    engine = mujoco()
    model = engine.MjModel.from_xml_string(cell_mjcf(cell))
    data = engine.MjData(model)
    places = [model.jnt_qposadr[model.joint(f"arm/{joint.name}").id] for joint in arm.placed.arm.joints]

    def theirs() -> None:
        for row in q:
            data.qpos[places] = row
            engine.mj_kinematics(model, data)
            engine.mj_collision(model, data)

    reference = cpu_ms(theirs) / POSES
    return Row(f"what is in the way, {BOXES} boxes", ours, reference, "MuJoCo", {"positions": POSES})


def _sweeps() -> Row:
    """The same all along a straight motion between random joints, with a bound between looks."""
    arm, around, _, q = _among_boxes()
    swept_blockers(arm, q[0], q[1], around)
    count = 200
    ours = cpu_ms(lambda: [swept_blockers(arm, q[k], q[k + 1], around) for k in range(count)]) / count
    samples = 100
    fine = q[0] + np.linspace(0, 1, samples)[:, None] * (q[1] - q[0])
    sampled = cpu_ms(lambda: blockers(arm, fine, around))
    return Row(f"what is met, {BOXES} boxes", ours, sampled, f"{samples} samples of it", {"motions": count})


def _placing() -> Row:
    """Where two IRB 2600 should stand for a dome."""
    dome = make("staggered-dome", segments=16)
    placed_cell("two-irb2600", dome, layouts=10)
    start = time.process_time()
    told = placed_cell("two-irb2600", dome).coverage
    ours = 1e3 * (time.process_time() - start)
    return Row(
        f"two IRB 2600 for a dome of {len(dome.parts)}", ours,
        notes={"layouts": LAYOUTS, "coverage": told.share, "side_by_side": told.side_by_side},
    )  # fmt: skip
