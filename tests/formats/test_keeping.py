"""What was read is found again by what it was read from, and by nothing less."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import trimesh

from falsework.formats.loading import load
from falsework.formats.meshes import assemblies
from falsework.geometry.contacts import keeping as contacts_keeping
from falsework.geometry.contacts.flat.planar import PlanarContacts
from falsework.geometry.contacts.interfaces import interfaces
from falsework.kernels import keeping
from falsework.kernels.keeping import kept
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.shapes import Mesh


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for entries, in which everything is worth keeping."""
    monkeypatch.setenv("FALSEWORK_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(keeping, "WORTH_S", -1.0)
    return tmp_path / "kept"


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Two balls, one with a hole."""
    folder = tmp_path / "parts"
    folder.mkdir()
    ball = trimesh.creation.icosphere(subdivisions=2)
    ball.export(folder / "a.stl")
    cut = trimesh.creation.box((1, 1, 1))
    cut.update_faces(np.arange(len(cut.faces)) > 0)
    cut.apply_translation([5, 0, 0])
    cut.export(folder / "b.obj")
    return folder


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that are read, as it happens."""
    seen: list[Path] = []
    read = assemblies.read_folder

    def counted(folder: Path, scale: float) -> object:
        seen.append(folder)
        return read(folder, scale)

    monkeypatch.setattr(assemblies, "read_folder", counted)
    return seen


def test_a_folder_is_read_once_and_told_about_every_time(
    parts: Path, reads: list[Path], caplog: pytest.LogCaptureFixture
) -> None:
    first, second = load(parts), load(parts)
    assert len(reads) == 1
    assert caplog.text.count("capped 1 planar hole: parts b") == 2
    for one, other in zip(first.parts, second.parts, strict=True):
        assert isinstance(one.shape, Mesh) and isinstance(other.shape, Mesh)
        assert np.array_equal(one.shape.vertices, other.shape.vertices)
        assert one.mass_kg == other.mass_kg and not other.shape.triangles.flags.writeable


def test_whatever_is_edited_is_read_anew(parts: Path, reads: list[Path]) -> None:
    load(parts)
    trimesh.creation.icosphere(subdivisions=2, radius=2.0).export(parts / "a.stl")
    assert load(parts).parts[0].mass_kg > 8 * 4000
    (parts / "a.stl").rename(parts / "c.stl")
    assert load(parts).names == ("b", "c")
    assert load(parts, scale=0.5).parts[0].mass_kg == pytest.approx(load(parts).parts[0].mass_kg / 8)
    (parts / "config.json").write_text('{"b": {"final_state": [9, 9, 9]}, "c": {"final_state": [0, 0, 0]}}')
    assert load(parts).parts[0].com_world_m == pytest.approx([14, 9, 9])
    assert len(reads) == 5


def test_an_edit_of_the_sources_makes_everything_anew(
    parts: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(parts)
    monkeypatch.setattr(keeping, "_makers", lambda: "others")
    load(parts)
    assert len(reads) == 2


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_entry_is_made_anew(place: Path, parts: Path, reads: list[Path], damage: bytes | None) -> None:
    load(parts)
    (entry,) = place.iterdir()
    data = entry.read_bytes()
    entry.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if damage is None else damage)
    assert len(load(parts).parts) == 2 and len(reads) == 2


def test_nothing_is_kept_where_it_is_turned_off(
    place: Path, parts: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FALSEWORK_CACHE", "off")
    load(parts)
    load(parts)
    assert len(reads) == 2 and not place.exists()


def test_nothing_is_said_where_nothing_can_be_written(
    tmp_path: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("FALSEWORK_CACHE", str(tmp_path / "file" / "below"))
    assert len(load(parts).parts) == 2


def test_what_was_not_used_for_longest_makes_room(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST_BYTES", 50_000)
    for number in range(10):
        kept("thing", [bytes([number])], lambda: b"x" * 10_000)
        for age, entry in enumerate(sorted(place.iterdir(), key=lambda one: one.stat().st_mtime_ns)):
            os.utime(entry, ns=(age, age))  # one after the other, however coarse the clock
        kept("thing", [bytes([0])], lambda: b"x" * 10_000)  # the first is used all the time
    assert sum(entry.stat().st_size for entry in place.iterdir()) <= 50_000
    assert kept("thing", [bytes([0])], lambda: b"made anew") == b"x" * 10_000
    assert kept("thing", [bytes([2])], lambda: b"made anew") == b"made anew"


def test_contacts_of_a_large_assembly_are_found_once_for_each_way_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contacts_keeping, "LARGE", 1)
    asked: list[float | None] = []
    find = PlanarContacts.find

    def counted(self: PlanarContacts, assembly: Assembly, known: Interfaces) -> Interfaces:
        asked.append(assembly.gap_m)
        return find(self, assembly, known)

    monkeypatch.setattr(PlanarContacts, "find", counted)
    cubes = [trimesh.creation.box((1, 1, 1)) for _ in range(2)]
    cubes[1].apply_translation([0.0, 0.0, 1.0])

    def made() -> Assembly:
        return Assembly.from_trimesh(cubes, fixed="mesh-1")

    first, second = interfaces(made()), interfaces(made())
    assert asked == [None] and np.array_equal(first.patches.points, second.patches.points)
    interfaces(made().changed(gap_m=0.01))
    interfaces(made().changed(friction=0.1))
    cubes[1].apply_translation([0.1, 0.0, 0.0])
    assert len(interfaces(made()).patches) == 1
    assert asked == [None, 0.01, None, None]


def test_what_is_quickly_made_is_not_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "WORTH_S", 10.0)
    assert kept("thing", [b"a"], lambda: 1) == 1 and not place.exists()
