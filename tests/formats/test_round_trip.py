"""What is written is read back as it was, to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falsework.formats import dumps, load, write
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground, Hinge, Load
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadFile, BadInput
from falsework.model.part import Material, Part
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Polygon, Polyhedron, Shape, box


def assert_same(one: Assembly, other: Assembly) -> None:
    """Equal in everything but where they were read from."""
    assert one.names == other.names
    assert (one.fixed, one.ground, one.friction) == (other.fixed, other.ground, other.friction)
    assert (one.allow_overlap_m, one.gap_m) == (other.allow_overlap_m, other.gap_m)
    for field in ("gravity", "poses", "masses_kg", "coms_m"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field
    for first, second in zip(one.parts, other.parts, strict=True):
        assert np.array_equal(first.inertia_part_kgm2, second.inertia_part_kgm2)
        assert (first.material, first.color) == (second.material, second.color)
        assert _spelled(first.shape) == _spelled(second.shape)
    for load_a, load_b in zip(one.loads, other.loads, strict=True):
        assert load_a.part == load_b.part
        assert np.array_equal(load_a.force_n, load_b.force_n)
        assert (load_a.point_m is None) == (load_b.point_m is None)
        assert load_a.point_m is None or np.array_equal(load_a.point_m, load_b.point_m)  # type: ignore[arg-type]
    for hinge_a, hinge_b in zip(one.hinges, other.hinges, strict=True):
        assert (hinge_a.first, hinge_a.second) == (hinge_b.first, hinge_b.second)
        assert np.array_equal(hinge_a.point_m, hinge_b.point_m)
        assert np.array_equal(hinge_a.axis, hinge_b.axis)


def _spelled(shape: Shape) -> object:
    match shape:
        case BrickShape():
            return shape.kind
        case Mesh():
            return shape.vertices.tolist(), shape.triangles.tolist()
        case Polyhedron():
            return shape.vertices.tolist(), shape.faces
        case ConvexPieces():
            return [_spelled(piece) for piece in shape.pieces]
        case Polygon():
            return shape.outline.tolist(), shape.depth_m


def _turned(x: float, y: float, z: float, angle: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:2, :2] = (np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))
    pose[:3, 3] = x, y, z
    return pose


def _everything() -> Assembly:
    """One part of every kind, with numbers that do not end."""
    thirds = box((1 / 3, 2 / 3, 0.1))
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) / 7
    sides = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    oak, ash = Material("oak", 700.1), Material("1e5", 650.0)
    heavy = make_part("heavy", thirds, _turned(0.1, 0.2, 1 / 3, 1.0), mass_kg=np.pi)
    parts = [
        make_part("brick", BrickShape(brick_type("slope_2x4_flat1")), _turned(1e-17, 5, 5, 0.0), color="#aa0000"),
        make_part("plate", BrickShape(brick_type("duplo:plate_2x2")), np.eye(4), mass_kg=0.2),
        make_part("box", thirds, _turned(1e22, 0, 0, 0), material=oak),
        make_part("polyhedron", Polyhedron(corners, sides), _turned(3, 3, 3, 0.7), material=ash),
        make_part("pieces", ConvexPieces((Polyhedron(corners, sides),)), np.eye(4), material=Material("oak", 1.5)),
        make_part("007", Mesh(corners, np.array(sides)), np.eye(4), material=Material(density_kg_m3=1 / 3)),
        make_part("1e5", Polygon(np.array([[0, 0], [1.1, 0], [0, 1.3]]), 0.7), np.eye(4)),
        heavy,
        Part("no", thirds, np.eye(4), 2.0, np.array([0.1, 0.2, 0.05]), np.diag([1.0, 2.0, 2.5])),
        make_part("größe: {[*&!#|>'\"%@`", thirds, np.eye(4), color="null"),
    ]
    return Assembly(
        tuple(parts),
        fixed=frozenset(["brick", "007"]),
        friction=1 / 3,
        gravity=np.array([0.1, 0.2, -9.80665]),
        loads=(Load("box", np.array([1 / 3, 0, 0])), Load("1e5", np.zeros(3), np.array([0.1, 0.2, 0.3]))),
        hinges=(Hinge("1e5", "no", np.array([0.1, 0, 1 / 7]), np.array([0.6, 0.0, 0.8])),),
        allow_overlap_m=1e-7,
        gap_m=3e-7,
    )


@pytest.mark.parametrize("ending", [".yaml", ".yml", ".json"])
def test_one_of_everything_comes_back(tmp_path: Path, ending: str) -> None:
    assembly = _everything()
    path = tmp_path / f"everything{ending}"
    write(assembly, path)
    # The box at 1e22 m is farther than files may say; nothing else is changed.
    with pytest.raises(BadInput, match="expected a number from"):
        load(path)
    near = assembly.changed(parts=tuple(p for p in assembly.parts if p.name != "box"), loads=assembly.loads[1:])
    write(near, path)
    assert_same(near, load(path))


@pytest.mark.parametrize("ground", [Ground("none"), Ground("table"), Ground("table", 1 / 3)])
def test_the_ground_comes_back(tmp_path: Path, ground: Ground) -> None:
    assembly = grounded(Assembly((make_part("a", box((1, 1, 1)), np.eye(4)),)), ground)
    write(assembly, tmp_path / "a.yaml")
    assert_same(assembly, load(tmp_path / "a.yaml"))


def test_writing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    assembly = Assembly((make_part("a", box((1, 1, 1)), np.eye(4)),))
    write(assembly, tmp_path / "a.yaml")
    again = load(tmp_path / "a.yaml")
    assert dumps(again) == dumps(assembly) == (tmp_path / "a.yaml").read_text()
    assert dumps(again, "json") == dumps(assembly, "json")


def test_a_wall_of_bricks_comes_back(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("".join(f"2x4 ({2 * (k % 5)},0,{k // 5})\n" for k in range(40)))
    wall = load(tmp_path / "w.txt")
    write(wall, tmp_path / "w.yaml")
    assert_same(wall, load(tmp_path / "w.yaml"))


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"found the ending '\.step', expected one of: \.json, \.yaml, \.yml"):
        write(Assembly((make_part("a", box((1, 1, 1)), np.eye(4)),)), tmp_path / "a.step")


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    assembly = Assembly((make_part("a", box((1, 1, 1)), np.eye(4)),))
    (tmp_path / "a.yaml").mkdir()
    with pytest.raises(BadFile, match=r"a\.yaml: cannot be written: Is a directory"):
        write(assembly, tmp_path / "a.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


printable = st.text(min_size=1, max_size=20).filter(str.isprintable)
lengths = st.floats(min_value=1e-3, max_value=1e3)
places = st.floats(min_value=-1e3, max_value=1e3)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(name=printable, side=lengths, x=places, angle=st.floats(0, 7), color=st.none() | printable)
def test_any_name_and_any_number_comes_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, side: float, x: float, angle: float, color: str | None
) -> None:
    part = make_part(name, box((side, side, 1.0)), _turned(x, 0.0, 0.0, angle), color=color)
    assembly = Assembly((part,))
    folder = tmp_path_factory.mktemp("trip")
    for ending in (".yaml", ".json"):
        write(assembly, folder / f"a{ending}")
        assert_same(assembly, load(folder / f"a{ending}"))


def test_published_structures_survive_conversion(shared: Path, tmp_path: Path) -> None:
    sources = ["stablelego/external_weight_good.json", "bricksim/demo_assembly_structure1.json", "compas/H.json"]
    for source in [*sources, "blocks/arch", "apexmr/faucet.json"]:
        assembly = load(shared / source)
        write(assembly, tmp_path / "a.json")
        assert_same(assembly, load(tmp_path / "a.json"))
