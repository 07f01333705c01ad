"""What nets see: the force-torque graph of Fig. 8, and a compact graph that knows no units or places."""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.learning.graphs.contact_graph import contact_graph, turned
from falsework.learning.graphs.force_torque import force_torque_graph
from falsework.learning.graphs.supports import FARTHEST, USUAL, Supports
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces, Patches
from tests.learning.small import bridge


def figure_eight() -> tuple[Assembly, Interfaces]:
    """Fig. 8: P1 and P2 share two points and one normal; P3 and P4 a zigzag of four points with three normals."""
    parts = Assembly.from_boxes([1, 1, 1], [[0, 0, 0], [0, 0, 1], [3, 0, 0], [3, 0, 1]], ground="none", fixed="box-1")
    slant = np.sqrt(0.5)
    normals = [[0, 0, 1], [slant, 0, slant], [0, 0, 1.0], [-slant, 0, slant]]
    zigzag = [[2.5, 0, 0.6], [2.8, 0, 0.3], [3.2, 0, 0.3], [3.5, 0, 0.6]]
    points = [[-0.5, 0, 0.5], [0.5, 0, 0.5], *(zigzag[n + end] for n in range(3) for end in (0, 1))]
    pairs = [[0, 1], [2, 3], [2, 3], [2, 3]]
    patches = Patches(np.array(pairs), np.array(normals), np.full(4, 0.5), np.arange(0, 9, 2), np.array(points))
    empty = Interfaces.none()
    return parts, Interfaces(patches, empty.clutches, empty.hinges)


def test_force_and_torque_nodes_are_those_of_figure_eight() -> None:
    graph = force_torque_graph(*figure_eight())
    first = (graph.force_bodies == [0, 1]).all(axis=1)
    of_first = first[graph.torque_force]
    assert (first.sum(), of_first.sum()) == (1, 4)
    assert ((~first).sum(), (~of_first).sum()) == (3, 12)


def test_every_torque_node_has_a_twin_of_the_other_part_at_the_same_point() -> None:
    parts, joints = figure_eight()
    graph = force_torque_graph(parts, joints)
    twin, scale = graph.torque_twin, contact_graph(parts, joints).scale_m
    assert (twin[twin] == np.arange(len(twin))).all() and (graph.torque_force[twin] == graph.torque_force).all()
    pairs = np.sort(np.column_stack([graph.torque_body, graph.torque_body[twin]]), axis=1)
    assert (pairs == np.sort(graph.force_bodies, axis=1)[graph.torque_force]).all()
    points = parts.coms_m[graph.torque_body] + scale * graph.arms
    np.testing.assert_allclose(points, points[twin], atol=1e-12)


def test_patches_with_the_same_normal_share_a_force_node() -> None:
    parts, joints = figure_eight()
    patches = joints.patches
    twice = Patches.joined([patches, patches.chosen(np.array([0]))])  # the same place, found twice
    again = force_torque_graph(parts, Interfaces(twice, joints.clutches, joints.hinges))
    assert len(again.normals) == 4 and len(again.arms) == 16


def test_nodes_of_force_and_torque_go_with_either_part() -> None:
    graph = force_torque_graph(*figure_eight())
    installed = np.array([True, True, True, False])
    forces, torques = graph.present(installed)
    assert forces.sum() == 1 and torques.sum() == 4


def test_the_compact_graph_knows_no_units_and_no_places() -> None:
    here, there = (contact_graph(one, interfaces(one)) for one in (bridge(), bridge(scale=0.1, shift=7.0)))
    np.testing.assert_allclose(here.nodes, there.nodes, atol=1e-9)
    np.testing.assert_allclose(here.features, there.features, atol=1e-9)
    assert (here.edges == there.edges).all()


def test_every_contact_is_seen_from_both_sides() -> None:
    graph = contact_graph(bridge(), interfaces(bridge()))
    assert (np.diff(graph.edges[1]) >= 0).all()  # in the order of who receives
    seen = {
        (sender, receiver): row for sender, receiver, row in zip(*graph.edges.tolist(), graph.features, strict=True)
    }
    assert len(seen) == graph.edges.shape[1]
    for (sender, receiver), row in seen.items():
        other = seen[receiver, sender]
        np.testing.assert_array_equal(row[:3], -other[:3])
        np.testing.assert_array_equal(row[3:6], other[6:9])


def test_a_beam_knows_whether_it_lies_between_its_supports() -> None:
    """Posts of width 1 at -1.5 and 1.5; without the left one the beam's middle lies 1 before its first support."""
    assembly = bridge()
    graph = contact_graph(assembly, interfaces(assembly))
    beam = assembly.names.index("beam")
    whole, gone = np.ones((2, len(assembly.bodies)), bool)
    gone[assembly.names.index("left")] = False
    counts, reach = np.split(Supports(graph)(np.stack([whole, gone]))[:, beam], [3], axis=1)
    assert (counts * USUAL).tolist() == [[2, 0, 0], [1, 0, 0]]
    expected = np.clip(np.array([[2, 2, 0.5, 0.5], [2, -1, 0.5, 0.5]]) / graph.scale_m, -FARTHEST, FARTHEST)
    np.testing.assert_allclose(reach, expected, rtol=1e-6)


def test_what_touches_nothing_has_no_support() -> None:
    assembly = bridge()
    alone = np.zeros((1, len(assembly.bodies)), bool)
    alone[0, assembly.names.index("beam")] = True
    found = Supports(contact_graph(assembly, interfaces(assembly)))(alone)[0, assembly.names.index("beam")]
    assert found.tolist() == [0, 0, 0, *[-FARTHEST] * 4]


def test_a_graph_that_is_turned_is_that_of_the_turned_assembly() -> None:
    sizes, centres = np.array([[3, 1, 1], [1, 1, 1], [2, 1, 1.0]]), np.array([[0, 0, 0], [1, 0, 1], [0.75, 0.25, 2]])
    plain = Assembly.from_boxes(sizes, centres, fixed="box-1")
    quarter = Assembly.from_boxes(sizes[:, [1, 0, 2]], centres[:, [1, 0, 2]] * [-1, 1, 1], fixed="box-1")
    mirror = Assembly.from_boxes(sizes, centres * [-1, 1, 1], fixed="box-1")
    graph = contact_graph(plain, interfaces(plain))
    for expected, ours in ((quarter, turned(graph, 1, mirrored=False)), (mirror, turned(graph, 0, mirrored=True))):
        made = contact_graph(expected, interfaces(expected))
        assert (made.edges == ours.edges).all()
        for name in ("nodes", "features", "reach"):
            np.testing.assert_allclose(getattr(ours, name), getattr(made, name), atol=1e-9)
