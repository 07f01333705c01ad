"""What `bench cad` measures, on small things: it must be able to see what it looks for, and to say what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework import bench
from falsework.bench.cad import agreement, errands, loading, published_plans, side_by_side, success, tries, ways_out
from falsework.bench.kept import Kept
from falsework.bench.reference_data import set_folder
from falsework.bench.round_shapes import ball, placed
from falsework.gallery.cad import cad_shapes
from falsework.gallery.cad.cad_set import CadSpecimen, cad_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.shapes import box
from falsework.model.state import State
from falsework.planning.plans.jobs import Job, Settings
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from tests.bench.errand_works import broken, doubled, for_ever

SMALL = (cad_set()[2], cad_set()[12])


def test_errands_bring_back_what_was_found_or_why_nothing_was() -> None:
    assert errands.sent(doubled, 21, patience_s=20.0).told == {"twice": 42}
    assert errands.sent(for_ever, patience_s=1.0) == errands.Errand(None, "not done in 1 s of computing")
    assert errands.sent(broken, patience_s=20.0).why == "failed: ValueError: a spanner in the works"


def test_success_is_told_by_method_size_and_failure() -> None:
    rows = {row.case: row for row in success.told(SMALL)}
    ours = rows["CAD set, ours"]
    assert ours.figure == "100/100 %" and ours.notes["refused by verify"] == []
    assert set(success.METHODS) == {case.removeprefix("CAD set, ") for case in list(rows)[: len(success.METHODS)]}
    assert rows["CAD set, median up to 5 parts"].target == "seed 001 on its set: 43 s"
    assert rows["CAD set, failures of ours at 400"].figure == f"none of {len(SMALL)}"
    for method in success.METHODS:
        row = rows[f"CAD set, {method}"]
        assert row.notes["50 evaluations (%)"] <= row.notes["400 evaluations (%)"]


def test_the_set_goes_on_where_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tried.jsonl"
    first = list(success.told(SMALL[:1], Kept(file)))
    asked: list[str] = []

    def noted(specimen: CadSpecimen) -> tries.Tries:
        asked.append(specimen.name)
        return dict.fromkeys(tries.METHODS, tries.Tried("budget", tries.BUDGET, 1.0))

    monkeypatch.setattr(tries, "attempt", noted)
    assert list(success.told(SMALL[:1], Kept(file))) == first and asked == []
    rows = {row.case: row for row in success.told(SMALL, Kept(file))}
    assert asked == [SMALL[1].name]
    assert rows["CAD set, ours"].figure == "50/50 %"
    assert rows["CAD set, failures of ours at 400"].notes["unsolved"] == {SMALL[1].name: "budget"}


def test_a_search_within_fewer_evaluations_does_the_same_until_it_is_stopped() -> None:
    at_once = tries.attempt(SMALL[1])
    for method, (planner, selector) in tries.METHODS.items():
        assembly = SMALL[1].make()
        shop = Workshop(assembly, rules_for(assembly, "reorient", tries.HELD + 1))
        few = solve(Job(shop, shop.everything, Settings(planner, selector, 20)))
        assert (few.status == "complete") == at_once[method].within(20)


def test_what_takes_too_long_is_a_failure_of_that_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tries, "PATIENCE_S", 1e-6)
    rows = {row.case: row for row in success.told([CadSpecimen("late", 3, 6)])}
    failures = rows["CAD set, failures of ours at 400"]
    assert failures.figure == "1 of 1: tree exhausted 0 %, too slow 100 %, budget 0 %"
    assert failures.notes["unsolved"] == {"late": "too slow"}
    assert rows["CAD set, ours"].figure == "0/0 %"


def test_a_dovetail_is_taken_apart_and_proved_and_a_locked_burr_is_not() -> None:
    told = ways_out.taken_apart("dovetail")
    assert not told["stuck"] and not told["complaints"] and told["struck"] in (0, None)
    assert ways_out._figure(told).startswith("removed in")
    locked = ways_out.taken_apart("loose-burr", "locked", 1, "play", 0.0)
    assert len(locked["stuck"]) == 6
    assert ways_out._figure(locked).startswith("not found: across, back")  # other ways than were tried prove nothing


def test_every_shape_of_the_issue_is_asked_for_by_parameters_that_it_has() -> None:
    for kind, parameters in ways_out.SHAPES.values():
        assert cad_shapes()[kind].kind.values(parameters)


def test_half_a_million_faces_are_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PAIRS", (1, 2))
    monkeypatch.setattr(loading, "FACETS", 16)
    faces = loading._written(tmp_path)
    told = loading.loaded(str(tmp_path))
    assert told["parts"] == 6 and 10_000 < faces < 15_000
    assert told["contacts"] >= 1


def test_simulation_and_equilibrium_are_compared_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "judged.jsonl"
    row = agreement.compared(3, journal=Kept(file))
    counted = sum(row.notes.get(key, 0) for key in ("both stand", "both fall", "differ", "undecided"))
    assert counted == 3 and row.case == "simulated and equilibrium, 3 states"
    assert len(row.notes["told"]) == sum(row.notes["reasons"].values()) == row.notes.get("differ", 0)
    monkeypatch.setattr(agreement, "_compared", lambda *_: pytest.fail("judged before"))
    assert agreement.compared(3, journal=Kept(file)).notes == row.notes


def test_a_disagreement_is_told_with_its_reason() -> None:
    known = [agreement.Judged((), "unstable", "stable", "it rolls"), agreement.Judged(("a",), "stable", "stable")]
    known.append(agreement.Judged((), "undecided", "stable", "undecided: still simulating"))
    assert [one.outcome for one in known] == ["differ", "both stand", "undecided"]
    assert agreement._told("cad-001", known[0]) == "cad-001 without nothing: unstable/stable, it rolls"


def test_a_ball_on_a_floor_stands_by_a_hair_and_a_box_does_not() -> None:
    for shape, height, expected in ((ball(0.1, 16), 0.1, True), (box((0.2, 0.2, 0.2)), 0.0, False)):
        floor = make_part("floor", box((2, 2, 0.1)), placed(-1, -1, -0.1))
        parts = floor, make_part("thing", shape, placed(z=height))
        assembly = Assembly(parts, fixed=frozenset({"floor"}))
        joints = interfaces(assembly)
        assert agreement.stands_by_a_hair(assembly, joints, State.complete(assembly)) == expected


def test_plans_beside_each_other_become_pages(tmp_path: Path) -> None:
    pair = side_by_side.planned_both_ways(cad_set()[6])
    assert pair.figure(0).startswith("all ") and pair.falls(1) > 0
    page = side_by_side.write_pages([pair], tmp_path).read_text(encoding="utf-8")
    assert 'src="cad-007-ours.html"' in page and "steps fall" in page
    blind = (tmp_path / "cad-007-blind.html").read_text(encoding="utf-8")
    assert '"word":"Falls"' in blind and '"failed":true' in blind
    written = {"side-by-side.html", "cad-007-ours.html", "cad-007-blind.html"}
    assert {path.name for path in tmp_path.iterdir()} == written


def test_without_reference_data_nothing_is_planned_of_it_and_that_is_said() -> None:
    set_folder(Path("/nowhere"))
    assert list(published_plans.rows()) == []


def test_only_some_suites_have_pages() -> None:
    with pytest.raises(BadInput, match="--out: only cad, build, perception have a page to show, not contacts"):
        bench("contacts", out=Path("pages"))
