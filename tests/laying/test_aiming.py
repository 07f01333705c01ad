"""Models whose clutches work as hard as asked for, proved by the check."""

from __future__ import annotations

import pytest

from falsework import check, gallery
from falsework.formats import dumps
from falsework.geometry.contacts.interfaces import components, interfaces
from falsework.laying import aimed
from falsework.model.errors import BadInput, Undecided


@pytest.mark.parametrize(("kind", "seeds"), [("random-overhang", range(6)), ("voxel-figure", range(1))])
def test_the_utilization_is_within_the_range_and_decides_the_verdict(kind: str, seeds: range) -> None:
    for seed in seeds:
        found = aimed(kind, 0.8, 1.25, seed=seed)
        verdict = check(found.assembly)
        assert verdict.utilization == pytest.approx(found.utilization, rel=1e-4)
        assert 0.8 <= found.utilization <= 1.25
        assert verdict.stands == (found.utilization <= 1.0)
        assert components(found.assembly, interfaces(found.assembly)) == 1


def test_a_kind_without_chance_is_turned_too() -> None:
    """StableLego built 19 steps; the twentieth tears the lowest clutch."""
    assert aimed("brick-stairs", 0.9, 1.0).knob == 19
    assert aimed("brick-stairs", 1.0, 1.11).knob == 20


def test_the_same_seed_gives_the_same_model() -> None:
    first, again, other = (dumps(aimed("random-overhang", 0.3, 0.6, seed=seed).assembly) for seed in (3, 3, 4))
    assert first == again != other


def test_the_first_bricks_of_a_larger_overhang_are_the_same() -> None:
    small, large = (
        {tuple(part.com_world_m.round(6)) for part in gallery.make("random-overhang", 1, bricks=n).parts}
        for n in (10, 20)
    )
    assert small < large


def test_what_cannot_be_reached_is_said() -> None:
    with pytest.raises(Undecided, match=r"no model with a utilization from 50 to 50\.001 was found"):
        aimed("brick-stairs", 50.0, 50.001)
    with pytest.raises(BadInput, match="dome has no parameter that its utilization grows with; those that do: brick-b"):
        aimed("dome")
    with pytest.raises(BadInput, match=r"utilization: found \(2, 1\), expected two numbers above 0"):
        aimed("brick-stairs", 2, 1)
