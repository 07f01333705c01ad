"""JSON, TOML and YAML, the parts of them that describe data: no tags, no anchors, no duplicate keys, no NaN.

YAML scalars follow the core schema of YAML 1.2, so `1e-3` is a number and `no`, `1:30`, `2024-01-01` are text;
`007`, which may be a name, is text too.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from falsework.formats.basics.limits import MAX_DEPTH, MAX_DIGITS, MAX_VALUES, within
from falsework.formats.basics.node import Node, described
from falsework.model.errors import BadFile, shown

YAML_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
YAML_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class _Refused(ValueError):
    """A JSON text that is well formed but means nothing here; `fragment` is where to look for it."""

    def __init__(self, fragment: str, problem: str) -> None:
        super().__init__(problem)
        self.fragment = fragment


def load_json(path: Path, text: str) -> Node:
    """The root of a JSON text."""
    try:
        value = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant, parse_int=_whole)
    except _Refused as why:
        line = text.count("\n", 0, text.rfind(why.fragment)) + 1
        raise BadFile(path, f"line {line}", str(why)) from why
    except json.JSONDecodeError as why:
        raise BadFile(path, f"line {why.lineno}, column {why.colno}", f"not valid JSON: {why.msg}") from why
    except RecursionError as why:
        limit = sys.getrecursionlimit()
        raise BadFile(path, "", f"lists and mappings are nested too deep, the limit is about {limit}") from why
    return Node(path, value)


def load_toml(path: Path, text: str) -> Node:
    """The root of a TOML text."""
    try:
        return Node(path, tomllib.loads(text))
    except ValueError as why:  # also a number of thousands of digits
        raise BadFile(path, "", f"not valid TOML: {why}") from why
    except RecursionError as why:
        raise BadFile(path, "", "lists and tables are nested too deep") from why


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Refused(json.dumps(twice), f"key {shown(twice)} appears twice in one object; keys must be unique")
    return mapping


def _refuse_constant(word: str) -> None:
    raise _Refused(word, f"found {word}, expected a finite number")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _Refused(digits, f"found a number of {len(digits):,} digits, the limit is {MAX_DIGITS}")
    return int(digits)


def load_yaml(path: Path, text: str) -> Node:
    """The root of a YAML text of one document."""
    builder = _Builder(path)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.MarkedYAMLError as why:
        mark = why.problem_mark or why.context_mark
        raise BadFile(path, _at(mark) if mark else "", f"not valid YAML: {why.problem or why.context}") from why
    except yaml.reader.ReaderError as why:
        line = text.encode().count(b"\n", 0, why.position) + 1
        raise BadFile(path, f"line {line}", f"not valid YAML: {why.reason}") from why
    return Node(path, builder.root)


class _Builder:
    """Builds plain values from YAML events, without recursion."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root: Any = None
        self.open: list[list[Any] | dict[str, Any]] = []
        self.keys: list[str | None] = []  # beside `open`: the key that waits for its value
        self.count = 0
        self.documents = 0

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise self._refused(event, f"found the alias *{event.anchor}; anchors and aliases are not allowed")
        if isinstance(event, yaml.NodeEvent):
            self._take_value(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            within(self.path, _at(event.start_mark), "documents", self.documents, 1)
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self.open.pop()
            self.keys.pop()

    def _take_value(self, event: Any) -> None:
        self.count += 1
        if self.count > MAX_VALUES:
            within(self.path, _at(event.start_mark), "values", self.count, MAX_VALUES)
        if event.anchor is not None:
            raise self._refused(event, f"found the anchor &{event.anchor}; anchors and aliases are not allowed")
        if event.tag is not None:
            raise self._refused(event, f"found the tag {shown(event.tag)}; tags are not allowed, expected plain data")
        if self._expects_key():
            self._take_key(event)
        elif isinstance(event, yaml.ScalarEvent):
            self._place(self._scalar(event))
        else:
            self._open(event, [] if isinstance(event, yaml.SequenceStartEvent) else {})

    def _open(self, event: Any, container: list[Any] | dict[str, Any]) -> None:
        self._place(container)
        self.open.append(container)
        self.keys.append(None)
        within(self.path, _at(event.start_mark), "levels of nesting", len(self.open), MAX_DEPTH)

    def _expects_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1], dict) and self.keys[-1] is None

    def _take_key(self, event: Any) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise self._refused(event, "found a list or mapping as a key, expected text")
        mapping = self.open[-1]
        if event.value in mapping:
            raise self._refused(event, f"key {shown(event.value)} appears twice in one mapping; keys must be unique")
        self.keys[-1] = event.value

    def _place(self, value: Any) -> None:
        if not self.open:
            self.root = value
            return
        container, key = self.open[-1], self.keys[-1]
        if isinstance(container, dict):
            assert key is not None
            container[key] = value
            self.keys[-1] = None
        else:
            container.append(value)

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if not event.implicit[0]:  # quoted, or a block of text
            return text
        if text in _WORDS:
            return _WORDS[text]
        if YAML_NUMBER.fullmatch(text):
            if len(text) > MAX_DIGITS:
                raise self._refused(event, f"found a number of {len(text):,} digits, the limit is {MAX_DIGITS}")
            return int(text) if YAML_INT.fullmatch(text) else float(text)
        if _NOT_FINITE.fullmatch(text):
            raise self._refused(event, f"found {described(text)}, expected a finite number")
        return text

    def _refused(self, event: yaml.Event, problem: str) -> BadFile:
        return BadFile(self.path, _at(event.start_mark), problem)


def _at(mark: Any) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}"
