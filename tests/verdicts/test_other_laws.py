"""Where plain equilibrium and Coulomb-consistent rest disagree, `check` says so, and only there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from falsework import gallery, load
from falsework.cli import main
from falsework.formats import save
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.state import State
from falsework.model.verdict import Forces
from falsework.statics.published.coupled_program import CoupledProgram
from falsework.statics.published.cra import Cra
from falsework.verdicts.check import check
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, incline, stack


@pytest.mark.parametrize("kind", ["h-shape", "a-shape"])
def test_a_wedged_bar_stands_and_also_slides(kind: str) -> None:
    verdict = check(gallery.make(kind))
    assert (verdict.answer, verdict.model, verdict.also) == ("stable", "blocks", {"cra": "unstable"})
    assert check(gallery.make(kind), also=False).also == {}


def test_what_needs_no_wedging_is_said_to_stand_and_no_more() -> None:
    for assembly in (arch(7, 0.3, 0.7), stack([0.1, -0.1]), incline(0.35, 0.55)):
        verdict = check(assembly)
        assert (verdict.answer, verdict.also) == ("stable", {})


def test_what_falls_falls_by_both_laws_and_is_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cra, "assess", None)
    for assembly in (stack([0.6]), incline(0.7, 0.55)):
        assert (check(assembly).answer, check(assembly).also) == ("unstable", {})


def test_bricks_and_smooth_contacts_are_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cra, "assess", None)
    assert check(on_baseplate(brick("a", "brick_2x4", 0, 0, 0))).also == {}
    smooth = stack([0.1])
    assert check(smooth.changed(friction=0.0)).answer == "stable"


def test_a_model_that_was_asked_for_itself_says_only_what_it_says() -> None:
    assert check(gallery.make("h-shape"), model="cra").also == {}


def test_when_time_runs_out_it_is_said_that_nobody_knows() -> None:
    assert check(gallery.make("h-shape"), timeout_s=1e-9).also in ({"cra": "undecided"}, {})


@pytest.mark.parametrize("kind", ["semicircular-arch", "running-bond-wall", "dome"])
def test_least_forces_within_their_friction_are_a_consistent_rest(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One convex program, and none of the staggered ones."""
    monkeypatch.setattr(CoupledProgram, "at_rest", None)
    assembly = gallery.make(kind)
    verdict = Cra(assembly, interfaces(assembly)).assess(State.complete(assembly))
    assert verdict.answer == "stable"
    assert verdict.residual is not None and verdict.residual <= 1e-6


@pytest.mark.parametrize("kind", ["semicircular-arch", "running-bond-wall", "bird-house"])
def test_forces_that_were_found_settle_the_other_law_without_asking_it(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cra, "assess", None)
    verdict = check(gallery.make(kind))
    assert (verdict.answer, verdict.also) == ("stable", {})


def test_whatever_forces_are_offered_what_slides_is_never_settled() -> None:
    shape = gallery.make("h-shape")
    oracle, state = Cra(shape, interfaces(shape)), State.complete(shape)
    rng = np.random.default_rng(3)
    count = len(interfaces(shape).patches.points)
    assert not any(oracle.rests_near(state, rng.normal(size=(count, 3)) * 10.0**power) for power in range(-3, 6))


def test_least_forces_balance_lie_in_their_cones_and_are_least() -> None:
    assembly = arch(7, 0.3, 0.7)
    program = CoupledProgram(assembly, interfaces(assembly), State.complete(assembly))
    least = program.least()
    assert least is not None
    assert np.abs(program.A @ least.ravel() + program.b).max() < 1e-9
    assert (np.linalg.norm(least[:, 1:], axis=1) <= program.friction * least[:, 0] + 1e-9).all()
    others = check(assembly, cone="exact", also=False).certificate
    assert isinstance(others, Forces)
    assert np.linalg.norm(least) <= np.linalg.norm(others.patch_forces) / program.force_n + 1e-9


def test_the_command_line_says_it_in_one_line_and_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(gallery.make("h-shape"), tmp_path / "h.yaml")
    assert main(["check", str(tmp_path / "h.yaml")]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("also")]
    assert said == ["  also       cra: falls; it stands only if parts are wedged, and slides by Coulomb's law"]
    assert main(["check", str(tmp_path / "h.yaml"), "--json", "--out", str(tmp_path / "out")]) == 0
    assert json.loads(capsys.readouterr().out)["also"] == {"cra": "unstable"}
    assert "slides by Coulomb's law" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("name", ["b3d_1_45.json", "b3d_1_165.json"])
def test_random_cuts_whose_verdict_depends_on_the_law_say_so(shared: Path, name: str) -> None:
    assert check(load(shared / "soundness" / name), cone="exact").also == {"cra": "unstable"}
