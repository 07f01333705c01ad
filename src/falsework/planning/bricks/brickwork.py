"""What placing a brick takes beside a way and a structure that stands (seed 004, 4.2): a grasp, and a press.

The press is judged by the snap-fit equilibrium of the partial structure with the press on it, before and after the
brick is in (`presses`), hands that hold it included; `support_polygon` has the published test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from falsework.geometry.shapes.lattice import lattices
from falsework.geometry.ways.brick_grasps import BrickGrasps, Gripper
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Grasp, Grasping, Press, Rules, Step
from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.planning.nodes.carrying import InTheAir
from falsework.planning.nodes.checks import Check, Refusal
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.nodes.presses import Pressing, entered, is_downward, pressings
from falsework.planning.rules.lying import OnTable, TableCheck
from falsework.statics.core.batches import Finding
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.lasting_motions import LastingMotion, lasting
from falsework.verdicts.oracle import Oracle
from falsework.verdicts.searching import SearchOracle

KINDS: dict[str, tuple[str, ...]] = {"any": ("side", "top"), "side": ("side",)}
LOADED = 0.01  # of its capacity: a press that takes a joint less far than this does not load it
MOST_CARRIED = 12  # bricks in one hand
MOST_JOINTS = 8  # named in a step, the most loaded first


class Brickwork:
    """Grasps and presses of the bricks of one assembly, under the rules of a plan."""

    def __init__(
        self,
        assembly: Assembly,
        joints: Interfaces,
        rules: Rules,
        lying: OnTable | None = None,
        gripper: Gripper | None = None,
        shares: bool = True,
    ) -> None:
        """`lying`: the ways to lie, where the model may be turned; `shares`: whether they are told of presses."""
        self.tells_shares = shares
        self.assembly, self.joints, self.rules, self.lying = assembly, joints, rules, lying
        self.grasping: Grasping = rules.grasps or "any"
        self._air = InTheAir(assembly)
        self._assessed = 0
        self.unbuildable: set[int] = set()  # groups for which no way was found to put them together
        self._grasps: dict[int, BrickGrasps] = {}
        self._pressings: dict[tuple[int, int], list[Pressing]] = {}  # by brick, and what it may enter
        for grid in lattices(assembly):
            taken = BrickGrasps(grid, gripper)
            self._grasps.update((int(body), taken) for body in grid.bodies)

    def checks(self, stability: Check) -> tuple[Check, ...]:
        """What the rules ask for beside a path, cheapest first."""
        presses: tuple[Check, ...] = () if self.rules.press_n is None else (PressCheck(self),)
        if self.lying is not None:
            return (FromAboveCheck(self, self.lying), GraspCheck(self), *presses, stability)
        return (GraspCheck(self), HangingCheck(self), *presses, stability)

    @cached_property
    def oracle(self) -> Oracle:
        """For states with a press on them; apart from the search's own, which keeps a journal of states without."""
        return Oracle(self.assembly, self.joints)

    def oracle_of(self, pose: int) -> SearchOracle:
        """The same for a way to lie."""
        return self.oracle if self.lying is None else self.lying.oracle(pose)

    @property
    def solved(self) -> int:
        """States with a press that took a solve."""
        return self.oracle.counts.solved + self._assessed

    @cached_property
    def _joined(self) -> list[int]:
        """By body: the bodies that a clutch, a hinge or friction could hold it on."""
        patches = self.joints.patches
        rough = patches.bodies[patches.friction > 0]
        masks = [0] * len(self.assembly.bodies)
        for pairs in (self.joints.clutches.bodies, self.joints.hinges.bodies, rough):
            for one, other in pairs.tolist():
                masks[one] |= 1 << other
                masks[other] |= 1 << one
        return masks

    def joined(self, part: int) -> int:
        """The bodies that could hold a brick on, wherever they are there."""
        return self._joined[part]

    def entered_by(self, part: int, installed: int) -> int:
        """The installed bodies whose studs or holes a brick enters when it is placed."""
        rows, _ = entered(self.joints, part, installed)
        return sum({1 << int(body) for body in self.joints.clutches.bodies[rows].ravel() if body != part})

    def hanging(self, installed: int, held: int) -> int:
        """Installed bricks that nothing joins to what is held or fixed: they fall, whatever else may stand."""
        joined = reached = (held | self.assembly.fixed_mask()) & installed
        while reached:
            near = 0
            for body in bits(reached):
                near |= self._joined[body]
            reached = near & installed & ~joined
            joined |= reached
        return installed & ~joined

    def way(self, part: int, installed: int, along: int = 0) -> int:
        """Whether a brick, with those that come along, comes from above (1) or from below (−1)."""
        for one in (part, *bits(along & ~(1 << part))):
            rows, way = entered(self.joints, one, installed)
            if len(rows):
                return way
        return 1

    def grasp(self, part: int, installed: int, along: int = 0) -> Grasp | None:
        """How a brick is taken among the installed ones and those that come along with it, if it can be."""
        if part not in self._grasps or self.grasping == "none":
            return None
        kinds = KINDS[self.grasping]
        return self._grasps[part].free(part, installed | along, self.way(part, installed, along), kinds)

    def barring(self, part: int, installed: int, along: int = 0) -> list[int]:
        """For every grasp of a brick that goes where it does, with others: the bodies that bar it."""
        kinds = KINDS[self.grasping]
        reaches = self._grasps[part].of(part, self.way(part, installed, along)) if part in self._grasps else ()
        return [reach.blockers for reach in reaches if reach.grasp.kind in kinds]

    def in_the_way(self, part: int, installed: int) -> int:
        """The fewest installed bricks that bar every grasp of one kind or other."""
        return min((mask & installed for mask in self.barring(part, installed)), key=int.bit_count, default=installed)

    def taken_by(self, group: int, installed: int, kept: int = 0) -> int | None:
        """The first brick by which a hand can bring a group; the one that is still held afterwards, if any is."""
        if kept & (kept - 1):
            return None
        return next((part for part in bits(kept or group) if self._takes(part, group, installed)), None)

    def _takes(self, part: int, group: int, installed: int) -> bool:
        if self.grasping != "none" and self.grasp(part, installed, group) is None:
            return False
        return group == 1 << part or self._air.stays_together(group, 1 << part)

    def drops(self, part: int, group: int) -> bool:
        """Whether it is proved that a hand on one brick of a group does not carry the others."""
        return group != 1 << part and self._air.surely_falls(group, 1 << part)

    def pressings(self, part: int, there: int) -> list[Pressing]:
        """The ways to press a brick home on what is there; none where no stud is entered, or presses do not matter."""
        key = part, self.joined(part) & there
        if key not in self._pressings:
            force = self.rules.press_n
            found = [] if force is None else pressings(self.assembly, self.joints, part, there, force)
            self._pressings[key] = found
        return self._pressings[key]

    def pressed(self, pressing: Pressing, came: int, there: int, held: int, pose: int = 0) -> tuple[State, State]:
        """What must stand for a brick to be pressed home so; `came`: itself and what comes with it as one."""
        if self.lying is None:
            return pressing.states(self.assembly, State(there, held, self.rules.gravity), came)
        lying = self.oracle_of(pose).assembly
        return pressing.states(lying, State(there | lying.fixed_mask(), held), came)

    def press(self, part: int, came: int, node: Node, shared: bool = True) -> Press | None:
        """The press that takes the joints of a node the least far, of those that are borne.

        If its load is not to be `shared` out, the first of them, and nobody knows how far.
        """
        borne = []
        for pressing in self.pressings(part, node.installed):
            states = self.pressed(pressing, came, node.installed, node.held, node.pose)
            if all(finding.answer == "stable" for finding in self.oracle_of(node.pose).findings(states)):
                borne.append(self._described(pressing.load, states if shared else (), node.pose))
                if not shared:
                    break
        return min(borne, key=lambda press: 1.0 if press.utilization is None else press.utilization, default=None)

    def breaking(self, state: State) -> Iterator[LastingMotion]:
        """Motions by which a state falls, if it does: those that the search has met, then the one that gains most."""
        if self.oracle.answer(state) != "unstable":
            return
        loaded = self.assembly.mask({load.part for load in state.loads_of(self.assembly)})
        for motion, piece in self.oracle.lasting(state):
            if motion.there & loaded == piece & loaded:  # else it was found for other loads on these
                yield motion
        self._assessed += 1
        most_gained = self._equilibrium.assess(state).certificate
        if isinstance(most_gained, Motion):
            yield lasting(self._equilibrium, state, most_gained)

    def _described(self, load: Load, states: Sequence[State], pose: int) -> Press:
        assert load.point_m is not None
        found = [shares for state in states if (shares := self._shares(state, pose)) is not None]
        if not found or len(found) < len(states):
            return Press(load.force_n, load.point_m)
        shares = np.nan_to_num(np.array(found)).max(axis=0)
        names = [body.name for body in self.assembly.bodies]
        order = [row for row in np.argsort(-shares) if shares[row] > LOADED][:MOST_JOINTS]
        pairs = self.joints.clutches.bodies
        joints = tuple((names[pairs[row, 0]], names[pairs[row, 1]], float(shares[row])) for row in order)
        return Press(load.force_n, load.point_m, float(shares.max(initial=0.0)), joints)

    def _shares(self, state: State, pose: int) -> Array | None:
        from falsework.verdicts.limits.pressing import joint_shares  # brings scipy, which plans of blocks do without

        if self.lying is None:
            return joint_shares(self._equilibrium, state)
        oracle = self.oracle_of(pose)
        return joint_shares(Equilibrium(oracle.assembly, oracle.joints, compiled=self.oracle.is_compiled), state)

    @cached_property
    def _equilibrium(self) -> Equilibrium:
        return Equilibrium(self.assembly, self.joints, compiled=self.oracle.is_compiled)


