"""What planning needs to know of one assembly under one set of rules: prepared once, asked often."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.bent_paths import BentRemovals
from falsework.geometry.ways.removal import LEVEL, StraightRemovals
from falsework.geometry.ways.surfaces.choice import goes_by_surfaces
from falsework.geometry.ways.surfaces.removals import SurfaceRemovals
from falsework.geometry.ways.turning_paths import TurningRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Rules, Start, Step
from falsework.model.ports import Crew, PartSelector, PlacementCheck, RemovalOracle, StabilityOracle
from falsework.planning.bricks.brickwork import Brickwork
from falsework.planning.crafts.craft import Craft
from falsework.planning.nodes.carrying import InTheAir
from falsework.planning.nodes.checks import Check, OwnCheck
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.journal import Journal, Journals
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.nodes.own_oracles import own_model, require_oracle
from falsework.planning.nodes.rule_sets import rule_set_of
from falsework.planning.nodes.stability import Stability, neighbours
from falsework.planning.nodes.tilting import Tilted
from falsework.planning.rules.lying import OnTable
from falsework.planning.search.fastener_order import FastenerOrder, FastenersInOrder, held_by_fasteners
from falsework.planning.search.selectors import selector_named
from falsework.planning.search.walks import Task
from falsework.verdicts.other_laws import judges_play
from falsework.verdicts.registry import model_for
from falsework.verdicts.searching import SearchOracle, search_oracle

MakeCrew = Callable[[RemovalOracle | None], Crew]  # from how parts leave


class Workshop:
    """An assembly, the rules of planning it, and what was found out about it so far."""

    def __init__(
        self,
        assembly: Assembly,
        rules: Rules,
        *,
        joints: Interfaces | None = None,
        threads: int | None = None,
        journals: Journals | None = None,
        removals: RemovalOracle | None = None,
        checks: Sequence[PlacementCheck] = (),
        oracle: StabilityOracle | None = None,
        crew: MakeCrew | None = None,
        shares: bool = True,
    ) -> None:
        """`joints` and `removals` where they are known already: they do not depend on the rules.

        Batches of states are solved on `threads`, by default one a core; the answers do not depend on it. `checks` of
        the caller, and an `oracle` of the caller's for this very assembly, in place of that of the rules' model; `crew`
        makes the arms that are to carry the plan out. `shares`: whether plans tell how far presses take the joints.
        """
        self.rule_set = rule_set_of(rules)
        if not self.rule_set.turns:
            assembly.require_ground()
        if rules.press_n is not None and not self.rule_set.for_bricks:
            raise BadInput(f"rules {rules.name} press nothing, and {rules.press_n:g} N are asked for; use rules bricks")
        self.assembly, self.rules, self._removals = assembly, rules, removals
        self.joints = interfaces(assembly) if joints is None else joints
        self.touching = neighbours(assembly, self.joints)
        self.journals: Journals = {} if journals is None else journals
        self.own_oracle, self.own_checks, self._make_crew = oracle, tuple(checks), crew
        self._shares = shares
        self.own: tuple[Check, ...] = tuple(OwnCheck(check, self.turn) for check in self.own_checks)
        require_oracle(rules.model, oracle)
        self._model = model_for(rules.model, assembly, self.joints) if oracle is None else own_model(oracle, assembly)
        if self.rule_set.for_bricks and not self._model.is_core:
            if oracle is None:
                self._model.oracle(assembly, self.joints)  # what knows nothing of bricks says so, and which models do
            other = "use rules holds or reorient, or leave the model out"
            raise BadInput(f"presses are proved with model snapfit, not {self._model.name}; {other}")
        self._lay(os.cpu_count() or 1 if threads is None else threads)

    def _lay(self, threads: int) -> None:
        """How it lies, and who says whether it stands so."""
        studs = self.joints.clutches.T_world_clutch[:, :3, 2] if self.rule_set.for_bricks else None
        self.lying: OnTable | None = None
        if self.assembly.is_grounded:
            oracle = self._oracle(self.assembly, self.joints, self.journals.setdefault(0, {}), threads)
            self.stability = Stability(
                lambda pose: oracle if self.tilted is None or pose == 0 else self.tilted.oracle(pose),
                monotone=oracle.monotone_in_held,
            )
            return
        among = None if any(part.is_fitted for part in self.assembly.parts) else self.joints  # bricks go by their grid
        self.lying = OnTable(self.assembly, self._oracle, self.journals, plumb=studs, among=among)
        self.stability = Stability(self.lying.oracle, monotone=self._model.monotone_in_held)

    def _oracle(
        self, assembly: Assembly, joints: Interfaces, journal: Journal | None = None, threads: int = 1
    ) -> SearchOracle:
        """That of the rules' model, for this assembly or one made of it."""
        return search_oracle(self._model, assembly, joints, threads=threads, journal=journal)

    @property
    def convex(self) -> bool:
        """Whether one state proves something about others."""
        return self._model.convex

    @property
    def knows_the_air(self) -> bool:
        """Whether there is an oracle for parts in a hand: one that was passed knows the assembly as it stands only."""
        return self.own_oracle is None

    def with_robots(self, robots: int) -> Workshop:
        """The same with another number of hands; what does not depend on it is shared."""
        if robots == self.rules.robots:
            return self
        return self._changed(replace(self.rules, robots=robots), self.removals)

    def as_check_would(self) -> Workshop:
        """The same by the law that `check` judges fits with play by, where there are any."""
        if not judges_play(self.joints):
            return self
        other = self._changed(replace(self.rules, model="cra"), self._removals)
        other.journals = self.journals
        other._lay(os.cpu_count() or 1)
        return other

    def demanding(self, check: Check) -> Workshop:
        """The same where every move must pass one more check; what does not depend on it is shared."""
        other = self._changed(self.rules, self.removals)
        other.own = (*self.own, check)
        return other

    def _changed(self, rules: Rules, removals: RemovalOracle | None) -> Workshop:
        other = Workshop(
            self.assembly,
            rules,
            joints=self.joints,
            removals=removals,
            checks=self.own_checks,
            oracle=self.own_oracle,
            crew=self._make_crew,
            shares=self._shares,
        )
        other.stability, other.lying, other.journals = self.stability, self.lying, self.journals
        other.own = self.own
        return other

    @cached_property
    def removals(self) -> RemovalOracle | None:
        """How parts leave, along straight lines or any way; None where paths do not matter."""
        if self.rules.paths == "none" or self._removals is not None:
            return self._removals
        if self._by_surfaces:
            return SurfaceRemovals(self.assembly, self.joints, slides=self.rules.paths == "any")
        if self.lying is not None:  # past the table, only straight ways are looked at
            return StraightRemovals(self.assembly, self.joints, certain=self.rules.paths == "straight")
        if self.rules.paths == "straight":
            return self._straight
        bent = BentRemovals(self._straight)
        return TurningRemovals(bent) if self.craft.turns_on_the_way else bent

    @cached_property
    def _by_surfaces(self) -> bool:
        """Whether parts have so many faces that their ways are looked for by surfaces."""
        return goes_by_surfaces(self.assembly)

    @cached_property
    def _straight(self) -> StraightRemovals:
        return StraightRemovals(self.assembly, self.joints)

    @property
    def straight(self) -> Workshop | None:
        """The same with straight ways only, where others are looked for too."""
        if self.rules.paths != "any" or self.lying is not None or self._by_surfaces:
            return None
        return self._changed(replace(self.rules, paths="straight"), self._straight)

    @cached_property
    def craft(self) -> Craft:
        """How work is done here by the rules."""
        return self.rule_set.craft(self)

    @cached_property
    def crew(self) -> Crew | None:
        """The arms that are to carry the plan out; None where nobody asks for any."""
        return None if self._make_crew is None else self._make_crew(self.removals)

    @cached_property
    def tilted(self) -> Tilted | None:
        """The ways to lie that a crew offers, where the rules turn the structure over and somebody of it is bolted."""
        if self.crew is None or not self.rule_set.turns or self.own_oracle is not None or len(self.crew.lies) < 2:
            return None
        return Tilted(self.assembly, self.joints, self._oracle, self.journals, self.crew.lies)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """What every move needs, cheapest first."""
        return self.craft.checks()

    @cached_property
    def bricks(self) -> Brickwork | None:
        """Grasps and presses, where the rules ask for them."""
        if not self.rule_set.for_bricks:
            return None
        return Brickwork(self.assembly, self.joints, self.rules, self.lying, shares=self._shares)

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
        likely = [replace(goal.whole, pose=pose) for pose in self.lying.poses(goal.whole.installed, bare.pose)]
        likely.sort(key=self._lifted_off, reverse=True)
        others = (replace(goal.whole, pose=pose) for pose in self.lying.every_pose(goal.whole.installed))
        ways = chain(likely, (way for way in others if way not in likely))
        whole = next((way for way in ways if self.stability.stands(way)), likely[0])
        return replace(goal, bare=bare, whole=whole)

    def _lifted_off(self, whole: Node) -> int:
        """How many parts could leave at once without going down: the more, the better it lies to be taken apart."""
        table = None if self.lying is None else self.lying.table(whole.pose)
        if self.removals is None or table is None or self.rule_set.for_bricks:
            return 0
        ways = [self.removals.directions(1 << part, whole.installed) for part in range(len(self.assembly.parts))]
        return sum(bool(len(one) and (one @ table.up).max() > -LEVEL) for one in ways)

    def start(self, goal: Goal) -> Start:
        """What is there at the beginning, and how it lies."""
        turn = self.turn(goal.bare.pose) if goal.bare.pose else None
        return replace(goal.start(self.assembly), T_world_assembly=turn)

    def task(
        self,
        goal: Goal,
        selector: str | PartSelector,
        rng: np.random.Generator,
        fasteners: FastenerOrder = "as-found",
    ) -> Task:
        """What to build on what, by these rules."""
        if isinstance(selector, str):
            selector = selector_named(selector, self.assembly, self.touching, self.removals, rng)
        if fasteners != "as-found":
            selector = FastenersInOrder(selector, self._held_by_fasteners, fasteners, self.removals)
        hands, again = self.rules.robots, self.rules.regrasp
        every_hold = any(check.minds_hands for check in self.own_checks)
        return Task(self.assembly, self.touching, selector, hands, goal.bare, goal.whole, again, goal.last, every_hold)

    @cached_property
    def _held_by_fasteners(self) -> dict[int, int]:
        return held_by_fasteners(self.assembly)

    def steps(self, moves: Sequence[Move], goal: Goal, is_late: Callable[[], bool] = lambda: False) -> tuple[Step, ...]:
        """What a builder does; once it is late, no time is spent on niceties."""
        return self.craft.steps(moves, goal, is_late)

    def path(self, move: Move) -> Array | None:
        """How the parts of a move get to their place."""
        if self.removals is None:
            return None
        table = None if self.lying is None else self.lying.table(move.earlier.pose)
        up = None if table is None else table.up
        return self.removals.path(move.parts, move.earlier.installed, up)

    def turn(self, pose: int) -> Array:
        """T_world_assembly of a way to lie."""
        lying = self.tilted if self.lying is None else self.lying
        return np.eye(4) if lying is None else lying.turn(pose)
