"""LDraw models against figures by hand, and what is refused in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from falsework.formats import detect, load, save
from falsework.formats.bricks.ldraw_parts import known_parts, part_number
from falsework.geometry.contacts.brickfaces import brick_overlaps
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.lattice import lattices
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.errors import BadFile
from falsework.model.part import Part
from tests.conftest import brick, on_baseplate
from tests.formats.same import assert_same_thing

Put = Callable[[str, str], Path]
STILL = "1 0 0 0 1 0 0 0 1"
QUARTER = "0 0 -1 0 1 0 1 0 0"


def corners(part: Part) -> Array:
    return surface(part.shape).vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]


def bounds_mm(part: Part) -> list[list[float]]:
    vertices = corners(part) * 1e3
    return [vertices.min(axis=0).round(6).tolist(), vertices.max(axis=0).round(6).tolist()]


def test_the_origin_is_in_the_middle_of_the_top(put: Put) -> None:
    path = put("a.ldr", f"0 one brick\n1 4 0 -24 0 {STILL} 3001.dat\n1 14 0 -32 0 {QUARTER} 3020.dat\n")
    assert detect(path) == "ldraw"
    model = load(path)
    assert model.names == ("1", "2")
    assert [part.color for part in model.parts] == ["red", "yellow"]
    assert bounds_mm(model.parts[0]) == [[-16, -8, 0], [16, 8, 9.6]]
    assert bounds_mm(model.parts[1]) == [[-8, -16, 9.6], [8, 16, 12.8]]
    assert model.ground == Ground("baseplate")


@pytest.mark.parametrize("title", ["x", "x 2 house", "\tx", "2x4 house"])
def test_a_title_is_not_taken_for_a_text_of_bricks(put: Put, title: str) -> None:
    path = put("a.ldr", f"0 {title}\n1 4 0 0 0 {STILL} 3001.dat\n")
    assert detect(path) == "ldraw"
    assert len(load(path).parts) == 1


def test_a_slope_runs_down_from_its_row_of_studs_towards_minus_z(put: Put) -> None:
    model = load(put("a.ldr", f"1 0 0 -24 0 {STILL} 3039.dat\n"))
    low, high = bounds_mm(model.parts[0])
    assert (low, high) == ([-8, -12, 0], [8, 4, 9.6])
    top = corners(model.parts[0])
    top = top[top[:, 2] > 0.0095]
    assert sorted(set(top[:, 1].round(6))) == [-0.004, 0.004]
    lip = corners(model.parts[0])
    assert lip[lip[:, 1] < -0.0119][:, 2].max() == pytest.approx(0.0016)


def test_a_baseplate_is_fixed_and_takes_the_place_of_the_ground(put: Put) -> None:
    model = load(put("a.ldr", f"1 2 0 0 0 {STILL} 3811.dat\n1 4 0 -24 0 {STILL} 3001.dat\n"))
    assert model.fixed == {"1"}
    assert model.ground == Ground("none")
    assert bounds_mm(model.parts[0])[1] == [128, 128, 0]


MPD = f"""0 FILE car.ldr
0 A car
1 4 0 -24 0 {STILL} 3001.dat
1 1 100 0 0 {STILL} Wheel Pair.ldr
0 STEP
1 2 200 0 0 {QUARTER} wheel pair.LDR
1 4 0 -48 0 {STILL} 3001.dat

