"""The CAD set: sizes, truths, and the same numbers on every processor."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from falsework import check, gallery
from falsework.gallery.cad.cad_set import cad_set
from falsework.gallery.cad.generator import cad_assembly
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from tests.gallery.cad.overlaps import overlaps, struck_on_the_way

DRAWN = [(seed, parts) for seed, parts in enumerate((3, 4, 6, 9, 12, 16, 20, 26, 33))]


def digest(assembly: Assembly) -> str:
    told = hashlib.sha256()
    for part in assembly.parts:
        told.update(part.name.encode() + part.shape.vertices.tobytes() + part.shape.triangles.tobytes())  # type: ignore[union-attr]
    return told.hexdigest()


def test_the_set_is_a_hundred_of_three_to_fifty_parts() -> None:
    specimens = cad_set()
    assert len(specimens) == len({one.name for one in specimens}) == 100
    counts = [one.parts for one in specimens]
    assert min(counts) == 3 and max(counts) == 50 and 20 <= sorted(counts)[50] <= 26
    for one in specimens[::12]:
        made = one.made()
        assert len(made.assembly.parts) == one.parts == len(made.declared.order) + 1
        assert made.declared.feasible and not one.make().is_grounded


@pytest.mark.parametrize(("seed", "parts"), DRAWN)
def test_parts_fit_and_leave_as_declared(seed: int, parts: int) -> None:
    made = cad_assembly(np.random.default_rng(seed), parts)
    assert len(made.assembly.parts) == parts
    assert not overlaps(made)
    assert not struck_on_the_way(made, samples=5)


@pytest.mark.parametrize(("seed", "parts"), DRAWN[:7])
def test_it_stands_and_goes_on_standing_as_parts_leave_with_as_many_hands_as_declared(seed: int, parts: int) -> None:
    made = cad_assembly(np.random.default_rng(seed), parts)
    joints, gone = interfaces(made.assembly), []
    for leaving in ("", *(one.part for one in made.declared.order)):
        gone += [leaving] if leaving else []
        verdict = check(made.assembly, joints=joints, absent=gone, also=False)
        if not verdict.stands:
            assert made.declared.hands > 1
            assert check(made.assembly, joints=joints, absent=gone, held=verdict.falling, also=False).stands
            assert len(verdict.falling) < made.declared.hands


def test_every_side_of_some_assembly_is_up_and_only_turns_are_made() -> None:
    assert {one.up for one in cad_set()} == set(range(6))
    for one in cad_set()[:6]:
        made, filed = one.made().assembly, one.make()
        turn = one.T_filed_made
        assert np.linalg.det(turn[:3, :3]) == 1.0
        assert filed.names == made.names
        assert filed.coms_m == pytest.approx((made.coms_m @ turn[:3, :3].T)[: len(filed.parts)])


def test_a_caught_ball_is_declared_and_stays() -> None:
    made = cad_assembly(np.random.default_rng(1), 8, locked=1)
    assert len(made.assembly.parts) == 8 and made.declared.locked == {"caught"} and not made.declared.feasible
    assert not overlaps(made)
    assert gallery.truth("cad", locked=1).unbuildable
    with pytest.raises(BadInput, match="cad: parts: found 3, expected 4 or more where a ball is caught"):
        gallery.make("cad", parts=3, locked=1)


def test_a_seed_gives_the_same_again_and_another_seed_another() -> None:
    first, again, other = (digest(gallery.make("cad", seed, parts=14)) for seed in (7, 7, 8))
    assert first == again != other


def test_facets_may_be_asked_for() -> None:
    coarse, fine = (gallery.make("cad", 3, parts=10, facets=facets) for facets in (12, 96))
    assert coarse.names == fine.names
    assert len(fine.parts[3].shape.vertices) > len(coarse.parts[3].shape.vertices)  # type: ignore[union-attr]


def test_processors_without_vector_instructions_make_the_same() -> None:
    made = "digest(cad_set()[60].make()), digest(gallery.make('nut-and-bolt'))"
    script = f"from tests.gallery.cad.test_cad_set import *; print({made})"
    features = "AVX512F AVX512CD AVX512_SKX AVX2 FMA3"
    known = getattr(np, "__cpu_features__", None) or np._core._multiarray_umath.__cpu_features__
    dispatched = np._core._multiarray_umath.__cpu_dispatch__
    there = " ".join(one for one in features.split() if known.get(one) and one in dispatched)
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": there, "PYTHONPATH": os.pathsep.join(sys.path)}
    plain = subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True)
    assert plain.stdout.split() == [digest(cad_set()[60].make()), digest(gallery.make("nut-and-bolt"))]
