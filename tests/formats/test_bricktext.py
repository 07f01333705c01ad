"""Brick text: `hxw (x,y,z)`, one brick per line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from falsework.formats import detect, load
from falsework.model.assembly import Ground
from falsework.model.errors import BadFile
from falsework.model.shapes import BrickShape

Put = Callable[[str, str], Path]


def test_h_runs_along_x_and_w_along_y(put: Put) -> None:
    assembly = load(put("a.txt", "2x4 (1,2,3)\n"))
    (part,) = assembly.parts
    assert isinstance(part.shape, BrickShape)
    assert part.shape.kind.size_m == pytest.approx((0.016, 0.032, 0.0096))
    assert part.T_world_part[:3, 3] == pytest.approx([0.008, 0.016, 0.0288])
    assert np.array_equal(part.T_world_part[:3, :3], np.eye(3))


def test_parts_are_named_by_line_and_blank_lines_count(put: Put) -> None:
    assembly = load(put("a.txt", "1x1 (0,0,0)\n\n1x2 (0,0,1)\n"))
    assert assembly.names == ("1", "3")
    assert assembly.source == detect(put("a.txt", "1x1 (0,0,0)")) == "brick-text"


def test_stands_on_a_baseplate_unless_told_otherwise(put: Put) -> None:
    path = put("a.txt", "1x1 (0,0,5)\n")
    assert load(path).ground == Ground("baseplate")
    assert load(path).ground_part is not None
    assert load(path, ground=Ground("none")).ground_part is None


def test_bricks_of_one_type_share_shape_and_weigh_what_the_catalogue_says(put: Put) -> None:
    first, second = load(put("a.txt", "2x4 (0,0,0)\n2x4 (0,0,1)\n")).parts
    assert first.shape is second.shape
    assert first.mass_kg == second.mass_kg == pytest.approx(0.00216)


def test_options_replace_what_the_format_says(put: Put) -> None:
    assembly = load(put("a.txt", "2x4 (0,0,0)\n2x4 (0,0,1)\n"), fixed=["1"], mu=0.3, allow_overlap_m=1e-4)
    assert assembly.fixed == {"1"}
    assert (assembly.friction, assembly.allow_overlap_m) == (0.3, 1e-4)


def test_an_unknown_fixed_part_is_refused_with_a_hint(put: Put) -> None:
    with pytest.raises(BadFile, match=r"a\.txt: fixed: there is no part '11'; did you mean '1'"):
        load(put("a.txt", "2x4 (0,0,0)\n"), fixed=["11"])


def test_scale_is_refused_for_bricks(put: Put) -> None:
    with pytest.raises(BadFile, match="brick-text has its own unit"):
        load(put("a.txt", "2x4 (0,0,0)\n"), scale=0.001)


COLLECTION = """[
 {"structure_name": "graph", "object_id": "x1", "bricks": "1x1 (0,0,0)"},
 {"structure_name": "graph", "object_id": "x2", "bricks": "1x1 (0,0,0)\\n1x2 (0,0,1)"},
 {"structure_name": "tower", "object_id": "x3", "bricks": "2x2 (0,0,0)\\n2x2 (0,0,1)\\n2x2 (0,0,2)"}
]"""


@pytest.mark.parametrize(("key", "count"), [("0", 1), ("x2", 2), ("2", 3), ("tower", 3)])
def test_a_key_picks_one_structure_of_several(put: Put, key: str, count: int) -> None:
    path = put("few.json", COLLECTION)
    assert len(load(f"{path}#{key}").parts) == count


def test_a_name_that_two_structures_have_picks_neither(put: Put) -> None:
    with pytest.raises(BadFile, match="holds no structure 'graph'"):
        load(f"{put('few.json', COLLECTION)}#graph")


def test_a_missing_key_is_refused_with_the_choice(put: Put) -> None:
    with pytest.raises(
        BadFile, match=r"holds 3 structures; pick one with few\.json#KEY \(0, 1, 2, tower, x1, x2, x3\)"
    ):
        load(put("few.json", COLLECTION))


def test_a_bad_line_inside_a_collection_names_key_and_line(put: Put) -> None:
    path = put("few.json", '{"a": {"output_txt": "1x1 (0,0,0)\\nroof"}}')
    with pytest.raises(BadFile, match=r"few\.json#a: line 2: found 'roof'"):
        load(f"{path}#a")


def test_a_file_whose_own_name_has_a_hash_is_itself(put: Put) -> None:
    assert len(load(put("a#b.txt", "1x1 (0,0,0)\n")).parts) == 1


def test_published_texts_load(shared: Path) -> None:
    folder = shared / "brickgpt"
    for file in folder.glob("*.txt"):
        lines = [line for line in file.read_text().splitlines() if line.strip()]
        assert len(load(file).parts) == len(lines), file.name
    assert len(load(f"{folder / 'examples.json'}#table").parts) == 59
    assert len(load(f"{folder / 'few_shot_examples.json'}#2").parts) == 134
