"""What the gallery declares of building, proved: hands that suffice, orders that do not exist, fewest hands."""

from __future__ import annotations

import pytest

from falsework import gallery, plan
from falsework.gallery import Specimen
from falsework.planning.verification.verify import verify

SMALL = [specimen for specimen in gallery.planning_set() if len(specimen.make().parts) <= 10]
FEWEST = {  # hands, with a proof that one less is too few
    "semicircular-arch-1": 2,
    "semicircular-arch-2": 2,
    "pointed-arch-1": 2,
    "flat-arch-1": 2,
    "flat-arch-2": 2,
}


@pytest.mark.parametrize("specimen", SMALL, ids=lambda specimen: specimen.name)
def test_it_is_built_as_declared(specimen: Specimen) -> None:
    assembly, truth = specimen.make(), specimen.truth
    planned = plan(assembly, rules="holds", robots=truth.hands or 2, groups=False)
    if truth.unbuildable:
        assert planned.status == "infeasible"
    else:
        assert planned.status == "complete"
        assert verify(planned.plan, assembly).valid


@pytest.mark.parametrize("name", FEWEST)
def test_one_hand_less_is_too_few(name: str) -> None:
    assembly = next(specimen for specimen in gallery.planning_set() if specimen.name == name).make()
    assert plan(assembly, robots=FEWEST[name]).status == "complete"
    assert plan(assembly, robots=FEWEST[name] - 1).status == "infeasible"
