"""Whether a snap-fit structure stands, with forces or a motion as proof; prepared once, asked for many loads.

    solver = ClutchSolver(...)                          # one topology
    solver.screen(loads)                                # forces, or None: a closed form, no iterations
    solver.shifted(known, change)                       # forces from those for other loads, or None: likewise
    solver.feasible(loads, warm=last.forces)            # stable with forces | unstable with a motion | undecided
    solver.elastic(loads, strength)                     # forces of least energy
    solver.least_strength(loads)                        # exact factor, with forces and a motion that bracket it

Loads are (n, 6): force and torque about each body's centre of mass, world axes, N and N·m. Equilibrium of every
free body: Σ interface wrenches + load = 0. The stud brick of a clutch feels +w and −pressure·n, the hole brick the
opposite. A solver keeps workspace: use one a thread.
"""

# The kernels it calls are typed by numba.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array

from falsework.kernels.block_cholesky import solve_blocks
from falsework.kernels.block_parts import FactorParts, PartlyFactored
from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.clutches.falling import permit
from falsework.statics.clutches.interior import MAX_STEPS, interior, solve_interior
from falsework.statics.clutches.kinds import ClutchKinds
from falsework.statics.clutches.loose import Clusters, holding_weights, loose_clusters
from falsework.statics.clutches.network import Network, build
from falsework.statics.clutches.newton import COLD_HARDENING, CONVERGED, WARM_HARDENING, relax
from falsework.statics.clutches.program import solve_program
from falsework.statics.clutches.proposals import ClutchForces, ClutchMotion, Feasibility, LeastStrength
from falsework.statics.clutches.screen import joint_wrenches, largest_use, split_joints
from falsework.statics.clutches.slips import least_slips
from falsework.statics.clutches.springs import Answer, Springs, no_answer, springs
from falsework.statics.clutches.tangent import assemble

BALANCED = 1e-8  # imbalance of a body over the sum of all loads at which Newton's method stops,
OWN = 1e-7  # and over the least load of a body, by which it may be judged,
ROUNDED = 1e-13  # if that can be told from rounding
NEWTON_STEPS = 25
LOOKS = (5, 7)  # steps after which a motion is looked for, where any will do
SURE = 1e-3  # of what it gains: so much must be left over on such a motion
EXACT, ELASTIC = 1e-8, 1e-7  # relative gaps at which the interior-point method stops
LIMIT_START, ELASTIC_START = 30.0, 100.0  # size of its first slacks, of the largest load: fewest steps by trial
TRUSTED = 1e-6  # relative distance of forces and motion at which a least factor is called exact


