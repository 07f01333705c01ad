"""JSON and YAML as data, and nothing more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json, load_yaml
from falsework.formats.basics.text import decoded, read_text
from falsework.model.errors import BadFile, BadInput

HERE = Path("file.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("-.5", -0.5),
        ("12.", 12.0),
        ("+7", 7),
        ("0", 0),
        ("007", "007"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("no", "no"),
        ("true", True),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ('"true"', "true"),
        ("[1, a, [2.5]]", [1, "a", [2.5]]),
        ("{a: 1, b: {c: }}", {"a": 1, "b": {"c": None}}),
        ("a:\n- 1\n- b: 2\n  c: 3\n", {"a": [1, {"b": 2, "c": 3}]}),
        ("|\n two\n lines\n", "two\nlines\n"),
    ],
)
def test_yaml_scalars_follow_the_core_schema(text: str, value: Any) -> None:
    found = load_yaml(HERE, text).value
    assert found == value
    assert type(found) is type(value)


def test_yaml_complaints_name_line_and_column() -> None:
    with pytest.raises(BadFile, match=r"file\.yaml: line 3, column 4: found the anchor &x"):
        load_yaml(HERE, "a: 1\nb: 2\nc: &x 3\n")


def test_json_complaints_name_the_line() -> None:
    with pytest.raises(BadFile, match=r"file\.yaml: line 2: found NaN, expected a finite number"):
        load_json(HERE, '{"a": 1,\n "b": NaN}')


def test_places_are_spelled_from_the_root() -> None:
    root = load_yaml(HERE, "parts: [{pose: [[1, 2], [3, x]]}]")
    with pytest.raises(BadFile, match=r"file\.yaml: parts\[0\]\.pose\[1\]\[1\]: found 'x', expected a number"):
        root["parts"].elements()[0]["pose"].table(2)


def test_the_model_is_quoted_at_the_place_that_made_it_complain() -> None:
    node = load_yaml(HERE, "a: 1")["a"]
    with pytest.raises(BadFile, match=r"file\.yaml: a: no such thing"), node.blamed():
        raise BadInput("no such thing")


@pytest.mark.parametrize("value", [True, None, "3", [3], {"a": 3}, float("nan"), 3.5, 10**400])
def test_whole_numbers_are_whole_numbers(value: Any) -> None:
    with pytest.raises(BadFile, match="expected a whole number from 0 to 9"):
        Node(HERE, value).whole(0, 9)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert Node(HERE, 3.0).whole(0, 9) == 3


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(BadFile) as refusal:
        Node(HERE, "x" * 10**6).number()
    assert len(str(refusal.value)) < 200


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbf2x4 (0,0,0)\n")
    assert read_text(tmp_path / "a.txt") == "2x4 (0,0,0)\n"


def test_wrong_encodings_are_named() -> None:
    with pytest.raises(BadFile, match="is UTF-16 text, expected UTF-8"):
        decoded(HERE, "x".encode("utf-16"))
    with pytest.raises(BadFile, match="line 2: found byte 0xf6, which is not UTF-8"):
        decoded(HERE, "a\nö".encode("latin-1"))
