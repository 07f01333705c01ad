"""Every file of the kinds that people have is read, whole or partial, and what it says of itself is kept."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.formats import load, save
from falsework.formats.bricks.ldraw_lookup import Lookup
from falsework.formats.bricks.library.folder import Library
from falsework.formats.bricks.library.moulds import Moulded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.fittings import brick_fittings
from falsework.model.arrays import Array
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadFile, Overlap
from tests.formats.ldraw_library import write_library, write_zip
from tests.formats.same import assert_same_thing
from tests.formats.wild_ldraw import FILES, FOOT, Wild, line


@pytest.fixture(scope="session")
def ldraw_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("ldraw"))


def test_there_are_more_than_sixty_of_them() -> None:
    assert len(FILES) > 60


@pytest.mark.parametrize("wild", FILES.values(), ids=FILES.keys())
def test_it_is_read_and_judged(wild: Wild, tmp_path: Path, ldraw_library: Path) -> None:
    path = tmp_path / wild.name
    path.write_bytes(wild.data)
    model = load(path, ldraw=str(ldraw_library) if wild.library else None)
    assert (len(model.parts), len(model.partial)) == (wild.parts, wild.partial)
    joints = interfaces(model)
    joined = {body for pair in joints.clutches.bodies.tolist() for body in pair}
    assert joined >= set(range(len(model.parts))), "every part clutches something"
    assert falsework.check(model, joints=joints).stands == wild.stands


def test_a_drawn_brick_has_the_fittings_and_the_weight_of_its_twin(ldraw_library: Path) -> None:
    """Two ways to one answer: studs and holes found in a drawing, and those of the catalogue."""
    lookup = Lookup(Library(ldraw_library), {})
    for number, twin in {
        "993001": "brick_4x2",
        "993010": "brick_4x1",
        "993020": "plate_4x2",
        "993024": "plate_1x1",
    }.items():
        known, kind = lookup.part(f"{number}.dat"), brick_type(twin)
        assert known is not None and isinstance(known.kind, Moulded)
        middle = np.array([kind.size_m[0] / 2, kind.size_m[1] / 2, kind.size_m[2]])
        own, same = known.kind.mould, brick_fittings(kind)
        for found, expected in ((own.studs, same.studs), (own.holes, same.holes)):
            expected = expected - np.concatenate([middle, np.zeros(3)])
            assert np.allclose(_sorted(found), _sorted(expected), atol=1e-9), number
        assert known.kind.mass_kg == pytest.approx(kind.mass_kg, rel=0.45 if number == "993024" else 0.25)


def _sorted(rows: Array) -> Array:
    whole = np.round(rows, 7) + 0.0
    return whole[np.lexsort(whole.T)]


def test_a_clutch_off_the_grid_is_as_strong_as_one_on_it(tmp_path: Path, ldraw_library: Path) -> None:
    text = FOOT + line("3001.dat", "20 -48 0") + line("3010.dat", "0 -72 10")
    (tmp_path / "a.ldr").write_text(text)
    (tmp_path / "b.ldr").write_text(text.replace("3001.dat", "993001.dat"))
    one, other = load(tmp_path / "a.ldr"), load(tmp_path / "b.ldr", ldraw=str(ldraw_library))
    loads = ("3", (0.0, 0.0, 3.0))
    first, second = falsework.check(one, loads=loads), falsework.check(other, loads=loads)
    assert second.utilization == pytest.approx(first.utilization, rel=0.02)  # but for the weight of the drawn part


def test_a_zip_of_the_library_and_the_variable_do_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ldraw_library: Path
) -> None:
    (tmp_path / "a.ldr").write_text(FOOT + line("993003.dat"))
    zipped = write_zip(tmp_path / "complete.zip")
    assert len(load(tmp_path / "a.ldr", ldraw=str(zipped)).parts) == 2
    assert len(load(tmp_path / "a.ldr").partial) == 1
    monkeypatch.setenv("LDRAWDIR", str(ldraw_library))
    assert len(load(tmp_path / "a.ldr").parts) == 2


def test_what_is_no_library_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.ldr").write_text(FOOT + line("993003.dat"))
    with pytest.raises(BadFile, match="there is no such folder or zip; expected an LDraw parts library"):
        load(tmp_path / "a.ldr", ldraw=str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadFile, match=r"is no LDraw parts library, expected a folder or zip with parts/ and p/ in it"):
        load(tmp_path / "a.ldr", ldraw=str(tmp_path / "empty"))


def test_an_encrypted_file_of_studio_is_refused_in_one_line(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("model.ldr", FOOT)
    data = bytearray(packed.getvalue())
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = data.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        data[at] |= 1
    (tmp_path / "a.io").write_bytes(bytes(data))
    with pytest.raises(BadFile, match="is encrypted by Studio; export the model from Studio as LDraw"):
        load(tmp_path / "a.io")


STEPS = (
    f"0 FILE m.ldr\n{FOOT}0 STEP\n{line('two.ldr')}0 ROTSTEP 0 90 0 REL\n{line('3001.dat', '0 -72 0')}"
    f"0 FILE two.ldr\n{line('3003.dat', '-20 0 0')}{line('3003.dat', '20 0 0')}"
)


def test_steps_are_kept_by_ldraw_and_by_our_own_format(tmp_path: Path) -> None:
    (tmp_path / "a.mpd").write_text(STEPS)
    model = load(tmp_path / "a.mpd")
    assert [step.parts for step in model.steps] == [("1",), ("two/1", "two/2"), ("2",)]
    assert [step.turn for step in model.steps] == ["", "0 90 0 REL", ""]
    assert model.steps[1].submodels == (("two", ("two/1", "two/2")),)
    for name in ("b.mpd", "b.yaml", "b.json"):
        save(model, tmp_path / name)
        again = load(tmp_path / name)
        assert again.steps == model.steps
        assert_same_thing(model, again)


def test_moulds_and_what_is_missing_are_kept_by_our_own_format(tmp_path: Path, ldraw_library: Path) -> None:
    text = FOOT + line("9987087.dat", "10 -48 10") + line("4070.dat", "-30 -48 -10") + line("3626.dat")
    (tmp_path / "a.ldr").write_text(text)
    model = load(tmp_path / "a.ldr", ldraw=str(ldraw_library))
    save(model, tmp_path / "b.yaml")
    again = load(tmp_path / "b.yaml")
    assert again.partial == model.partial and again.as_drawn
    assert [one.sentence for one in again.partial] == ["1 of 3626: left out (unknown part)"]
    for first, second in zip(model.parts, again.parts, strict=True):
        assert (first.mould is None) == (second.mould is None)
        if first.mould is not None and second.mould is not None:
            assert np.array_equal(first.mould.studs, second.mould.studs)
            assert np.array_equal(first.mould.holes, second.mould.holes)
    assert_same_thing(model, again)


def test_a_mirrored_part_is_the_part_on_the_other_side(tmp_path: Path) -> None:
    left = line("26604.dat", "-30 -48 -10", "-1 0 0 0 1 0 0 0 1")
    (tmp_path / "a.ldr").write_text(FOOT + left)
    model = load(tmp_path / "a.ldr")
    ways = model.parts[1].mould.studs[:, 3:] @ model.parts[1].T_world_part[:3, :3].T  # type: ignore[union-attr]
    assert sorted(map(tuple, ways.round(6).tolist())) == [(-1, 0, 0), (0, -1, 0), (0, 0, 1)]


def test_a_mirrored_submodel_is_the_submodel_on_the_other_side(tmp_path: Path) -> None:
    """Two methods, one answer: the mirror of the file's reference, and the mirror image of what it leads to."""
    turned = "0 0 1 0 1 0 -1 0 0"
    inner = f"0 FILE inner.ldr\n{line('4070.dat', '10 0 0', turned)}"
    text = f"0 FILE m.ldr\n{{}}0 FILE sub.ldr\n{line('3003.dat', '40 0 20')}{line('inner.ldr', '30 -24 10')}{inner}"
    sides = []
    for rows in ("1 0 0 0 1 0 0 0 1", "-1 0 0 0 1 0 0 0 1"):
        (tmp_path / "a.mpd").write_text(text.format(line("sub.ldr", "0 -24 0", rows)))
        sides.append(load(tmp_path / "a.mpd"))
    across = np.array([-1.0, 1.0, 1.0])
    assert np.allclose(sides[0].coms_m * across, sides[1].coms_m)
    ways = [
        part.mould.studs[:, 3:] @ part.T_world_part[:3, :3].T
        for part in (side.parts[1] for side in sides)
        if part.mould is not None
    ]
    assert np.allclose(_sorted(ways[0] * across), _sorted(ways[1]))


