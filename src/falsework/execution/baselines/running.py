"""One task by an instructor and a policy, in the same cell, under the same limits and the same referee as ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from falsework.execution.control.builder import Built, Failed
from falsework.execution.control.sight import Eyes
from falsework.execution.eyes import BrickEyes
from falsework.execution.facade import Facade, Stopped
from falsework.execution.guarding import GuardedCell
from falsework.execution.journal import FORMAT, Journal
from falsework.execution.referee.collisions import judged
from falsework.execution.referee.scores import scored
from falsework.execution.running import BuildDone, simulated_cell
from falsework.execution.simulated import strikes_of, truth_of
from falsework.execution.tiers.tasks import BuildTask
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.perception.frames import Frame
from falsework.model.ports import Instructor, Policy
from falsework.model.robots.cell import Cell
from falsework.model.robots.driving import ArmState
from falsework.model.robots.instructing import Command, Ease, Follow, Grip, Observation, Open, Press, Wait

MOST_COMMANDS = 200  # for one instruction: who needs more is not getting anywhere
LOOKS_S = 0.25  # told to the clock for each picture, as with ours

MakePolicy = Callable[[Cell, Assembly, Eyes], Policy]


@dataclass(frozen=True, slots=True)
class Baseline:
    """An instructor, and what makes a policy for a cell and a product; `eyes` are there for whoever wants them."""

    instructor: Instructor
    policy: MakePolicy


def run_baseline(
    task: BuildTask,
    baseline: Baseline,
    *,
    window_m: float | None = None,
    limit_s: float = 200.0,
    journal: Journal | None = None,
) -> BuildDone:
    """Build a task's product as instructed; what comes of it is the referee's to say."""
    simulated = simulated_cell(task, window_m=window_m)
    policy = baseline.policy(task.cell, task.product, BrickEyes(task.cell, task.product))
    guarded = GuardedCell(simulated)
    carried = Carrying(guarded, policy, journal or Journal(), limit_s)
    built = carried.build(task.product, baseline.instructor)
    names = tuple(part.name for part in task.product.parts)
    collisions = judged(strikes_of(simulated), ())
    scores = scored(task.product, truth_of(simulated, task.cell))
    return BuildDone(built, scores, None, names, collisions, guarded.thought_s)


class Carrying:
    """Instruction after instruction, command after command."""

    def __init__(self, facade: Facade, policy: Policy, journal: Journal, limit_s: float) -> None:
        self._facade, self._policy, self._journal, self._limit_s = facade, policy, journal, limit_s
        self._looking_s, self._worked = 0.0, True
        self._failures: list[Failed] = []

    def build(self, product: Assembly, instructor: Instructor) -> Built:
        begun = self._facade.time_s
        self._tell("begin", format=FORMAT, cell=self._facade.cell.name, bricks=len(product.parts))
        done: list[str] = []
        try:
            for instruction in instructor.instructions(product):
                if instruction.brick not in product.index:
                    raise BadInput(
                        f"an instruction is about {shown(instruction.brick)}, which the product does not have"
                    )
                self._tell("instruction", brick=instruction.brick, words=instruction.words)
                self._policy.begin(instruction)
                if self._carry_out(instruction.brick):
                    done.append(instruction.brick)
                if self._is_late:
                    break
        except Stopped as why:
            self._failures.append(Failed("", "", "stopped", str(why)))
            self._tell("stopped", why=str(why))
        seconds = self._facade.time_s - begun
        complete = set(done) == {part.name for part in product.parts}
        self._tell("end", complete=complete, placed=done, failures=[one.kind for one in self._failures])
        doing = seconds - self._looking_s
        return Built(complete, tuple(done), tuple(self._failures), seconds, self._looking_s, doing, self._is_late)

    @property
    def _is_late(self) -> bool:
        return self._facade.time_s >= self._limit_s

    def _tell(self, event: str, **more: object) -> None:
        self._journal.tell(self._facade.time_s, event, **more)

    def _carry_out(self, brick: str) -> bool:
        """Whether the policy says that an instruction is done, having done something about it."""
        for count in range(MOST_COMMANDS):
            command = self._policy.act(self._observed(anew=count == 0))
            if command is None:
                if count == 0:
                    self._failures.append(Failed(brick, "", "policy", "the policy did nothing about it"))
                return count > 0
            self._tell("command", brick=brick, command=type(command).__name__)
            self._worked = give(self._facade, command)
            if self._is_late:
                return False
        self._failures.append(Failed(brick, "", "policy", f"{MOST_COMMANDS} commands did not end it"))
        return False

    def _observed(self, anew: bool) -> Observation:
        """What is to be seen now. To look at the beginning of an instruction costs time, as it does for ours."""
        if anew:
            self._facade.pause(LOOKS_S)
            self._looking_s += LOOKS_S
        arms = {}
        for one in self._facade.cell.arms:
            told = self._facade.state(one.name)
            push = float(-told.wrench[:3] @ told.T_world_tool[:3, 2])
            arms[one.name] = ArmState(told.time_s, told.q, told.opening_m, push)
        return Observation(self._facade.time_s, arms, self._look, self._worked)

    def _look(self) -> tuple[Frame, ...]:
        cameras = [one.name for one in self._facade.cell.cameras if one.arm is None]
        return tuple(self._facade.look(name) for name in cameras)


def give(facade: Facade, command: Command) -> bool:
    """Do what a command says; whether it did what it should."""
    match command:
        case Follow(arm=arm, way=way, share=share, speed_m_s=speed):
            facade.follow(arm, way, share, speed)
        case Open(arm=arm, opening_m=opening):
            facade.open(arm, opening)
        case Grip(arm=arm, width_m=width, force_n=force):
            return facade.grip(arm, width, force)
        case Ease(arm=arm):
            facade.ease(arm)
        case Press(arm=arm, force_n=force, limit_m=limit):
            return facade.press(arm, force, limit).reached
        case Wait(for_s=seconds):
            facade.pause(seconds)
        case other:
            raise BadInput(f"a policy gave {shown(other)}, expected one of the commands of model.robots.instructing")
    return True
