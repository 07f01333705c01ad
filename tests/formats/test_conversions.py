"""What a format can hold comes back from it the same, through any two formats; what it cannot hold is refused."""

from __future__ import annotations

import dataclasses
import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falsework import gallery
from falsework.formats import WRITABLE, detect, load, save
from falsework.formats.meshes.assemblies import natural_key
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Ground, Load
from falsework.model.errors import BadInput
from tests.conftest import SHARED
from tests.formats.same import assert_same_thing, corners_m

PICTURES = ("glb", "mjcf")
EXCHANGE = tuple(name for name in WRITABLE if name not in PICTURES)
BRICK_KINDS = tuple(kind for kind in gallery.kinds() if gallery.make(kind).parts[0].is_brick)
BLOCK_KINDS = tuple(kind for kind in gallery.kinds() if kind not in BRICK_KINDS)


def bare(assembly: Assembly) -> Assembly:
    """Without ground, friction of its own or fixed parts, as mesh folders are."""
    return grounded(assembly.changed(fixed=frozenset(), friction=0.55), Ground("none"))


def on_fixed_bricks(assembly: Assembly) -> Assembly:
    """Without ground, one brick of each component fixed, as BrickSim has it."""
    model = grounded(assembly, Ground("none"))
    return model.changed(fixed=_one_a_component(model))


def holding(assembly: Assembly, folder: Path) -> list[str]:
    """The formats that take the assembly without loss; each is read back, and must be the same."""
    kept = []
    for name in EXCHANGE:
        path = folder / f"{name.replace('/', '-')}"
        try:
            save(assembly, path, name)
        except BadInput:
            assert not path.exists()
            continue
        assert detect(path) == name
        assert_same_thing(assembly, load(path))
        kept.append(name)
    return kept


@pytest.mark.parametrize("kind", gallery.kinds())
def test_the_gallery_comes_back_from_every_format_that_holds_it(kind: str, tmp_path: Path) -> None:
    assembly = gallery.make(kind)
    kept = holding(assembly, tmp_path / "whole")
    assert "falsework-assembly/1" in kept
    assert ("ldraw" in kept) == (kind in BRICK_KINDS)
    assert ("product-yaml" in kept) == kind.startswith("duplo-")
    assert ("brick-text" in kept) == (kind in BRICK_KINDS and not kind.startswith("duplo-"))
    if assembly.gap_m is not None:  # which meshes cannot tell, and without which it is another thing
        assert kept == ["falsework-assembly/1"]
    elif kind in BLOCK_KINDS:
        assert "mesh-folder" in holding(bare(_in_natural_order(assembly)), tmp_path / "bare")


@pytest.mark.parametrize("kind", ["brick-table", "brick-arch", "brick-bridge", "brick-guitar"])
def test_brick_models_come_back_from_bricksim(kind: str, tmp_path: Path) -> None:
    assert "bricksim-topology" in holding(on_fixed_bricks(gallery.make(kind)), tmp_path)


def _one_a_component(model: Assembly) -> frozenset[str]:
    """The first part of each thing that hangs together by its clutches."""
    owner = list(range(len(model.parts)))
    for _ in model.parts:
        for lower, upper in interfaces(model).clutches.bodies.tolist():
            owner[lower] = owner[upper] = min(owner[lower], owner[upper])
    return frozenset(model.parts[number].name for number in set(owner))


def _in_natural_order(assembly: Assembly) -> Assembly:
    return assembly.changed(parts=tuple(sorted(assembly.parts, key=lambda part: natural_key(part.name))))


@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32), bricks=st.integers(1, 25), spread=st.integers(2, 9))
def test_random_bricks_survive_every_pair_of_formats(
    tmp_path_factory: pytest.TempPathFactory, seed: int, bricks: int, spread: int
) -> None:
    model = gallery.make("random-bricks", seed, bricks=bricks, spread=spread)
    _through_every_pair(model, tmp_path_factory.mktemp("pairs"), least=3)


@pytest.mark.parametrize("kind", [kind for kind in BRICK_KINDS if kind != "random-bricks"])
def test_brick_models_survive_every_pair_of_formats(kind: str, tmp_path: Path) -> None:
    _through_every_pair(gallery.make(kind), tmp_path, least=3)


def _through_every_pair(model: Assembly, folder: Path, least: int) -> None:
    kept = holding(model, folder / "one")
    assert len(kept) >= least
    for number, (first, second) in enumerate(permutations(kept, 2)):
        between = load(folder / "one" / first.replace("/", "-"))
        path = folder / f"{number}"
        save(between, path, second)
        assert_same_thing(model, load(path))


@settings(max_examples=5, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32), columns=st.integers(2, 5), rows=st.integers(2, 5))
def test_random_packings_survive_a_folder_of_meshes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, columns: int, rows: int
) -> None:
    packing = bare(gallery.make("polycube-packing", seed, columns=columns, depth=2, rows=rows))
    kept = holding(packing, tmp_path_factory.mktemp("packing"))
    assert kept == ["falsework-assembly/1", "mesh-folder", "compas-assembly", "compas-dem"]


