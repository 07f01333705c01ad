"""The bench of builds: five figures a tier beside a baseline, classes of failures, and going on with a journal."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import resources
from pathlib import Path

import pytest

from falsework.bench import build
from falsework.bench.build import tries
from falsework.bench.build.figures import tier_row
from falsework.bench.build.tries import BASELINE, COLUMNS, OURS, STUDS, Tried, Tries, Wanted, drawn_from
from falsework.bench.suites import bench
from falsework.execution.control.settings import ABLATIONS
from falsework.execution.tiers.disruptions import KINDS
from falsework.execution.tiers.models import MODELS
from falsework.model.errors import BadFile, BadInput
from falsework.model.work import Outcome
from falsework.version import __version__

ANSWER = {
    "success": False,
    "accuracy": 0.5,
    "violations": 0.25,
    "planning_s": 3.0,
    "manipulation_s": 210.0,
    "thought_wall_s": 3.5,
    "believed": False,
    "collisions": [{"time_s": 4.0, "reported": True}, {"time_s": 9.0, "reported": False}],
    "failures": [
        {"brick": "2", "state": "LIFT", "class": "slip"},
        {"brick": "3", "state": "LOOK", "class": "clearance"},
    ],
}


def done(wanted: Wanted, success: bool = True) -> Tried:
    return Tried(wanted, success, 1.0, 0.0, 2.0, 20.0, () if success else ("slip",), 1.0)


def test_a_row_has_the_five_figures_and_says_why_tasks_failed() -> None:
    tried = [done(Wanted(OURS, 3, number), number != 1) for number in range(4)]
    row = tier_row(3, OURS, tried)
    assert row.figure == "3 of 4 (30 to 95 %), accuracy 100.0 %, violations 0.0 %"
    assert row.notes["failures"] == {"slip": 1}
    assert row.notes["planning_s"] == 2.0 and row.notes["manipulation_s"] == 20.0 and row.notes["above_200_s"] == 0
    assert row.notes["seed_of_30"] == 21
    assert "seed_of_30" not in tier_row(3, BASELINE, tried).notes


def test_what_a_part_is_worth_is_told_in_points_against_the_whole() -> None:
    whole = [done(Wanted(OURS, 3, number)) for number in range(4)]
    less = [done(Wanted("without verification", 3, number), number != 1) for number in range(4)]
    row = tier_row(3, "without verification", less, whole)
    assert row.figure.endswith("violations 0.0 %, -25.0 points")
    assert tier_row(3, STUDS, whole, whole).figure.endswith("+0.0 points")


def test_the_full_bench_has_every_part_left_out_every_window_and_every_disruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pool:
        def __init__(self, workers: int) -> None:
            pass

        def outcomes(self, work: object, tasks: list[Wanted]) -> list[Outcome]:
            return [
                Outcome(number, {**ANSWER, "success": one.column == OURS, "rightly": False})
                for number, one in enumerate(tasks)
            ]

    monkeypatch.setattr(tries, "Processes", Pool)
    rows = list(build.run(full=True, journal=tmp_path / "builds.jsonl", tasks=2, seed=5))
    figures = {row.case: row.figure for row in rows}
    models = len(MODELS) * len(build.CELLS)
    assert len(figures) == len(rows) == 8 + 2 * (2 + len(ABLATIONS)) + 2 + models + len(KINDS)
    for tier in (3, 4):
        assert figures[f"tier {tier}, {STUDS}"].endswith("-100.0 points")
        assert figures[f"tier {tier}, within 2 mm"].endswith("+0.0 points")
        parts = set(ABLATIONS) - {"subassemblies"}
        assert all(f"tier {tier}, without {name}" in figures for name in parts)
    assert figures["tier 5, without subassemblies"].endswith("-100.0 points")
    assert figures["model viaduct, two-panda"].startswith("2 of 2")
    assert figures["disrupted: knocked-over"].startswith("0 of 2")
    asked = [json.loads(line)["wanted"] for line in (tmp_path / "builds.jsonl").read_text("utf-8").splitlines()]
    assert {one["seed"] for one in asked} == {5} and {one["number"] for one in asked} == {0, 1}


def test_a_model_has_time_for_all_its_bricks_and_a_task_of_a_tier_200_s() -> None:
    assert Wanted(OURS, 0, 0, model="viaduct").usual_settings.limit_s == 460.0
    assert Wanted(OURS, 4, 0).usual_settings.limit_s == 200.0
    assert len(Wanted(OURS, 0, 1, model="bridge", cell="two-panda").task().cell.arms) == 2


def test_a_failure_is_classed_by_the_first_check_that_was_violated() -> None:
    wanted = Wanted(OURS, 4, 0)
    tried = tries._tried(wanted, ANSWER, 1.0, "")
    assert tries.first_classes([tried]) == ["slip"]
    assert (tried.collisions, tried.untold) == (2, 1)
    assert tries._tried(wanted, {**ANSWER, "failures": []}, 1.0, "").classes == ("late",)
    assert tries._tried(wanted, {**ANSWER, "failures": [], "believed": True}, 1.0, "").classes == ("unnoticed",)
    lost = tries._tried(wanted, None, 1.0, "died of SIGKILL")
    assert lost.classes == ("crash",) and lost.lost == "died of SIGKILL" and not lost.success


def test_a_journal_goes_on_where_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Wanted] = []

    class Pool:
        def __init__(self, workers: int) -> None:
            assert workers == 2

        def outcomes(self, work: object, tasks: list[Wanted]) -> list[Outcome]:
            asked.extend(tasks)
            return [Outcome(number, ANSWER) for number in range(len(tasks))]

    monkeypatch.setattr(tries, "Processes", Pool)
    journal = tmp_path / "builds.jsonl"
    known = [done(Wanted(column, tier, 0)) for column in COLUMNS for tier in build.TIERS]
    lines = [json.dumps({"version": __version__, **asdict(one)}) for one in known]
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = list(build.run(journal=journal, tasks=2))
    assert [row.case for row in rows[:3]] == ["tier 1, ours", f"tier 1, {BASELINE}", "tier 2, ours"]
    assert sorted(one.number for one in asked) == [1] * 8
    asked.clear()
    assert [row.figure for row in build.run(journal=journal, tasks=2)] == [row.figure for row in rows]
    assert asked == [] and len(Tries(journal).of([Wanted(OURS, 1, 1)])) == 1


def test_figures_of_the_thesis_stand_beside_ours_and_are_called_quoted() -> None:
    tried = [done(Wanted(column, 4, 0)) for column in COLUMNS]
    ours, other = (tier_row(4, one.wanted.column, [one]).as_dict() for one in tried)
    assert ours["seed_quoted"].startswith("66.67 % success, 66.55 % accuracy")
    assert other["language_quoted"].startswith("6.67 % success, 13.54 % accuracy")


def test_tasks_of_other_settings_are_other_tasks_in_a_journal(tmp_path: Path) -> None:
    usual = resources.files("falsework.execution.tiers").joinpath("usual.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(usual, encoding="utf-8")
    first = drawn_from(file)
    assert first[0] == str(file.resolve()) and drawn_from(None) == ("", "")
    assert Wanted(OURS, 1, 0, 0, *first) != Wanted(OURS, 1, 0)
    file.write_text(usual.replace("tilt_deg = 30.0", "tilt_deg = 10.0"), encoding="utf-8")
    changed = drawn_from(file)
    assert changed[0] == first[0] and changed[1] != first[1]
    assert Wanted(OURS, 1, 0, 0, *changed).task().settings.tilt_deg == 10.0
    with pytest.raises(BadFile, match="there is no such file"):
        list(build.run(tasks=1, settings=tmp_path / "none.toml"))
    with pytest.raises(BadInput, match=r"mine\.toml: changed while tasks were drawn from it"):
        Wanted(OURS, 1, 0, 0, *first).task()
    with pytest.raises(BadInput, match="--settings -: is read for every task; expected a file"):
        drawn_from(Path("-"))


def test_settings_that_no_task_can_be_drawn_from_end_the_bench(tmp_path: Path) -> None:
    usual = resources.files("falsework.execution.tiers").joinpath("usual.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(usual.replace("bricks_1 = [1, 1]", "bricks_1 = [2, 2]"), encoding="utf-8")
    with pytest.raises(BadInput, match=r"there is no such task: bricks_1: none of .* had 2 to 2 bricks"):
        list(build.run(tasks=1, settings=file))


def test_settings_are_read_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no such file"):
        bench("all", settings=tmp_path / "none.toml")
    with pytest.raises(BadInput, match="--settings: only build can be asked so, not contacts"):
        bench("contacts", settings=tmp_path / "none.toml")
