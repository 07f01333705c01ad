"""A timeout ends planning wherever it is, with what is known by then; the clock is a fake that counts its readers."""

from __future__ import annotations

import sys
from functools import partial

import pytest

from falsework import gallery, plan, replan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.kernels.machine_code_loading import load_in_pieces
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import stoppable
from falsework.planning.nodes.deadline import Deadline, Stopped
from falsework.planning.plans.jobs import Planned
from falsework.planning.verification.verify import verify
from falsework.verdicts.oracle import CONE_SOLVER


class Clock:
    """A second goes by every time somebody looks."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        self.now_s += 1.0
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    ticking = Clock()
    for verb in ("plan", "replan"):
        monkeypatch.setattr(f"falsework.planning.{verb}.Deadline", partial(Deadline, clock=ticking))
    return ticking


def vault() -> Assembly:
    return gallery.make("barrel-vault", stones=5, rows=2)


def steps(planned: Planned) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(step.action, step.parts, step.held) for step in planned.plan.steps]


def test_a_deadline_is_past_when_the_time_is_up_and_not_before() -> None:
    now = [10.0]
    deadline = Deadline(2.0, clock=lambda: now[0])
    now[0] = 11.9
    deadline.mind()
    now[0] = 12.0
    assert deadline.is_past
    with pytest.raises(Stopped, match="timeout"):
        deadline.mind()


def test_time_counts_from_when_the_work_began() -> None:
    assert Deadline(2.0, started_s=8.0, clock=lambda: 10.0).is_past
    assert not Deadline(2.0, started_s=8.5, clock=lambda: 10.0).is_past


def test_without_a_timeout_nothing_is_ever_late() -> None:
    deadline = Deadline(clock=lambda: 1e9)
    deadline.mind()
    assert not deadline.is_past


def test_it_ends_wherever_it_is_and_soon(clock: Clock) -> None:
    """From the first contact to the last evaluation: no more than a few looks at the clock after the time is up."""
    stages, timeout_s, planned = set(), 1.0, None
    while planned is None or planned.status != "complete":
        clock.now_s = 0.0
        planned = plan(vault(), timeout_s=timeout_s)
        if planned.status != "complete":
            assert planned.status == "timeout"
            assert clock.now_s <= timeout_s + 4
            stages.add(planned.why)
        timeout_s *= 2
    assert stages == {"the time was up before the search could begin", "the timeout ran out"}
    assert verify(planned.plan, vault()).valid


SEARCHED = {"geometry.contacts.interfaces", "geometry.ways.removal", "verdicts.oracle", "planning.nodes.ledger"}


@pytest.mark.parametrize(
    ("options", "rooms"),
    [
        ({}, SEARCHED),
        ({"rules": "reorient"}, SEARCHED),
        ({"paths": "any", "robots": 1}, {"geometry.ways.bent_paths", "geometry.ways.turning_paths"}),
    ],
)
def test_all_that_takes_long_can_be_stopped(
    options: dict[str, str], rooms: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[str] = set()

    def note(deadline: Deadline) -> None:
        del deadline
        caller = sys._getframe(1)
        if caller.f_globals["__name__"].endswith("checkpoints"):
            assert caller.f_back is not None
            caller = caller.f_back
        asked.add(caller.f_globals["__name__"].removeprefix("falsework."))

    monkeypatch.setattr(Deadline, "mind", note)
    plan(gallery.make("mortise-frame", bays=1, closed=1), timeout_s=1e9, **options)  # type: ignore[arg-type]
    assert rooms <= asked


def test_a_table_that_was_cut_off_is_filled_in_later_to_the_same_end() -> None:
    assembly = vault()
    joints = interfaces(assembly)
    whole, cut = StraightRemovals(assembly, joints), StraightRemovals(assembly, joints)
    parts = [n for n in range(len(assembly.parts)) if not assembly.fixed_mask() >> n & 1]
    expected = {part: whole.blockers(1 << part) for part in parts}
    left = 3

    def now_and_then() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            left = 25
            raise Stopped("timeout")

    stops, told = 0, {}
    for part in reversed(parts):
        while part not in told:
            try:
                with stoppable(now_and_then):
                    told[part] = cut.blockers(1 << part)
            except Stopped:
                stops += 1
    assert stops > 5
    assert told == expected


def test_a_plan_that_was_found_in_time_goes_without_the_margins_that_were_not(clock: Clock) -> None:
    load_in_pieces(CONE_SOLVER)  # once a process: both runs look at the clock equally often
    plain = plan(vault(), margins=True, timeout_s=1e9)
    seen_all = clock.now_s
    clock.now_s = 0.0
    hasty = plan(vault(), margins=True, timeout_s=seen_all - 3)
    assert hasty.status == "complete"
    assert any(step.margin_deg is not None for step in plain.plan.steps)
    assert all(step.margin_deg is None for step in hasty.plan.steps)
    assert steps(hasty) == steps(plain)


def test_the_fewest_hands_are_not_looked_for_beyond_the_time(clock: Clock) -> None:
    planned = plan(vault(), robots="fewest", timeout_s=10.0)  # looks: finding contacts takes six of them
    assert (planned.status, planned.fewest) == ("timeout", False)
    assert clock.now_s <= 10.0 + 5


def test_replanning_ends_in_time_too_and_says_what_is_there(clock: Clock) -> None:
    whole = plan(vault()).plan
    clock.now_s = 0.0
    late = replan(whole, vault(), at=3, timeout_s=1.0)
    assert late.status == "timeout"
    placed = [step.parts[0] for step in whole.steps[:3] if step.action == "place"]
    assert set(late.plan.start.installed) == set(placed)


def test_machine_code_is_loaded_in_pieces_that_can_be_stopped_between_and_resumed() -> None:
    for stopped_after in (1, 3, 7):
        seen = 0

        def stop(after: int = stopped_after) -> None:
            nonlocal seen
            seen += 1
            if seen == after:
                raise Stopped("timeout")

        load_in_pieces.cache_clear()
        with pytest.raises(Stopped), stoppable(stop):
            load_in_pieces(CONE_SOLVER)
        assert seen == stopped_after
    load_in_pieces(CONE_SOLVER)
    assert CONE_SOLVER in sys.modules
