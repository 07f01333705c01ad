"""Good files made bad: bytes, words and numbers, branches of trees."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import yaml

ODD_NUMBERS = (
    "0", "-1", "1", "2", "-0.0", "1e308", "-1e308", "1e-320", "1e9", "nan", ".inf", "NaN", "Infinity", "0x10", "1_000",
    "9" * 400, "0.1", "1e-9", "2147483648", "-9223372036854775809", "007", "1.", ".5", "",
)  # fmt: skip
ODD_WORDS = (
    "", "null", "true", "~", "a", "ground", "parts", "brick_2x4", "brick_0x0", "duplo:brick_9x9", "table:-1", "\u0000",
    "\U0001f9f1", "‮", "a" * 2000, "../../x", "{", "]", "*a", "&a [*a]", "!!python/object:os.system", "#", "'",
    "1x1 (0,0,0)", "0 FILE x", "1 4 0 0 0 1 0 0 0 1 0 0 0 1 3001.dat", "f 1 2 3", "v 0 0 0",
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2.5, 1e308, -1e-308, 10**30, "", "a", "nan", [], {}, [[]], [0, 0, 0], [1e9, 0, 0],
    [0, 0, 0, 0], ["a"], {"a": 1}, [None, None, None], "brick_2x4", [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def damaged(random: Random, name: str, data: bytes, others: list[bytes]) -> bytes:
    """A file that was good, one to four blows later."""
    if name.endswith((".json", ".yaml")) and random.random() < 0.5:
        return _tree_damaged(random, data)
    for _ in range(random.randint(1, 4)):
        data = random.choice(_BLOWS)(random, data, others)
    return data


def _cut(random: Random, data: bytes, others: list[bytes]) -> bytes:
    del others
    start = random.randint(0, len(data))
    return data[:start] + data[start + random.choice((1, 2, 7, 40, len(data))) :]


def _put(random: Random, data: bytes, others: list[bytes]) -> bytes:
    del others
    start = random.randint(0, len(data))
    word = random.choice((*ODD_WORDS, *ODD_NUMBERS)).encode("utf-8", "surrogatepass")
    return data[:start] + random.choice((word, bytes([random.randrange(256)]), b"\n", b" ")) + data[start:]


def _flip(random: Random, data: bytes, others: list[bytes]) -> bytes:
    del others
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def _number(random: Random, data: bytes, others: list[bytes]) -> bytes:
    del others
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    one = random.choice(found)
    return data[: one.start()] + random.choice(ODD_NUMBERS).encode() + data[one.end() :]


def _twice(random: Random, data: bytes, others: list[bytes]) -> bytes:
    del others
    start = random.randint(0, len(data))
    piece = data[start : start + random.choice((5, 30, 200))]
    return data[:start] + piece * random.choice((2, 3, 50)) + data[start:]


def _lines_mixed(random: Random, data: bytes, others: list[bytes]) -> bytes:
    del others
    lines = data.split(b"\n")
    random.shuffle(lines)
    return b"\n".join(lines)


def _spliced(random: Random, data: bytes, others: list[bytes]) -> bytes:
    other = random.choice(others)
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


_BLOWS = (_cut, _put, _flip, _number, _number, _twice, _lines_mixed, _spliced)


def _tree_damaged(random: Random, data: bytes) -> bytes:
    tree = yaml.safe_load(data)
    for _ in range(random.randint(1, 3)):
        tree = _branch_damaged(random, tree)
    if random.random() < 0.3:
        return yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "surrogatepass")
    return json.dumps(tree).encode()


def _branch_damaged(random: Random, tree: Any) -> Any:
    """The tree with one branch replaced, dropped, doubled or wrapped."""
    if isinstance(tree, dict) and tree and random.random() < 0.85:
        key = random.choice(list(tree))
        rest = {name: value for name, value in tree.items() if name != key}
        how = random.random()
        if how < 0.1:
            return rest
        if how < 0.2:
            return {**rest, random.choice(ODD_WORDS): tree[key]}
        return {**tree, key: _branch_damaged(random, tree[key])}
    if isinstance(tree, list) and tree and random.random() < 0.85:
        place = random.randrange(len(tree))
        how = random.random()
        if how < 0.1:
            return tree[:place] + tree[place + 1 :]
        if how < 0.2:
            return tree[: place + 1] * 2
        return [*tree[:place], _branch_damaged(random, tree[place]), *tree[place + 1 :]]
    return [tree] if random.random() < 0.1 else random.choice(ODD_VALUES)
