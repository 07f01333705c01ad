"""An arm with its tool, asked both ways: where is the tool for these joints, which joints bring it there?"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.errors import BadInput
from falsework.model.robots.arm import Arm
from falsework.model.robots.tool import Tool
from falsework.robots.kinematics.branches import (
    FORMS,
    NUMERIC,
    SPHERICAL_SHOULDER,
    SPHERICAL_WRIST,
    THREE_PARALLEL,
    all_branches,
    form_of,
    one_each,
)
from falsework.robots.kinematics.chain import Chain, turns_of
from falsework.robots.kinematics.forward import jacobians_of, links_of
from falsework.robots.kinematics.known_chains import known_chain

FREE = 32  # angles of a seventh joint at which all branches are looked for
FEW = 8  # … at first, where a few answers are enough
FINER = 200  # … where one answer is enough and those gave none
STARTS = 64  # joints from which a search sets out
MOST = 16  # answers of six joints
MOST_FREE = 8 * FREE  # … of seven
SPARE = 8  # starts where a closed form finds nothing
SEED = 20


class Kinematics:
    """Forward and inverse kinematics of an arm, for its flange or for the point of a tool.

    Poses are (4, 4), in the frame of the arm's base; positions are rad, or m where a joint slides.

    >>> from falsework import arm_named, tool_named
    >>> panda = Kinematics(arm_named("panda"), tool_named("panda-hand"))
    >>> T = panda.forward(panda.arm.home)
    >>> T[:3, 3].round(3).tolist()
    [0.307, 0.0, 0.487]
    >>> branches = panda.branches(T)
    >>> bool(np.abs(panda.forward(branches) - T).max() < 1e-8)
    True
    """

    def __init__(self, arm: Arm, tool: Tool | None = None) -> None:
        self.arm, self.tool = arm, tool
        point = arm.T_last_flange if tool is None else arm.T_last_flange @ tool.T_flange_tool
        self.chain: Chain = known_chain(arm, point)
        self._form = form_of(self.chain)

    @property
    def form(self) -> str:
        """How it is solved: the name of a closed form, or `numeric`."""
        return FORMS[self._form]

    @property
    def form_number(self) -> int:
        """The same as compiled code takes it."""
        return self._form

    @property
    def looks(self) -> tuple[int | None, ...]:
        """How many angles of a seventh joint to look at first, and then, by those who need one answer for each pose."""
        return (FEW, None) if self._form == SPHERICAL_SHOULDER else (None,)

    @property
    def complete(self) -> bool:
        """Where no branch is found within the limits, there is none; elsewhere it was searched for, by samples."""
        return self._form in (SPHERICAL_WRIST, THREE_PARALLEL)

    def forward(self, positions: Array) -> Array:
        """(…, 4, 4) where the flange, or the tool's point, is for positions (…, n)."""
        flat, shape = self._flat(positions)
        found = np.zeros((len(flat), 4, 4))
        found[:, :3] = links_of(self.chain, flat)[:, -1]
        found[:, 3, 3] = 1.0
        return found.reshape(*shape, 4, 4)

    def links(self, positions: Array) -> Array:
        """(…, n + 1, 4, 4) where the base and the links are, in the frames of the arm's own description."""
        flat, shape = self._flat(positions)
        found = np.zeros((len(flat), len(self.arm.joints) + 1, 4, 4))
        found[..., :3, :] = links_of(self.chain, flat)[:, :-1]
        found[..., :3, :3] = found[..., :3, :3] @ turns_of(self.arm)
        found[..., 3, 3] = 1.0
        return found.reshape(*shape, len(self.arm.joints) + 1, 4, 4)

    def jacobian(self, positions: Array) -> Array:
        """(…, 6, n) how the flange, or the tool's point, moves with each joint: v, then ω, in the base's axes."""
        flat, shape = self._flat(positions)
        return jacobians_of(self.chain, flat).reshape(*shape, 6, len(self.arm.joints))

    def branches(self, T_base_tool: Array, near: Array | None = None) -> Array:
        """(k, n) all joints that reach a pose within the limits.

        Six joints have up to 16 such answers. Of a seventh, answers form curves; they are given at FREE angles of that
        joint. Whole turns are chosen so that each joint is as near as can be to `near`, the arm's home unless told.
        """
        found, counts = self.many_branches(np.asarray(T_base_tool)[None], near)
        return found[0, : counts[0]]

    def many_branches(
        self, T_base_tool: Array, near: Array | None = None, *, thorough: bool = True, angles: int | None = None
    ) -> tuple[Array, Ints]:
        """(m, k, n) the same for poses (m, 4, 4), and how many each has (m,).

        Where a closed form that is not complete finds nothing, the thorough descend from a few starts as well. Most
        such poses are out of reach: that finds one answer in a thousand, and costs more than all the rest. `angles` of
        a seventh joint are looked at, FREE unless told.
        """
        wanted = np.array(T_base_tool[:, :3], dtype=np.float64, order="C")
        most = MOST_FREE if self._form == SPHERICAL_SHOULDER else STARTS if self._form == NUMERIC else MOST
        free = self._free if angles is None else self.spread(angles)
        spare = SPARE if thorough and not self.complete else 0
        found, counts = all_branches(self.chain, self._form, wanted, self._near(near), free, self._starts, spare, most)
        return found, counts

    def solve(self, T_base_tool: Array, near: Array | None = None) -> Array | None:
        """(n,) joints that reach a pose, near to `near`; None where none were found."""
        found, there = self.solve_many(np.asarray(T_base_tool)[None], near)
        return found[0] if there[0] else None

    def solve_many(self, T_base_tool: Array, near: Array | None = None) -> tuple[Array, Bools]:
        """(m, n) one answer for each pose (m, 4, 4), and where there is one (m,)."""
        wanted = np.array(T_base_tool[:, :3], dtype=np.float64, order="C")
        found, there = one_each(self.chain, self._form, wanted, self._near(near), self._finer, self._starts)
        return found, there.astype(bool)

    def _near(self, near: Array | None) -> Array:
        return np.array(self.arm.home if near is None else near, dtype=np.float64)

    @cached_property
    def _free(self) -> Array:
        """(g,) angles of the last joint at which all branches are looked for."""
        return self.spread(FREE)

    @cached_property
    def _finer(self) -> Array:
        """(g,) the same where one answer is enough: those, and then many more."""
        return np.concatenate([self._free, self.spread(FINER)])

    def spread(self, count: int) -> Array:
        """(count,) angles over the range of the last joint, the middle one first."""
        joint = self.arm.joints[-1]
        span = min(joint.span, 2 * np.pi)  # a whole turn says all
        middle = 0.5 * (joint.lower + joint.upper)
        angles = middle + span * ((np.arange(count) + 0.5) / count - 0.5)
        return angles[np.argsort(np.abs(angles - middle), kind="stable")]

    @cached_property
    def _starts(self) -> Array:
        """(s, n) home, then random joints within the limits; the same for every arm of the kind."""
        rng = np.random.default_rng(SEED)
        drawn = rng.uniform(self.arm.lower, self.arm.upper, (STARTS - 1, len(self.arm.joints)))
        return np.concatenate([self.arm.home[None], drawn])

    def _flat(self, positions: Array) -> tuple[Array, tuple[int, ...]]:
        given = np.asarray(positions, dtype=np.float64)
        if given.shape[-1:] != (len(self.arm.joints),):
            raise BadInput(
                f"arm {self.arm.name}: found positions of shape {given.shape}, expected {len(self.arm.joints)} a row"
            )
        return np.array(given.reshape(-1, given.shape[-1]), order="C"), given.shape[:-1]
