"""Whatever is done to a good file, it loads or is refused; nothing else happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falsework.formats import load
from falsework.model.errors import BadInput
from tests.fuzz.seeds import GOOD


@pytest.mark.parametrize("name", sorted(GOOD))
def test_the_undamaged_file_loads(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(GOOD[name])
    assert load(tmp_path / name).parts


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@pytest.mark.parametrize("name", sorted(GOOD))
@given(
    where=st.floats(0, 1),
    take=st.integers(0, 40),
    put=st.binary(max_size=6) | st.sampled_from([b"-", b"e9", b"[", b"0"]),
)
def test_a_damaged_file_loads_or_is_refused(tmp_path: Path, name: str, where: float, take: int, put: bytes) -> None:
    data = GOOD[name]
    start = int(where * len(data))
    (tmp_path / name).write_bytes(data[:start] + put + data[start + take :])
    _loads_or_is_refused(tmp_path / name)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_file_cut_short_loads_or_is_refused(tmp_path: Path, name: str) -> None:
    data = GOOD[name]
    for length in range(0, len(data), max(1, len(data) // 60)):
        (tmp_path / name).write_bytes(data[:length])
        _loads_or_is_refused(tmp_path / name)


def _loads_or_is_refused(path: Path) -> None:
    try:
        assert load(path).parts
    except BadInput as refusal:
        assert str(refusal).isprintable()
        assert path.name in str(refusal)