class FromAboveCheck:
    """On a table, a brick is pressed down: it is put in from above, as the model lies."""

    name = TableCheck.name

    def __init__(self, work: Brickwork, lying: OnTable) -> None:
        self._work, self._lying = work, lying

    def refusal(self, move: Move) -> Refusal | None:
        table = self._lying.table(move.earlier.pose)
        if table is None:
            return None
        for part in bits(move.parts):
            for pressing in self._work.pressings(part, move.earlier.installed)[:1]:
                if not is_downward(pressing.load.force_n, table.up):
                    return Refusal(self.name, "as it lies, it would have to be pressed in from the side or from below")
        return None


class GraspCheck:
    """A hand can take the brick past what is there; of a group, a brick that carries the others."""

    name = "grasp"

    def __init__(self, work: Brickwork) -> None:
        self._work = work

    def refusal(self, move: Move) -> Refusal | None:
        there = move.earlier.installed
        if not move.parts or self._work.taken_by(move.parts, there, move.later.held & move.parts) is not None:
            return None
        if move.parts & (move.parts - 1):
            return Refusal(self.name, "no hand can take it by a brick that carries the others")
        in_the_way = self._work.in_the_way(move.parts.bit_length() - 1, there)
        return Refusal(self.name, "no hand can take it past what is there", in_the_way)


