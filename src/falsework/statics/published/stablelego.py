"""Model `stablelego`: the linear program of StableLego (Liu et al. 2024), and its test.

Every engaged stud carries a horizontal force at its centre and, at three points (four where the upper brick is one
stud wide), friction f ≥ 0 that pulls the upper brick down and pressure n ≥ 0 that carries it. Side faces press on
each other without friction, at their lower edge. Five equilibria per brick: nothing resists a turn about the studs'
axis, and none is asked for. The published program, N and N·m in one sum,

    minimise  Σ |residuals|  +  1e-3 · Σ over bricks (largest f under the brick)  +  1e-6 · Σ f

has the products f·n = 0 as further constraints; no optimum breaks them, so it is a linear program. The structure is
called stable if no residual is left and every f stays below T = 0.98 N (100 g at 9.8 N/kg).

Constants: `config.json` of the public StableLego repository. It measures the stud pitch as 7.8 mm; other makes are
shrunk in the same proportion. The verdict is the test on the forces this program prefers, so it is not promised that
holding more parts keeps a stable state stable. Other than published: residuals up to 1e-6 of the load count as none.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize
from scipy.sparse import coo_array, csc_array, diags_array, eye_array, hstack

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.catalogue import systems
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Clutches, Interfaces, Patches
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, Criterion, Verdict
from falsework.statics.core.loads import load_scale
from falsework.statics.core.presence import present
from falsework.statics.published.push_lines import Pushes, summed

log = logging.getLogger(__name__)

STRENGTH_N = 0.98  # T, a point
PITCH_RATIO = 7.8 / 8.0
MAX_WEIGHT = 1e-3  # α
SUM_WEIGHT = 1e-6  # β
WIDE = np.array([(0.125, -0.125), (-0.25, 0.0), (0.125, 0.125)])  # of the pitch, from the stud's centre
NARROW = np.array([(0.0, -0.25), (-0.25, 0.0), (0.0, 0.25), (0.25, 0.0)])
BALANCED = [0, 1, 2, 3, 4]  # of a wrench in the studs' frame: all but the turn about the studs' axis
UPRIGHT = 1e-6  # how far studs may lean against each other
CLOSE = 1e-6  # of T: closer to the limit than this is undecided


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The unknowns of one state: horizontal stud forces first, then friction, then what presses."""

    pushes: Pushes  # in the studs' frame, shrunk
    shears: int
    frictions: int
    clutch: Ints  # (frictions,) number of the clutch among those of the assembly
    brick: Ints  # (frictions,) the upper brick


