"""Seed 002's stability simulator (section 4): one program for all states of an assembly, many states side by side.

    minimise ½ |J_nᵀλ_n + J_tᵀλ_t + g + f|²_{M⁻¹}                                                       (eq. 13)
    0 ≤ λ_n, λ_tk ≤ 1e5 where both bodies are there, else 0;   0 ≤ μλ_n − Σλ_tk;   f only on parts held or gone

States differ in bounds and loads only, so L = Q + σI + ρAᵀA is inverted once and every iteration of the alternating
directions (eq. 3 to 6) is a product with that inverse, for a batch of columns (torch, on any device, in double). Every
200 iterations the states whose residual velocity (eq. 14) is at most 1e-3 g leave the batch; after 3000 the rest stays
unsettled: the paper calls those unstable, here they go to the exact solver.

The published tolerance is a thousandfold wider than the referee's, so settled forces are only a proposal, too.

The inverse is kept `dense`, as published, or `factored`: L is a diagonal of 9x9 blocks plus a matrix of rank 6 per
body, so the same product takes some thousandths of the work. Both give the same iterates but for rounding.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags, flags_of
from falsework.model.errors import BadInput, MissingExtra
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer, Forces, Verdict
from falsework.statics.core.batches import findings
from falsework.statics.core.compiled_cones import NO_JOINTS
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.friction_cones import EDGES, first_edges
from falsework.statics.core.loads import load_wrenches
from falsework.statics.core.outcome import Outcome, Wanted
from falsework.statics.core.speeds import part_radii
from falsework.statics.core.unknowns import pair_columns

WIDTH = 1 + EDGES  # unknowns a contact point: normal force, eight tangential ones
# What a mean part weighs in the units of the program. ρ has the unit of a force per weight, and the paper does not say
# in which it is 0.1; parts of the shared dome weigh 22 in its public code. About 30 is where ρ = 0.1 settles soonest.
PART_WEIGHT = 30.0


@dataclass(frozen=True, slots=True)
class AdmmSettings:
    """Seed 002's constants."""

    alpha: float = 1.6
    sigma: float = 1e-6
    rho: float = 0.1
    bound: float = 1e5  # on every force, in units of which a mean part weighs PART_WEIGHT
    every: int = 200  # iterations between looks at the residual
    limit: int = 3000
    tolerance: float = 1e-3  # on the residual velocity, of g
    inverse: Literal["dense", "factored"] = "dense"
    device: str = "cpu"


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Where the iteration ended for each state."""

    velocities: Array  # (m,) largest residual velocity, of g
    iterations: Ints  # (m,)
    patch_forces: Array  # (m, p, 3) N, on the second body, within their cones


class BatchedAdmm:
    """The stability oracle of contacts with eight-edge cones, as seed 002 has it, with an exact solver behind it."""

    monotone_in_held = True  # it says stable and unstable only with proof, of the same convex model
    convex = True

    def __init__(self, assembly: Assembly, joints: Interfaces, settings: AdmmSettings | None = None) -> None:
        if len(joints.clutches) or len(joints.hinges):
            raise BadInput("the batched solver of seed 002 knows contacts only, no clutches and no hinges")
        self._assembly, self._joints = assembly, joints
        self.settings = settings or AdmmSettings()
        self._exact = Equilibrium(assembly, joints)
        self._torch = _torch()
        patches = joints.patches
        self._pairs = patches.bodies[patches.owner]
        self._normals = patches.normals[patches.owner]
        self._friction = self._tensor(patches.friction[patches.owner])
        self._tangents = _tangents(joints, assembly.gravity)
        movable = ~flags(assembly.fixed_mask(), len(assembly.bodies))
        self._force_n, self._length_m = _units(assembly, movable)
        self._columns = self._contact_columns()  # (6 bodies, 9 p)
        self._inverse_mass = self._tensor(_inverse_masses(assembly, movable, self._force_n, self._length_m))
        self._solve = self._factored() if self.settings.inverse == "factored" else self._dense()

    def assess(self, state: State) -> Verdict:
        """Its forces where the referee accepts them, what the exact solver finds elsewhere."""
        ruling = self._exact.rule(state, first=self)
        return Verdict(ruling.answer, "blocks", ruling.certificate, ruling.residual, why=ruling.why)

    gives_accelerations = False

    def propose(self, state: State, wanted: Wanted) -> Outcome:
        """The forces it settles on."""
        return Outcome(Forces(self.settle([state]).patch_forces[0], *NO_JOINTS), None, "not settled")

    def answers(self, states: Sequence[State], batch: int = 256) -> list[Answer]:
        """Whether states stand, settled in batches; the rest by the exact solver."""
        found: list[Answer] = []
        for start in range(0, len(states), batch):
            chosen = states[start : start + batch]
            proved = self._exact.referee.accepted(chosen, self.settle(chosen).patch_forces)
            rest = iter(findings(self._exact, [s for s, ok in zip(chosen, proved, strict=True) if not ok]))
            found += ["stable" if ok else next(rest).answer for ok in proved]
        return found

    def settle(self, states: Sequence[State], watch: Callable[[int, Array], None] | None = None) -> Settled:
        """Iterate until each state's residual velocity is small, or the limit; `watch` sees them all at each look.

        All states must be under the assembly's own gravity: the cones' edges depend on it.
        """
        if any(state.gravity is not None for state in states):
            raise BadInput("the batched solver is prepared for the assembly's own gravity, not for that of a state")
        torch, settings = self._torch, self.settings
        program = self._program(states)
        left = torch.arange(len(states))
        x, y, z = (
            torch.zeros((rows, len(states)), dtype=torch.float64, device=settings.device) for rows in self._sizes
        )
        ended = torch.zeros_like(x)
        velocities, iterations = np.full(len(states), np.inf), np.zeros(len(states), dtype=np.int64)
        for done in range(settings.every, settings.limit + 1, settings.every):
            x, y, z = self._iterate(program, x, y, z)
            now = self._velocities(program, x).cpu().numpy()
            rows = left.numpy()
            velocities[rows], iterations[rows] = now, done
            ended[:, rows] = x
            if watch is not None:
                watch(done, velocities)
            going = torch.tensor(now > settings.tolerance)
            if not going.any():
                break
            left, x, y, z = left[going], x[:, going], y[:, going], z[:, going]
            program = program.only(going)
        return Settled(velocities, iterations, self._forces(ended, self._program(states)))

    @property
    def _sizes(self) -> tuple[int, int, int]:
        """Unknowns, then rows of their constraints, twice."""
        unknowns = self._columns.shape[1] + self._columns.shape[0]
        rows = unknowns + len(self._normals)
        return unknowns, rows, rows

    def _program(self, states: Sequence[State]) -> _Bounds:
        """Bounds and loads of each state as columns (eq. 8, 9, 12)."""
        assembly, bound = self._assembly, self.settings.bound
        count = len(assembly.bodies)
        there = flags_of([state.installed for state in states], count)
        free = flags_of([state.free(assembly) for state in states], count)
        acting = there[:, self._pairs].all(axis=2) & free[:, self._pairs].any(axis=2)  # (m, p)
        upper = np.repeat(acting, WIDTH, axis=1) * bound
        hands = np.repeat(~free, 6, axis=1) * bound
        unit = np.array([self._force_n] * 3 + [self._force_n * self._length_m] * 3)
        loads = np.array([load_wrenches(assembly, state) for state in states]) / unit * free[:, :, None]
        slack = np.zeros(acting.shape)
        return _Bounds(
            self._tensor(np.concatenate([0 * upper, -hands, slack], axis=1).T),
            self._tensor(np.concatenate([upper, hands, slack + np.inf], axis=1).T),
            self._tensor(loads.reshape(len(states), -1).T),
            self._tensor(np.repeat(free, 6, axis=1).astype(float).T),
        )

    def _iterate(self, program: _Bounds, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
        """Eq. 3 to 6, `every` times."""
        torch, settings = self._torch, self.settings
        rho, alpha = settings.rho, settings.alpha
        q = self._transposed(self._inverse_mass @ program.loads)
        for _ in range(settings.every):
            hat = self._solve(settings.sigma * x - q + self._rows_transposed(rho * z - y))
            x = alpha * hat + (1 - alpha) * x
            relaxed = alpha * self._rows(hat) + (1 - alpha) * z
            z = torch.clamp(relaxed + y / rho, program.lower, program.upper)
            y = y + rho * (relaxed - z)
        return x, y, z

    def _velocities(self, program: _Bounds, x: Any) -> Any:
        """Largest entry of M⁻¹ times what is left on the free parts (eq. 14), with the forces inside their bounds."""
        pushes = self._torch.clamp(x, program.lower[: len(x)], program.upper[: len(x)])[: self._columns.shape[1]]
        left = (self._sparse @ pushes + program.loads) * program.free
        return (self._inverse_mass @ left).abs().amax(dim=0)

    # A x: every unknown, then μλ_n − Σλ_t of every point.

    def _rows(self, x: Any) -> Any:
        points = x[: self._columns.shape[1]].reshape(-1, WIDTH, x.shape[1])
        slack = self._friction[:, None] * points[:, 0] - points[:, 1:].sum(dim=1)
        return self._torch.cat([x, slack])

    def _rows_transposed(self, rows: Any) -> Any:
        count = self._sizes[0]
        slack = rows[count:]
        unknowns = rows[:count].clone()
        points = unknowns[: self._columns.shape[1]].reshape(-1, WIDTH, rows.shape[1])
        points[:, 0] += self._friction[:, None] * slack
        points[:, 1:] -= slack[:, None]
        return unknowns

    def _transposed(self, wrenches: Any) -> Any:
        """[Jᵀ I]ᵀ of wrenches on the bodies."""
        return self._torch.cat([self._sparse_transposed @ wrenches, wrenches])

    def _contact_columns(self) -> Any:
        """[J_nᵀ J_tᵀ] in scaled units: wrenches on the bodies by unit forces at the points."""
        directions = np.concatenate([self._normals[:, None], self._tangents], axis=1).reshape(-1, 3)
        points = np.repeat(self._joints.patches.points, WIDTH, axis=0)
        columns = pair_columns(self._assembly, np.repeat(self._pairs, WIDTH, axis=0), points, directions)
        scaled = columns.tocoo()
        turning = scaled.coords[0] % 6 >= 3
        values = np.where(turning, scaled.data / self._length_m, scaled.data)
        torch = self._torch
        places = torch.tensor(np.array(scaled.coords))
        entries = self._tensor(values)
        self._sparse = (
            torch.sparse_coo_tensor(places, entries, scaled.shape, check_invariants=True)
            .coalesce()
            .to(self.settings.device)
        )
        self._sparse_transposed = self._sparse.t().coalesce()
        return scaled

    def _dense(self) -> Callable[[Any], Any]:
        """Eq. 2, inverted directly as the paper does."""
        torch, settings = self._torch, self.settings
        size = self._sizes[0]
        identity = torch.eye(size, dtype=torch.float64, device=settings.device)
        wrenches = torch.cat([self._sparse.to_dense(), torch.eye(self._columns.shape[0], dtype=torch.float64)], dim=1)
        wrenches = wrenches.to(settings.device)
        L = wrenches.T @ self._inverse_mass @ wrenches + settings.sigma * identity
        L += settings.rho * self._rows_transposed(self._rows(identity))
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(L))
        return lambda right: inverse @ right

    def _factored(self) -> Callable[[Any], Any]:
        """The same product by Woodbury's identity: L = D + BᵀM⁻¹B with D in blocks of one contact point."""
        torch, settings = self._torch, self.settings
        base = settings.sigma + settings.rho
        squared = self._friction**2 + EDGES

        def blocks(right: Any) -> Any:
            """D⁻¹, by Sherman and Morrison: a block is base·I + ρ·a·aᵀ with a = (μ, −1, …, −1)."""
            solved = right / base
            points = solved[: self._columns.shape[1]].reshape(-1, WIDTH, right.shape[1])
            along = self._friction[:, None] * points[:, 0] - points[:, 1:].sum(dim=1)
            share = along * (settings.rho / (base + settings.rho * squared))[:, None]
            points[:, 0] -= self._friction[:, None] * share
            points[:, 1:] += share[:, None]
            return solved

        count = self._columns.shape[0]
        identity = torch.eye(count, dtype=torch.float64, device=settings.device)
        spread = blocks(self._transposed(identity))
        middle = torch.linalg.inv(self._inverse_mass) + self._gathered(spread)
        inverse = torch.linalg.inv(middle)

        def solve(right: Any) -> Any:
            first = blocks(right)
            return first - blocks(self._transposed(inverse @ self._gathered(first)))

        return solve

    def _gathered(self, unknowns: Any) -> Any:
        """[Jᵀ I] of unknowns: wrenches on the bodies."""
        contacts = self._columns.shape[1]
        return self._sparse @ unknowns[:contacts] + unknowns[contacts:]

    def _forces(self, x: Any, program: _Bounds) -> Array:
        """(m, p, 3) forces of contacts that are there, tangential ones shortened to their cones; in N."""
        torch = self._torch
        contacts = self._columns.shape[1]
        inside = torch.clamp(x[:contacts], program.lower[:contacts], program.upper[:contacts])
        points = inside.reshape(-1, WIDTH, x.shape[1])
        slip, most = points[:, 1:].sum(dim=1), self._friction[:, None] * points[:, 0]
        shorter = torch.where(slip > most, most / slip.clamp(min=1e-300), torch.ones_like(slip))
        pushes = points.clone()
        pushes[:, 1:] *= shorter[:, None]
        weights = pushes.cpu().numpy()
        directions = np.concatenate([self._normals[:, None], self._tangents], axis=1)
        forces: Array = self._force_n * np.einsum("pwm,pwi->mpi", weights, directions)
        return forces

    def _tensor(self, values: Array) -> Any:
        return self._torch.tensor(np.ascontiguousarray(values), dtype=self._torch.float64, device=self.settings.device)


