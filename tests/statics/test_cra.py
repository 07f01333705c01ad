"""Coupled rigid-block analysis: what plain equilibrium accepts and what slides."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework import gallery
from falsework.cli import main
from falsework.formats import load
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.verdict import Forces, Motion
from falsework.verdicts.check import check
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, diamond, harmonic, incline, stack


def sample(shared: Path, name: str, fixed: str, friction: float) -> Assembly:
    found = load(shared / "compas" / f"{name}.json")
    return replace(found, fixed=frozenset(fixed.split(",")), friction=friction)


@pytest.mark.parametrize(
    ("name", "fixed", "friction", "stands"),
    [
        ("H", "0,1", 0.84, False),
        ("cubes", "0", 0.84, True),
        ("type-a", "0,1", 0.84, True),
        ("type-c", "0,1", 0.84, True),
        ("shelf-stable", "0", 0.9, True),
    ],
)
def test_published_samples(shared: Path, name: str, fixed: str, friction: float, stands: bool) -> None:
    assembly = sample(shared, name, fixed, friction)
    verdict = check(assembly, model="cra")
    assert verdict.answer == ("stable" if stands else "unstable")
    assert verdict.residual is not None
    assert verdict.residual <= 1e-6
    assert check(assembly, model="blocks").answer == "stable"


@pytest.mark.parametrize("pull", [(9.81, 0.0, 0.0), (-9.81, 0.0, 0.0)])
def test_type_c_falls_when_turned_a_quarter_about_y(shared: Path, pull: tuple[float, float, float]) -> None:
    """Turning the structure is turning gravity the other way; the axis is that of compas_cra's wedge example."""
    assert check(sample(shared, "type-c", "0,1", 0.84), model="cra", gravity=pull).answer == "unstable"


@pytest.mark.parametrize("kind", ["h-shape", "a-shape"])
def test_bars_between_legs_slide_though_blocks_accepts_them(kind: str) -> None:
    assembly = gallery.make(kind)
    assert check(assembly, model="blocks").answer == "stable"
    verdict = check(assembly, model="cra")
    assert verdict.answer == "unstable"
    assert verdict.falling == ("bar",)
    motion = verdict.certificate
    assert isinstance(motion, Motion)
    fall = motion.twists[assembly.index["bar"]]
    assert fall == pytest.approx([0, 0, -9.81, 0, 0, 0], abs=1e-6)


@pytest.mark.parametrize(("degrees", "stands"), [(20, True), (28, True), (30, False), (45, False)])
def test_a_block_on_an_incline_slides_with_coulombs_acceleration(degrees: float, stands: bool) -> None:
    """Stands iff tan θ ≤ μ; else a = g(sin θ − μ cos θ) along the slope, and no lift-off as in the dual motion."""
    angle = np.deg2rad(degrees)
    verdict = check(incline(angle, 0.55), model="cra")
    assert verdict.answer == ("stable" if stands else "unstable")
    if not stands:
        assert isinstance(verdict.certificate, Motion)
        speed = np.linalg.norm(verdict.certificate.twists[1, :3])
        assert speed == pytest.approx(9.81 * (np.sin(angle) - 0.55 * np.cos(angle)), rel=1e-6)


@pytest.mark.parametrize(
    ("assembly", "stands"),
    [
        (harmonic(5, 0.98), True),
        (harmonic(5, 1.02), False),
        (arch(9, 0.2, 0.6), True),
        (arch(9, 0.06, 0.6), False),
        (diamond(3), True),
        (diamond(5), False),
    ],
)
def test_it_agrees_with_plain_equilibrium_where_nothing_is_jammed(assembly: Assembly, stands: bool) -> None:
    verdict = check(assembly, model="cra")
    assert verdict.answer == check(assembly, model="blocks").answer == ("stable" if stands else "unstable")
    assert isinstance(verdict.certificate, Forces if stands else Motion)