class StableLego:
    """The stability oracle `stablelego` of one assembly of bricks."""

    monotone_in_held = False  # see above
    convex = False  # the test is put to one choice of forces, not to a set of them

    def __init__(self, assembly: Assembly, joints: Interfaces, timeout_s: float | None = None) -> None:
        refuse_other_than_bricks("stablelego", assembly)
        self._assembly, self._joints, self._timeout_s = assembly, joints, timeout_s
        self._turn = _studs_frame(joints.clutches)
        self._centres = self._seen(assembly.coms_m)
        self.calibrated = all(kind.system == "system" for kind in joints.clutches.kinds)

    def assess(self, state: State) -> Verdict:
        """The published test on the published program's forces."""
        start = time.perf_counter()
        layout = self._layout(state)
        loads = self._loads(state)
        try:
            sizes, why = self._solve(state, layout, loads)
        except (ArithmeticError, ValueError, RuntimeError) as failure:
            log.info("a solver failed", exc_info=True)
            sizes, why = None, f"the solver failed: {failure}"
        if sizes is None:
            spent = 1e3 * (time.perf_counter() - start)
            return Verdict("undecided", "stablelego", None, None, calibrated=self.calibrated, why=why, solve_ms=spent)
        criterion, residual, shares = self._tested(state, layout, loads, sizes)
        close = abs(criterion.value - criterion.limit) <= CLOSE * criterion.limit
        return Verdict(
            "undecided" if close else "stable" if criterion.passes else "unstable",
            "stablelego",
            None if close else criterion,
            None if close else residual,
            utilization=float(np.nanmax(shares, initial=0.0)),
            joint_utilization=shares,
            calibrated=self.calibrated,
            why="the test comes out at its limit" if close else "",
            solve_ms=1e3 * (time.perf_counter() - start),
        )

    def _solve(self, state: State, layout: Layout, loads: Array) -> tuple[Array | None, str]:
        """Sizes of the pushes, N; inside, forces are of the load and lengths of a stud, so that rows compare."""
        free = flags(state.free(self._assembly), len(self._centres))
        if not free.any():
            return np.zeros(len(layout.pushes.points)), ""
        force, length = load_scale(self._assembly, state), 8e-3
        rows = (6 * np.flatnonzero(free)[:, None] + np.array(BALANCED)).ravel()
        unit = np.tile([1.0, 1.0, 1.0, 1 / length, 1 / length], int(free.sum()))
        balance = diags_array(unit) @ layout.pushes.wrenches(self._centres).tocsr()[rows]
        wanted = -unit * loads.ravel()[rows] / force
        sizes, bricks = len(layout.pushes.points), len(self._centres)
        one = eye_array(len(rows))
        equal = hstack([balance, csc_array((len(rows), bricks)), -one, one], format="csc")
        within = _below_the_largest(layout, sizes, bricks, 2 * len(rows))
        cost = np.concatenate([np.zeros(sizes), np.full(bricks, MAX_WEIGHT), 1 / unit, 1 / unit])
        cost[layout.shears : layout.shears + layout.frictions] = SUM_WEIGHT
        bounds = np.zeros((len(cost), 2))
        bounds[:, 1] = np.inf
        bounds[: layout.shears, 0] = -np.inf
        options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        if self._timeout_s is not None:
            options["time_limit"] = self._timeout_s
        limits = np.zeros(layout.frictions)
        linprog: Any = optimize.linprog  # its stubs know no sparse matrices
        found = linprog(cost, within, limits, equal, wanted, bounds=bounds, method="highs", options=options)
        if found.status != 0 or found.x is None:
            return None, f"the linear program was not solved: {found.message}"
        return force * np.asarray(found.x[:sizes]), ""

    def _tested(self, state: State, layout: Layout, loads: Array, sizes: Array) -> tuple[Criterion, float, Array]:
        """The test, from the forces alone; the imbalance of the load; the share of T that every clutch uses."""
        pushes = layout.pushes
        forces = sizes[:, None] * pushes.directions
        left = summed(pushes.points, forces, pushes.pairs, self._centres) + loads
        free = flags(state.free(self._assembly), len(left))
        radii = np.array([body.radius_m for body in self._assembly.bodies])
        torques = np.linalg.norm(left[:, 3:5], axis=1) / radii
        scale = load_scale(self._assembly, state)
        residual = float(np.maximum(np.linalg.norm(left[:, :3], axis=1), torques)[free].max(initial=0.0)) / scale
        friction = sizes[layout.shears : layout.shears + layout.frictions]
        shares = np.full(len(self._joints.clutches), np.nan)
        shares[layout.clutch] = 0.0
        np.maximum.at(shares, layout.clutch, friction / STRENGTH_N)
        world = (pushes.points @ self._turn.T, forces @ self._turn.T, pushes.pairs)
        if residual > FORCES_RESIDUAL:
            return Criterion("imbalance of the load", residual, FORCES_RESIDUAL, *world), residual, shares
        largest = float(friction.max(initial=0.0))
        return Criterion("largest friction of a point, N", largest, STRENGTH_N, *world), residual, shares

    def _layout(self, state: State) -> Layout:
        here, joints = present(self._joints, flags(state.installed, len(self._centres)))
        numbers, centres, points = self._studs(here.clutches)
        pairs = here.clutches.bodies[numbers[0]].reshape(-1, 2)
        gripped = here.clutches.bodies[numbers[1]].reshape(-1, 2)
        x, y, up = np.eye(3)
        several = [
            Pushes(centres, np.tile(x, (len(centres), 1)), pairs),
            Pushes(centres, np.tile(y, (len(centres), 1)), pairs),
            Pushes(points, np.tile(-up, (len(points), 1)), gripped),
            Pushes(points, np.tile(up, (len(points), 1)), gripped),
            self._faces(here.patches),
        ]
        clutch = np.flatnonzero(joints)[numbers[1]]
        return Layout(Pushes.joined(several), 2 * len(centres), len(points), clutch, gripped[:, 1])

    def _studs(self, clutches: Clutches) -> tuple[tuple[Ints, Ints], Array, Array]:
        """Which clutch each stud and each point belongs to; where they are, in the studs' frame."""
        owners: tuple[list[int], list[int]] = ([], [])
        centres, points = [np.zeros((0, 3))], [np.zeros((0, 3))]
        for number, which in enumerate(clutches.kind.tolist()):
            kind, frame = clutches.kinds[which], clutches.T_world_clutch[number]
            pitch = systems()[kind.system].pitch_m
            along = [np.arange(0.5, 2 * half / pitch) * pitch - half for half in kind.half]
            grid = np.array([(u, v, 0.0) for u in along[0] for v in along[1]])
            studs = self._seen(frame[:3, 3] + grid @ frame[:3, :3].T)
            offsets = PITCH_RATIO * pitch * (NARROW if kind.narrow else WIDE)
            turned = _nearest_axes(self._turn.T @ frame[:3, :3])
            spread = np.column_stack([offsets, np.zeros(len(offsets))]) @ turned.T
            owners[0].extend([number] * len(studs))
            owners[1].extend([number] * len(studs) * len(offsets))
            centres.append(studs)
            points.append((studs[:, None] + spread).reshape(-1, 3))
        numbers = np.array(owners[0], dtype=np.int64), np.array(owners[1], dtype=np.int64)
        return numbers, np.concatenate(centres), np.concatenate(points)

    def _faces(self, patches: Patches) -> Pushes:
        """Faces that touch: sides press once, at their lower edge; what lies flat presses at its corners."""
        normals, points = patches.normals @ self._turn, self._seen(patches.points)
        chosen, owner = [np.zeros((0, 3))], [np.zeros(0, dtype=np.int64)]
        for k in range(len(patches)):
            outline = points[patches.starts[k] : patches.starts[k + 1]]
            if abs(normals[k, 2]) < 0.5:
                middle = outline.mean(axis=0)
                outline = np.array([[middle[0], middle[1], outline[:, 2].min()]])
            chosen.append(outline)
            owner.append(np.full(len(outline), k))
        owners = np.concatenate(owner)
        return Pushes(np.concatenate(chosen), normals[owners], patches.bodies[owners])

    def _loads(self, state: State) -> Array:
        """(bodies, 6) loads in the studs' frame, arms as the model sees them."""
        gravity = self._turn.T @ state.gravity_of(self._assembly)
        wrenches = np.zeros((len(self._centres), 6))
        wrenches[:, :3] = self._assembly.masses_kg[:, None] * gravity
        for load in state.loads_of(self._assembly):
            body = self._assembly.index[load.part]
            force = self._turn.T @ load.force_n
            wrenches[body, :3] += force
            if load.point_m is not None:
                wrenches[body, 3:] += np.cross(self._seen(load.point_m) - self._centres[body], force)
        wrenches[~flags(state.installed, len(wrenches))] = 0.0
        return wrenches

    def _seen(self, points: Array) -> Array:
        """World points in the studs' frame, shrunk to the model's pitch."""
        seen: Array = points @ self._turn * np.array([PITCH_RATIO, PITCH_RATIO, 1.0])
        return seen


