"""Bricks that are pressed home on a model which is turned over on a table: two sets of rules at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.cli import main
from falsework.formats import load
from falsework.formats.plans.reading import read_plan
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import BadInput
from falsework.model.plan import Plan
from falsework.planning.plan import plan
from falsework.planning.rules.named import rules_for
from falsework.planning.verification.verify import verify
from tests.statics.structures import stack

# A beam on a foot of two bricks; a brick hangs from each of its ends, above the table.
HANGING = ("8x1 (0,0,2)", "2x1 (3,0,1)", "2x1 (3,0,0)", "2x1 (0,0,1)", "2x1 (6,0,1)")
# A brick on the end of a beam that a foot carries in the middle: to press on it tips all over.
LEVER = ("2x1 (3,0,0)", "8x1 (0,0,1)", "2x1 (6,0,2)")


def loose(folder: Path, *lines: str) -> Assembly:
    path = folder / "bricks.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load(path).changed(ground=Ground(), ground_part=None)


def presses_in_the_world(found: Plan) -> list[np.ndarray]:
    """The force of every press, as the table sees it."""
    turn, forces = np.eye(3), []
    for step in found.steps:
        if step.T_world_assembly is not None:
            turn = step.T_world_assembly[:3, :3]
        if step.press is not None:
            forces.append(turn @ step.press.force_n)
    return forces


def test_what_hangs_is_pressed_on_from_above_once_the_model_is_turned_over(tmp_path: Path) -> None:
    assembly = loose(tmp_path, *HANGING)
    found = plan(assembly, rules="bricks+reorient")
    assert found.status == "complete"
    assert found.plan.rules.name == "reorient"
    assert verify(found.plan, assembly).valid
    presses = presses_in_the_world(found.plan)
    assert len(presses) == len(HANGING) - 1  # all but the brick that lies on the table first
    for force in presses:
        assert force == pytest.approx([0.0, 0.0, -np.linalg.norm(force)], abs=1e-9)
    assert any(step.press is not None and step.press.force_n[2] > 0 for step in found.plan.steps)
    assert all(step.grasp is not None for step in found.plan.steps if step.action == "place")


def test_a_press_from_below_is_refused_where_the_model_was_not_turned(tmp_path: Path) -> None:
    assembly = loose(tmp_path, *HANGING)
    found = plan(assembly, rules="bricks+reorient").plan
    raised = next(k for k, step in enumerate(found.steps) if step.press is not None and step.press.force_n[2] > 0)
    turned = max(k for k, step in enumerate(found.steps[:raised]) if step.action == "reorient")
    assert turned > 0
    left_out = replace(found, steps=(*found.steps[:turned], *found.steps[turned + 1 :]))
    failures = verify(left_out, assembly).failures
    assert any("pressed in from the side or from below" in failure.why for failure in failures)


def test_a_structure_that_tips_over_on_the_table_is_named(tmp_path: Path) -> None:
    assembly = loose(tmp_path, *LEVER)
    found = plan(assembly, rules="bricks+reorient", robots=2).plan
    without = tuple(replace(step, held=tuple(n for n in step.held if n != "1")) for step in found.steps)
    alone = [step for step in without if not (step.action in ("hold", "release") and step.parts == ("1",))]
    failures = verify(replace(found, steps=tuple(alone)), assembly).failures
    assert any("pressed on '3'" in failure.why and "would move" in failure.why for failure in failures)


@pytest.mark.parametrize(("hands", "status"), [(1, "budget"), (2, "complete")])
def test_a_second_hand_holds_what_a_press_would_tip_over(tmp_path: Path, hands: int, status: str) -> None:
    assembly = loose(tmp_path, *LEVER)
    found = plan(assembly, rules="bricks+reorient", robots=hands)
    assert found.status == status
    if status == "complete":
        assert verify(found.plan, assembly).valid
        assert any(step.action == "hold" for step in found.plan.steps)


def test_parts_below_the_table_are_nobody_s_overlap(tmp_path: Path) -> None:
    """The beam is laid on the table first, though the foot belongs below it."""
    assembly = loose(tmp_path, "2x1 (0,0,0)", "8x1 (0,0,1)", "2x1 (6,0,2)", "2x1 (0,0,2)")
    found = plan(assembly, rules="bricks+reorient")
    assert found.status == "complete"
    assert verify(found.plan, assembly).valid
    first = next(step for step in found.plan.steps if step.action == "place")
    assert first.parts == ("2",)


def test_the_command_line_plans_and_verifies_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loose(tmp_path, *LEVER)
    given = ["--ground", "none", "--rules", "bricks+reorient", "--robots", "2", "--press", "2", "--grasps", "side"]
    assert main(["plan", str(tmp_path / "bricks.txt"), *given, "--out", str(tmp_path / "out")]) == 0
    rules = read_plan(tmp_path / "out" / "plan.json").rules
    assert (rules.name, rules.press_n, rules.grasps, rules.robots) == ("reorient", 2.0, "side", 2)
    assert main(["verify", str(tmp_path / "out" / "plan.json")]) == 0
    assert "valid" in capsys.readouterr().out


def test_rules_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"rules bricks\+reorient: every part must be a brick"):
        rules_for(stack([0.1]), "bricks+reorient")
    with pytest.raises(BadInput, match="are the rules reorient; use those"):
        rules_for(loose(tmp_path, *LEVER), "bricks+reorient", press_n=0.0)
