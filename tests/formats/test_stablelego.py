"""StableLego and APEX-MR tasks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from falsework.formats import load
from falsework.model.errors import BadFile
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

Put = Callable[[str, str], Path]


def _task(**bricks: dict[str, Any]) -> str:
    whole = {name: {"x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2, **fields} for name, fields in bricks.items()}
    return json.dumps(whole)


def _size(part: Part) -> tuple[float, ...]:
    assert isinstance(part.shape, BrickShape)
    return part.shape.kind.size_m


def test_orientation_zero_puts_the_librarys_height_along_x(put: Put) -> None:
    upright, turned = load(put("t.json", _task(a={"ori": 0}, b={"ori": 1, "x": 5}))).parts
    assert _size(upright)[:2] == pytest.approx((0.016, 0.032))
    assert _size(turned)[:2] == pytest.approx((0.032, 0.016))


@pytest.mark.parametrize("lowest", [0, 1, -3])
def test_the_lowest_layer_stands_at_zero_wherever_the_file_starts(put: Put, lowest: int) -> None:
    first, second = load(put("t.json", _task(a={"z": lowest}, b={"z": lowest + 2}))).parts
    assert first.T_world_part[2, 3] == 0.0
    assert second.T_world_part[2, 3] == pytest.approx(0.0192)


def test_names_are_keys_in_the_files_order_and_robot_fields_are_ignored(put: Put) -> None:
    assembly = load(put("t.json", _task(**{"13": {"z": 1}, "2": {"press_side": 1, "attack_dir": -1}})))
    assert assembly.names == ("13", "2")
    assert assembly.source == "stablelego-json"
    assert str(assembly.ground) == "baseplate"


def test_id_one_is_the_weight_of_two_hundred_grams(put: Put) -> None:
    (weight,) = load(put("t.json", _task(a={"brick_id": 1}))).parts
    assert weight.mass_kg == 0.2
    assert _size(weight)[:2] == pytest.approx((0.016, 0.016))


def test_a_library_beside_the_file_decides_sizes_and_masses(put: Put) -> None:
    put("lego_library.json", json.dumps({"7": {"height": 3, "width": 5, "weight": 0.5}}))
    (part,) = load(put("t.json", _task(a={"brick_id": 7}))).parts
    assert _size(part)[:2] == pytest.approx((0.024, 0.040))
    assert part.mass_kg == 0.5
    with pytest.raises(BadFile, match=r"t\.json: a\.brick_id: found brick id '2', expected one of: 7"):
        load(put("t.json", _task(a={"brick_id": 2})))


def test_a_bad_library_is_blamed_itself(put: Put) -> None:
    put("lego_library.json", json.dumps({"7": {"height": 0, "width": 5}}))
    with pytest.raises(BadFile, match=r"lego_library\.json: 7\.height: found 0"):
        load(put("t.json", _task(a={"brick_id": 7})))


def test_published_tasks_load(shared: Path) -> None:
    counts = {"stair_19": 19, "stair_20": 20, "stick_light": 13, "stick_heavy": 14, "stick_heavy_good": 15}
    for name, count in counts.items():
        assert len(load(shared / "stablelego" / f"{name}.json").parts) == count
    heavy = load(shared / "stablelego" / "external_weight_good.json")
    assert heavy.mass_kg == pytest.approx(0.2 + 3 * 0.00216)
    for name, count in {"bridge": 38, "cliff": 12, "faucet": 14, "tower": 5}.items():
        assert len(load(shared / "apexmr" / f"{name}.json").parts) == count
    assert load(shared / "apexmr" / "tower.json").mass_kg == pytest.approx(5 * 0.0022)