class HangingCheck:
    """Nothing is left in the air; told in no time, and it says what has to be held."""

    name = "stability"

    def __init__(self, work: Brickwork) -> None:
        self._work = work

    def refusal(self, move: Move) -> Refusal | None:
        hanging = self._work.hanging(move.earlier.installed, move.earlier.held)
        return Refusal(self.name, "bricks would hang in the air", hanging, move.earlier) if hanging else None


class PressCheck:
    """What the brick is pressed onto bears the press, held as it is."""

    name = "press"

    def __init__(self, work: Brickwork) -> None:
        self._work = work

    def refusal(self, move: Move) -> Refusal | None:
        for part in bits(move.parts):
            against = self._against(part, move)
            if against:
                return self._refused(against, move)
        return None

    def _against(self, part: int, move: Move) -> list[Finding]:
        """What is against every way to press a brick home; nothing once one is borne."""
        against = []
        for pressing in self._work.pressings(part, move.earlier.installed):
            breaking = self._breaking(pressing, move)
            if breaking is None:
                return []
            against.append(breaking)
        return against

    def _breaking(self, pressing: Pressing, move: Move) -> Finding | None:
        """What is against a press, if anything."""
        earlier = move.earlier
        states = self._work.pressed(pressing, move.parts, earlier.installed, earlier.held, earlier.pose)
        found = (self._work.oracle_of(earlier.pose).findings([state])[0] for state in states)
        return next((finding for finding in found if finding.answer != "stable"), None)

    def _refused(self, against: Sequence[Finding], move: Move) -> Refusal:
        """No press is borne: whatever moves under any of them may be held."""
        moving = 0
        for finding in against:
            moving |= finding.moving & ~move.parts
        undecided = any(finding.answer == "undecided" for finding in against)
        why = "whether it bears the press is undecided" if undecided else "the press breaks what it is put on"
        return Refusal(self.name, why, moving, move.earlier, undecided)


def with_details(
    work: Brickwork, steps: tuple[Step, ...], bare: Node, is_late: Callable[[], bool] = lambda: False
) -> tuple[Step, ...]:
    """The steps of a plan with how each brick is taken and pressed, from what is there at first.

    How far a press takes the joints is left out where nobody asks for it, and once it is late.
    """
    told, node, turn = [], bare, None
    for step in steps:
        parts = work.assembly.mask(step.parts)
        if step.action == "reorient":
            turn = step.T_world_assembly
        elif step.action == "place":
            if turn is not None and node.installed and work.lying is not None:
                node = replace(node, pose=work.lying.as_it_lies(turn, node.installed))
            step = replace(
                step,
                grasp=work.grasp(work.assembly.index[(step.grasped or step.parts)[0]], node.installed, parts),
                press=_any_press(work, parts, node, work.tells_shares and not is_late()),
            )
        node = Node(node.installed | parts, work.assembly.mask(step.held), node.pose)
        told.append(step)
    return tuple(told)


def _any_press(work: Brickwork, parts: int, node: Node, shared: bool) -> Press | None:
    """Of the brick of a group whose press takes a joint the furthest."""
    presses = [press for part in bits(parts) if (press := work.press(part, parts, node, shared)) is not None]
    return max(presses, key=lambda press: press.utilization or 0.0, default=None)
