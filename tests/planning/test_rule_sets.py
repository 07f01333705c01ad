"""Rule sets as objects: one list, plan files that lead back to it, and sets of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from falsework import gallery, plan
from falsework.cli import main
from falsework.formats import load, write
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Rules, Step
from falsework.planning.crafts.holds import HoldsCraft
from falsework.planning.nodes.checks import Check, Refusal
from falsework.planning.nodes.moves import Move
from falsework.planning.nodes.rule_sets import RuleSet, register, rule_set_named, rule_set_of, rule_sets, unregister
from falsework.planning.replan import replan
from falsework.planning.rules.named import rules_for
from falsework.planning.verification.verify import verify
from tests.conftest import brick, on_baseplate


def tower() -> Assembly:
    """Bricks on a baseplate: every built-in rule set takes them."""
    return on_baseplate(*(brick(name, "brick_2x4", 0, 0, 3 * level) for level, name in enumerate("abc")))


@pytest.mark.parametrize("rule_set", rule_sets(), ids=lambda one: one.name)
def test_every_rule_set_plans_and_its_plan_file_leads_back_to_it(rule_set: RuleSet, tmp_path: Path) -> None:
    write(tower(), tmp_path / "tower.yaml")
    bricks = load(tmp_path / "tower.yaml")
    planned = plan(bricks, rules=rule_set.name)
    assert planned.status == "complete" and planned.plan.rules.robots == rule_set.hands
    assert rule_set_of(planned.plan.rules) is rule_set
    file = tmp_path / "plan.json"
    write_plan(replace(planned.plan, source=source_of(tmp_path / "tower.yaml", bricks)), file)
    assert rule_set_of(read_plan(file).rules) is rule_set
    assert verify(file).valid is True
    assert replan(file, at=2).status == "complete"


def test_of_two_sets_that_files_call_the_same_the_press_tells_which() -> None:
    assert rule_set_of(Rules("reorient")).name == "reorient"
    assert rule_set_of(Rules("reorient", press_n=1.0)).name == "bricks+reorient"


def test_unknown_rules_are_refused_with_the_nearest_by_whoever_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadInput, match=r"rules 'hold': did you mean 'holds'\?"):
        plan(tower(), rules="hold")
    write(tower(), tmp_path / "tower.yaml")
    assert main(["plan", str(tmp_path / "tower.yaml"), "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "plan.json").read_text())
    document["rules"]["name"] = "hold"
    (tmp_path / "plan.json").write_text(json.dumps(document))
    for words in (["verify", str(tmp_path / "plan.json")], ["replan", str(tmp_path / "plan.json"), "--at", "1"]):
        capsys.readouterr()
        assert main(words) == 2
        said = capsys.readouterr().err.strip()
        assert "rules.name: found 'hold'; did you mean 'holds'?" in said and "\n" not in said


@pytest.mark.parametrize("name", ["holds", "bricks"])
def test_only_sets_that_turn_let_a_plan_turn_the_assembly(name: str) -> None:
    bricks = tower()
    good = plan(bricks, rules=name, robots=1).plan
    turned = Step(
        "reorient", T_world_assembly=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], secured="clamped"
    )
    found = verify(replace(good, steps=(*good.steps, turned)), bricks)
    assert [failure.why for failure in found.failures] == ["it turns the assembly, which the rules do not allow"]


def test_a_plan_that_presses_what_its_rules_do_not_is_not_planned_on() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    pressed = Plan(replace(rules_for(arch), press_n=5.0), "complete", ())
    with pytest.raises(BadInput, match="rules holds press nothing, and 5 N are asked for; use rules bricks"):
        replan(pressed, arch)


class LowestCheck:
    """A check of the rule set's own."""

    name = "lowest"

    def __init__(self, assembly: Assembly) -> None:
        self._lowest_first = sorted(range(len(assembly.parts)), key=lambda n: float(assembly.coms_m[n, 2]))

    def refusal(self, move: Move) -> Refusal | None:
        absent = [n for n in self._lowest_first if not move.earlier.installed >> n & 1]
        above = absent and move.parts and not move.parts >> absent[0] & 1
        return Refusal(self.name, "the lowest part comes first", 1 << absent[0]) if above else None


class LowestFirst(HoldsCraft):
    def checks(self) -> tuple[Check, ...]:
        return (LowestCheck(self._shop.assembly), *super().checks())


@pytest.fixture
def lowest_first() -> Iterator[RuleSet]:
    made = RuleSet("lowest-first", LowestFirst, hands=3)
    register(made)
    yield made
    unregister("lowest-first")


def test_a_rule_set_of_ones_own_is_asked_for_by_name_everywhere(
    lowest_first: RuleSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rule_set_named("lowest-first") is lowest_first
    write(gallery.make("semicircular-arch", stones=3), tmp_path / "arch.yaml")
    words = ["plan", str(tmp_path / "arch.yaml"), "--rules", "lowest-first", "--paths", "none", "--out", str(tmp_path)]
    assert main(words) == 0
    assert "(rules lowest-first, 3 hands, paths none)" in capsys.readouterr().out
    made = read_plan(tmp_path / "plan.json")
    arch = load(tmp_path / "arch.yaml")
    heights = [arch.coms_m[arch.index[step.parts[0]], 2] for step in made.steps if step.action == "place"]
    assert heights == sorted(heights) and len(heights) == 3
    assert main(["verify", str(tmp_path / "plan.json")]) == 0


def test_a_name_is_given_once_and_what_was_not_registered_is_not_forgotten(lowest_first: RuleSet) -> None:
    with pytest.raises(BadInput, match="there is a set of this name already"):
        register(lowest_first)
    for name in ("holds", "nobody"):
        with pytest.raises(BadInput, match="were not registered"):
            unregister(name)
