"""`verify`: a plan file checked anew, state by state and path by path. It imports no search.

Steps are counted from 1; step 0 is the plan as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from falsework.formats.opening import PlanSource, Source, opened_plan, stepped_model
from falsework.geometry.shapes.lattice import lattices
from falsework.model.assembly import Assembly
from falsework.model.bits import bits
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown
from falsework.model.placement import Placement
from falsework.model.plan import Plan, Step, Subassembly
from falsework.model.ports import PlacementCheck, StabilityOracle
from falsework.model.state import State
from falsework.model.verbs import verb
from falsework.model.verdict import Verdict
from falsework.planning.nodes.apart import alone
from falsework.planning.nodes.own_checks import asked, elsewhere, missing_checks, own_checks
from falsework.planning.nodes.own_oracles import require_oracle
from falsework.planning.nodes.presses import is_downward
from falsework.planning.nodes.rule_sets import rule_set_of
from falsework.planning.verification.failures import Failure, Verification, listed, outcome
from falsework.planning.verification.file_steps import verify_steps
from falsework.planning.verification.grasps import GraspJudge
from falsework.planning.verification.hands import Hands
from falsework.planning.verification.paths import PathJudge
from falsework.planning.verification.states import StateJudge

MOST_FAILURES = 100

Progress = Callable[[int, int], None]


@verb()
def verify(
    plan: PlanSource,
    source: Source | None = None,
    progress: Progress | None = None,
    *,
    checks: Iterable[PlacementCheck] = (),
    oracle: StabilityOracle | None = None,
    gap: float | None = None,
    ldraw: str | None = None,
) -> Verification:
    """Whether a plan does what it says, every state, path, grasp, press and hand of it checked anew.

    plan      what `plan` answered, its plan, or the path of a plan file; or a model whose file has steps of its own
              (LDraw's `0 STEP`), of which is judged whether what is there stands after each
    source    the assembly, where it is at hand or the plan does not name its file
    progress  is told how many steps were checked, and of how many
    checks    of your own, and
    oracle    of your own, as `plan` takes them: without those that it was made under, nobody knows if it keeps to them
    gap       up to which distance parts touch, m, where not as in the plan
    ldraw     LDraw's parts library, for a model

    >>> from falsework import plan
    >>> verify(plan("examples/arch.yaml", robots=2)).valid
    True
    """
    stepped = stepped_model(plan, gap, ldraw) if source is None else None
    if stepped is not None:
        return verify_steps(stepped, progress)
    try:
        plan, assembly = opened_plan(plan, source, gap)
    except BadFile as why:
        if "has changed since" not in why.problem:
            raise
        return Verification((Failure(0, str(why)),), 0)
    lies = plan.start.T_world_assembly is not None or any(step.action == "reorient" for step in plan.steps)
    if plan.steps and not assembly.is_grounded and not lies:
        raise BadInput("nothing is fixed and there is no ground; the plan's assembly needs one of them")
    require_oracle(plan.rules.model, oracle)
    return _Inspection(plan, assembly, own_checks(checks), oracle).run(progress)


class _Inspection:
    """One walk through a plan: what is there, what is held, and what went wrong."""

    def __init__(
        self,
        plan: Plan,
        assembly: Assembly,
        checks: tuple[PlacementCheck, ...] = (),
        oracle: StabilityOracle | None = None,
        *,
        in_hands: bool = False,
    ) -> None:
        """`in_hands`: parts may still be held when all is done, by the hands that carry them on."""
        self.plan, self.assembly, self.rules, self.in_hands = plan, assembly, plan.rules, in_hands
        self.rule_set, self.checks, self.oracle = rule_set_of(plan.rules), checks, oracle
        self.gripped = self.rule_set.for_bricks or plan.rules.press_n is not None  # what is pressed, a hand grips
        self.fixed = assembly.fixed_mask()
        self.installed, self.hands = self.fixed, Hands()
        self.winding_down = True  # so far hands only let go: those that were lost, if it began with more than there are
        self.at = 0  # the step that is looked at
        self.failures: list[Failure] = []
        self.judged: set[tuple[int, int, int]] = set()
        self.turns = 0
        self.states = StateJudge(assembly, plan.rules, 2 * len(plan.steps), oracle)
        self.paths = PathJudge(assembly)
        self.grasps = GraspJudge(assembly, lattices(assembly))

    def run(self, progress: Progress | None) -> Verification:
        count = len(self.plan.steps)
        states = sum(self._built_apart(built) for built in self.plan.apart)
        self._begin()
        for number, step in enumerate(self.plan.steps, start=1):
            self.at = number
            if progress is not None:
                progress(number, count)
            for why in self._step(step):
                self._fail(why)
            self._judge()
            self._judge_margin(step.margin_deg)
            if len(self.failures) >= MOST_FAILURES:
                break
        else:
            self.at = 0
            self._end()
        return Verification(tuple(self.failures), states + len(self.judged))

    def _built_apart(self, built: Subassembly) -> int:
        """Whether parts can be built apart as the plan says; how many states that took to judge."""
        names = listed(built.parts)
        if unknown := [name for name in built.parts if name not in self.assembly.index]:
            self._fail(f"{names} apart: there is no part {shown(unknown[0])}")
            return 0
        steps = Plan(replace(self.rules, name=self.rule_set.apart or self.rules.name), "complete", built.steps)
        parts = alone(self.assembly, built.parts, built.fast)
        checks = elsewhere(self.checks, self.assembly, parts)
        inspection = _Inspection(steps, parts, checks, self.oracle, in_hands=True)
        found = inspection.run(None)
        for failure in found.failures:
            where = f"step {failure.step}: " if failure.step else ""
            self._fail(f"{names} apart: {where}{failure.why}", failure.undecided)
        return found.states

    def _fail(self, why: str, undecided: bool = False) -> None:
        self.failures.append(Failure(self.at, why, undecided))

    def _blame(self, what: str, verdict: Verdict) -> None:
        """What does not stand, or perhaps does not."""
        self._fail(f"{what} {outcome(self.assembly, verdict)}", verdict.answer == "undecided")

    def _begin(self) -> None:
        for name in () if self.in_hands else missing_checks(self.rules.checks, self.checks):
            self._fail(f"it was made under check {shown(name)}; pass that too: verify(…, checks=[…])", undecided=True)
        start = self.plan.start
        for name in (*start.installed, *start.held, *(self.plan.target or ())):
            if name not in self.assembly.index:
                self._fail(f"there is no part {shown(name)}; {did_you_mean(name, self.assembly.index)}")
                return
        self.installed |= self.assembly.mask(start.installed)
        held = self.assembly.mask(start.held)
        if held & (self.fixed | ~self.installed):
            self._fail("it begins by holding parts that are not there, or fixed")
        self.hands.take(held & self.installed & ~self.fixed)
        if start.T_world_assembly is not None:
            self.states.turned(start.T_world_assembly, self.installed & ~self._ground())
        if self.installed != self.fixed:
            self._judge()

    def _end(self) -> None:
        target = self.assembly.names if self.plan.target is None else self.plan.target
        wanted, there = self.assembly.mask(target) | self.fixed, self.installed
        if unwanted := there & ~wanted:
            self._fail(f"it is said to end without {self._named(unwanted)}, but that is there")
        if self.plan.status != "complete":
            if not self.plan.steps:
                self._fail(f"its status is {self.plan.status} and it has no steps: nothing to check", undecided=True)
            elif self.plan.status == "infeasible" and there == wanted and not self.hands.held:
                self._fail("it is said that there is no plan, but its steps place everything")
            return
        if missing := wanted & ~there:
            self._fail(f"it is said to be complete, but never places {self._named(missing)}")
        if self.hands.held and not self.in_hands:
            self._fail(f"it is said to be complete, but ends holding {self._named(self.hands.held)}")

    # One step

    def _step(self, step: Step) -> Iterator[str]:
        unknown = [name for name in (*step.parts, *step.held) if name not in self.assembly.index]
        if unknown:
            yield f"there is no part {shown(unknown[0])}; {did_you_mean(unknown[0], self.assembly.index)}"
            return
        parts, said = self.assembly.mask(step.parts), self.assembly.mask(step.held)
        match step.action:
            case "place":
                yield from self._place(step, parts)
            case "hold":
                yield from self._hold(parts)
            case "release":
                yield from self._release(parts)
            case "reorient":
                yield from self._reorient(step)
        if said != self.hands.held:
            found, expected = (self._named(mask) or "nothing" for mask in (said, self.hands.held))
            yield f"held is said to be {found}, but the steps so far leave {expected}"
            self.hands.only(said & self.installed & ~self.fixed)
        self.winding_down &= step.action == "release"
        hands = self.hands.on.bit_count()
        if hands > self.rules.robots and not self.winding_down:
            yield f"it takes {hands} hands, and there are {self.rules.robots}"

    def _place(self, step: Step, parts: int) -> Iterator[str]:
        if parts & self.fixed:
            yield f"{self._named(parts & self.fixed)} is fixed and cannot be placed"
        if twice := parts & self.installed & ~self.fixed:
            yield f"{self._named(twice)} is there already"
        if parts & self.installed:
            return
        yield from self._travel(step, parts)
        if self.rules.require_connected and (loose := self.states.out_of_touch(self.installed)):
            yield f"what it is put on is in pieces: nothing joins {self._named(loose)} to the rest"
        self._ask_checks(parts)
        grasped, supported = self._grasped(step, parts), self.hands.on
        self._carry(parts, grasped)
        if self.gripped:
            yield from self.grasps.complaints(step, grasped, self.installed | parts, self.rules)
        self.installed |= parts
        self.hands.bring(parts, grasped)
        if self.rules.press_n is not None:
            self._press(step, parts, supported)

    def _ask_checks(self, parts: int) -> None:
        """Whether the caller's own checks let the parts be placed now."""
        turn = None if self.states.lies_as_given else self.states.T_world_assembly
        placement = Placement(parts, State(self.installed, self.hands.on), turn)
        for check in self.checks:
            found = asked(check, placement)
            if found is not None:
                self._fail(f"{check.name}: {found.why}", undecided=not check.certain)

    def _grasped(self, step: Step, parts: int) -> int:
        """The parts that hands are on, of those that come as one.

        If the step does not say so: one that goes with its grasp, that carries the others, and that stays held if any
        does; else all of them.
        """
        if step.grasped or parts & (parts - 1) == 0:
            return self.assembly.mask(step.grasped) or parts
        kept = parts & self._held_on()
        there = self.installed | parts
        for body in bits(kept or parts):
            fits = not self.gripped or self.grasps.fits(step.grasp, body, there)
            if not kept & ~(1 << body) and fits and self.states.carried(parts, 1 << body).stands:
                return 1 << body
        return parts

    def _held_on(self) -> int:
        """What is still held when the hands have let go of what they let go of after this step."""
        last = next((n for n, step in enumerate(self.plan.steps[self.at :]) if step.action != "release"), None)
        held = self.plan.steps[-1 if last is None else self.at + last - 1].held
        return self.assembly.mask([name for name in held if name in self.assembly.index])

    def _carry(self, parts: int, grasped: int) -> None:
        """Whether parts that come as one hang together in the hand."""
        if parts != grasped:
            verdict = self.states.carried(parts, grasped)
            if not verdict.stands:
                self._blame(f"what is carried by {self._named(grasped)}", verdict)

    def _travel(self, step: Step, parts: int) -> Iterator[str]:
        if self.rules.paths == "none":
            return
        if step.path is None:
            yield "it has no path, which the rules ask for"
            return
        if len(step.path) < 2:
            yield "its path has one pose, expected two or more"
            return
        moved = list(bits(parts))
        ground = len(self.assembly.parts)
        others = [n for n in bits(self.installed) if n != ground or self.states.table is None]
        yield from self.paths.complaints(moved, others, step.path, self.states.table)
        if self.rules.paths == "straight" and self.paths.turns(step.path):
            yield "its path turns the part, but the rules ask for straight paths"

    def _press(self, step: Step, parts: int, supported: int) -> None:
        """Each part of what was placed is pressed home, one as the step says; what hands held before they support."""
        assert self.rules.press_n is not None
        there, closes, as_told = self.installed & ~parts, False, False
        for part in bits(parts):
            presses, told = self.states.presses(part, there, self.rules.press_n, step.press)
            closes, as_told = closes or bool(presses), as_told or told
            if self.states.table is not None and presses and not is_downward(presses[0].load.force_n, self.states.up):
                self._fail("as it lies, it is pressed in from the side or from below")
            verdict = self.states.unborne(presses, parts, there, supported & there)
            if verdict is not None:
                name = shown(self.assembly.bodies[part].name)
                newtons = float(np.linalg.norm(presses[0].load.force_n))
                self._blame(f"pressed on {name} with {newtons:.3g} N, the structure", verdict)
        if step.press is not None and closes and not as_told:
            self._fail(f"its press does not put {self.rules.press_n:g} N through a joint")

    def _hold(self, parts: int) -> Iterator[str]:
        if parts & self.fixed:
            yield "it holds a fixed part, which needs no hand"
        elif parts & ~self.installed:
            yield "it holds a part that is not there"
        elif parts & self.hands.held:
            yield "it holds a part that is held already"
        elif not self.rule_set.takes_hold_anew and not self.rules.regrasp:
            yield "it takes hold of a part that was let go, and the rules allow no regrasping"
        self.hands.take(parts & self.installed & ~self.fixed)

    def _release(self, parts: int) -> Iterator[str]:
        if not parts & self.hands.held:
            yield "it lets go of a part that is not held"
        self.hands.let_go(parts)

    def _reorient(self, step: Step) -> Iterator[str]:
        assert step.T_world_assembly is not None, "the model sees to it"
        if not self.rule_set.turns:
            yield "it turns the assembly, which the rules do not allow"
        if step.secured is None:
            yield "it does not say whether the parts are clamped or self-locked while it is turned"
        elif step.secured == "self-locked":
            verdict = self.states.is_locked(self.installed & ~self._ground())
            if not verdict.stands:
                self._blame("it is said to be self-locked, but turned over it", verdict)
        if step.secured == "clamped":  # hands let go and take hold meanwhile
            self.hands = Hands(self.assembly.mask(step.held) & self.installed & ~self.fixed)
        self.turns += 1
        self.states.turned(step.T_world_assembly, self.installed & ~self._ground())

    def _ground(self) -> int:
        return 0 if self.assembly.ground_part is None else 1 << len(self.assembly.parts)

    def _judge(self) -> None:
        """Whether it stands now."""
        key = self.installed, self.hands.on, self.turns
        if key in self.judged:
            return
        self.judged.add(key)
        verdict = self.states.verdict(self.installed, self.hands.on)
        if not verdict.stands:
            self._blame("the structure", verdict)

    def _judge_margin(self, degrees: float | None) -> None:
        """Whether it may be tilted as far as the plan says."""
        if degrees:
            verdict = self.states.bears_tilt(self.installed, self.hands.on, degrees)
            if verdict is not None:
                self._blame(f"tilted by {degrees:g}°, as it is said to bear, the structure", verdict)

    def _named(self, mask: int) -> str:
        return listed(self.assembly.named(mask))
