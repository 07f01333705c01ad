"""What planning needs to know of one assembly under one set of rules: prepared once, asked often."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.bent_paths import BentRemovals
from falsework.geometry.ways.removal import StraightRemovals
from falsework.geometry.ways.turning_paths import TurningRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Rules, Start, Step
from falsework.model.ports import PartSelector, RemovalOracle
from falsework.planning.bricks.brickwork import Brickwork, with_details
from falsework.planning.bricks.removal import BrickRemoval
from falsework.planning.bricks.stuck_cores import StuckCores, stuck_bricks
from falsework.planning.nodes.carrying import InTheAir
from falsework.planning.nodes.checks import Check, ConnectedCheck, PathCheck, StabilityCheck, WaysLeft
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.journal import Journal, Journals
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.nodes.moves import Move
from falsework.planning.nodes.stability import Stability, neighbours
from falsework.planning.nodes.steps import steps_of
from falsework.planning.nodes.tidying import tidied
from falsework.planning.rules.groups import BuildApart, GroupBuilding, GroupRemoval
from falsework.planning.rules.lying import OnTable, TableCheck
from falsework.planning.rules.reorienting import AsGiven, Turning
from falsework.planning.rules.too_few_hands import too_few_hands
from falsework.planning.search.searches import Search
from falsework.planning.search.selectors import selector_named
from falsework.planning.search.walks import Building, TakingApart, Task, Walk
from falsework.verdicts.registry import model_for
from falsework.verdicts.searching import SearchOracle, search_oracle


class Workshop:
    """An assembly, the rules of planning it, and what was found out about it so far."""

    def __init__(
        self,
        assembly: Assembly,
        rules: Rules,
        *,
        found: Interfaces | None = None,
        threads: int | None = None,
        journals: Journals | None = None,
        removals: RemovalOracle | None = None,
    ) -> None:
        """`found` and `removals` where they are known already: they do not depend on the rules.

        Batches of states are solved on `threads`, by default one a core; the answers do not depend on it.
        """
        if rules.name != "reorient":
            assembly.require_ground()
        self.assembly, self.rules, self._removals = assembly, rules, removals
        self.found = interfaces(assembly) if found is None else found
        self.touching = neighbours(assembly, self.found)
        self.journals: Journals = {} if journals is None else journals
        self._model = model_for(rules.model, assembly, self.found)
        if rules.for_bricks and not self._model.is_core:
            raise BadInput(
                f"presses are proved with model snapfit, not {self._model.name}; use rules holds or reorient"
            )
        studs = self.found.clutches.T_world_clutch[:, :3, 2] if rules.for_bricks else None
        self.lying = None if assembly.is_grounded else OnTable(assembly, self._oracle, self.journals, plumb=studs)
        if self.lying is None:
            cores = os.cpu_count() or 1 if threads is None else threads
            oracle = self._oracle(assembly, self.found, self.journals.setdefault(0, {}), cores)
            self.stability = Stability(lambda _: oracle, monotone=oracle.monotone_in_held)
        else:
            self.stability = Stability(self.lying.oracle, monotone=self._model.monotone_in_held)

    def _oracle(
        self, assembly: Assembly, found: Interfaces, journal: Journal | None = None, threads: int = 1
    ) -> SearchOracle:
        """That of the rules' model, for this assembly or one made of it."""
        return search_oracle(self._model, assembly, found, threads=threads, journal=journal)

    def with_robots(self, robots: int) -> Workshop:
        """The same with another number of hands; what does not depend on it is shared."""
        if robots == self.rules.robots:
            return self
        return self._changed(replace(self.rules, robots=robots), self.removals)

    def _changed(self, rules: Rules, removals: RemovalOracle | None) -> Workshop:
        other = Workshop(self.assembly, rules, found=self.found, removals=removals)
        other.stability, other.lying, other.journals = self.stability, self.lying, self.journals
        return other

    @cached_property
    def removals(self) -> RemovalOracle | None:
        """How parts leave, along straight lines or any way; None where paths do not matter."""
        if self.rules.paths == "none" or self._removals is not None:
            return self._removals
        if self.lying is not None:  # past the table, only straight ways are looked at
            return StraightRemovals(self.assembly, self.found, certain=self.rules.paths == "straight")
        if self.rules.paths == "straight":
            return self._straight
        bent = BentRemovals(self._straight)
        return bent if self.rules.name == "bricks" else TurningRemovals(bent)

    @cached_property
    def _straight(self) -> StraightRemovals:
        return StraightRemovals(self.assembly, self.found)

    @property
    def straight(self) -> Workshop | None:
        """The same with straight ways only, where others are looked for too."""
        if self.rules.paths != "any" or self.lying is not None:
            return None
        return self._changed(replace(self.rules, paths="straight"), self._straight)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """What every move needs, cheapest first."""
        checks: list[Check] = [] if self.removals is None else [PathCheck(self.removals)]
        if self.rules.require_connected:
            checks.append(ConnectedCheck(self.touching, self.assembly.fixed_mask()))
        if self.lying is not None:
            checks.append(TableCheck(self.lying, self.removals))
        stability = StabilityCheck(self.stability)
        return (*checks, stability) if self.bricks is None else (*checks, *self.bricks.checks(stability))

    @cached_property
    def bricks(self) -> Brickwork | None:
        """Grasps and presses, where the rules ask for them."""
        return Brickwork(self.assembly, self.found, self.rules, self.lying) if self.rules.for_bricks else None

    @cached_property
    def cores(self) -> StuckCores | None:
        """Which bricks one hand can never take off."""
        if self.bricks is None or self.rules.name != "bricks":
            return None
        return StuckCores(self.bricks, self.removals)

    def proofs(self, task: Task, ledger: Ledger, *, grouping: bool) -> list[Search]:
        """Searches for a proof that there is no plan, to take turns with those for one."""
        if not self._model.convex:
            return []
        if self.rules.name == "holds":
            return [too_few_hands(task, self.stability, self.air if grouping else None)]
        alone = task.robots == 1 and not task.bare.held and not task.whole.held
        return [stuck_bricks(task, self.cores, ledger)] if self.cores is not None and alone else []

    def beam_walk(self, task: Task) -> Walk:
        """The way for searches that look at many nodes at once: as seed 002, parts are put where they touch."""
        first = self.walks(task)[0]
        return Building(task, self._ahead(task), in_the_air=False) if isinstance(first, Building) else first

    def _ahead(self, task: Task) -> WaysLeft | None:
        return None if self.removals is None else WaysLeft(self.removals, task.whole.installed)

    def group_walk(self, task: Task, build_apart: BuildApart) -> GroupRemoval:
        """How to go on when parts come to nothing one by one."""
        assert self.removals is not None, "where there are groups, there are ways"
        return GroupRemoval(task, self.removals, self.stability, GroupBuilding(self.assembly, self.air, build_apart))

    @property
    def has_groups(self) -> bool:
        """Whether parts may be placed as one: bricks go their own way, seed 001 and abstract problems know of none."""
        return self.rules.name == "holds" and self.rules.paths != "none"

    @property
    def directions(self) -> int | None:
        """Along how many directions parts may leave, beside those that contacts suggest; None where ways are free."""
        return len(self.removals.common) if isinstance(self.removals, StraightRemovals) else None

    @cached_property
    def air(self) -> InTheAir:
        """How parts keep together in a hand."""
        return InTheAir(self.assembly, self._oracle)

    @property
    def everything(self) -> Goal:
        """All parts onto what is fixed."""
        return self.laid(Goal.everything(self.assembly))

    def laid(self, goal: Goal, T_world_assembly: Array | None = None) -> Goal:
        """Without anything fixed: from how it lies now, turned so, to how it is likeliest to stand in the end."""
        if self.lying is None:
            return goal
        bare = goal.bare
        if bare.installed:
            turn = np.eye(4) if T_world_assembly is None else T_world_assembly
            bare = replace(bare, pose=self.lying.as_it_lies(turn, bare.installed))
        likely = self.lying.poses(goal.whole.installed, bare.pose)
        poses = dict.fromkeys((*likely, *self.lying.every_pose(goal.whole.installed)))
        ways = [replace(goal.whole, pose=pose) for pose in poses]
        whole = next((way for way in ways if self.stability.stands(way)), ways[0])
        return replace(goal, bare=bare, whole=whole)

    def start(self, goal: Goal) -> Start:
        """What is there at the beginning, and how it lies."""
        turn = self.turn(goal.bare.pose) if goal.bare.pose else None
        return replace(goal.start(self.assembly), T_world_assembly=turn)

    def walks(self, task: Task) -> tuple[Walk, ...]:
        """The ways to go through the nodes of a task under these rules; the quickest first."""
        if self.rules.name == "reorient":
            return (Turning(task, self.stability, AsGiven() if self.lying is None else self.lying),)
        if self.bricks is not None:
            return (BrickRemoval(task, self.bricks, self.cores if task.robots == 1 else None),)
        if self.rules.regrasp:
            return (TakingApart(task),)
        return (Building(task, self._ahead(task)), TakingApart(task))

    def task(self, goal: Goal, selector: str | PartSelector, rng: np.random.Generator) -> Task:
        """What to build on what, by these rules."""
        if isinstance(selector, str):
            selector = selector_named(selector, self.assembly, self.touching, self.removals, rng)
        hands, again = self.rules.robots, self.rules.regrasp
        return Task(self.assembly, self.touching, selector, hands, goal.bare, goal.whole, again, goal.last)

    def steps(self, moves: Sequence[Move], goal: Goal, is_late: Callable[[], bool] = lambda: False) -> tuple[Step, ...]:
        """What a builder does; without need nothing is held. Once it is late, no time is spent on niceties."""
        if self.rules.name == "holds" and not self.rules.regrasp and self.stability.monotone:
            moves = tidied(moves, lambda node: not is_late() and self.stability.stands(node))
        turn_of = self.turn if self.rules.name == "reorient" else None
        robots = self.rules.robots
        steps = steps_of(self.assembly, moves, goal.bare, goal.whole, robots, self.path, self.grasped, turn_of)
        return steps if self.bricks is None else with_details(self.bricks, steps, goal.bare, is_late)

    def grasped(self, move: Move) -> int:
        """Of the parts of a move that come as one, those that hands are on, as a mask."""
        kept = move.later.held & move.parts
        if self.bricks is None:
            return self.air.grasped(move.parts, kept)
        taken_by = self.bricks.taken_by(move.parts, move.earlier.installed, kept)
        return move.parts if taken_by is None else 1 << taken_by

    def path(self, move: Move) -> Array | None:
        """How the parts of a move get to their place."""
        if self.removals is None:
            return None
        table = None if self.lying is None else self.lying.table(move.earlier.pose)
        up = None if table is None else table.up
        return self.removals.path(move.parts, move.earlier.installed, up)

    def turn(self, pose: int) -> Array:
        """T_world_assembly of a way to lie."""
        return np.eye(4) if self.lying is None else self.lying.turn(pose)
