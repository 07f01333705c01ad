"""How many hands build it: every declaration about small assemblies, proved by the planner and its verifier.

Enough hands: a plan that `verify` accepts. One hand less: a search that ends with the proof that there is no plan.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from falsework import gallery
from falsework.formats import write
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.planning.plan import plan
from falsework.planning.verification.verify import verify

Parameters = dict[str, int | float]
SMALL: dict[str, Parameters] = {
    "running-bond-wall": {"columns": 2, "courses": 3},
    "brick-wall": {"columns": 2, "courses": 3},
    "brick-bookshelf": {"levels": 1},
    "brick-table": {"height": 1},
    "brick-bench": {"height": 1, "back": 1},
    "brick-guitar": {"neck": 2},
    "barrel-vault": {"stones": 5, "rows": 2},
    "dome": {"rings": 2, "segments": 6},
    "semicircular-arch": {"stones": 7},
    "diamond-tower": {"widest": 3},
    "mortise-frame": {"bays": 1},
    "duplo-block": {"layers": 2, "size": 2},
}
# Beside one of each kind: the smallest and the largest that are declared.
MORE: list[tuple[str, Parameters]] = [
    ("semicircular-arch", {"stones": 5}),
    ("semicircular-arch", {"stones": 15}),
    ("pointed-arch", {"stones": 3}),
    ("flat-arch", {"stones": 3}),
    ("flat-arch", {"stones": 11}),
    ("diamond-tower", {"widest": 4}),
    ("brick-stairs", {"steps": 5}),
    ("brick-stairs", {"steps": 13}),
    ("brick-bridge", {"bays": 3}),
    ("brick-bridge", {"bays": 4}),
    ("brick-bridge", {"bays": 8}),
    ("brick-stick", {"reach": 8}),
    ("brick-arch", {"half_span": 8}),
    ("mortise-frame", {"bays": 1, "closed": 1}),
    ("hexagonal-shell", {"angle": 60.0, "thickness": 0.02}),
    ("barrel-vault", {}),
    ("dome", {"rings": 2, "segments": 12}),
    ("dome", {"rings": 3, "segments": 6}),
    ("dome", {"rings": 3, "segments": 8}),
    ("dome", {}),
]
ALL = [*((kind, SMALL.get(kind, {})) for kind in gallery.kinds()), *MORE]
WITH_HANDS = [(kind, some) for kind, some in ALL if gallery.truth(kind, **some).hands is not None]
UNBUILDABLE = [(kind, some) for kind, some in ALL if gallery.truth(kind, **some).unbuildable]


def test_most_kinds_declare_how_they_are_built() -> None:
    assert len({kind for kind, _ in (*WITH_HANDS, *UNBUILDABLE)}) >= 28
    assert {gallery.truth(kind, **some).hands for kind, some in WITH_HANDS} == {1, 2, 3}


@pytest.mark.parametrize(("kind", "parameters"), WITH_HANDS)
def test_so_many_hands_build_it(kind: str, parameters: Parameters, tmp_path: Path) -> None:
    assembly = gallery.make(kind, **parameters)
    found = plan(assembly, robots=gallery.truth(kind, **parameters).hands, groups=False)
    assert found.status == "complete"
    write(assembly, tmp_path / "it.yaml")
    whole = replace(found.plan, source=source_of(tmp_path / "it.yaml", assembly))
    write_plan(whole, tmp_path / "plan.json")
    assert verify(tmp_path / "plan.json").valid


@pytest.mark.parametrize(
    ("kind", "parameters"), [(kind, some) for kind, some in WITH_HANDS if gallery.truth(kind, **some).hands != 1]
)
def test_one_hand_less_does_not(kind: str, parameters: Parameters) -> None:
    hands = gallery.truth(kind, **parameters).hands
    assert hands is not None
    assert plan(gallery.make(kind, **parameters), robots=hands - 1, groups=False).status == "infeasible"


@pytest.mark.parametrize(("kind", "parameters"), UNBUILDABLE)
def test_what_is_locked_no_number_of_hands_builds_part_by_part(kind: str, parameters: Parameters) -> None:
    assembly = gallery.make(kind, **parameters)
    assert plan(assembly, robots=len(assembly.parts), groups=False).status == "infeasible"
    together = plan(assembly, robots=2)
    assert together.status == "complete"
    assert any(len(step.parts) > 1 for step in together.plan.steps)
