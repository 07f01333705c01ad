"""Whether the states of a plan stand: verdicts with certificates, in whatever way the assembly lies."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from falsework.geometry.contacts.ground import table_under
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.on_table import interfaces_on_table
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.bits import reached
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.part import Part
from falsework.model.plan import Press, Rules
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.model.verdict import Verdict
from falsework.planning.nodes.own_oracles import own_model
from falsework.planning.nodes.presses import Pressing, pressing_as_told, pressings
from falsework.planning.nodes.tilted_loads import tilted
from falsework.statics.core.worth_compiling import pays_off
from falsework.verdicts.registry import StabilityModel, Terms, model_for

MANY = 40  # states of one way to lie, or clutches: from here on the compiled solvers pay off for bricks
PATIENCE = 6000  # contact points, summed over states: the same for contacts alone


class StateJudge:
    """Judges states of one assembly under the rules of a plan; `turned` changes the way it lies."""

    def __init__(self, assembly: Assembly, rules: Rules, states: int, own: StabilityOracle | None = None) -> None:
        """`own`: an oracle of the caller's, in place of that of the rules' model."""
        self._assembly, self._rules, self._states, self._own = assembly, rules, states, own
        self._gravity = np.array(rules.gravity)
        self.T_world_assembly = np.eye(4)
        self.table: Part | None = None  # in the assembly frame, once it was turned
        self._lying = assembly
        self._joints: Interfaces | None = None
        self._oracle: StabilityOracle | None = None
        self._known: dict[tuple[int, int], Verdict] = {}

    @property
    def up(self) -> Array:
        """What is above, in the assembly frame."""
        return self.T_world_assembly[2, :3]

    @property
    def lies_as_given(self) -> bool:
        """Whether it was not turned, and lies on no table."""
        return self.table is None and np.array_equal(self.T_world_assembly, np.eye(4))

    @property
    def joints(self) -> Interfaces:
        """The interfaces of the assembly as it lies."""
        if self._joints is None:
            self._joints = interfaces(self._lying) if self.table is None else interfaces_on_table(self._lying)
        return self._joints

    def verdict(self, installed: int, held: int) -> Verdict:
        """Whether the state stands."""
        if (installed, held) not in self._known:
            self._known[installed, held] = self._assess(self._state(installed, held))
        return self._known[installed, held]

    def bears_tilt(self, installed: int, held: int, degrees: float) -> Verdict | None:
        """The first verdict that is not stable when it is tilted, or None."""
        fixed = self._lying.fixed_mask()
        free = [n for n in range(len(self._lying.bodies)) if (installed & ~held & ~fixed) >> n & 1]
        state = self._state(installed, held)
        verdicts = (self._assess(replace(state, loads=loads)) for loads in tilted(self._lying, free, degrees))
        return next((verdict for verdict in verdicts if not verdict.stands), None)

    def presses(self, part: int, there: int, force_n: float, told: Press | None) -> tuple[list[Pressing], bool]:
        """The ways to press a part home on what is there: the one that the plan tells, if it is on it, or all."""
        said = told and pressing_as_told(self._lying, self.joints, part, there, force_n, told)
        return ([said], True) if said else (pressings(self._lying, self.joints, part, there, force_n), False)

    def unborne(self, presses: list[Pressing], came: int, there: int, held: int) -> Verdict | None:
        """None if one of the presses is borne, or there are none; else a verdict against them.

        `came`: all parts that come as one, and are joined already.
        """
        against = None
        for pressing in presses:
            states = pressing.states(self._lying, self._state(there, held), came)
            against = next((verdict for state in states if not (verdict := self._assess(state)).stands), None)
            if against is None:
                return None
        return against

    def out_of_touch(self, installed: int) -> int:
        """The installed bodies that no others join to what is fixed, or, if nothing is, to the first of them."""
        start = self._assembly.fixed_mask() or installed & -installed
        return installed & ~reached(start, installed, self._touching)

    @cached_property
    def _touching(self) -> tuple[int, ...]:
        return interfaces(self._assembly).neighbours(len(self._assembly.bodies))

    def carried(self, parts: int, held: int) -> Verdict:
        """Whether parts stay together in the air, in hands on some of them, before any load is on them."""
        if self._own is not None:
            raise BadInput("an oracle of your own says nothing about parts that come as one; register a StabilityModel")
        return self._assess(State(parts, held, self._pull(self._gravity), ()))

    def turned(self, T_world_assembly: Array, installed: int) -> None:
        """Lay the assembly another way; what is installed then stands on a table under its lowest point.

        Before anything is placed, the table is the plane z = 0.
        """
        self.T_world_assembly = T_world_assembly
        self._joints = self._oracle = None
        self._known = {}
        self.table = None
        self._lying = self._assembly
        as_given = self._assembly.ground_part is not None and np.allclose(T_world_assembly, np.eye(4))
        if self._assembly.fixed or as_given:
            return
        ground = self._assembly.ground
        kind = ground if ground.kind == "table" else Ground("table")
        self.table = table_under(self._assembly, installed, T_world_assembly)
        self._lying = self._assembly.changed(ground=kind, ground_part=self.table)

    def is_locked(self, installed: int) -> Verdict:
        """Whether nothing moves, however it is turned, while one part of it is held fast."""
        lowest = installed & -installed
        self._joints = self._oracle = None
        loose = self._assembly.changed(ground=Ground(), ground_part=None)
        lying, table = self._lying, self.table
        self._lying, self.table = loose, None
        try:
            verdicts = [
                self._assess(State(installed & (1 << len(loose.bodies)) - 1, lowest, self._pull(9.81 * way)))
                for way in _ways()
            ]
        finally:
            self._lying, self.table, self._joints, self._oracle = lying, table, None, None
        return next((verdict for verdict in verdicts if not verdict.stands), verdicts[0])

    def _state(self, installed: int, held: int) -> State:
        return State(installed | self._lying.fixed_mask(), held, self._pull(self._gravity))

    def _pull(self, gravity_world: Array) -> tuple[float, float, float] | None:
        """Gravity as the assembly frame sees it; None where it is the assembly's own."""
        x, y, z = (float(g) for g in self.T_world_assembly[:3, :3].T @ gravity_world)
        return None if [x, y, z] == self._lying.gravity.tolist() else (x, y, z)

    def _assess(self, state: State) -> Verdict:
        if self._oracle is None:
            self._oracle = self._made()
        return self._oracle.assess(state)

    def _made(self) -> StabilityOracle:
        clutches, points = len(self.joints.clutches), len(self.joints.patches.points)
        many = max(self._states, clutches) >= MANY if clutches else self._states * points >= PATIENCE
        terms = Terms(compiled=many and pays_off(self.joints))
        try:
            return self._model().oracle(self._lying, self.joints, terms)
        except BadInput as why:
            raise BadInput(f"rules: {why}") from why

    def _model(self) -> StabilityModel:
        if self._own is not None:
            return own_model(self._own, self._assembly)
        return model_for(self._rules.model, self._lying, self.joints)


def _ways() -> Array:
    """(26, 3) the axes, the diagonals of faces and those of space."""
    grid = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    grid = grid[np.abs(grid).max(axis=1) > 0]
    ways: Array = grid / np.linalg.norm(grid, axis=1, keepdims=True)
    return ways