@dataclass(frozen=True, slots=True, eq=False)
class _Bounds:
    """What differs between states, one column each."""

    lower: Any
    upper: Any
    loads: Any
    free: Any

    def only(self, chosen: Any) -> _Bounds:
        return _Bounds(self.lower[:, chosen], self.upper[:, chosen], self.loads[:, chosen], self.free[:, chosen])


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as why:
        raise MissingExtra("torch", "learning") from why


def _tangents(joints: Interfaces, gravity: Array) -> Array:
    """(p, 8, 3) unit tangents, the first along gravity as seen in the contact plane."""
    patches = joints.patches
    first = first_edges(patches, gravity)
    second = np.cross(patches.normals, first)
    angles = np.arange(EDGES) * (2 * np.pi / EDGES)
    around = np.cos(angles)[None, :, None] * first[:, None] + np.sin(angles)[None, :, None] * second[:, None]
    tangents: Array = around[patches.owner]
    return tangents


def _units(assembly: Assembly, movable: Bools) -> tuple[float, float]:
    """Units of force, N, and length, m: a movable part's mean weight over PART_WEIGHT, and its mean reach."""
    chosen = movable if movable.any() else ~movable
    gravity = float(np.linalg.norm(assembly.gravity)) or 1.0
    weight = float(assembly.masses_kg[chosen].mean()) * gravity
    return weight / PART_WEIGHT, float(part_radii(assembly)[chosen].mean())


def _inverse_masses(assembly: Assembly, movable: Bools, force_n: float, length_m: float) -> Array:
    """(6 bodies, 6 bodies) M⁻¹ in scaled units: accelerations of g; bodies that never move weigh one unit."""
    inverse = np.eye(6 * len(assembly.bodies))
    mass = force_n / (float(np.linalg.norm(assembly.gravity)) or 1.0)
    for number in np.flatnonzero(movable):
        body = assembly.bodies[number]
        R = body.T_world_part[:3, :3]
        rows = slice(6 * number, 6 * number + 3), slice(6 * number + 3, 6 * number + 6)
        inverse[rows[0], rows[0]] *= mass / body.mass_kg
        inverse[rows[1], rows[1]] = np.linalg.inv(R @ body.inertia_part_kgm2 @ R.T / (mass * length_m**2))
    return inverse
