"""Any value of a good JSON or YAML file replaced by an odd one: it loads or is refused; so do lines of text formats.

What loads must also survive the search for contacts: that is where impossible numbers would do their harm.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falsework import info
from falsework.formats import load
from falsework.model.errors import BadInput
from tests.fuzz.seeds import LDRAW, NATIVE, PRODUCT, TASK, TOPOLOGY

CUBE = {
    "vertex": {str(k): {"x": k & 1, "y": k >> 1 & 1, "z": k >> 2} for k in range(8)},
    "face": dict(enumerate([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])),
}
COMPAS = {
    "dtype": "compas_assembly.datastructures/Assembly",
    "data": {"graph": {"data": {"node": {"0": {"block": {"data": CUBE}}}}}},
}
TREES: dict[str, Any] = {
    "native": yaml.safe_load(NATIVE),
    "product": yaml.safe_load(PRODUCT),
    "stablelego": json.loads(TASK),
    "bricksim": json.loads(TOPOLOGY),
    "compas": json.loads(json.dumps(COMPAS)),
    "collection": [{"object_id": "a", "bricks": "2x4 (0,0,0)\n1x2 (1,1,1)\n"}],
}
LINES = {"brick-text": "2x4 (0,0,0)\n1x2 (1,1,1)\n", "ldraw": LDRAW}
ODD = st.sampled_from(
    [None, True, False, -1, 0, 1, 2, 4, 1e-9, -1e-9, 0.1, 1e6, -1e6, 1e300, 10**30, "", "a", "1", "é\n", [], {}, [[]]]
) | st.floats(allow_nan=False, width=32)
WORDS = st.sampled_from(["", "0", "1", "-1", "1e9", "nan", "inf", "x", "(", ",", "16", "3001.dat", "sub.ldr", "FILE"])
careful = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every value of a tree but the root."""
    if isinstance(value, dict):
        return [place for key, inner in value.items() for place in [(*path, key), *places(inner, (*path, key))]]
    if isinstance(value, list):
        return [place for key, inner in enumerate(value) for place in [(*path, key), *places(inner, (*path, key))]]
    return []


@careful
@pytest.mark.parametrize("name", TREES)
@given(where=st.integers(0, 10**6), odd=ODD, drop=st.booleans())
def test_an_odd_value_loads_or_is_refused(tmp_path: Path, name: str, where: int, odd: Any, drop: bool) -> None:
    tree = copy.deepcopy(TREES[name])
    spots = places(tree)
    *above, last = spots[where % len(spots)]
    holder = tree
    for key in above:
        holder = holder[key]
    if drop:
        del holder[last]
    else:
        holder[last] = odd
    (tmp_path / "a.json").write_text(json.dumps(tree))
    survives(tmp_path / "a.json")


@careful
@pytest.mark.parametrize("name", LINES)
@given(where=st.integers(0, 10**6), word=WORDS, drop=st.booleans())
def test_an_odd_word_loads_or_is_refused(tmp_path: Path, name: str, where: int, word: str, drop: bool) -> None:
    lines = [line.split(" ") for line in LINES[name].splitlines()]
    line = lines[where % len(lines)]
    spot = where // len(lines) % len(line)
    line[spot : spot + 1] = [] if drop else [word]
    (tmp_path / "a.txt").write_text("\n".join(" ".join(words) for words in lines) + "\n")
    survives(tmp_path / "a.txt")


def survives(path: Path) -> None:
    try:
        assert info(load(path)).parts
    except BadInput as refusal:
        assert str(refusal).isprintable()
