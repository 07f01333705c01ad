"""Block models of compas_dem, as that library writes them, and COMPAS files that we write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework import check, convert, interfaces, load
from falsework.model.errors import BadFile


def cube(low: tuple[float, float, float]) -> dict[str, Any]:
    corners = [np.add(low, (x, y, z)).tolist() for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    data = {
        "vertex": {str(n): dict(zip("xyz", corner, strict=True)) for n, corner in enumerate(corners)},
        "face": {str(n): face for n, face in enumerate(faces)},
    }
    return {"dtype": "compas.datastructures/Mesh", "data": data}


def shift(x: float, y: float, z: float) -> dict[str, Any]:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return {"dtype": "compas.geometry/Translation", "data": {"matrix": matrix.tolist()}}


def element(name: str, low: tuple[float, float, float], **more: Any) -> dict[str, Any]:
    data = {"transformation": None, "features": [], "name": name, "material": None, "geometry": cube(low), **more}
    return {"dtype": "compas_dem.elements/Block", "data": data}


def model(**changes: Any) -> dict[str, Any]:
    """A cube on a support; the upper one hangs in a group that is shifted, and is shifted itself."""
    data = {
        "transformation": shift(0, 0, 5),
        "elements": {
            "a": element("foot", (0, 0, 0), is_support=True),
            "g": {"dtype": "compas_model.elements/Group", "data": {"name": "upper", "transformation": shift(0, 0, 1)}},
            "b": element("head", (0, 0, 0), transformation=shift(0.25, 0, 0), material="m", is_support=False),
        },
        "materials": {"m": {"dtype": "compas_model.materials/Concrete", "data": {"name": "Concrete", "density": 2400}}},
        "tree": {"root": {"children": [{"element": "a"}, {"element": "g", "children": [{"element": "b"}]}]}},
        "graph": {"node": {"0": {"element": "a"}, "1": {"element": "b"}}, "edge": {}},
        **changes,
    }
    return {"dtype": "compas_dem.models/BlockModel", "data": data}


def written(folder: Path, root: dict[str, Any]) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps(root), encoding="utf-8")
    return path


def test_elements_are_placed_by_everything_above_them(tmp_path: Path) -> None:
    read = load(written(tmp_path, model()))
    assert read.source == "compas-dem" and read.names == ("foot", "head") and read.fixed == {"foot"}
    assert read.coms_m[:2] == pytest.approx(np.array([(0.5, 0.5, 5.5), (0.75, 0.5, 6.5)]))
    assert read.masses_kg[:2] == pytest.approx([1000.0, 2400.0])
    assert check(read).stands and len(interfaces(read).patches) == 1


def test_blocks_that_share_a_name_are_numbered(tmp_path: Path) -> None:
    root = model()
    for key in ("a", "b"):
        root["data"]["elements"][key]["data"]["name"] = "Block"
    assert load(written(tmp_path, root)).names == ("0", "1")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tree": {"root": {"children": [{"element": "z"}]}}}, "is an element that the model does not have"),
        ({"transformation": {"data": {"matrix": [[1, 0], [0, 1]]}}}, "matrix"),
        ({"elements": {"a": element("foot", (0, 0, 0), geometry={"dtype": "compas.geometry/Brep"})}}, "Mesh"),
        ({"materials": {"m": {"data": {"density": -1}}}}, "density"),
    ],
)
def test_what_a_model_cannot_say_is_refused_where_it_says_it(changes: Any, message: str, tmp_path: Path) -> None:
    root = model(**changes)
    if "elements" in changes:
        root["data"]["tree"] = {"root": {"children": [{"element": "a"}]}}
    with pytest.raises(BadFile, match=message):
        load(written(tmp_path, root))


@pytest.mark.parametrize("kind", ["compas-assembly", "compas-dem"])
def test_what_is_written_is_read_back_the_same(kind: str, tmp_path: Path) -> None:
    arch, target = load("examples/arch.yaml"), tmp_path / "arch.json"
    convert("examples/arch.yaml", target, to=kind)
    back = load(target, mu=arch.friction)
    assert back.source == kind and back.names == arch.names and back.fixed == arch.fixed
    assert back.coms_m == pytest.approx(arch.coms_m) and back.masses_kg == pytest.approx(arch.masses_kg)
    assert check(back).stands
    again = tmp_path / "again.json"
    convert("examples/arch.yaml", again, to=kind)
    assert again.read_bytes() == target.read_bytes()