def test_submodels_beside_the_file_are_found_whatever_their_case(tmp_path: Path) -> None:
    (tmp_path / "Cab").mkdir()
    (tmp_path / "Wing.LDR").write_text(line("3003.dat", "-20 0 0"))
    (tmp_path / "Cab" / "Door.ldr").write_text(line("3003.dat", "20 0 0"))
    (tmp_path / "own1.dat").write_text("0 Mine\n" + line("3001.dat", "0 0 0"))
    asked = line("wing.ldr") + line("cab\\door.LDR") + line("OWN1.dat", "0 -72 0") + line("..\\Wing.ldr")
    (tmp_path / "a.ldr").write_text(FOOT + asked)
    model = load(tmp_path / "a.ldr")
    assert len(model.parts) == 4
    assert [one.sentence for one in model.partial] == ["1 of ../wing: left out (unknown part)"]


def test_lines_that_make_no_sense_are_told_by_the_first_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.ldr").write_text(FOOT + "// one\n// two\n" + line("3001.dat"))
    (short,) = load(tmp_path / "a.ldr").partial
    first = "line 2: found '// one', expected a line that begins with 0 to 5"
    assert short.sentence == f"2 of lines: left out ({first})"
    (tmp_path / "a.ldr").write_text(FOOT + "// no\n" * 1001)
    with pytest.raises(BadFile, match=first.replace("one", "no")):
        load(tmp_path / "a.ldr")


def test_bricks_that_share_space_are_refused_as_everywhere(tmp_path: Path) -> None:
    (tmp_path / "a.ldr").write_text(FOOT + line("3003.dat", "0 -24 0"))
    with pytest.raises(Overlap, match=r"parts '1' and '2' overlap by 0.0096 m, allowed 0 m"):
        falsework.check(load(tmp_path / "a.ldr"))


def test_a_library_without_primitives_still_knows_studs_by_their_names(tmp_path: Path) -> None:
    folder = write_library(tmp_path / "thin", leave_out=["p/stud.dat"])
    known = Lookup(Library(folder), {}).part("993003.dat")
    assert known is not None and isinstance(known.kind, Moulded)
    assert len(known.kind.mould.studs) == 4


def test_a_stud_in_solid_plastic_is_taken_as_drawn(tmp_path: Path) -> None:
    """Off the grid and in no hole: other formats refuse it, LDraw models have such places."""
    (tmp_path / "a.ldr").write_text(FOOT + line("3001.dat", "7 -48 3"))
    assert len(interfaces(load(tmp_path / "a.ldr")).clutches) == 1  # the foot on the ground
