"""A world of snap-fit bricks that can be stepped, pushed and watched.

>>> world = World(falsework.load("tower.txt"))
>>> world.on_break.append(print)
>>> world.apply_force("7", (0, 0, 3.0))
>>> world.step()

Every connected component is one rigid body of the engine. After each frame of the engine the breakage detector looks at
the loads of every component and the assembly monitor at what is pressed together; both change the topology, and the
engine goes on with new bodies that have the poses and the momentum of the old ones.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from falsework.brickworld.engagement import engagement, is_clear
from falsework.brickworld.events import Break, Join, Overloaded
from falsework.brickworld.grouping import Grouping
from falsework.brickworld.loads import Applied, LoadRecorder
from falsework.brickworld.mechanics import GroupMechanics, Overload, Screen
from falsework.brickworld.monitor import PressMonitor
from falsework.brickworld.pushes import Push, Spring, Steady
from falsework.brickworld.settings import Settings
from falsework.brickworld.snapshots import Snapshot
from falsework.brickworld.solids import floor, solids
from falsework.brickworld.topology import Connection
from falsework.engine.composites import Composites
from falsework.geometry.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.interfaces import Interfaces

NO_FORCES = Applied.none()
CLEARED = 4  # frames after which bricks that came off are asked whether they have left the studs


@dataclass(slots=True)
class FrameTime:
    """Where one frame's wall time went, ms."""

    physics: float = 0.0
    mechanics: float = 0.0
    topology: float = 0.0

    @property
    def total(self) -> float:
        return self.physics + self.mechanics + self.topology

    @contextmanager
    def spent_on(self, what: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        setattr(self, what, getattr(self, what) + 1e3 * (time.perf_counter() - start))


class World:
    """Bricks, and whatever else is in the assembly or in an MJCF file, in one scene."""

    def __init__(
        self,
        assembly: Assembly,
        settings: Settings | None = None,
        *,
        found: Interfaces | None = None,
        mjcf: str | Path | None = None,
    ) -> None:
        if assembly.hinges:
            raise BadInput("a brick world knows no hinges; take them out, or use collapse")
        self.assembly = assembly
        self.settings = settings or Settings()
        self.grouping = Grouping(assembly, interfaces(assembly) if found is None else found)
        self.scene = Composites(solids(assembly), assembly.gravity, self.settings.contact, floor(assembly), mjcf)
        is_brick = np.array([kind is not None for kind in self.grouping.kinds])
        count = len(assembly.bodies)
        self._recorder = LoadRecorder(count, self.settings.window_steps, self.settings.substeps)
        self._monitor = PressMonitor(is_brick, self.settings.join.press_frames, self.settings.substeps)
        self._mechanics: dict[bytes, GroupMechanics] = {}
        self._keys: list[bytes] = []
        self._screen: Screen | None = None
        self.engaged: set[tuple[int, int]] = set()  # stud brick, hole brick: apart, but studs still in their holes
        self.pushes: list[Push] = [self._steady(one.part, one.force_n, one.point_m) for one in assembly.loads]
        self._once: list[Push] = []
        self.on_break: list[Callable[[Break], object]] = []
        self.on_join: list[Callable[[Join], object]] = []
        self.frames = 0
        self._regroup()

    # What there is

    @property
    def time_s(self) -> float:
        return float(self.scene.data.time)

    @property
    def bricks(self) -> tuple[str, ...]:
        """Names of the bricks, the ground not counted."""
        pairs = zip(self.assembly.parts, self.grouping.kinds, strict=False)
        return tuple(part.name for part, kind in pairs if kind is not None)

    @property
    def connections(self) -> list[tuple[str, str]]:
        """Stud brick and hole brick of every connection."""
        return [self._names(one) for _, one in sorted(self.grouping.topology.connections.items())]

    @property
    def components(self) -> list[list[str]]:
        """Names of the parts that hang together, the ground included with what it carries."""
        names = [body.name for body in self.assembly.bodies]
        return [[names[n] for n in members.tolist()] for members in self.grouping.topology.components]

    def poses(self) -> Array:
        """(bodies, 4, 4) T_world_part now."""
        return self.scene.poses()[self.grouping.group_of] @ self.grouping.local

    def velocities(self) -> Array:
        """(bodies, 6) velocity of the centre of mass and angular velocity of every part, world axes."""
        groups = self.grouping.group_of
        twists = self.scene.twists()[groups]
        turn = self.scene.poses()[groups, :3, :3]
        centres = np.array([group.com_m for group in self.scene.groups])[groups]
        arms = np.einsum("nij,nj->ni", turn, self.grouping.masses.com_m - centres)
        twists[:, :3] += np.cross(twists[:, 3:], arms)
        return twists

    # What one can do to it

    def apply_force(
        self,
        name: str,
        force_n: npt.ArrayLike,
        point_m: npt.ArrayLike | None = None,
        torque_nm: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """A force during the next frame, at a point of the world as it is now, or at the centre of mass."""
        self._once.append(self._steady(name, force_n, point_m, torque_nm))

    def drag(
        self,
        name: str,
        target_m: npt.ArrayLike,
        point_m: npt.ArrayLike | None = None,
        stiffness_n_m: float = 100.0,
        damping_ns_m: float = 1.0,
    ) -> Spring:
        """Pull a part toward a target with a damped spring, as a mouse does, until `release`."""
        part = self.number(name)
        spring = Spring(part, self._on_part(part, point_m), np.asarray(target_m, float), stiffness_n_m, damping_ns_m)
        self.pushes.append(spring)
        return spring

    def release(self, push: Push) -> None:
        """End a push that was added."""
        self.pushes.remove(push)

    def run(self, seconds: float, progress: Callable[[int, int], None] | None = None) -> None:
        """Whole frames, at least as long as asked."""
        count = int(np.ceil(seconds / self.settings.frame_s - 1e-9))
        for number in range(count):
            self.step()
            if progress is not None:
                progress(number + 1, count)

    def prepare(self) -> None:
        """Load machine code and factor everything now, rather than during the first frames."""
        still = (self.scene.contact_arrays(), self.scene.began(), Applied.none())
        kept = self._recorder.saved()
        self._recorder.record(*still)
        self._recorder.go_back(kept)
        for mechanics in self._mechanics.values():
            mechanics.prepare()

    def step(self) -> FrameTime:
        """One frame: the engine's steps, then what breaks, then what joins."""
        spent, clock = FrameTime(), time.perf_counter
        for _ in range(self.settings.substeps):
            start = clock()
            applied = self._push()
            self.scene.step()
            stepped = clock()
            self._monitor.observe(*self._recorder.record(self.scene.contact_arrays(), self.scene.began(), applied))
            spent.physics += 1e3 * (stepped - start)
            spent.mechanics += 1e3 * (clock() - stepped)
        self.scene.refuse_lost()
        self._once.clear()
        self.frames += 1
        broken: list[Break] = []
        joined: list[Join] = []
        if self.settings.breaking:
            with spent.spent_on("mechanics"):
                found = self._overloads()
            with spent.spent_on("topology"):
                broken = self._break(found)
        if self.settings.joining:
            with spent.spent_on("topology"):
                joined = self._join()
        if self.engaged and self.frames % CLEARED == 0:
            with spent.spent_on("topology"):
                self._clear_engaged()
        for event in broken:
            for tell in self.on_break:
                tell(event)
        for closed in joined:
            for say in self.on_join:
                say(closed)
        return spent

    def snapshot(self) -> Snapshot:
        """Everything, to `restore` later."""
        return Snapshot(
            self.frames,
            self.time_s,
            copy.copy(self.grouping),
            self.scene.state(),
            self._recorder.saved(),
            self._monitor.saved(),
            frozenset(self.engaged),
            tuple(self.pushes),
            self.poses(),
            self.velocities(),
        )

    def restore(self, taken: Snapshot) -> None:
        """Go back: from here on everything happens as it did from there."""
        if taken.grouping.assembly is not self.assembly:
            raise BadInput("the snapshot is of another assembly; restore it in a world of the same one")
        self.frames, self.grouping = taken.frames, copy.copy(taken.grouping)
        self.engaged, self.pushes = set(taken.engaged), list(taken.pushes)
        self._once.clear()
        self._regroup()
        self.scene.set_state(taken.engine)
        self._recorder.go_back(taken.records)
        self._monitor.go_back(taken.pressed)

    # Pushing

    def _steady(
        self,
        name: str,
        force_n: npt.ArrayLike,
        point_m: npt.ArrayLike | None,
        torque_nm: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> Steady:
        part = self.number(name)
        return Steady(part, self._on_part(part, point_m), np.asarray(force_n, float), np.asarray(torque_nm, float))

    def number(self, name: str) -> int:
        """The body of that name."""
        if name not in self.assembly.index:
            raise BadInput(f"there is no part {shown(name)}; {did_you_mean(name, self.assembly.index)}")
        return self.assembly.index[name]

    def _on_part(self, part: int, point_m: npt.ArrayLike | None) -> Array:
        """A point of the world in a part's frame; the centre of mass if none is given."""
        if point_m is None:
            return self.assembly.bodies[part].com_part_m
        pose = self.poses()[part] if self.scene.data is not None else self.assembly.poses[part]
        local: Array = pose[:3, :3].T @ (np.asarray(point_m, float) - pose[:3, 3])
        return local

    def _push(self) -> Applied:
        """The forces of this moment, given to the engine."""
        pushes = [*self.pushes, *self._once]
        if not pushes:
            self.scene.push(None)
            return NO_FORCES
        parts = np.array([push.part for push in pushes], dtype=np.int64)
        groups = self.grouping.group_of[parts]
        poses = self.scene.poses()[groups]
        twists = self.scene.twists()[groups]
        places = poses @ self.grouping.local[parts]
        points = np.array(
            [pose[:3, :3] @ push.point_part + pose[:3, 3] for pose, push in zip(places, pushes, strict=True)]
        )
        com = np.array([self.scene.groups[g].com_m for g in groups.tolist()])
        centres = np.einsum("nij,nj->ni", poses[:, :3, :3], com) + poses[:, :3, 3]
        speeds = twists[:, :3] + np.cross(twists[:, 3:], points - centres)
        now = self.time_s
        rows = zip(pushes, points, speeds, strict=True)
        wrenches = np.array([push.wrench(now, point, speed) for push, point, speed in rows])
        forces, torques = wrenches[:, :3], wrenches[:, 3:]
        total = np.zeros((len(self.scene.groups), 6))
        np.add.at(total, groups, np.concatenate([forces, torques + np.cross(points - centres, forces)], axis=1))
        self.scene.push(total)
        return Applied(parts, forces, points, torques)

    # Breaking

    def _overloads(self) -> list[tuple[int, Overload, int]]:
        """Groups whose clutches cannot carry their loads, with the end of the window that shows it."""
        loads, ends = self._recorder.window_means()
        if self._screen is not None and self._screen.carries(loads):
            return []
        found = []
        for group, key in enumerate(self._keys):
            mechanics = self._mechanics[key]
            if ends[group] < 0 or not len(mechanics.joints.numbers):
                continue
            over = mechanics.overload(loads[mechanics.members])
            if over is not None and len(over.cut):
                found.append((group, over, int(ends[group])))
        if self._screen is None and not found:
            self._screen = self._whole_screen()
        return found

    def _whole_screen(self) -> Screen | None:
        """One screen for all groups, once they have lasted a frame; one group alone is its own."""
        grouping = self.grouping
        joined = [key for key in self._keys if len(self._mechanics[key].joints.numbers)]
        if len(joined) < 2:
            return None
        anchors = np.array([bunch.members[0] for bunch in grouping.bunches if not bunch.still], dtype=np.int64)
        held = grouping.fixed.copy()
        held[anchors] = True
        return Screen(grouping.joints, grouping.clutch_kinds, grouping.masses.com_m, held)

    def _break(self, found: list[tuple[int, Overload, int]]) -> list[Break]:
        if not found:
            return []
        events = []
        self.grouping.update(self.scene.poses(), self.scene.twists())
        for group, over, end in sorted(found, key=lambda one: -one[0]):  # later groups keep their numbers
            mechanics = self._mechanics[self._keys[group]]
            numbers = mechanics.joints.numbers[over.cut].tolist()
            parted = [self.grouping.topology.connections[number] for number in numbers]
            events.append(self._event(group, over, end, parted, mechanics))
            self.engaged.update((one.stud, one.hole) for one in parted)
            self.grouping.split(group, numbers)
        self._regroup()
        return events[::-1]

    def _event(
        self, group: int, over: Overload, end: int, parted: list[Connection], mechanics: GroupMechanics
    ) -> Break:
        """When the motion first gained more than the clutches take up, and with what force."""
        recorder, members = self._recorder, mechanics.members
        ends = recorder.ends(group).tolist()
        powers = [over.power(recorder.loads(group, members, one)) for one in ends]
        first = next((k for k, power in enumerate(powers) if power > over.dissipation), ends.index(end))
        ahead = 0.0  # share of a step by which the limit was passed before that window's end
        if first > 0 and powers[first] > powers[first - 1]:
            ahead = min(1.0, max(0.0, (powers[first] - over.dissipation) / (powers[first] - powers[first - 1])))
        pushed = recorder.applied(group, ends[first])
        if ahead:
            pushed += ahead * (recorder.applied(group, ends[first - 1]) - pushed)
        loads = recorder.loads(group, members, end)
        names = [body.name for body in self.assembly.bodies]
        fixed = self.grouping.fixed
        cause = Overloaded(
            tuple(names[n] for n in members),
            self.grouping.local[members],
            loads,
            over.twists,
            over.dissipation,
            tuple(names[n] for n in members if fixed[n]),
            self.grouping.bunches[group].T_world_group,
        )
        return Break(
            self.time_s - (ends[first] + ahead) * self.settings.step_s,
            tuple(self._names(one) for one in parted),
            over.utilization if np.isfinite(over.utilization) else None,
            pushed if pushed > 0 else self._through(mechanics, over, loads),
            cause,
        )

    def _through(self, mechanics: GroupMechanics, over: Overload, loads: Array) -> float:
        """The force that had to go through the cut: the resultant of the loads on one side of it."""
        side = mechanics.side(over.cut)
        return float(np.linalg.norm(loads[side, :3].sum(axis=0)))

    # Joining

    def _join(self) -> list[Join]:
        rules, kinds = self.settings.join, self.grouping.kinds
        pressed = self._monitor.pressed(rules.press_n)
        if not pressed:
            return []
        poses = self.poses()
        events: list[Join] = []
        for first, second, force in pressed:
            if self.grouping.group_of[first] == self.grouping.group_of[second]:
                continue
            for stud, hole, push in ((first, second, force), (second, first, -force)):
                along = float(push @ poses[stud, :3, 2])
                lower, upper = kinds[stud], kinds[hole]
                if along < rules.press_n or (stud, hole) in self.engaged or lower is None or upper is None:
                    continue
                relative = np.linalg.inv(poses[stud]) @ poses[hole]
                found = engagement(relative, lower, upper, rules, (stud, hole))
                event = None if found is None else self._snap(found, along)
                if event is not None:
                    events.append(event)
                    poses = self.poses()
        return events

    def _snap(self, found: Connection, force_n: float) -> Join | None:
        self.grouping.update(self.scene.poses(), self.scene.twists())
        numbers = self.grouping.join(found)
        if numbers is None:
            return None
        closed = [self.grouping.topology.connections[number] for number in numbers]
        self.engaged -= {(one.stud, one.hole) for one in closed}
        self._regroup()
        self._monitor.forget()
        return Join(self.time_s, tuple(self._names(one) for one in closed), force_n)

    def _names(self, one: Connection) -> tuple[str, str]:
        bodies = self.assembly.bodies
        return bodies[one.stud].name, bodies[one.hole].name

    def _clear_engaged(self) -> None:
        """Bricks that have left the studs they were broken off collide with studs again."""
        poses, kinds = self.poses(), self.grouping.kinds
        for stud, hole in sorted(self.engaged):
            lower, upper = kinds[stud], kinds[hole]
            assert lower is not None and upper is not None
            if is_clear(np.linalg.inv(poses[stud]) @ poses[hole], lower, upper):
                self.engaged.discard((stud, hole))
        self.scene.seat({hole for _, hole in self.engaged})

    def _regroup(self) -> None:
        """Tell the engine, the recorder and the mechanics about groups that changed."""
        grouping = self.grouping
        groups = [grouping.engine_group(bunch) for bunch in grouping.bunches]
        self.scene.seated = frozenset(hole for _, hole in self.engaged)
        self.scene.partition(groups, grouping.local)
        inside = grouping.group_of[grouping.joints.bodies[:, 0]]
        touching = grouping.group_of[grouping.joints.patches.bodies[:, 0]]
        old = {key: number for number, key in enumerate(self._keys)}
        keys, mechanics = [], {}
        for number, bunch in enumerate(grouping.bunches):
            rows = inside == number
            key = bunch.members.tobytes() + b"|" + grouping.joints.numbers[rows].tobytes()
            made = self._mechanics.get(key)
            if made is None:
                own = grouping.joints.kept(rows, touching == number)
                gravity = bunch.T_world_group[:3, :3].T @ self.assembly.gravity
                held = grouping.fixed[bunch.members]
                made = GroupMechanics(bunch.members, held, grouping.masses.com_m, own, grouping.clutch_kinds, gravity)
            keys.append(key)
            mechanics[key] = made
        kept = np.array([old.get(key, -1) for key in keys], dtype=np.int64)
        self._keys, self._mechanics, self._screen = keys, mechanics, None
        bulk = (
            np.array([group.mass_kg for group in groups]),
            np.array([group.com_m for group in groups]).reshape(-1, 3),
            np.array([group.inertia_kgm2 for group in groups]).reshape(-1, 3, 3),
        )
        still, gravity = np.array([bunch.still for bunch in grouping.bunches], dtype=bool), self.assembly.gravity
        self._recorder.regroup(grouping.masses, grouping.group_of, still, bulk, kept, gravity, self.scene.numbering)
