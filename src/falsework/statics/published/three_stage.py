"""Seed 000's three quadratic programs, as published, by OSQP (the paper's solver) or by Clarabel (to be exact).

Nine coefficients per connection (eq. 5: affine fields along n, u and v), one normal force at each vertex of each
contact (eq. 3), and the lexicographic relaxation of eq. 14 to 16:

    1. b* = argmin |y − b|²         with  A·x = y,  G·x ≥ 0
    2. v* = argmin |v|²             with  A·x = b*, G·x ≥ 0,  H·x ≤ 1 + S·v,  v ≥ 0
    3. x* = argmin ½ xᵀQx           with  A·x = b*, G·x ≥ 0,  H·x ≤ 1 + S·v*

Matrices are built once. With OSQP each of the three solvers keeps its factor and starts from its last solution when
only the loads change, as the paper has it. Forces are in units of μF₀ and lengths in units of a stud, the best case
for a first-order method; tolerances are OSQP's defaults unless given. `falsework bench equilibrium` measures against
it; model `bricksim` takes its verdict from Clarabel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import block_array, block_diag, coo_array, csc_array, diags_array, eye_array
from scipy.sparse.linalg import lsqr

from falsework.kernels.bounded_qp import BoundedProgram, Clarabel, Osqp
from falsework.model.arrays import Array, Bools
from falsework.model.interfaces import ClutchKind, Interfaces
from falsework.statics.clutches.capacities import Capacity, capacities

MODES = 9
SAME = 1e-7  # of the load: a projection that moves it less has not moved it
NOTHING = 1e-4  # of μF₀: |v|² to 1e-10 gives v to 1e-5; so small a v* may be none, which stage 3 then shows
BALANCED = 1e-12  # of what the solver left of A·x = b*: loads far below the strength are balanced to their own size
ROOM = 1e-9  # of μF₀: so that stage 3 has an inside where stage 2 left it none
TINY = 1e-8  # energy of contacts and slacks, so that each program has one solution
LEAST_GRIP = 1e-9  # of μF₀: a point pulled off its stud grips no more, and u_k stays a number


@dataclass(frozen=True, slots=True, eq=False)
class ThreeStageResult:
    """What the three programs say."""

    utilization: Array  # (k,) u_k of eq. 17
    relaxation: Array  # (k,) v* of eq. 15
    imbalance: float  # |b* − b| / |b|
    solved: bool  # all three within the solver's tolerances
    unknowns: Array  # N: nine coefficients per connection, then pressures at corners and patch points

    @property
    def stands(self) -> bool:
        return bool(self.solved and self.utilization.max(initial=0.0) <= 1.0)


class ThreeStage:
    """One topology: matrices and factors; `solve` for any loads."""

    def __init__(
        self,
        joints: Interfaces,
        coms: Array,
        free: Bools,
        tolerance: float | None = 1e-3,
        strengths: Sequence[Capacity] | None = None,
        weights: tuple[float, float, float] = (1.0, 1.0, 1.0),
        timeout_s: float | None = None,
    ) -> None:
        """Tolerance None: to full precision by Clarabel. Strengths a kind of clutch; weights w_a, w_r, w_t."""
        clutches, patches = joints.clutches, joints.patches
        self._free = np.asarray(free, dtype=bool)
        self._number = np.where(self._free, np.cumsum(self._free) - 1, -1)
        self._length = 2.0 * min((float(kind.half.min()) for kind in clutches.kinds), default=0.004)
        if strengths is None:
            strengths = [capacities()[kind.system, kind.narrow] for kind in clutches.kinds]
        self._force = max((one.point_n for one in strengths), default=1.0)
        tables = [
            _tables(kind, one, self._length, self._force, weights)
            for kind, one in zip(clutches.kinds, strengths, strict=True)
        ]
        self._kind, self._tables = clutches.kind, tables
        corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        arms = np.array([np.column_stack([corners * kind.half, np.zeros(4)]) for kind in clutches.kinds]).reshape(
            -1, 4, 3
        )
        columns = [
            self._columns(_stacked([table.wrench.T for table in tables])[clutches.kind], clutches, coms),
            self._columns(_presses(arms / self._length)[clutches.kind], clutches, coms),
            self._patches(patches, coms),
        ]
        self._balance = csc_array(block_array([columns], format="csc"))
        unknowns, modes = self._balance.shape[1], MODES * len(clutches)
        contacts = unknowns - modes
        tension = _diagonal([tables[i].tension for i in clutches.kind])
        friction = _diagonal([tables[i].friction for i in clutches.kind])
        self._energy = _diagonal([tables[i].energy for i in clutches.kind])
        self._positive = block_array([[tension, None], [None, eye_array(contacts)]], format="csc")  # G
        self._friction = block_array([[friction, coo_array((friction.shape[0], contacts))]], format="csc")  # H
        rows = [len(tables[i].friction) for i in clutches.kind]
        owner = np.repeat(np.arange(len(clutches)), rows)
        self._share = csc_array(
            (np.ones(len(owner)), (np.arange(len(owner)), owner)), shape=(len(owner), len(clutches))
        )
        self._precise, self._timeout_s = tolerance is None, timeout_s
        self._programs = self._made(unknowns, contacts, tolerance)

    def solve(self, loads: Array) -> ThreeStageResult:
        """Loads (n, 6): force and torque about the centre of mass, world axes."""
        b = -np.array(loads[self._free], dtype=np.float64) / self._force
        b[:, 3:] /= self._length
        wanted = b.ravel()
        rows, unknowns = self._balance.shape
        size = max(float(np.linalg.norm(wanted)), 1e-300)
        unit = size if self._precise else 1.0  # stage 1 knows no strength, so no unit of force either
        first, second, third = self._programs
        low = np.zeros(rows + self._positive.shape[0])
        high = np.r_[np.zeros(rows), np.full(self._positive.shape[0], np.inf)]
        one, projected = first.solve(np.concatenate([np.zeros(unknowns), -wanted / unit]), low, high)
        possible = unit * one[unknowns:]
        imbalance = float(np.linalg.norm(possible - wanted)) / size
        if self._precise and imbalance <= SAME:
            possible = wanted
        none = np.zeros(len(self._kind))
        two, relaxed = second.solve(
            np.zeros(unknowns + len(none)), self._low(possible, two=True), self._high(possible, none, two=True)
        )
        relaxation = np.maximum(two[unknowns:], 0.0)
        room = relaxation + (ROOM if self._precise else 0.0)
        chosen = False
        if self._precise and relaxation.max(initial=0.0) <= NOTHING:
            three, chosen = third.solve(np.zeros(unknowns), self._low(possible), self._high(possible, none + ROOM))
        if not chosen:
            three, chosen = third.solve(np.zeros(unknowns), self._low(possible), self._high(possible, room))
        left = possible - self._balance @ three
        if self._precise and float(np.linalg.norm(left)) > SAME * size:
            three = three + lsqr(self._balance, left, atol=BALANCED, btol=BALANCED)[0]
        used = self._utilization(three[: MODES * len(self._kind)].reshape(-1, MODES))
        return ThreeStageResult(used, relaxation, imbalance, projected and relaxed and chosen, self._force * three)

    def point_forces(self, unknowns: Array) -> tuple[Array, Array]:
        """Forces N on the hole brick in the joint's axes, (all contact points, 3) joint by joint; presses, (rest,)."""
        coefficients = unknowns[: MODES * len(self._kind)].reshape(-1, MODES)
        fields = [self._tables[kind].fields @ x for kind, x in zip(self._kind, coefficients, strict=True)]
        return -np.concatenate([np.zeros((0, 3)), *fields]), unknowns[MODES * len(self._kind) :]

    def _made(self, unknowns: int, contacts: int, tolerance: float | None) -> list[BoundedProgram]:
        """Stages 1 to 3, by OSQP to a tolerance or by Clarabel."""
        rows, count = self._balance.shape[0], len(self._kind)
        weights = diags_array(np.r_[np.zeros(unknowns - contacts), np.full(contacts, TINY)])
        small = diags_array(np.full(unknowns, 0.0 if self._precise else TINY))
        project = block_array([[small, None], [None, eye_array(rows)]], format="csc")
        relax = block_array([[small, None], [None, eye_array(count)]], format="csc")
        energy = csc_array(block_diag([self._energy, csc_array((contacts, contacts))], format="csc") + weights)
        balance, positive, friction = self._balance, self._positive, self._friction
        tables = (
            block_array([[balance, -eye_array(rows)], [positive, None]], format="csc"),
            block_array(
                [[balance, None], [positive, None], [friction, -self._share], [None, eye_array(count)]], format="csc"
            ),
            block_array([[balance], [positive], [friction]], format="csc"),
        )
        pairs = zip((project, relax, energy), tables, strict=True)
        if tolerance is None:
            return [Clarabel(hessian, table, self._timeout_s) for hessian, table in pairs]
        return [Osqp(hessian, table, tolerance) for hessian, table in pairs]

    def _low(self, balanced: Array, two: bool = False) -> Array:
        friction = np.full(self._friction.shape[0], -np.inf)
        bounds: Array = np.r_[
            balanced, np.zeros(self._positive.shape[0]), friction, np.zeros(len(self._kind) if two else 0)
        ]
        return bounds

    def _high(self, balanced: Array, relaxation: Array, two: bool = False) -> Array:
        open_end = np.full(self._positive.shape[0], np.inf)
        limit = self._limit() + self._share @ relaxation
        bounds: Array = np.r_[balanced, open_end, limit, np.full(len(self._kind) if two else 0, np.inf)]
        return bounds

    def _limit(self) -> Array:
        return np.concatenate([np.zeros(0), *(self._tables[i].limit for i in self._kind)])

    def _utilization(self, coefficients: Array) -> Array:
        """u_k = max over points of (|F_t| + F_a) / μ(F_r + F₀), eq. 17."""
        used = np.zeros(len(self._kind))
        for i, table in enumerate(self._tables):
            mine = np.flatnonzero(self._kind == i)
            axial, radial, tangential = (
                coefficients[mine] @ rows.T for rows in (table.tension, table.radial, table.tangential)
            )
            held = np.maximum(table.grip * radial + table.limit[0], LEAST_GRIP)
            used[mine] = ((np.abs(tangential) + axial) / held).max(axis=1)
        return used

    def _columns(self, wrenches: Array, clutches: Any, coms: Array) -> csc_array:
        """Columns of A for wrenches (k, m, 6) on the stud brick, clutch axes; the hole brick feels the opposite."""
        turn, origin = clutches.T_world_clutch[:, :3, :3], clutches.T_world_clutch[:, :3, 3]
        force = np.einsum("kij,kmj->kmi", turn, wrenches[:, :, :3])
        moment = np.einsum("kij,kmj->kmi", turn, wrenches[:, :, 3:])
        return self._pairs(force, moment, origin[:, None, :], clutches.bodies, coms)

    def _patches(self, patches: Any, coms: Array) -> csc_array:
        force = -patches.normals[patches.owner][:, None, :]  # on the first body
        return self._pairs(force, np.zeros_like(force), patches.points[:, None, :], patches.bodies[patches.owner], coms)

    def _pairs(self, force: Array, moment: Array, points: Array, bodies: Any, coms: Array) -> csc_array:
        count, wide, _ = force.shape
        across = np.arange(count * wide).reshape(count, wide)
        parts = []
        for side, sign in ((0, 1.0), (1, -1.0)):
            arm = (points - coms[bodies[:, side]][:, None, :]) / self._length
            table = sign * np.concatenate([force, moment + np.cross(arm, force)], axis=2)
            number = self._number[bodies[:, side]]
            down = 6 * number[:, None, None] + np.arange(6)[None, None, :]
            used = (number[:, None, None] >= 0) & (table != 0.0)
            place = np.broadcast_to(down, table.shape)[used], np.broadcast_to(across[:, :, None], table.shape)[used]
            parts.append(csc_array((table[used], place), shape=(6 * int(self._free.sum()), count * wide)))
        return csc_array(parts[0] + parts[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """One kind of connection, in terms of its nine coefficients; scaled."""

    wrench: Array  # (6, 9) on the stud brick
    tension: Array  # (m, 9) F_a
    radial: Array  # (m, 9) F_r
    tangential: Array  # (m, 9) F_t
    friction: Array  # (2m, 9): F_a ± F_t − μF_r
    limit: Array  # (2m,) μF₀
    energy: Array  # (9, 9)
    grip: float  # μ
    fields: Array  # (m, 3, 9): forces along u, v, n


def _tables(
    kind: ClutchKind, capacity: Capacity, length: float, force: float, weights: tuple[float, float, float]
) -> _Tables:
    """Eq. 5 to 9 and 13 for one kind of connection."""
    u, v = kind.points.T / length
    field = np.column_stack([np.ones_like(u), u, v])  # φ_f
    none = np.zeros_like(field)
    n = np.hstack([field, none, none])
    along_u, along_v = np.hstack([none, field, none]), np.hstack([none, none, field])
    radial = kind.inward[:, :1] * along_u + kind.inward[:, 1:] * along_v
    tangential = -kind.inward[:, 1:] * along_u + kind.inward[:, :1] * along_v
    wrench = np.array(
        [along_u.sum(axis=0), along_v.sum(axis=0), n.sum(axis=0), v @ n, -(u @ n), u @ along_v - v @ along_u]
    )
    sliding = n - capacity.friction * radial
    friction = np.concatenate([sliding + tangential, sliding - tangential])
    energy = sum(w * (part.T @ part) for w, part in zip(weights, (n, radial, tangential), strict=True))
    limit = np.full(len(friction), capacity.point_n / force)
    fields = np.stack([along_u, along_v, n], axis=1)
    return _Tables(wrench, n, radial, tangential, friction, limit, np.asarray(energy), capacity.friction, fields)


def _stacked(wrenches: list[Array]) -> Array:
    """(kinds, 9, 6), of no kinds too."""
    return np.array(wrenches).reshape(-1, MODES, 6)


def _diagonal(blocks: list[Array]) -> Any:
    """A block-diagonal matrix, of no blocks too."""
    return block_diag(blocks, format="csc") if blocks else csc_array((0, 0))


def _presses(arms: Array) -> Array:
    """(kinds, 4, 6) wrench on the stud brick of a unit pressure at each corner."""
    force = np.zeros_like(arms)
    force[..., 2] = -1.0
    return np.concatenate([force, np.cross(arms, force)], axis=2)
