"""The topology graph: places in whole numbers, on which all paths agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falsework.brickworld.grouping import connections_of
from falsework.brickworld.topology import Connection, Place, Topology, hole_pose, topology_from
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput

TWO_BY_FOUR = brick_type("brick_4x2")


def row(count: int) -> Topology:
    return Topology([TWO_BY_FOUR] * count)


def test_a_connection_places_the_hole_brick_on_the_lattice_of_the_stud_brick() -> None:
    graph = row(2)
    graph.connect(Connection(0, 1, (2, 0), 1))
    assert graph.places[1] == Place(2, 0, 3, 1)
    assert graph.component_of.tolist() == [0, 0]


def test_two_ways_round_must_agree() -> None:
    graph = row(3)
    graph.connect(Connection(0, 1, (2, 0), 0))
    graph.connect(Connection(0, 2, (-2, 0), 0))
    with pytest.raises(BadInput, match="held at"):
        graph.connect(Connection(1, 2, (1, 0), 0))


def test_a_ring_that_closes_is_accepted() -> None:
    graph = row(4)
    graph.connect(Connection(0, 1, (2, 0), 0))
    graph.connect(Connection(0, 2, (-2, 0), 0))
    graph.connect(Connection(1, 3, (-2, 0), 0))
    graph.connect(Connection(2, 3, (2, 0), 0))
    assert graph.places[3] == Place(0, 0, 6, 0)


def test_merging_keeps_the_places_of_both_sides_to_each_other() -> None:
    graph = row(6)
    for low, high in ((0, 1), (1, 2), (3, 4), (4, 5)):
        graph.connect(Connection(low, high, (1, 0), 1))
    before = graph.places[5].then(0, 0, 0, 0), graph.places[3]
    graph.connect(Connection(2, 3, (2, 1), 2))
    one, other = graph.places[5], graph.places[3]
    assert one.z - other.z == before[0].z - before[1].z == 6
    assert (one.turns - other.turns) % 4 == (before[0].turns - before[1].turns) % 4
    assert len(graph.components) == 1


def test_breaking_a_bridge_leaves_two_components_and_a_ring_one() -> None:
    graph = row(4)
    first = graph.connect(Connection(0, 1, (2, 0), 0))
    graph.connect(Connection(0, 2, (-2, 0), 0))
    graph.connect(Connection(1, 3, (-2, 0), 0))
    graph.connect(Connection(2, 3, (2, 0), 0))
    assert [one.tolist() for one in graph.disconnect([first])] == [[0, 1, 2, 3]]
    numbers = graph.between(0, 2)
    assert [one.tolist() for one in graph.disconnect(numbers)] == [[0], [1, 2, 3]]
    assert [one.tolist() for one in graph.components] == [[0], [1, 2, 3]]


@pytest.mark.parametrize(
    ("connection", "why"),
    [
        (Connection(0, 1, (4, 0), 0), "no stud stands in a hole"),
        (Connection(0, 2, (0, 0), 0), "different makes"),
        (Connection(3, 0, (0, 0), 0), "has no studs"),
        (Connection(0, 4, (0, 0), 0), "no holes"),
    ],
)
def test_what_cannot_be_is_refused(connection: Connection, why: str) -> None:
    kinds = [brick_type(name) for name in ("brick_4x2", "brick_4x2", "duplo:brick_2x2", "tile_2x2")]
    graph = Topology([*kinds, None])
    with pytest.raises(BadInput, match=why):
        graph.connect(connection)


def test_a_connection_cannot_be_made_twice_nor_removed_twice() -> None:
    graph = row(2)
    number = graph.connect(Connection(0, 1, (0, 0), 0))
    with pytest.raises(BadInput, match="there already"):
        graph.connect(Connection(0, 1, (0, 0), 0))
    graph.disconnect([number])
    with pytest.raises(BadInput, match="no connection"):
        graph.disconnect([number])


def test_a_copy_can_change_without_the_original() -> None:
    graph = row(2)
    other = graph.copy()
    other.connect(Connection(0, 1, (0, 0), 0))
    assert len(graph.components) == 2
    assert len(other.components) == 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_places_agree_with_the_poses_of_a_random_model(seed: int) -> None:
    model = make("random-bricks", seed, bricks=12)
    kinds = [body.shape.kind for body in model.bodies]  # type: ignore[union-attr]
    graph = Topology(kinds)
    for one in connections_of(interfaces(model), np.arange(len(kinds))):
        graph.connect(one)
        relative = np.linalg.inv(model.poses[one.stud]) @ model.poses[one.hole]
        assert hole_pose(kinds[one.stud], one) == pytest.approx(relative, abs=1e-9)
    root = graph.places[0]
    for part, place in enumerate(graph.places):
        studs = (model.poses[part, :3, 3] - model.poses[0, :3, 3]) / (0.008, 0.008, 0.0032)
        assert (place.x - root.x, place.y - root.y, place.z - root.z) == pytest.approx(tuple(studs), abs=1e-6)


def test_export_and_import_give_the_same_graph() -> None:
    model = make("random-bricks", 3, bricks=10)
    names = [body.name for body in model.bodies]
    graph = Topology([body.shape.kind for body in model.bodies])  # type: ignore[union-attr]
    for one in connections_of(interfaces(model), np.arange(len(names))):
        graph.connect(one)
    again, labels = topology_from(graph.as_dict(names))
    assert list(labels) == names
    assert sorted(again.connections.values(), key=str) == sorted(graph.connections.values(), key=str)
    assert again.kinds == graph.kinds


@pytest.mark.parametrize(
    "document", [{}, {"format": "falsework-topology/1"}, {"format": "falsework-topology/1", "parts": [1]}]
)
def test_other_documents_are_refused(document: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="topology"):
        topology_from(document)
