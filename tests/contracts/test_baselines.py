"""Every instructor and every policy: what they say is about the product, and what they do is a command that ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest

import falsework
from falsework.execution.baselines.instructors import FileOrder, LanguageInstructor, prompt
from falsework.execution.baselines.open_loop import OpenLoop
from falsework.execution.baselines.running import Baseline, Carrying, give, run_baseline
from falsework.execution.control.sight import Eyes
from falsework.execution.driving import DrivenCell
from falsework.execution.dry_run import DryDriver, DryWorld
from falsework.execution.eyes import BrickEyes
from falsework.execution.guarding import GuardedCell
from falsework.execution.journal import Journal
from falsework.execution.tiers.tasks import build_task
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.ports import Instructor, Policy
from falsework.model.robots.cell import Cell
from falsework.model.robots.instructing import Command, Instruction, Observation, Wait

TASK = build_task(2, 0)


def lowest_first(asked: str) -> str:
    """What a language model might answer: it reads heights out of the prompt."""
    rows = [line for line in asked.splitlines() if line.startswith("- [")]
    rows.sort(key=lambda line: float(line.rpartition(" z ")[2]))
    steps = [f"{n}. Place [{row[3 : row.index(']')]}]: straight down." for n, row in enumerate(rows, start=1)]
    return "Here is how:\n" + "\n".join(steps) + "\nEnjoy!"


class Idle:
    """A policy that waits three times."""

    def __init__(self, cell: Cell, product: Assembly, eyes: Eyes) -> None:
        self._left = 0

    def begin(self, instruction: Instruction) -> None:
        self._left = 3

    def act(self, observation: Observation) -> Command | None:
        self._left -= 1
        return Wait(0.1) if self._left >= 0 else None


INSTRUCTORS: dict[str, Callable[[], Instructor]] = {
    "file order": FileOrder,
    "language": lambda: LanguageInstructor(lowest_first),
}
POLICIES: dict[str, Callable[[Cell, Assembly, Eyes], Policy]] = {"open loop": OpenLoop, "idle": Idle}


@pytest.mark.parametrize("name", INSTRUCTORS)
def test_instructions_are_about_bricks_of_the_product_each_once_and_always_the_same(name: str) -> None:
    product = falsework.load("examples/duplo-bridge.yaml")
    first, again = (list(INSTRUCTORS[name]().instructions(product)) for _ in range(2))
    assert first == again
    bricks = [one.brick for one in first]
    assert set(bricks) == {part.name for part in product.parts} and len(set(bricks)) == len(bricks)
    assert all(one.words for one in first)


def dry() -> DrivenCell:
    world = DryWorld(TASK.cell, TASK.product, TASK.loose)
    drivers = {"arm": DryDriver(world, TASK.cell.arms[0])}
    return DrivenCell(TASK.cell, drivers, world.cameras(), clock=lambda: world.time_s, wait=world.wait)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_gives_commands_until_its_instruction_is_done_the_same_every_time(name: str) -> None:
    logs = []
    for _ in range(2):
        journal, cell = Journal(), GuardedCell(dry())
        policy = POLICIES[name](TASK.cell, TASK.product, BrickEyes(TASK.cell, TASK.product))
        built = Carrying(cell, policy, journal, 200.0).build(TASK.product, FileOrder())
        assert built.complete and not built.failures
        logs.append(journal.lines)
    assert logs[0] == logs[1]
    told = [line["brick"] for line in logs[0] if line["event"] == "instruction"]
    assert told == [part.name for part in TASK.product.parts]


def test_a_policy_sees_no_truth() -> None:
    assert {field.name for field in fields(Observation)} == {"time_s", "arms", "look", "worked"}


def test_the_stand_in_builds_one_brick_and_the_referee_judges_it() -> None:
    done = run_baseline(build_task(1, 0), Baseline(FileOrder(), OpenLoop))
    assert done.scores is not None and done.built.complete
    assert done.as_dict()["refereed"] is True


def test_who_believes_to_be_done_may_have_built_nothing() -> None:
    done = run_baseline(build_task(1, 0), Baseline(FileOrder(), Idle))
    assert done.built.complete and not done.success
    assert done.scores is not None and done.scores.accuracy == 0.0


def test_a_language_model_that_talks_nonsense_is_refused_with_its_line() -> None:
    product = falsework.load("examples/duplo-bridge.yaml")

    def refusal(answer: object) -> str:
        with pytest.raises(BadInput) as refused:
            LanguageInstructor(lambda asked: answer).instructions(product)  # type: ignore[arg-type, return-value]
        return str(refused.value)

    assert refusal("Place [99]: on top.") == "the language model's line 1 places '99', which the product does not have"
    assert refusal("Place [1]: a\nPlace [1]: b") == "the language model's line 2 places '1' a second time"
    assert "places nothing; expected lines such as" in refusal("I cannot help with that.")
    assert refusal(None) == "the language model answered None, expected text"
    assert prompt(product).count("\n- [") == 5


def test_what_is_no_command_is_refused_and_who_never_ends_is_given_up() -> None:
    with pytest.raises(BadInput, match="a policy gave 'jump', expected one of the commands"):
        give(dry(), "jump")  # type: ignore[arg-type]

    class Restless(Idle):
        def act(self, observation: Observation) -> Command | None:
            return Wait(0.01)

    policy = Restless(TASK.cell, TASK.product, BrickEyes(TASK.cell, TASK.product))
    built = Carrying(GuardedCell(dry()), policy, Journal(), 200.0).build(TASK.product, FileOrder())
    assert not built.complete
    assert built.failures[0].words == "200 commands did not end it"


def test_an_instruction_about_nothing_is_refused() -> None:
    class Dreamer:
        def instructions(self, product: Assembly) -> list[Instruction]:
            return [Instruction("castle")]

    policy = Idle(TASK.cell, TASK.product, BrickEyes(TASK.cell, TASK.product))
    with pytest.raises(BadInput, match="an instruction is about 'castle', which the product does not have"):
        Carrying(GuardedCell(dry()), policy, Journal(), 200.0).build(TASK.product, Dreamer())


def test_the_hand_stays_in_its_box_whatever_a_policy_commands() -> None:
    from falsework.execution.facade import Stopped
    from falsework.model.robots.instructing import Follow

    home = np.array(TASK.cell.arms[0].home)
    with pytest.raises(Stopped, match="joints that are no numbers"):
        give(GuardedCell(dry()), Follow("arm", np.stack([home, np.full_like(home, np.inf)])))