@pytest.mark.parametrize(
    ("kind", "format", "complaint"),
    [
        ("dome", "brick-text", r"brick-text holds bricks only; part 'stone-1' is a polyhedron"),
        ("dome", "ldraw", r"ldraw holds bricks only"),
        ("dome", "mesh-folder", r"mesh-folder cannot hold the ground 'table' \(reading gives 'none'\)"),
        ("diamond-tower", "mesh-folder", r"friction 0: that would be lost; accept it with --lossy"),
        ("semicircular-arch", "mesh-folder", r"mesh-folder cannot hold which parts are fixed"),
        ("duplo-cross", "brick-text", r"brick-text holds system bricks only; part '1' is a duplo:brick_4x2"),
        ("brick-bridge", "product-yaml", r"product-yaml holds duplo bricks only"),
        ("brick-bridge", "stablelego-json", r"the brick library has no 2x8"),
        ("brick-bridge", "bricksim-topology", r"bricksim-topology cannot hold which parts are fixed; the ground"),
        ("brick-bridge", "mesh-folder", r"mesh-folder cannot hold studs, holes and the masses of bricks"),
        ("brick-bridge", "mjcf", r"mjcf cannot hold clutches"),
        ("tetromino-packing", "mjcf", r"mjcf cannot hold hollows of parts that are not convex \(tray"),
        ("dome", "step", r"format 'step': expected one of"),
    ],
)
def test_what_would_be_lost_is_refused_by_name(kind: str, format: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=complaint):
        save(gallery.make(kind), tmp_path / "out", format)
    assert not list(tmp_path.iterdir())


def test_every_circumstance_that_only_our_own_format_holds_is_named(tmp_path: Path) -> None:
    model = gallery.make("brick-table")
    odd = model.changed(
        friction=0.3,
        gravity=np.array([0.0, 1.0, -9.0]),
        loads=(Load("1", np.array([0.0, 0.0, -1.0])),),
        allow_overlap_m=1e-4,
        gap_m=2e-4,
    )
    lost = r"friction 0\.3; gravity; loads; the overlap allowed; the gap .*: that would be lost"
    with pytest.raises(BadInput, match=lost):
        save(odd, tmp_path / "m.ldr")
    assert save(odd, tmp_path / "m.ldr", lossy=True) == "ldraw"
    assert_same_thing(model, load(tmp_path / "m.ldr"))


def test_the_ending_tells_the_format(tmp_path: Path) -> None:
    model = gallery.make("brick-table")
    endings = {"a.yaml": "falsework-assembly/1", "a.json": "falsework-assembly/1", "a.txt": "brick-text"}
    for name, wanted in {**endings, "a.ldr": "ldraw", "a.mpd": "ldraw", "a.glb": "glb"}.items():
        assert save(model, tmp_path / name) == wanted
    with pytest.raises(BadInput, match=r"a\.step: found the ending '\.step', expected one of \.yaml"):
        save(model, tmp_path / "a.step")


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "mine").write_text("x")
    with pytest.raises(BadInput, match="is there already, expected a new or empty folder"):
        save(gallery.make("dome"), tmp_path / "d", lossy=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["d", "mine"]


def test_names_that_are_no_file_names_are_refused(tmp_path: Path) -> None:
    arch = bare(gallery.make("semicircular-arch", stones=3))
    parts = (dataclasses.replace(arch.parts[0], name="a/b"), *arch.parts[1:])
    with pytest.raises(BadInput, match="part 'a/b' cannot be the name of a file"):
        save(arch.changed(parts=parts), tmp_path / "d", lossy=True)


def test_stablelego_ids_are_those_of_the_library_beside_the_file(tmp_path: Path) -> None:
    library = {"77": {"height": 2, "width": 4, "mass": 0.00216}}
    (tmp_path / "lego_library.json").write_text(json.dumps(library))
    stairs = gallery.make("brick-stairs", steps=4)
    save(stairs, tmp_path / "s.json", "stablelego-json")
    assert json.loads((tmp_path / "s.json").read_text())["1"] == {"x": 0, "y": 0, "z": 0, "ori": 1, "brick_id": 77}
    assert_same_thing(stairs, load(tmp_path / "s.json"))


def _shared_bricks() -> list[str]:
    """Every structure of bricks in the reference data, with its key where a file holds several."""
    files = [
        file for folder in ("stablelego", "apexmr", "brickgpt", "bricksim") for file in (SHARED / folder).glob("*")
    ]
    names = []
    for file in sorted(file for file in files if not file.name.endswith("library.json")):
        found = json.loads(file.read_text()) if file.name.endswith("examples.json") else None
        keys = (
            [""] if found is None else [f"#{key}" for key in (found if isinstance(found, dict) else range(len(found)))]
        )
        names += [f"{file.parent.name}/{file.name}{key}" for key in keys]
    return names


@pytest.mark.parametrize("source", _shared_bricks())
def test_published_bricks_keep_every_pose_in_ldraw(shared: Path, tmp_path: Path, source: str) -> None:
    model = load(shared / source)
    save(model, tmp_path / "m.ldr", lossy=True)
    again = load(tmp_path / "m.ldr")
    assert len(again.parts) == len(model.parts)
    for part, other in zip(model.parts, again.parts, strict=True):
        assert np.array_equal(corners_m(part), corners_m(other))
        assert part.shape.kind.plates == other.shape.kind.plates  # type: ignore[union-attr]
    pairs = [
        sorted(map(sorted, interfaces(grounded(one, Ground("none"))).clutches.bodies.tolist()))
        for one in (model, again)
    ]
    assert pairs[0] == pairs[1]
