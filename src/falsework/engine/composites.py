"""Groups of parts as single rigid bodies: a scene that can be partitioned anew while it runs.

A group is one free body, or stands still, and its parts keep their places in its frame for good. Studs collide as one
flat slab a part, so that a loose brick rests on them, or each for itself, where parts are hollow. *Seated* parts pass
through studs: those that they were broken off are still in their holes. Anything else that an MJCF file describes can
share the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.engine import stepping
from falsework.engine.contact import ContactSettings
from falsework.engine.contact_forces import Touches, touches
from falsework.engine.foresight import Ahead, Foresight
from falsework.engine.geoms import Pieces, write_shape
from falsework.engine.groups import EngineState, Group, Solid
from falsework.engine.hand_welds import HandWeld, add_weld
from falsework.engine.handles import OURS
from falsework.engine.heft import Heft
from falsework.engine.library import mujoco
from falsework.engine.partly_seated import Grip, add_grip, let_go
from falsework.engine.rails import guided_wrench, let_slip, resist_turning, room_m
from falsework.engine.rigid import set_inertia
from falsework.engine.scene_file import SceneFile, carry_over
from falsework.engine.sleep import Contacts, Sleepers
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.errors import Undecided
from falsework.model.poses import inverse, to_quaternion, to_rotation

# Who collides: (contype, conaffinity). Two shapes do if a bit of one's first is in the other's second.
BODY, STUDS, SEATED = (1, 7), (2, 1), (4, 5)
NAMED = 6  # parts that a message names
GRIPPING = "gripping studs"  # whose friction counts, whatever they touch
FEW_PAIRS = 2000  # of shapes of two bodies: up to here they are compared one by one


def _looks(solid: Solid) -> tuple[tuple[str, float, tuple[int, int]], tuple[str, float, tuple[int, int]]]:
    """How a part's pieces and its studs collide: a name, their friction, and with whom."""
    studs = ("studs", solid.friction) if solid.grip is None else (GRIPPING, solid.grip)
    return ("body", solid.friction, BODY), (*studs, STUDS)