def test_what_blocks_calls_unstable_never_stands() -> None:
    """A coupled solution is a plain one too; a few random stacks."""
    rng = np.random.default_rng(8)
    answers = set()
    for _ in range(8):
        assembly = stack(list(rng.uniform(-0.6, 0.6, 3)))
        plain, coupled = check(assembly, model="blocks").answer, check(assembly, model="cra").answer
        assert coupled == plain
        answers.add(plain)
    assert answers == {"stable", "unstable"}


def test_a_sliding_and_tipping_tower_is_found_to_fall() -> None:
    """All three blocks turn and slide at once: Newton's method gets there from another weight only."""
    places = {"a": (0.5, 0.0, 1.0), "b": (0.5, 1.0, 2.0), "c": (0.0, 2.0, 2.0)}  # x, z, length
    blocks = [block(name, (x, 0.5, z), (length, 1.0, 1.0)) for name, (x, z, length) in places.items()]
    floor = block("floor", (0.0, 0.0, -1.0), (4.0, 2.0, 1.0))
    tower = Assembly((floor, *blocks), fixed=frozenset({"floor"}), friction=0.3)
    verdict = check(tower, model="cra", gravity=(-3.8, -2.0, -9.8))
    assert verdict.answer == "unstable"
    assert isinstance(verdict.certificate, Motion)
    assert verdict.residual is not None
    assert verdict.residual <= 1e-6


def test_clutches_are_refused() -> None:
    tower = on_baseplate(brick("a", "brick_2x2", 0, 0, 0))
    with pytest.raises(BadInput, match="model cra knows contacts only"):
        check(tower, model="cra")


def test_time_that_runs_out_leaves_it_undecided() -> None:
    verdict = check(stack([0.1, 0.1]), model="cra", timeout_s=1e-9)
    assert (verdict.answer, verdict.why) == ("undecided", "time ran out")


def test_the_command_line_prints_the_motion(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(shared / "compas" / "H.json")
    arguments = ["check", source, "--fixed", "0,1", "--mu", "0.84", "--model", "cra"]
    assert main([*arguments, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["model"], said["certificate"]["kind"], said["falling"]) == ("cra", "motion", ["2"])
    assert main(arguments) == 1
    assert "complementarity" in capsys.readouterr().out


@pytest.mark.parametrize("heavy", [1.0, 1e4, 1e8])
def test_a_heavy_stranger_beside_it_changes_nothing(heavy: float) -> None:
    for kind, answer in (("h-shape", "unstable"), ("semicircular-arch", "stable")):
        assembly = gallery.make(kind)
        stone, slab = block("stone", (50.0, 0.0, 1.0), (1, 1, 1)), block("slab", (49.0, -1.0, 0.0), (4.0, 4.0, 1.0))
        stone = replace(stone, mass_kg=heavy, inertia_part_kgm2=stone.inertia_part_kgm2 * heavy / stone.mass_kg)
        beside = assembly.changed(parts=(*assembly.parts, stone, slab), fixed=assembly.fixed | {"slab"})
        verdict = check(beside, model="cra")
        assert verdict.answer == answer
        if answer == "unstable":
            assert verdict.falling == ("bar",)


def test_pieces_that_fall_fall_together() -> None:
    """Two towers that lean too far, and one that does not, which rests in the same verdict."""
    floor = block("floor", (-5.0, -5.0, -1.0), (50.0, 10.0, 1.0))
    parts = [floor]
    for n, lean in enumerate((0.6, 0.1, 0.7)):
        parts += [block(f"low-{n}", (5.0 * n, 0, 0), (1, 1, 1)), block(f"high-{n}", (5.0 * n + lean, 0, 1), (1, 1, 1))]
    towers = Assembly(tuple(parts), fixed=frozenset({"floor"}))
    verdict = check(towers, model="cra")
    assert verdict.answer == "unstable"
    assert {"high-0", "high-2"} <= set(verdict.falling) and "high-1" not in verdict.falling
