"""A world of snap-fit bricks that can be stepped, pushed and watched.

Every connected component is one rigid body of the engine. After each frame of the engine the breakage detector looks at
the loads of every component and the assembly monitor at what is pressed together; both change the topology, and the
engine goes on with new bodies that have the poses and the momentum of the old ones.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from falsework.brickworld.breakage import BreakageDetector, Overstrained
from falsework.brickworld.colliding import floor, solids
from falsework.brickworld.covering import Covering
from falsework.brickworld.events import Break, Join
from falsework.brickworld.frame_time import FrameTime as FrameTime
from falsework.brickworld.grouping import Grouping
from falsework.brickworld.guiding import Rail
from falsework.brickworld.loads import Applied
from falsework.brickworld.monitor import AssemblyMonitor
from falsework.brickworld.pushes import Push, Ramp, Spring, Steady, acting, felt, vector, with_welds
from falsework.brickworld.seats import partly_seated, seated_topology
from falsework.brickworld.settings import Settings
from falsework.brickworld.snapping import left_for_proofs_ms, snapped
from falsework.brickworld.snapshots import Snapshot
from falsework.brickworld.topology import Connection, Topology
from falsework.engine.composites import Composites
from falsework.engine.hand_welds import HandWeld
from falsework.engine.handles import Handle, Kind
from falsework.engine.library import mujoco
from falsework.engine.pads import Pads
from falsework.engine.partly_seated import Grip
from falsework.engine.scene_file import SceneFile
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.interfaces import Interfaces

NO_FORCES = Applied.none()
CLEARED = 4  # frames after which bricks that came off are asked whether they have left the studs


class World:
    """Bricks, and whatever else is in the assembly or in an MJCF file, in one scene.

    Forces are in N, poses T_world_part in m; a step is one frame of `settings.frame_s` seconds.

    >>> import falsework
    >>> world = World(falsework.load("examples/bridge.txt"))
    >>> world.on_break.append(print)
    >>> world.apply_force("7", (0, 0, 3.0))
    >>> _ = world.step()
    >>> len(world.connections)
    16
    """

    def __init__(
        self,
        assembly: Assembly,
        settings: Settings | None = None,
        *,
        joints: Interfaces | None = None,
        mjcf: SceneFile | str | Path | None = None,
    ) -> None:
        """`joints` are the assembly's interfaces where they are known already.

        Options of the MJCF file are respected or refused; without settings the world steps as the file asks it to.
        """
        if assembly.hinges:
            raise BadInput("a brick world knows no hinges; take them out, or use collapse")
        self.assembly = assembly
        file = mjcf if isinstance(mjcf, SceneFile) else SceneFile.read(mjcf)
        if settings is None:
            settings = Settings() if file.timestep_s is None else Settings.stepping(file.timestep_s)
        self.settings = settings
        self._part_names = tuple(body.name for body in assembly.bodies)
        if settings.grip is not None:
            joints = Interfaces.none()  # every brick is a body of its own
        self.grouping = Grouping(assembly, interfaces(assembly) if joints is None else joints, settings.clutch)
        self.scene = Composites(
            solids(assembly, settings),
            assembly.gravity,
            self.settings.contact,
            floor(assembly),
            file,
            self._part_names,
        )
        is_brick = np.array([kind is not None for kind in self.grouping.kinds])
        self.breakage = BreakageDetector(is_brick, self.settings)
        self.monitor = AssemblyMonitor(self.grouping.kinds, self.settings)
        self._covering = Covering(self.grouping.kinds)
        self._half_in = {}
        if settings.grip is None:
            self._half_in = partly_seated(self.grouping.kinds, self.grouping.local, self.grouping.group_of)
        self.monitor.begin(self._half_in)
        self.on_break: list[Callable[[Break], object]] = []
        self.on_join: list[Callable[[Join], object]] = []
        self.rails: list[Rail] = []  # hands that guide what they carry
        self.welds: dict[str, HandWeld] = {}  # hands of the MJCF file that grip by a weld, by their names
        # Hands that may take load off what stands still: each is asked for its pads on parts (bodies,), None for none.
        self.hands: list[Callable[[Bools], Pads | None]] = []
        self.before_step: list[Callable[[], object]] = []  # called before every step of the engine, or part of one
        self.frames = 0
        self._unchanged = 0  # steps since anything moved or was pushed
        self._applied = NO_FORCES  # in the last step
        self.regroup()
        self.pushes: list[Push] = [self._steady(one.part, one.force_n, one.point_m) for one in assembly.loads]
        self._once: list[Push] = []  # pushes of the next frame only

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
        """Stud brick and hole brick of every connection; of bricks without clutches, where studs are in holes now."""
        return [self.ends(one) for _, one in sorted(self._topology().connections.items())]

    @property
    def components(self) -> list[list[str]]:
        """Names of the parts that hang together, the ground included with what it carries."""
        names = self._part_names
        return [[names[n] for n in members.tolist()] for members in self._topology().components]

    def _topology(self) -> Topology:
        if self.settings.grip is None:
            return self.grouping.topology
        return seated_topology(self.grouping.kinds, self.poses())

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

    def number(self, name: str) -> int:
        """The body of that name."""
        if name not in self.assembly.index:
            raise BadInput(f"there is no part {shown(name)}; {did_you_mean(name, self.assembly.index)}")
        return self.assembly.index[name]

    def handle(self, kind: Kind, name: str) -> Handle:
        """Something that the MJCF file brought along, by its name: it stays valid when bricks join and break."""
        return Handle(self.scene, kind, name)

    def ends(self, one: Connection) -> tuple[str, str]:
        """Names of a connection's stud brick and hole brick."""
        return self._part_names[one.stud], self._part_names[one.hole]

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
        """Pull a part toward a target with a damped spring, as a mouse does, until `release`.

        The spring is as stiff and as damped as was asked for, or as steps of this length allow on the part alone.
        """
        part = self.number(name)
        wanted = Spring(part, self._on_part(part, point_m), vector(target_m, "target_m"), stiffness_n_m, damping_ns_m)
        spring = wanted.bearable(self.assembly.bodies[part], self.settings.step_s)
        self.pushes.append(spring)
        return spring

    def guide(self, name: str, line: npt.ArrayLike, point_m: npt.ArrayLike) -> Rail:
        """Take a part in a hand, at a point of the world, that lets it move along a line only; see `rails`."""
        rail = Rail.along(self.scene, self.number(name), np.asarray(line, float), np.asarray(point_m, float))
        rail.take(self.scene)
        self.rails.append(rail)
        return rail

    def weld(self, hand: str, name: str, beside: Sequence[str] = ()) -> None:
        """Weld a part to a body of the MJCF file as they stand to each other, until `unweld`.

        It stays welded when bricks join and break, and joints bear what it passes on. Neither the hand nor the bodies
        `beside` it, its fingers, collide with what it holds.
        """
        for body in (hand, *beside):
            Handle(self.scene, "body", body)  # refuses names that are not there
        if hand in self.welds:
            raise BadInput(f"body {shown(hand)} is welded to a part already; `unweld` it first")
        part = self.number(name)
        weld = HandWeld(hand, part, np.eye(4), tuple(beside))
        self.welds[hand] = weld.anew(self._pose_of(hand), self.poses()[part])
        self._keep_all()

    def unweld(self, hand: str) -> None:
        """End a weld."""
        if hand not in self.welds:
            raise BadInput(f"body {shown(hand)} is welded to no part")
        del self.welds[hand]
        self._keep_all()

    def _pose_of(self, body: str) -> Array:
        """(4, 4) of a body of the MJCF file now."""
        mujoco().mj_kinematics(self.scene.model, self.scene.data)
        at = self.scene.data.body(body)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = at.xmat.reshape(3, 3), at.xpos
        return T

    def _keep_all(self) -> None:
        """The same groups in a scene with other welds."""
        self.grouping.update(self.scene.poses(), self.scene.twists())
        self._tell_groups()

    def release(self, push: Push) -> None:
        """End a push that was added."""
        if push not in self.pushes:
            raise BadInput("this push no longer acts; it was released, or its part came off")
        self.pushes.remove(push)

    def _steady(
        self,
        name: str,
        force_n: npt.ArrayLike,
        point_m: npt.ArrayLike | None,
        torque_nm: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> Steady:
        part = self.number(name)
        return Steady(part, self._on_part(part, point_m), vector(force_n, "force_n"), vector(torque_nm, "torque_nm"))

    def _on_part(self, part: int, point_m: npt.ArrayLike | None) -> Array:
        """A point of the world in a part's frame; the centre of mass if none is given."""
        if point_m is None:
            return self.assembly.bodies[part].com_part_m
        pose = self.poses()[part]
        local: Array = pose[:3, :3].T @ (vector(point_m, "point_m") - pose[:3, 3])
        return local

    # How it goes on

    def prepare(self) -> None:
        """Load machine code and factor everything now, rather than during the first frames."""
        from falsework.brickworld.warm import rehearse  # which runs a small world

        rehearse()
        self.scene.foresight.prepare(self.scene.data, self.settings.step_s)
        self.breakage.recorder.prepare(self.scene.contact_arrays(), self.scene.began())
        self.breakage.prepare()

    def run(self, seconds: float, progress: Callable[[int, int], None] | None = None) -> None:
        """Whole frames, at least as long as asked."""
        count = self.settings.frames(seconds)
        for number in range(count):
            self.step()
            if progress is not None:
                progress(number + 1, count)

    def step(self) -> FrameTime:
        """One frame: the engine's steps, then what breaks, then what joins."""
        spent = FrameTime()
        for _ in range(self.settings.substeps):
            self._substep(spent)
        self.scene.refuse_lost(self._part_names)
        self._once.clear()
        self.frames += 1
        broken: list[Break] = []
        joined: list[Join] = []
        if not self._is_known() or self.breakage.open:
            with spent.spent_on("mechanics"):
                found = self._overloads() if self.settings.breaking else []
            with spent.spent_on("topology"):
                broken = self._break(found)
                joined = snapped(self, broken) if self.settings.joining else []
        moved = self._unchanged <= CLEARED * self.settings.substeps
        if moved and self.monitor.engaged and self.frames % CLEARED == 0:
            with spent.spent_on("topology"):
                if self.monitor.clear(self.poses(), self.grouping.group_of):
                    self.scene.seat(self.monitor.seated)
                    self.scene.keep_grips(self.monitor.gripped)
        for event in broken:
            for tell in self.on_break:
                tell(event)
        for closed in joined:
            for say in self.on_join:
                say(closed)
        return spent

    def _substep(self, spent: FrameTime) -> None:
        """One step of the engine, and what it says about forces."""
        start = time.perf_counter()
        recorder, mechanics, unchanged = self.breakage.recorder, 0.0, 0
        touched: list[tuple[Ints, Array]] = []
        for share, first in self.scene.steps(self._push):
            for rail in self.rails:
                rail.keep(self.scene)
            stepped = time.perf_counter()
            if first:
                touched.clear()
                asleep = self._applied is NO_FORCES and self.scene.nothing_new and not self.welds
                unchanged = self._unchanged + 1 if asleep else 0
            if unchanged <= self._remembered:
                applied = with_welds(felt(self._applied, self.scene, self.grouping), self.scene)
                codes, forces = recorder.record(self.scene.contact_arrays(), self.scene.began(), applied, share, first)
                touched.append((codes, share * forces))
                mechanics += 1e3 * (time.perf_counter() - stepped)
        self._unchanged = unchanged
        if touched:
            recorder.advance()
            self.monitor.observe(*(np.concatenate(each) for each in zip(*touched, strict=True)))
        spent.mechanics += mechanics
        spent.physics += 1e3 * (time.perf_counter() - start) - mechanics

    @property
    def _remembered(self) -> int:
        """Steps after which everything that is remembered of a world asleep is the same."""
        return max(self.breakage.recorder.steps, self.monitor.steps)

    def _is_known(self) -> bool:
        """Whether all loads are those of the frame before, in which nothing broke or joined."""
        return self._unchanged > self._remembered + self.settings.substeps

    def _push(self) -> None:
        """The forces of this moment, given to the engine."""
        for tell in self.before_step:
            tell()
        pushes = [*self.pushes, *self._once]
        self._applied, total = acting(pushes, self.time_s, self.scene, self.grouping) if pushes else (NO_FORCES, None)
        self.scene.push(total, {int(self.grouping.group_of[rail.part]): rail.line for rail in self.rails})

    def _overloads(self) -> list[Overstrained]:
        return self.breakage.overloads(self.grouping, self.time_s, left_for_proofs_ms(self), self._gripped())

    def _gripped(self) -> dict[int, list[Pads]]:
        """The pads of hands that grip what stands still, by its group."""
        bunches = self.grouping.bunches
        stills = [group for group, bunch in enumerate(bunches) if bunch.still] if self.hands else []
        gripped: dict[int, list[Pads]] = {}
        for group in stills:  # there is one at most
            found = [hand(self.grouping.group_of == group) for hand in self.hands]
            gripped[group] = [pads for pads in found if pads is not None]
        return {group: pads for group, pads in gripped.items() if pads}

    def _break(self, found: list[Overstrained]) -> list[Break]:
        """Take apart what is overloaded."""
        if not found:
            return []
        events = []
        self.grouping.update(self.scene.poses(), self.scene.twists())
        for one in sorted(found, key=lambda one: -one.group):  # later groups first: earlier ones keep their numbers
            parted = [self.grouping.topology.connections[number] for number in one.numbers]
            events.append(self.breakage.event(one, self.grouping, parted, self.time_s))
            self.monitor.came_off(parted)
            self.grouping.split(one.group, one.numbers)
        self.regroup()
        for event in events:
            self._let_go(event)
        return events[::-1]

    def _let_go(self, event: Break) -> None:
        """End pushes whose part came off."""
        for push in list(self.pushes):
            moves = not self.grouping.bunches[self.grouping.group_of[push.part]].still
            was_there = event.cause is not None and self._part_names[push.part] in event.cause.names
            if isinstance(push, Ramp) and push.until_off and moves and was_there:
                self.release(push)

    def regroup(self) -> None:
        """Tell the engine and the breakage detector about groups that changed."""
        self._weld_anew()
        self._tell_groups()

    def _tell_groups(self) -> None:
        grouping = self.grouping
        groups = [grouping.engine_group(bunch) for bunch in grouping.bunches]
        hidden = self._covering.hidden(grouping.joints, grouping.clutch_kinds, grouping.local[:, :3, 2])
        pairs = [
            pair for pair in sorted(self.monitor.gripped) if grouping.group_of[pair[0]] != grouping.group_of[pair[1]]
        ]
        grips = [Grip(*pair, self._half_in[pair], self.monitor.grip_n) for pair in pairs]
        self.scene.partition(groups, grouping.local, hidden, grips, tuple(self.welds.values()))
        self.scene.seat(self.monitor.seated)
        for rail in self.rails:
            rail.take(self.scene)
        self.breakage.regroup(grouping, groups, self.scene.numbering)
        self._unchanged = 0

    def _weld_anew(self) -> None:
        """What has snapped in stands where its studs have it, not where the hand had it."""
        scene = self.scene
        for hand, weld in self.welds.items():
            bunch = self.grouping.bunches[self.grouping.group_of[weld.part]]
            if bunch.still and not scene.groups[scene.group_of[weld.part]].still:
                place = bunch.T_world_group @ self.grouping.local[weld.part]
                self.welds[hand] = weld.anew(self._pose_of(hand), place)

    # Going back

    def snapshot(self) -> Snapshot:
        """Everything, to `restore` later."""
        return Snapshot(
            frames=self.frames,
            time_s=self.time_s,
            grouping=copy.copy(self.grouping),
            engine=self.scene.state(),
            records=self.breakage.recorder.saved(),
            questions=self.breakage.open,
            watched=self.monitor.saved(),
            pushes=tuple(self.pushes),
            rails=tuple(self.rails),
            welds=tuple(self.welds.values()),
            poses=self.poses(),
            velocities=self.velocities(),
        )

    def restore(self, taken: Snapshot) -> None:
        """Go back: from here on everything happens as it did from there."""
        if taken.grouping.assembly is not self.assembly:
            raise BadInput("the snapshot is from another assembly; restore it in a world of that one")
        self.frames, self.grouping = taken.frames, copy.copy(taken.grouping)
        self.pushes, self.rails = list(taken.pushes), list(taken.rails)
        self.welds = {weld.hand: weld for weld in taken.welds}
        self._once.clear()
        self.monitor.go_back(taken.watched)
        self._tell_groups()
        self.scene.set_state(taken.engine)
        self.breakage.recorder.go_back(taken.records)
        self.breakage.go_back(taken.questions)
