"""A few cases of the fuzzer in the suite; `make fuzz` runs ten thousand."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.cases import Case, any_case
from tests.fuzz.judging import judged

ALL = tuple(HealthCheck)
PHASES = (Phase.generate, Phase.shrink)


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=ALL, phases=PHASES)
@given(random=st.randoms(use_true_random=False))
def test_whatever_is_asked_of_whatever_file_ends_as_promised(random: Random) -> None:
    case = any_case(random)
    with tempfile.TemporaryDirectory() as folder:
        assert judged(case, Path(folder)) == [], case


def test_a_case_follows_from_its_seed() -> None:
    first, again, other = (any_case(Random(seed)) for seed in ("0:1", "0:1", "0:2"))
    assert first == again != other


def test_the_judge_sees_what_breaks_the_contract(tmp_path: Path, monkeypatch: object) -> None:
    """A verb that raises, one that leaves a file behind, one that prints NaN."""
    import pytest

    from tests.fuzz import judging

    assert isinstance(monkeypatch, pytest.MonkeyPatch)

    def fails(words: list[str]) -> int:
        raise RuntimeError(words[0])

    def litters(words: list[str]) -> int:
        (Path(words[1]) / "x.part").write_text("")
        return 2

    def prints_nan(words: list[str]) -> int:
        sys.stdout.write('{"a": NaN}')
        return 0

    for number, (breaks, complaint) in enumerate(
        ((fails, "RuntimeError: info"), (litters, "left behind x.part"), (prints_nan, "found NaN"))
    ):
        monkeypatch.setattr(judging, "main", breaks)
        (tmp_path / str(number)).mkdir()
        found = judged(Case({}, ("info", "{out}", "--json")), tmp_path / str(number))
        assert any(complaint in one for one in found), found


def test_the_runner_counts_its_cases_and_their_memory() -> None:
    words = [sys.executable, "-m", "tests.fuzz.run", "12", "3"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    answer = json.loads(done.stdout)
    assert answer["cases"] == sum(answer["verbs"].values()) == 12
    assert answer["peak_mib"] > 0
    assert (done.returncode, answer["found"]) == (0, [])