class ClutchSolver:
    """Snap-fit bricks of one topology; only installed interfaces are passed in. Zero generators are padding."""

    def __init__(
        self,
        bodies: Ints,  # (k, 2) stud brick, hole brick
        frames: Array,  # (k, 4, 4) T_world_clutch
        kinds: ClutchKinds,
        kind: Ints,  # (k,)
        patch_bodies: Ints,  # (q, 2)
        patch_starts: Ints,  # (q + 1,)
        patch_points: Array,  # (p, 3)
        patch_generators: Array,  # (p, e, 3) force directions on the second body
        coms: Array,  # (n, 3)
        free: Bools,  # (n,)
    ) -> None:
        self.network: Network = build(
            bodies, frames, kinds, kind, patch_bodies, patch_starts, patch_points, patch_generators, coms, free
        )
        self.springs: Springs = springs(self.network)
        self._answer: Answer = no_answer(self.network)
        n, blocks = self.network.bodies, len(self.springs.frows)
        self._diagonal, self._lower = np.empty((n, 6, 6)), np.empty((blocks, 6, 6))
        self._where = np.empty(n, dtype=np.int64)
        self._factored, self._hardened = np.zeros(1, dtype=np.uint64), np.full(1, np.inf)

    @cached_property
    def balance(self) -> csc_array:
        """A of the network: wrenches on the free bodies per unknown, scaled."""
        return self.network.balance()

    @cached_property
    def _loose(self) -> Clusters:
        return loose_clusters(self.network)

    @cached_property
    def parts(self) -> FactorParts:
        """In which factors can be made."""
        return FactorParts.of(self.springs)

    @cached_property
    def for_screen(self) -> PartlyFactored:
        """The network with clutches that never yield and nothing pressed: to be factored before the screen is asked."""
        diagonal, lower = np.empty_like(self._diagonal), np.empty_like(self._lower)
        assemble(self.springs, no_answer(self.network), 0.0, 0.0, diagonal, lower)
        return PartlyFactored(self.parts, self.springs, diagonal, lower)

    def screen(self, loads: Array, strength: float = 1.0) -> ClutchForces | None:
        """A cheap certificate that it stands, or None: see `screen`."""
        if self._loose.count:
            return None
        wrenches, pressure, uses = self._split(loads)
        if uses.max(initial=0.0) > strength:
            return None
        return self.network.forces(wrenches, pressure, self._no_pushes())

    def screened(self, loads: Array) -> tuple[ClutchForces, Array]:
        """The screen's forces and (k,) the share of its strength that each joint needs.

        The forces balance the loads if everything hangs on a clutch: the screen knows nothing of contacts.
        """
        wrenches, pressure, uses = self._split(loads)
        return self.network.forces(wrenches, pressure, self._no_pushes()), uses

    def shifted(self, known: ClutchForces, change: Array, strength: float = 1.0) -> ClutchForces | None:
        """Forces for loads that differ by `change` from those that `known` balance, or None.

        The screen's forces for the change alone, added to the known ones: studs that only pull and faces that only
        press keep doing so in a sum, so only the sliding limits are left to look at.
        """
        network, kinds = self.network, self.network.kinds
        if self._loose.count:
            return None
        extra, pressure, _ = self._split(change)
        wrenches = known.clutch_wrenches / network.wrench_unit + extra
        if largest_use(network.kind, kinds.starts, kinds.rows, kinds.limits, wrenches) > strength:
            return None
        pressed = known.clutch_pressure + pressure * network.force_n
        return ClutchForces(wrenches * network.wrench_unit, pressed, known.patch_weights)

    def rebalanced(self, known: ClutchForces, loads: Array) -> ClutchForces:
        """Forces within the strength that balance loads but for rounding, from some that nearly do; else the same ones.

        Methods stop at a share of all loads, and a part is judged by its own, which in a large structure is less.
        """
        network = self.network
        wrenches, weights = known.clutch_wrenches / network.wrench_unit, known.patch_weights.ravel()[network.push_slot]
        x = np.concatenate(
            [wrenches.ravel(), known.clutch_pressure.ravel() / network.force_n, weights / network.force_n]
        )
        missing = np.zeros_like(loads)
        missing[network.free] = network.wrench_unit * (self.balance @ x).reshape(-1, 6) + loads[network.free]
        shifted = self.shifted(known, missing)
        return known if shifted is None else replace(shifted, start=known.start)

    def _split(self, loads: Array) -> tuple[Array, Array, Array]:
        """Bilateral elastic forces, each joint's turned into tension and pressure; and (k,) the use of every joint."""
        network, kinds, net = self.network, self.network.kinds, self.springs
        self.for_screen.finish()
        diagonal, lower = self.for_screen.diagonal, self.for_screen.lower
        x = network.scaled_loads(loads)[net.order]
        solve_blocks(network.bodies, net.fstarts, net.frows, diagonal, lower, x)
        wrenches, pressure = np.empty((network.clutches, 6)), np.zeros((network.clutches, 4))
        joint_wrenches(net.kind, net.pairs, net.gain, kinds.roots, x[net.place], wrenches)
        uses = np.empty(network.clutches)
        split_joints(
            *(network.kind, kinds.starts, kinds.rows, kinds.limits, kinds.pull, kinds.corners),
            *(wrenches, pressure, uses),
        )
        return wrenches, pressure, uses

    def _no_pushes(self) -> Array:
        return np.zeros(len(self.network.pushes))

    def feasible(
        self, loads: Array, strength: float = 1.0, warm: ClutchForces | None = None, *, any_motion: bool = False
    ) -> Feasibility:
        """Whether capacities × strength carry the loads.

        Newton's method on springs that yield finds forces if there are any. If it does not, the exact least
        strength decides, with a motion on which most is gained. Where `any_motion` that proves the fall will do, it is
        looked for on the way.
        """
        network, scaled = self.network, self.network.scaled_loads(loads)
        if not scaled.any():
            return Feasibility("stable", self._no_forces())
        if not self._loose.count or holding_weights(network, self._loose, self.balance, scaled)[1] is None:
            found = self._relaxed(loads, strength, warm, LOOKS if any_motion else (NEWTON_STEPS,))
            if found.status != "undecided":
                return found
        limit = self.least_strength(loads)
        if limit.status == "exact" and limit.factor <= strength:
            return Feasibility("stable", limit.forces)
        motion = limit.motion
        if motion is not None and motion.power > strength * motion.dissipation:
            return Feasibility("unstable", motion=motion)
        return Feasibility("undecided")

    def elastic(self, loads: Array, strength: float = 1.0) -> ClutchForces | None:
        """Forces of least energy ½Σ wᵀQw within capacities × strength (seed 000, eq. 13 and 16), or None.

        Pressed faces cost nothing. At the least strength itself there is no choice left, and no interior to
        search: ask for a little more than that (1 + 1e-6).
        """
        network, net = self.network, self.springs
        scaled = network.scaled_loads(loads)
        size = float(np.abs(scaled).max(initial=0.0))
        if size == 0.0 or not network.clutches:
            return self._no_forces() if size == 0.0 else self.least_strength(loads).forces
        it = interior(network, len(net.frows), ELASTIC_START)
        _, gap, _ = solve_interior(
            net, it, scaled / size, strength / size, 0.0, 1.0, ELASTIC, np.inf, MAX_STEPS, np.nan
        )
        if not gap < TRUSTED:
            return None
        return network.forces(self._wrenches(it.x) * size, it.p * size, it.weights * size)

    def least_strength(self, loads: Array) -> LeastStrength:
        """The least factor on all capacities with which it stands, with forces at it and a motion that proves it."""
        network, net = self.network, self.springs
        scaled = network.scaled_loads(loads)
        size = float(np.abs(scaled).max(initial=0.0))
        if size == 0.0:
            return LeastStrength("exact", 0.0, self._no_forces())
        if self._loose.count:
            weights, motion = holding_weights(network, self._loose, self.balance, scaled)
            if motion is not None:
                return LeastStrength("unbounded", float("nan"), motion=self._motion(motion, loads))
            if not network.clutches:
                return LeastStrength("exact", 0.0, self._no_forces(weights))
        it = interior(network, len(net.frows), LIMIT_START)
        cost = float(net.limits[network.row_local].sum())
        factor, gap, _ = solve_interior(net, it, scaled / size, 1.0, cost, 0.0, EXACT, np.inf, MAX_STEPS, np.nan)
        if gap < TRUSTED:
            forces = network.forces(self._wrenches(it.x) * size, it.p * size, it.weights * size)
            found = self._bracketed(factor * size, forces, self._motion(it.y, loads))
            if found.status == "exact":
                return found
        program = solve_program(network, self.balance, scaled)
        if program is None:
            return LeastStrength("undecided", float("nan"))
        forces = network.forces(program.wrenches, program.pressure, program.weights)
        return self._bracketed(program.factor, forces, self._motion(program.twists, loads))

    def slipping(self, twists: Array, loads: Array) -> ClutchMotion | None:
        """A motion (bodies, 6) of the free bodies with the slips that it takes; None if a clutch found none."""
        scaled = twists[self.network.free]
        scaled[:, 3:] *= self.network.length_m
        return self._motion(scaled, loads)

    def _relaxed(self, loads: Array, strength: float, warm: ClutchForces | None, looks: tuple[int, ...]) -> Feasibility:
        """Forces by Newton's method. Where several `looks` are asked for, each after so many more steps, a motion too
        if it shows there; where forces exist, the imbalance is seldom above the loads by then.
        """
        scaled, shape, steps = self.network.scaled_loads(loads), (self.network.bodies, 6), 0
        known = warm is not None and warm.start is not None and warm.start.shape == shape
        y = warm.start.copy() if known and warm is not None and warm.start is not None else np.zeros(shape)
        sizes = np.abs(scaled).max(axis=1)
        goal = float(np.clip(OWN * sizes[sizes > 0.0].min() / sizes.sum(), ROUNDED, BALANCED))
        for more in looks:
            status, taken = relax(
                *(self.springs, self._answer, scaled, strength, y, np.empty(shape), goal, more),
                *(np.full(1, WARM_HARDENING if known or steps else COLD_HARDENING), self._factored, self._hardened),
                *(self._diagonal, self._lower, self._where),
            )
            steps += taken
            if status == CONVERGED:
                return Feasibility("stable", self._answered(y), steps=steps)
            far = float(np.abs(self._answer.gradient).max()) > float(np.abs(scaled).max())
            motion = self.falling(y, loads) if far and len(looks) > 1 else None
            if motion is not None and (1.0 - SURE) * motion.power > strength * motion.dissipation:
                return Feasibility("unstable", motion=motion, steps=steps)
        return Feasibility("undecided", steps=steps)

    def falling(self, y: Array, loads: Array) -> ClutchMotion | None:
        """Scaled displacements (n, 6) as a motion that enters nothing, with its slips; None if there is none near."""
        motion = y.copy()
        diagonal, lower = np.empty_like(self._diagonal), np.empty_like(self._lower)
        return self._motion(motion, loads) if permit(self.springs, motion, diagonal, lower, self._where) else None

    def _answered(self, y: Array) -> ClutchForces:
        answer = self._answer
        return self.network.forces(self._wrenches(answer.x), answer.pressure, answer.weights, y)

    def _wrenches(self, x: Array) -> Array:
        wrenches: Array = np.einsum("kij,kj->ki", self.network.kinds.roots[self.network.kind], x)
        return wrenches

    def _no_forces(self, weights: Array | None = None) -> ClutchForces:
        k = self.network.clutches
        return self.network.forces(
            np.zeros((k, 6)), np.zeros((k, 4)), np.zeros(len(self.network.pushes)) if weights is None else weights
        )

    def _bracketed(self, factor: float, forces: ClutchForces, motion: ClutchMotion | None) -> LeastStrength:
        """Exact when the motion proves the factor from below; next to nothing needs no proof, as 0 is below it."""
        factor = max(factor, 0.0)
        if factor <= TRUSTED:
            return LeastStrength("exact", factor, forces, motion)
        if motion is None or motion.power < factor * (1.0 - TRUSTED) * motion.dissipation - 1e-12:
            return LeastStrength("undecided", float("nan"), forces, motion)
        return LeastStrength("exact", factor, forces, motion)

    def _relative(self, twists: Array) -> Array:
        """(k, 6) how hole bricks move against stud bricks, in the clutches' axes: −Aᵀ of scaled twists (n, 6)."""
        network = self.network
        moving = np.concatenate([twists, np.zeros((1, 6))])[network.number[network.pairs]]  # (k, 2, 6)
        ways = np.stack([moving[..., :3] + np.cross(moving[..., 3:], network.arms), moving[..., 3:]], axis=2)
        seen: Array = (ways[:, 1] - ways[:, 0]) @ network.turn  # (k, 2, 3)
        return seen.reshape(-1, 6)

    def _motion(self, scaled: Array, loads: Array) -> ClutchMotion | None:
        """The motion with its slips, of unit size; None if a clutch found none."""
        network, kinds = self.network, self.network.kinds
        scaled = scaled / max(float(np.abs(scaled).max(initial=0.0)), 1e-300)
        relative = self._relative(scaled)
        thinned = np.zeros(len(network.row_slot))
        if not least_slips(network.kind, kinds.starts, kinds.rows, kinds.limits, relative, thinned):
            return None
        slips = np.zeros(network.all_rows)
        slips[network.row_slot] = thinned
        twists = network.twists(scaled)
        dissipation = float(kinds.limits[network.row_local] @ thinned) * network.force_n
        return ClutchMotion(twists, slips, float((loads[network.free] * twists[network.free]).sum()), dissipation)
