"""Making things of the gallery: parameters, seeds, sizes, and what is refused."""

from __future__ import annotations

import pytest

from falsework import gallery
from falsework.formats import dumps
from falsework.geometry.contacts.interfaces import components, interfaces
from falsework.model.errors import BadInput
from falsework.model.shapes import BrickShape


def test_every_kind_says_what_it_is() -> None:
    for name, kind in gallery.kinds().items():
        assert name == kind.name
        assert kind.description
        assert gallery.truth(name).why
        for parameter in kind.parameters:
            assert parameter.low <= parameter.default <= parameter.high
            assert parameter.meaning


@pytest.mark.parametrize("kind", [kind.name for kind in gallery.kinds().values() if kind.seeded])
def test_a_seed_gives_the_same_again_and_another_seed_another(kind: str) -> None:
    first, again, other = (dumps(gallery.make(kind, seed)) for seed in (7, 7, 8))
    assert first == again != other


@pytest.mark.parametrize("kind", gallery.kinds())
def test_every_part_touches_another_and_none_overlap(kind: str) -> None:
    assembly = gallery.make(kind)
    joints = interfaces(assembly)
    touching = {*joints.patches.bodies.ravel().tolist(), *joints.clutches.bodies.ravel().tolist()}
    assert touching == set(range(len(assembly.bodies)))
    assert assembly.is_grounded


@pytest.mark.parametrize("seed", range(5))
def test_random_bricks_are_one_connected_thing(seed: int) -> None:
    model = gallery.make("random-bricks", seed, bricks=60)
    assert len(model.parts) == 60
    assert components(model, interfaces(model)) == 1


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("running-bond-wall", {"columns": 40, "courses": 30}),
        ("brick-wall", {"columns": 40, "courses": 30}),
        ("random-bricks", {"bricks": 1000, "spread": 20}),
        ("dome", {"rings": 20, "segments": 60}),
    ],
)
def test_large_versions_have_a_thousand_parts(kind: str, parameters: dict[str, int]) -> None:
    assert len(gallery.make(kind, **parameters).parts) >= 1000


@pytest.mark.parametrize(
    ("kind", "parameters", "complaint"),
    [
        ("dom", {}, "unknown kind 'dom'; did you mean 'dome'?"),
        ("dome", {"ring": 3}, "dome: unknown parameter 'ring'; did you mean 'rings'?"),
        ("dome", {"rings": 2.5}, "dome: rings: found 2.5, expected a whole number from 1 to 60"),
        ("dome", {"rings": float("nan")}, "dome: rings: found nan, expected a whole number"),
        ("dome", {"radius": float("inf")}, "dome: radius: found inf, expected a number from 0.1 to 100"),
        ("dome", {"rings": True}, "dome: rings: found True"),
        ("dome", {"rings": "3"}, "dome: rings: found '3'"),
    ],
)
def test_wrong_requests_say_what_was_expected(kind: str, parameters: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadInput) as refused:
        gallery.make(kind, **parameters)
    assert complaint in str(refused.value)


def test_the_planning_set_is_sixty_and_more_of_three_to_fifty_parts() -> None:
    specimens = gallery.planning_set()
    assert len(specimens) >= 60
    assert len({specimen.name for specimen in specimens}) == len(specimens)
    for specimen in specimens:
        assembly = specimen.make()
        assert 3 <= len(assembly.parts) <= 50
        assert not any(isinstance(part.shape, BrickShape) for part in assembly.parts)
        assert specimen.truth.stands is True