def refuse_other_than_bricks(model: str, assembly: Assembly) -> None:
    """Models of clutches have nothing to say about other parts."""
    for part in assembly.parts:
        if not part.is_brick:
            raise BadInput(f"model {model} knows bricks only, and part {shown(part.name)} is not one")


def _studs_frame(clutches: Clutches) -> Array:
    """(3, 3) world from the studs' frame: z along the studs, x the grid axis nearest to the world's x."""
    if not len(clutches):
        return np.eye(3)
    ups = clutches.T_world_clutch[:, :3, 2]
    if float(np.abs(ups - ups[0]).max()) > UPRIGHT:
        raise BadInput("model stablelego knows bricks whose studs all point one way")
    return _nearest_axes(clutches.T_world_clutch[0, :3, :3])


def _nearest_axes(axes: Array) -> Array:
    """A frame turned by quarters about its z until its x lies nearest to the x of the frame it is given in."""
    u, v, up = axes.T
    ways = np.array([u, v, -u, -v])
    best = ways[int(np.argmax(np.round(ways[:, 0], 9)))]
    return np.column_stack([best, np.cross(up, best), up])


def _below_the_largest(layout: Layout, sizes: int, bricks: int, more: int) -> csc_array:
    """f − (largest f under its brick) ≤ 0, one row per point."""
    number = np.arange(layout.frictions)
    ones = np.ones(layout.frictions)
    points = coo_array((ones, (number, layout.shears + number)), shape=(layout.frictions, sizes))
    largest = coo_array((-ones, (number, layout.brick)), shape=(layout.frictions, bricks))
    return csc_array(hstack([points, largest, csc_array((layout.frictions, more))], format="csc"))