0 FILE wheel pair.ldr
1 16 0 -24 0 {STILL} 3003.dat
1 15 0 -48 0 {STILL} 3003.dat
0 NOFILE
"""


def test_parts_of_submodels_are_named_after_them_and_take_their_colour(put: Put) -> None:
    model = load(put("car.mpd", MPD))
    assert model.names == ("1", "wheel pair/1", "wheel pair/2", "wheel pair/3", "wheel pair/4", "2")
    assert [part.color for part in model.parts] == ["red", "blue", "white", "green", "white", "red"]
    assert bounds_mm(model.parts[3]) == [[72, -8, 0], [88, 8, 9.6]]


def test_submodels_come_back(put: Put, tmp_path: Path) -> None:
    once = load(put("car.mpd", MPD.replace(f"1 2 200 0 0 {QUARTER} wheel pair.LDR\n", "")))
    save(once, tmp_path / "again.mpd")
    assert "0 FILE wheel pair.ldr" in (tmp_path / "again.mpd").read_text()
    assert_same_thing(once, load(tmp_path / "again.mpd"))


def test_every_part_number_comes_back_as_itself(tmp_path: Path) -> None:
    for number, kind in known_parts().items():
        if kind.family == "baseplate":
            continue
        model = on_baseplate(brick("1", str(kind), 3, 2, 0, 90))
        save(model, tmp_path / "a.ldr")
        again = load(tmp_path / "a.ldr")
        assert again.parts[0].shape == model.parts[0].shape, number
        assert np.allclose(again.poses[0], model.poses[0], atol=1e-12), number
        assert part_number(kind) is not None


def test_a_tilted_brick_keeps_its_pose(tmp_path: Path) -> None:
    turn = np.deg2rad(33.0)
    part = brick("1", "brick_4x2", 0, 0, 0)
    pose = part.T_world_part.copy()
    pose[:3, :3] = [[1, 0, 0], [0, np.cos(turn), -np.sin(turn)], [0, np.sin(turn), np.cos(turn)]]
    pose[:3, 3] = 0.1, -0.2, 1 / 3
    tilted = Part("1", part.shape, pose, part.mass_kg, part.com_part_m, part.inertia_part_kgm2)
    save(grounded(Assembly((tilted,)), Ground("none")), tmp_path / "a.ldr", lossy=True)
    again = load(tmp_path / "a.ldr", ground=Ground("table"))
    assert np.allclose(again.poses[0], pose, atol=1e-9)


def test_colours_beyond_the_table_stay_what_they_are(put: Put, tmp_path: Path) -> None:
    text = f"1 334 0 -24 0 {STILL} 3001.dat\n1 0x2AB12F0 0 -48 0 {STILL} 3001.dat\n1 16 0 -72 0 {STILL} 3001.dat\n"
    model = load(put("a.ldr", text))
    assert [part.color for part in model.parts] == ["ldraw 334", "#ab12f0", None]
    save(model, tmp_path / "b.ldr")
    assert_same_thing(model, load(tmp_path / "b.ldr"))


def test_a_brick_without_number_is_refused_on_writing(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"there is no known part number for brick_2x4x5 \(part '1'\)"):
        save(on_baseplate(brick("1", "brick_2x4x5", 0, 0, 0)), tmp_path / "a.ldr")


def test_what_has_no_number_is_composed_for_others_and_one_part_for_us(tmp_path: Path) -> None:
    """A plate of 20x20 studs: 16x16, and what is left around it; read back it is one plate."""
    model = on_baseplate(brick("1", "plate_20x20", 1, 2, 0), brick("2", "brick_7x5", 2, 2, 1, 90.0))
    save(model, tmp_path / "a.ldr")
    assert_same_thing(model, load(tmp_path / "a.ldr"))
    text = (tmp_path / "a.ldr").read_text()
    plates = text[text.index("0 FILE plate_20x20.dat") : text.index("0 FILE brick_7x5.dat")]
    (tmp_path / "b.ldr").write_text(plates.replace("0 !FALSEWORK PART plate_20x20", "0 // seen by others"))
    seen = load(tmp_path / "b.ldr")
    assert "91405.dat" in plates
    assert sum(part.shape.kind.length * part.shape.kind.width for part in seen.parts) == 400  # type: ignore[union-attr]
    assert not brick_overlaps(lattices(seen)[0])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            f"1 4 0 0 0 {STILL} 3626.dat\n1 4 0 0 0 {STILL} wing.ldr\n",
            r"unknown parts or submodels: '3626', 'wing', and no others; give LDraw's parts library with --ldraw",
        ),
        ("1 4 0 0 0 3001.dat\n", r"line 1: found 6 words, expected 15"),
        (f"1 4 0 zero 0 {STILL} 3001.dat\n", r"line 1: could not convert string to float: 'zero'"),
        (f"1 4 0 nan 0 {STILL} 3001.dat\n", r"line 1: found a number beyond"),
        ("1 4 0 0 0 2 0 0 0 1 0 0 0 1 3001.dat\n", r"unknown parts or submodels: '3001', and no others"),
        ("0 nothing here\n", r"has no parts, expected lines like: 1 4 0 0 0"),
        ("0 a\n9 16 0 0 0 1 0 0\n", r"line 2: found '9 16 0 0 0 1 0 0', expected a line that begins with 0 to 5"),
        (f"0 FILE a\n1 4 0 0 0 {STILL} b\n0 FILE b\n1 4 0 0 0 {STILL} a\n", r"line 4: model 'a' contains itself"),
    ],
)
def test_wrong_lines_are_refused_by_their_number(put: Put, text: str, complaint: str) -> None:
    with pytest.raises(BadFile, match=complaint):
        load(put("a.ldr", text))


@pytest.mark.parametrize(("last", "complaint"), [("1 16 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat", "parts"), ("0", "no parts")])
def test_submodels_that_multiply_end_at_once(put: Put, last: str, complaint: str) -> None:
    levels = 40
    models = [f"0 FILE m{k}\n" + f"1 16 0 0 0 {STILL} m{k + 1}\n" * 2 for k in range(levels)]
    with pytest.raises(BadFile, match=complaint):
        load(put("bomb.mpd", "".join(models) + f"0 FILE m{levels}\n{last}\n"))


@pytest.mark.parametrize("name", ["file x", "FILE a b", "a/1", "0", "größe", "A"])
def test_any_file_name_and_part_name_can_be_written(tmp_path: Path, name: str) -> None:
    model = on_baseplate(brick("1", "brick_4x2", 0, 0, 0), brick(f"{name}/1", "brick_4x2", 0, 0, 3))
    path = tmp_path / f"{name.replace('/', '-')}.mpd"
    save(model, path, lossy=True)
    assert np.allclose(load(path).coms_m, model.coms_m)


def test_names_that_bricksim_has_no_numbers_for_are_not_lost_in_silence(tmp_path: Path) -> None:
    for name in ("None", "01", "a"):
        model = Assembly((brick(name, "brick_4x2", 0, 0, 0),), fixed=frozenset([name]))
        with pytest.raises(BadFile, match="part names"):
            save(model, tmp_path / "a.json", "bricksim-topology")
