"""All rows in one Parquet file with typed columns, for whoever loads them into a table; needs pyarrow.

Columns are the keys of rows. Of `interfaces`, `certificate`, `options`, `error` and `gap` each entry is a column of its
own: `certificate.residual`. Numbers, truth values, words and lists of words keep their types; whatever is more deeply
nested, as lists of joints are, is JSON text.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import beside
from falsework.model.errors import BadFile

log = logging.getLogger(__name__)

RESULTS = "results.parquet"
OPENED = frozenset(["interfaces", "certificate", "options", "error", "gap"])
GROUP_ROWS = 5000
PLAIN_KINDS: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "text"}
Row = dict[str, Any]


class Columns:
    """The columns that rows have and their types, learned before the first row is written."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}

    def learn(self, row: Row) -> None:
        for name, value in flattened(row).items():
            if value is not None:
                self.kinds[name] = _wider(self.kinds.get(name), _kind(value))
            else:
                self.kinds.setdefault(name, "")


def write_table(folder: Path, columns: Columns, rows: Iterable[Row]) -> None:
    """The file appears when all rows are in it, or not at all; without pyarrow it is only told that there is none."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        log.warning("%s needs pyarrow: pip install 'falsework[batch]'; rows are in %s", RESULTS, folder / "shards")
        return
    making = beside(folder / RESULTS)
    schema = pyarrow.schema([(name, _arrow(kind)) for name, kind in columns.kinds.items()])
    try:
        with parquet.ParquetWriter(making, schema, compression="zstd") as writer:
            for group in _groups(rows):
                flat = [flattened(row) for row in group]
                values = {name: _column(kind, [row.get(name) for row in flat]) for name, kind in columns.kinds.items()}
                writer.write_table(pyarrow.table(values, schema=schema))
        making.replace(folder / RESULTS)
    except (OSError, pyarrow.ArrowException) as why:
        problem = getattr(why, "strerror", None) or str(why).splitlines()[0]
        raise BadFile(folder / RESULTS, "", f"cannot be written: {problem}; what was done is kept") from why
    finally:
        with suppress(OSError):
            making.unlink(missing_ok=True)


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    waiting = iter(rows)
    while group := list(islice(waiting, GROUP_ROWS)):
        yield group


def flattened(row: Row) -> Row:
    """One value a column.

    >>> flattened({"exit": 0, "certificate": {"kind": "forces"}, "options": {"mu": "0.3"}})
    {'exit': 0, 'certificate.kind': 'forces', 'options.mu': 0.3}
    """
    flat: Row = {}
    for name, value in row.items():
        if name in OPENED and isinstance(value, dict):
            flat |= {f"{name}.{word}": _number(one) if name == "options" else one for word, one in value.items()}
        else:
            flat[name] = value
    return flat


def _number(value: Any) -> Any:
    """Options are words; those that are numbers are numbers here."""
    with suppress(TypeError, ValueError):
        return float(value) if not isinstance(value, bool) else value
    return value


def _kind(value: Any) -> str:
    known = PLAIN_KINDS.get(type(value))
    if known is not None:
        return known if known != "int" or abs(value) < 2**63 else "float"
    return "texts" if isinstance(value, list) and all(type(one) is str for one in value) else "json"


def _wider(before: str | None, now: str) -> str:
    """A type that holds both."""
    if not before or before == now:
        return now
    return "float" if {before, now} == {"int", "float"} else "json"


def _arrow(kind: str) -> Any:
    import pyarrow

    kinds = {
        "bool": pyarrow.bool_(),
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "texts": pyarrow.list_(pyarrow.string()),
    }
    return kinds.get(kind, pyarrow.string())


def _column(kind: str, values: list[Any]) -> list[Any]:
    if kind == "json":
        return [None if value is None else json.dumps(value) for value in values]
    return [None if value is None else float(value) for value in values] if kind == "float" else values
