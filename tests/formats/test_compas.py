"""COMPAS assemblies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.formats import load
from falsework.model.errors import BadFile

Put = Callable[[str, str], Path]

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def _node(z: float = 0.0, inside_out: bool = False, **attributes: Any) -> dict[str, Any]:
    vertex = {f"{10 * k}": {"x": x, "y": y, "z": h + z} for k, (x, y, h) in enumerate(CORNERS)}
    face = {str(k): [10 * v for v in (loop[::-1] if inside_out else loop)] for k, loop in enumerate(FACES)}
    return {"block": {"data": {"vertex": vertex, "face": face}}, **attributes}


def _assembly(nodes: dict[str, Any], **graph: Any) -> str:
    data = {"graph": {"data": {"node": nodes, **graph}}}
    return json.dumps({"dtype": "compas_assembly.datastructures/Assembly", "data": data})


def test_blocks_stand_in_world_coordinates_under_their_keys(put: Put) -> None:
    assembly = load(put("c.json", _assembly({"7": _node(), "3": _node(z=1.0)})))
    assert assembly.names == ("7", "3")
    assert assembly.coms_m == pytest.approx(np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 1.5]]))
    assert assembly.masses_kg == pytest.approx([1000.0, 1000.0])
    assert assembly.source == "compas-assembly"
    assert not assembly.is_grounded


def test_faces_may_be_inside_out_as_a_whole(put: Put) -> None:
    assert load(put("c.json", _assembly({"0": _node(inside_out=True)}))).mass_kg == pytest.approx(1000.0)


def test_supports_are_fixed(put: Put) -> None:
    nodes = {"0": _node(is_support=True), "1": _node(z=1.0, is_support=False), "2": _node(z=2.0)}
    assert load(put("c.json", _assembly(nodes))).fixed == {"0"}
    by_default = _assembly(nodes, default_node_attributes={"is_support": True})
    assert load(put("d.json", by_default)).fixed == {"0", "2"}
    assert load(put("d.json", by_default), fixed=["1"]).fixed == {"1"}


def test_scale_is_metres_per_unit(put: Put) -> None:
    assembly = load(put("c.json", _assembly({"0": _node()})), scale=0.1)
    assert assembly.mass_kg == pytest.approx(1.0)
    assert assembly.coms_m[0] == pytest.approx([0.05, 0.05, 0.05])


def test_an_open_block_is_refused_by_name(put: Put) -> None:
    node = _node()
    del node["block"]["data"]["face"]["5"]
    with pytest.raises(BadFile, match=r"data\.graph\.data\.node\.9: part '9': .*open"):
        load(put("c.json", _assembly({"9": node})))


def test_published_assemblies_load(shared: Path) -> None:
    counts = {"H": 3, "cubes": 3, "type-a": 3, "type-c": 3, "shelf": 11, "shelf-stable": 9}
    for name, count in counts.items():
        assembly = load(shared / "compas" / f"{name}.json")
        assert len(assembly.parts) == count
        assert assembly.fixed == frozenset()
