"""Plans by other laws than plain equilibrium: searched, written and verified with the model that was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from falsework import gallery, plan
from falsework.cli import main
from falsework.formats import save
from falsework.formats.plans.reading import read_plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Verdict
from falsework.planning.nodes.moves import Move, Node, between
from falsework.planning.replan import replan
from falsework.planning.verification.verify import verify
from falsework.statics.core.batches import Finding
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.published.cra import Cra
from falsework.verdicts.registry import StabilityModel, Terms, model_named, register, unregister
from falsework.verdicts.searching import OneByOne, search_oracle
from tests.conftest import brick, on_baseplate
from tests.statics.structures import block, stack


def propped() -> Assembly:
    """A bar between two fixed legs, on a prop: without the prop only its own pressing would keep it up."""
    legs = [block(name, (x, 0.0, 0.0), (0.2, 1.0, 2.0)) for name, x in (("left", -0.2), ("right", 1.0))]
    floor = block("floor", (-1.0, -1.0, -0.2), (3.0, 3.0, 0.2))
    bar, prop = block("bar", (0.0, 0.0, 1.0), (1.0, 1.0, 0.2)), block("prop", (0.3, 0.3, 0.0), (0.4, 0.4, 1.0))
    return Assembly((floor, *legs, bar, prop), fixed=frozenset({"floor", "left", "right"}), friction=0.8)


def test_what_rests_on_wedging_alone_is_a_plan_for_blocks_and_none_for_cra() -> None:
    shape = gallery.make("h-shape")
    assert plan(shape, paths="none").status == "complete"
    planned = plan(shape, paths="none", model="cra")
    assert (planned.status, planned.plan.rules.model) == ("infeasible", "cra")
    assert planned.plan.proof is not None and planned.plan.proof.by == "fall"


def test_by_cra_the_bar_waits_for_its_prop_and_by_blocks_it_need_not() -> None:
    assembly = propped()
    wedged = State.complete(assembly, absent=assembly.mask(["prop"]))
    joints = interfaces(assembly)
    assert Equilibrium(assembly, joints).assess(wedged).answer == "stable"
    assert Cra(assembly, joints).assess(wedged).answer == "unstable"
    planned = plan(assembly, paths="none", robots=1, model="cra")
    assert planned.status == "complete"
    placed = [step.parts[0] for step in planned.plan.steps if step.action == "place"]
    assert placed == ["prop", "bar"]
    assert verify(planned.plan, assembly).valid


def test_verify_judges_by_the_model_that_the_plan_names() -> None:
    assembly = propped()
    planned = plan(assembly, paths="none", robots=1, model="cra")
    place = {step.parts[0]: step for step in planned.plan.steps if step.action == "place"}
    let_go = {step.parts[0]: step for step in planned.plan.steps if step.action == "release"}
    bar_first = replace(planned.plan, steps=(place["bar"], let_go["bar"], place["prop"], let_go["prop"]))
    judged = verify(bar_first, assembly)
    assert [failure.step for failure in judged.failures] == [2]
    assert "'bar' would move" in judged.failures[0].why
    assert verify(replace(bar_first, rules=replace(bar_first.rules, model="blocks")), assembly).valid


def test_the_command_line_plans_writes_and_verifies_by_the_same_law(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(propped(), tmp_path / "propped.yaml")
    words = [
        "plan",
        str(tmp_path / "propped.yaml"),
        "--paths",
        "none",
        "--model",
        "cra",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(words) == 0
    file = tmp_path / "out" / "plan.json"
    assert json.loads(file.read_text())["rules"]["model"] == "cra"
    assert main(["verify", str(file)]) == 0
    assert "valid" in capsys.readouterr().out
    assert replan(file, at=2).plan.rules.model == "cra"
    assert read_plan(file).rules.model == "cra"


def test_a_model_that_promises_nothing_about_holds_rules_nothing_out() -> None:
    """An arch needs two hands. Plain equilibrium proves it; by `cra` a plan is not found with one, and no more."""
    arch = gallery.make("semicircular-arch", stones=5)
    assert plan(arch, robots=1, paths="none").status == "infeasible"
    planned = plan(arch, robots=1, paths="none", model="cra", groups=False)
    assert planned.status == "budget"
    assert "model cra promises nothing about other ways to hold" in planned.why


def test_an_arch_is_planned_by_cra_and_every_state_on_the_way_stands_by_it() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    planned = plan(arch, robots=3, paths="none", model="cra")
    assert planned.status == "complete"
    judged = verify(planned.plan, arch)
    assert judged.valid and judged.states >= 2 * (len(arch.parts) - len(arch.fixed))


def test_bricks_that_are_pressed_take_the_model_that_proves_presses() -> None:
    wall = on_baseplate(brick("a", "brick_2x4", 0, 0, 0), brick("b", "brick_2x4", 1, 0, 3))
    with pytest.raises(BadInput, match="presses are proved with model snapfit, not bricksim; use rules holds"):
        plan(wall, model="bricksim")
    planned = plan(wall, model="bricksim", rules="holds")
    assert (planned.status, planned.plan.rules.model) == ("complete", "bricksim")
    assert verify(planned.plan, wall).valid


@pytest.mark.parametrize(
    ("model", "message"),
    [("crra", "model 'crra': did you mean 'cra'"), ("bricksim", "model bricksim knows bricks only")],
)
def test_models_that_do_not_fit_are_refused_before_the_search(model: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        plan(stack([0.1]), model=model)


class Fickle:
    """Falls when both blocks are held: a law for which a hand too many does harm."""

    monotone_in_held = False
    convex = False

    def __init__(self, assembly: Assembly, joints: Interfaces, terms: Terms) -> None:
        self._assembly = assembly
        self.asked: list[State] = []

    def assess(self, state: State) -> Verdict:
        self.asked.append(state)
        both = self._assembly.mask(["1", "2"])
        return Verdict("unstable" if state.held & both == both else "stable", "fickle", None, None)


@pytest.fixture
def fickle() -> Iterator[StabilityModel]:
    model = StabilityModel("fickle", "is it overheld?", Fickle)
    register(model)
    yield model
    unregister("fickle")


def test_states_between_two_nodes_are_asked_about_where_holding_may_hurt(fickle: StabilityModel) -> None:
    tower = stack([0.1, 0.1])
    assert set(tower.names) >= {"1", "2"}
    planned = plan(tower, paths="none", robots=2, model="fickle")
    assert planned.status == "complete"
    assert all(len(set(step.held) & {"1", "2"}) < 2 for step in planned.plan.steps)
    assert verify(planned.plan, tower).valid


def test_between_two_nodes_a_part_arrives_held_and_hands_change_one_by_one() -> None:
    move = Move(0b1000, Node(0b0111, 0b0010), Node(0b1111, 0b0100))
    assert between(move) == [Node(0b1111, held) for held in (0b1010, 0b1110, 0b1100)]
    turned = Move(0b1000, Node(0b0111), Node(0b1111, 0, 3))
    assert between(turned) == [Node(0b1111, 0b1000)]


def test_a_state_is_solved_once_and_a_journal_spares_the_rest() -> None:
    tower = stack([0.1, 0.1])
    oracle = Fickle(tower, interfaces(tower), Terms())
    state = State.complete(tower)
    journal: dict[State, Finding] = {}
    first = OneByOne(oracle, tower, interfaces(tower), journal)
    assert first.answers([state, state]) == ["stable", "stable"]
    assert OneByOne(oracle, tower, interfaces(tower), journal).answers([state]) == ["stable"]
    assert len(oracle.asked) == 1


def test_what_falls_by_a_motion_names_the_parts_that_move() -> None:
    shape = gallery.make("h-shape")
    oracle = search_oracle(model_named("cra"), shape, interfaces(shape))
    finding = oracle.findings([State.complete(shape)])[0]
    assert shape.named(finding.moving) == ("bar",)
    nobody = OneByOne(Fickle(shape, interfaces(shape), Terms()), shape, interfaces(shape))
    assert not nobody.convex and not nobody.monotone_in_held


def test_an_oracle_of_ones_own_knows_nothing_of_parts_in_a_hand_or_turned_over() -> None:
    heap = stack([0.1, 0.1])
    oracle = Equilibrium(heap, interfaces(heap))
    planned = plan(heap, oracle=oracle)
    assert planned.status == "complete" and not planned.plan.apart
    loose = heap.changed(fixed=frozenset())
    with pytest.raises(BadInput, match=r"oracle Equilibrium knows the assembly as it stands.*register a"):
        plan(loose, rules="reorient", oracle=Equilibrium(loose, interfaces(loose)))
    bricks = on_baseplate(brick("a", "brick_2x4", 0, 0, 0))
    with pytest.raises(BadInput, match="presses are proved with model snapfit, not own:Equilibrium"):
        plan(bricks, oracle=Equilibrium(bricks, interfaces(bricks)))
    with pytest.raises(BadInput, match="has no assess; see StabilityOracle"):
        plan(heap, oracle="blocks")  # type: ignore[arg-type]


def test_the_rest_of_a_plan_is_planned_with_the_same_oracle_or_not_at_all() -> None:
    heap = stack([0.1, 0.1])
    oracle = Equilibrium(heap, interfaces(heap))
    first = plan(heap, oracle=oracle).plan
    with pytest.raises(BadInput, match="it was planned with an oracle of its maker's own, 'Equilibrium'"):
        replan(first, heap, at=2)
    again = replan(first, heap, at=2, oracle=oracle)
    assert again.status == "complete" and again.plan.rules.model == first.rules.model