class Composites:
    """A MuJoCo scene of groups; `partition` may be called again at any time."""

    def __init__(
        self,
        solids: Sequence[Solid],
        gravity: Array,
        settings: ContactSettings,
        floor: tuple[float, float] | None = None,  # height in m, friction
        mjcf: SceneFile | str | Path | None = None,
        names: Sequence[str] | None = None,  # of the parts, for messages
    ) -> None:
        self.solids, self.settings = tuple(solids), settings
        self.names = tuple(names) if names is not None else tuple(str(part) for part in range(len(solids)))
        self._base = (mjcf if isinstance(mjcf, SceneFile) else SceneFile.read(mjcf)).prepare(settings, gravity)
        for name, friction, (first, second) in dict.fromkeys(look for solid in solids for look in _looks(solid)):
            made = self._base.add_default(f"{name} {friction!r}", self._base.default)
            settings.write_box(made.geom, friction)
            made.geom.contype, made.geom.conaffinity = first, second
            made.geom.priority = int(name == GRIPPING)
        if floor is not None:
            plane = self._base.worldbody.add_geom(type=mujoco().mjtGeom.mjGEOM_PLANE, priority=1)
            plane.pos, plane.size = (0.0, 0.0, floor[0]), (0.0, 0.0, 1.0)
            settings.write(plane, floor[1])
            plane.contype, plane.conaffinity = BODY
        self.model: Any = None
        self.data: Any = None
        self.groups: tuple[Group, ...] = ()
        self.group_of: Ints = np.full(len(solids), -1)  # of each part
        self.welds: tuple[HandWeld, ...] = ()
        self.pushed = False
        self.once_touching: list[Callable[[], object]] = []  # called in every step, once its contacts are known
        self.guided: dict[int, Array] = {}
        self.last: tuple[Ahead | None, float] = (None, settings.step_s)  # what was ahead in the last step
        self.left_at: Array | None = None  # where the last step left everything
        self.accepted_m = 0.0  # the overlap that was there when something was moved from outside
        self._pieces = Pieces([(*one.pieces, *one.studs) for one in solids])

    def partition(
        self,
        groups: Sequence[Group],
        T_group_part: Array,
        hidden: tuple[Bools, Bools] | None = None,
        grips: Sequence[Grip] = (),
        welds: Sequence[HandWeld] = (),
    ) -> None:
        """New bodies for the parts; whatever else is in the scene goes on as it was.

        `hidden` (parts,) are parts whose solids, and whose studs, nothing can touch: they need not collide. `grips` are
        between parts of different groups, `welds` between parts and hands of the scene's file.
        """
        self._pieces.place(T_group_part)
        spec = self._base.copy()
        owner: list[int] = []
        solid: list[bool] = []
        for number, group in enumerate(groups):
            self._add(spec, f"{OURS}group {number}", group, hidden, owner, solid)
            self.group_of[group.members] = number
        self._add_grips(spec, groups, T_group_part, grips)
        self.welds = tuple(welds)
        for weld in welds:
            number = int(self.group_of[weld.part])
            there = inverse(T_group_part[weld.part])
            there[:3, 3] += there[:3, :3] @ groups[number].origin_m
            add_weld(spec, weld, f"{OURS}group {number}", there, self.settings)
        before = self.model, self.data
        self.model = spec.compile()
        self._choose_midphase()
        if self.settings.sleeping:
            Sleepers.allow(self.model)
        self._number_shapes(owner, solid)
        self._number_bodies(groups)
        self._begin()
        if before[1] is not None:
            carry_over(before, (self.model, self.data), int(self._free.sum()), len(groups))
        self.move(self._still_poses, np.array([group.twist for group in groups]).reshape(-1, 6))

    def _add_grips(self, spec: Any, groups: Sequence[Group], T_group_part: Array, grips: Sequence[Grip]) -> None:
        def place(part: int, point_m: Array) -> tuple[Any, Array]:
            number, pose = int(self.group_of[part]), T_group_part[part]
            return spec.body(f"{OURS}group {number}"), pose[:3, :3] @ point_m + pose[:3, 3] - groups[number].origin_m

        self._grips = {(grip.first, grip.second): number for number, grip in enumerate(grips)}
        for number, grip in enumerate(grips):
            first, second = (
                groups[self.group_of[part]].T_world_group @ T_group_part[part] for part in (grip.first, grip.second)
            )
            add_grip(spec, grip, number, np.linalg.inv(first) @ second, place, self.settings.step_s)

    def keep_grips(self, pairs: Container[tuple[int, int]]) -> None:
        """Let go of all grips but those between these parts."""
        for pair, number in self._grips.items():
            if pair not in pairs:
                let_go(self.model, number)

    def _number_shapes(self, owner: list[int], solid: list[bool]) -> None:
        """Ours come last: the part of each, and whether it is one of its solids or its studs."""
        others = self.model.ngeom - len(owner)
        self._part_of_geom = np.concatenate([np.full(others, -1), np.array(owner, dtype=np.int64)])
        self._is_body = np.concatenate([np.zeros(others, dtype=bool), np.array(solid, dtype=bool)])

    def _number_bodies(self, groups: Sequence[Group]) -> None:
        """Where the groups are in the engine's arrays; ours come last there too."""
        self.groups = tuple(groups)
        names = [f"{OURS}group {number}" for number in range(len(groups))]
        self._ids = np.array([self.model.body(name).id for name in names], dtype=np.int64)
        self._free = np.array([not group.still for group in groups], dtype=bool)
        self._row_of = np.where(self._free, np.cumsum(self._free) - 1, -1)  # of each group among the free ones
        free = int(self._free.sum())
        self._q0, self._v0 = self.model.nq - 7 * free, self.model.nv - 6 * free
        self._coms = np.array([group.com_m for group in groups]).reshape(-1, 3)
        self.inertias = np.array([group.inertia_kgm2 for group in groups]).reshape(-1, 3, 3)[self._free]
        self._still_poses = np.array([group.T_world_group for group in groups]).reshape(-1, 4, 4)
        moving = self._ids[self._free]
        self.foresight = Foresight(self.model, moving, self._part_of_geom >= 0)
        masses = np.array([group.mass_kg for group in groups])[self._free]
        self.heft = Heft(self.model, moving, masses, self.inertias, self.foresight.radii[moving])

    def _begin(self) -> None:
        """Workspace of the engine, everything awake."""
        self.data = mujoco().MjData(self.model)
        self.sleepers = Sleepers(self.model, self.data)
        self.bodies_q = self.data.qpos[self._q0 :].reshape(-1, 7)  # views into the engine's own arrays
        self.bodies_v = self.data.qvel[self._v0 :].reshape(-1, 6)

    def _choose_midphase(self) -> None:
        """Trees of bounding boxes pay off between bodies of many shapes only."""
        largest = np.sort(self.model.body_geomnum)[-2:].astype(float)
        if largest.prod() < FEW_PAIRS:
            self.model.opt.disableflags |= int(mujoco().mjtDisableBit.mjDSBL_MIDPHASE)

    def _add(
        self,
        spec: Any,
        name: str,
        group: Group,
        hidden: tuple[Bools, Bools] | None,
        owner: list[int],
        solid: list[bool],
    ) -> None:
        T, origin = group.T_world_group, group.origin_m
        body = spec.worldbody.add_body(name=name)
        body.pos, body.quat = T[:3, :3] @ origin + T[:3, 3], to_quaternion(T[:3, :3])
        if not group.still:
            body.add_freejoint()
            set_inertia(body, group.mass_kg, np.zeros(3), group.inertia_kgm2)
        for part in group.members.tolist():
            one = self.solids[part]
            bodies, studs = (spec.find_default(f"{name} {friction!r}") for name, friction, _ in _looks(one))
            for count, (piece, place, turn) in enumerate(self._pieces.placed[part]):
                is_body = count < len(one.pieces)
                if hidden is not None and hidden[0 if is_body else 1][part]:
                    continue
                geom = body.add_geom(bodies if is_body else studs)
                geom.pos, geom.quat = place - origin, turn
                write_shape(geom, piece, spec, f"{OURS}{part}#{count}", self.settings)
                owner.append(part)
                solid.append(is_body)

    def seat(self, parts: Iterable[int]) -> None:
        """The parts that pass through studs from now on, until the next partition."""
        self.left_at = None
        there = self._is_body & np.isin(self._part_of_geom, list(parts))
        for flags, column in ((self.model.geom_contype, 0), (self.model.geom_conaffinity, 1)):
            flags[self._is_body] = BODY[column]
            flags[there] = SEATED[column]

    @property
    def free(self) -> Bools:
        """(groups,) whether a group can move."""
        return self._free

    def poses(self) -> Array:
        """(groups, 4, 4) T_world_group now."""
        poses = self._still_poses.copy()
        q = self.bodies_q
        turn = to_rotation(q[:, 3:])
        poses[self._free, :3, :3] = turn
        poses[self._free, :3, 3] = q[:, :3] - np.einsum("nij,nj->ni", turn, self._coms[self._free])
        return poses

    def twists(self) -> Array:
        """(groups, 6) velocity of the centre of mass and angular velocity, world axes, now."""
        twists = np.zeros((len(self.groups), 6))
        q, v = self.bodies_q, self.bodies_v
        twists[self._free, :3] = v[:, :3]
        twists[self._free, 3:] = np.einsum("nij,nj->ni", to_rotation(q[:, 3:]), v[:, 3:])
        return twists

    def motion(self, group: int) -> tuple[Array, Array, Array]:
        """Rotation (3, 3), centre of mass (3,) and twist (6,) of one group now; see `poses` and `twists`."""
        row = int(self._row_of[group])
        if row < 0:
            pose = self._still_poses[group]
            return pose[:3, :3], pose[:3, :3] @ self._coms[group] + pose[:3, 3], np.zeros(6)
        q, v = self.bodies_q[row], self.bodies_v[row]
        turn = to_rotation(q[None, 3:])[0]
        return turn, q[:3].copy(), np.concatenate([v[:3], turn @ v[3:]])

    def move(self, T_world_group: Array, twists: Array) -> None:
        """Put the free groups there, with these velocities (as `twists` gives them)."""
        turn = T_world_group[self._free, :3, :3]
        q, v = self.bodies_q, self.bodies_v
        q[:, :3] = T_world_group[self._free, :3, 3] + np.einsum("nij,nj->ni", turn, self._coms[self._free])
        q[:, 3:] = np.array([to_quaternion(one) for one in turn]).reshape(-1, 4)
        v[:, :3] = twists[self._free, :3]
        v[:, 3:] = np.einsum("nji,nj->ni", turn, twists[self._free, 3:])

    def guide(self, group: int, turn: Array, centre_m: Array, velocity: Array) -> None:
        """Put one group there, its centre of mass with this velocity, without spin; nothing if it stands still."""
        row = int(self._row_of[group])
        if row >= 0:
            self.bodies_q[row] = (*centre_m, *to_quaternion(turn))
            self.bodies_v[row] = (*velocity, 0.0, 0.0, 0.0)

    def slip(self, group: int) -> None:
        """Until the next partition let a group slide past others; see `rails.let_slip`."""
        let_slip(self.model, self.model.geom_bodyid == self._ids[group])

    def state(self) -> EngineState:
        """To go back to with `set_state`."""
        kind = int(mujoco().mjtState.mjSTATE_INTEGRATION)
        values = np.zeros(mujoco().mj_stateSize(self.model, kind))
        mujoco().mj_getState(self.model, self.data, values, kind)
        return EngineState(values, self.sleepers.saved())

    def set_state(self, state: EngineState) -> None:
        """As it was, with the same partition."""
        self._set_values(state.values)
        mujoco().mj_forward(self.model, self.data)  # what sleeps is not placed anew by the next step
        self._set_values(state.values)
        self.sleepers.go_back(state.slept)

    def _set_values(self, values: Array) -> None:
        mujoco().mj_setState(self.model, self.data, values, int(mujoco().mjtState.mjSTATE_INTEGRATION))

    def push(self, wrenches: Array | None, guided: Mapping[int, Array] = MappingProxyType({})) -> None:
        """(groups, 6) forces and torques about the centres of mass, world axes, for the next steps; None for none.

        `guided` are lines (3,), of unit length, along which alone some groups move.
        """
        if wrenches is None and not (self.pushed or self.guided or guided):
            return
        if self.guided:
            self.model.dof_frictionloss[self._v0 :] = 0.0
        self.guided = {group: line for group, line in guided.items() if self._row_of[group] >= 0}
        if self.guided:
            wrenches = np.zeros((len(self.groups), 6)) if wrenches is None else wrenches.copy()
            for group, line in self.guided.items():
                resist_turning(self.model, self.first_dof(group), self.settings.step_s)
                weight = self.groups[group].mass_kg * self.model.opt.gravity
                wrenches[group] = guided_wrench(wrenches[group], weight, line)
        if wrenches is not None:
            self.data.xfrc_applied[self._ids] = wrenches
        elif self.pushed:
            self.data.xfrc_applied[self._ids] = 0.0
        self.heft.take(None if wrenches is None else wrenches[self._free])
        self.pushed = wrenches is not None

    @property
    def is_at_rest(self) -> bool:
        """Nothing moves and nobody pushes, and nothing else is there that could."""
        return self.sleepers.all_asleep and not self.pushed and not self.foresight.others

    @property
    def nothing_new(self) -> bool:
        """Every part sleeps, and what else moves touches none."""
        return self.sleepers.all_asleep or (self.foresight.others and self.sleepers.untouched)

    def kept_by_hands(self, group: int) -> tuple[Array, Array] | None:
        """(6,) what hands that push a group kept for themselves in the last step, and the centre (3,) it is about."""
        row = int(self._row_of[group])
        wrench = None if row < 0 else self.heft.reaction(row, self.data)
        return None if wrench is None else (wrench, self.data.xpos[self._ids[group]].copy())

    def step(self) -> None:
        """One step of `settings.step_s`; contacts and `began` are those it began with, or its last part did."""
        for _ in self.steps():
            pass

    def steps(self, prepare: Callable[[], None] | None = None) -> Iterator[tuple[float, bool]]:
        """One step, whole or in parts; see `stepping.steps`."""
        return stepping.steps(self, prepare)

    def overlap_m(self) -> float:
        """The farthest that a part is inside of another, or of anything else, now."""
        after = self.foresight.look_back(self.data, self.settings.step_s, self.heft.acceleration_m_s2)
        return after.deepest(self.foresight.ours)[0]

    def wake_all(self) -> None:
        """Begin anew from the same state with everything awake."""
        before = self.state().values
        self._begin()
        self._set_values(before)

    def room(self, group: int, line: Array) -> tuple[Array, float, float]:
        """Where the centre (3,) of a group began the last step, how far it could go along a line, how long it took."""
        (ahead, step_s), body = self.last, int(self._ids[group])
        return self.data.xpos[body], np.inf if ahead is None else room_m(ahead, self.model, body, line), step_s

    def first_dof(self, group: int) -> int:
        """Of a group that can move: where the engine's velocities of it begin."""
        return int(self._v0 + 6 * self._row_of[group])

    def told(self, geom: int) -> str:
        """Whose shape it is, for messages."""
        part = int(self._part_of_geom[geom])
        return f"part {self.names[part]}" if part >= 0 else self.model.geom(geom).name or "the scene"

    def refuse_lost(self, names: Sequence[str]) -> None:
        """Undecided if the engine has lost a body: a NaN goes on through every later step. `names` are the parts'."""
        if np.isfinite(self.data.qpos).all() and np.isfinite(self.data.qvel).all():
            return
        gone = ~(np.isfinite(self.bodies_q).all(axis=1) & np.isfinite(self.bodies_v).all(axis=1))
        groups = np.flatnonzero(self._free)[gone].tolist()
        parts = sorted(int(part) for group in groups for part in self.groups[group].members)
        told = ", ".join(names[part] for part in parts[:NAMED]) + (", …" if len(parts) > NAMED else "")
        what = f"a body of parts {told}" if parts else "a body of the scene"
        raise Undecided(f"the engine lost {what} at {self.data.time:.4g} s; softer contacts or smaller forces may help")

    def began(self) -> tuple[Array, Array, Array]:
        """Where the last step began, of the engine's bodies: rotations (9), places (3), spins and velocities (6)."""
        return self.data.xmat, self.data.xpos, self.data.cvel

    def contact_arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The contacts of the last step, those of sleeping bodies included: see `absorb` of the brick world."""
        return Contacts.of(self.data).together(self.sleepers.kept).arrays()

    @property
    def numbering(self) -> tuple[Ints, Ints]:
        """The part of each geom (−1: none), and the engine's body of each group."""
        return self._part_of_geom, self._ids

    def touches(self) -> Touches:
        """Contacts between parts (−1: anything else) that acted during the last step."""
        return touches(self.data, self._part_of_geom)
