"""Nuts, bolts, gears and pegs with the faults that their files have are what they were meant to be, and come apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from falsework import check, load, plan, verify
from falsework.geometry.contacts.fits import fits
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.digits import exact_m
from falsework.geometry.surfaces.recognition import primitives_of
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh
from falsework.planning.verification.surface_paths import SurfaceJudge
from tests.geometry.filed_parts import Faults, gears_on_pegs, nut_on_bolt, round_peg, square_peg, write

MILLIMETRES = Faults(unit_m=1e-3, junctions=0.3)
CENTIMETRES = Faults(unit_m=1e-2, junctions=0.1, flipped=True)
FAULTS = [MILLIMETRES, CENTIMETRES]


def nut_with_play() -> dict[str, Mesh]:
    return nut_on_bolt(8, play_m=1e-4, facets=32, bare=0.2)


def nut_drawn_into_its_thread() -> dict[str, Mesh]:
    return nut_on_bolt(8, play_m=1e-5, facets=24, sunk_m=3e-5, bare=0.2)


def _read(folder: Path, meshes: dict[str, Mesh], faults: Faults) -> Assembly:
    return load(write(folder / "parts", meshes, faults), scale=faults.unit_m, ground="table")


@pytest.mark.parametrize("faults", FAULTS)
def test_a_peg_is_round_and_has_its_clearance_whatever_its_file_is_like(tmp_path: Path, faults: Faults) -> None:
    read = _read(tmp_path, round_peg(2e-4), faults)
    peg = read.parts[0].shape
    assert [one.kind for one in primitives_of(peg)] == ["cylinder"]
    (fit,) = fits(read)
    assert fit.kind == "loose" and fit.play_m == pytest.approx(2e-4, abs=2e-6)
    assert check(read).stands


@pytest.mark.parametrize(("size", "faults"), [(4, MILLIMETRES), (12, CENTIMETRES)])
def test_the_thread_of_a_nut_is_found(tmp_path: Path, size: int, faults: Faults) -> None:
    read = _read(tmp_path, nut_on_bolt(size, play_m=1e-4, facets=24), faults)
    joints = interfaces(read)
    threads = [one.play_m for one in joints.curved if one.kinds == ("thread", "thread")]
    assert len(threads) == 2 and all(play is not None and 5e-5 < play < 2.5e-4 for play in threads)
    assert check(read, joints=joints).stands


@pytest.mark.parametrize("sunk", [1e-5, 3e-5])
def test_a_peg_that_is_drawn_into_the_bottom_of_its_hole_stands_on_it(tmp_path: Path, sunk: float) -> None:
    read = _read(tmp_path, square_peg(2e-4, sunk_m=sunk), MILLIMETRES)
    joints = interfaces(read)
    under = [bodies for bodies in joints.patches.bodies.tolist() if bodies == [0, 1]]
    assert len(under) == 1 and check(read, joints=joints).stands


@pytest.mark.parametrize("made", [round_peg, square_peg, gears_on_pegs, lambda: square_peg(1e-4, sunk_m=2e-5)])
def test_what_is_filed_together_comes_apart_again(tmp_path: Path, made: Callable[[], dict[str, Mesh]]) -> None:
    read = _read(tmp_path, made(), MILLIMETRES)
    planned = plan(read, paths="any", robots=2)
    assert planned.status == "complete" and verify(planned, read).valid


@pytest.mark.parametrize("made", [nut_with_play, nut_drawn_into_its_thread])
def test_a_nut_is_screwed_on(tmp_path: Path, made: Callable[[], dict[str, Mesh]]) -> None:
    read = _read(tmp_path, made(), MILLIMETRES)
    planned = plan(read, paths="any", robots=2)
    assert planned.status == "complete" and verify(planned, read).valid
    (way,) = [step.path for step in planned.plan.steps if step.action == "place" and step.parts == ("nut",)]
    assert way is not None and len(way) > 2  # it turns


def test_a_nut_that_is_drawn_into_its_thread_may_be_so_all_along_but_not_much_deeper(tmp_path: Path) -> None:
    read = _read(tmp_path, nut_drawn_into_its_thread(), MILLIMETRES)
    bolt, nut = read.index["bolt"], read.index["nut"]
    aside = np.stack([read.poses[nut]] * 3)
    aside[:2, 0, 3] += 3e-5  # into the flanks
    aside[0, 2, 3] += 0.1
    said = list(SurfaceJudge(read).collisions([nut], [bolt], aside))
    assert len(said) == 1
    assert re.fullmatch(
        r".*runs 'nut' into 'bolt' \(segment 1\), deeper than the .* m allowed as they are drawn .*", said[0]
    )


@pytest.mark.parametrize(("digits", "exact"), [(5, 5e-7), (6, 5e-8)])
def test_text_shows_how_exact_it_is(digits: int, exact: float) -> None:
    circle = np.array([[0.03 * np.cos(k), 0.03 * np.sin(k), 0.0] for k in range(60)])
    told = np.array([[float(f"{x:.{digits}g}") for x in row] for row in circle])
    assert exact_m(told) == pytest.approx(exact)
    assert exact_m(circle) == pytest.approx(3e-9, rel=0.01)
