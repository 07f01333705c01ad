"""Every declared truth of the gallery, proved by the check."""

from __future__ import annotations

import pytest

from falsework import check, gallery

# Beside the defaults: both sides of every limit that a truth depends on.
SWEEPS: list[tuple[str, dict[str, float]]] = [
    *(("diamond-tower", {"widest": widest}) for widest in (1, 2, 3, 5, 6, 7)),
    *(("harmonic-tower", {"bricks": 20, "reach": reach}) for reach in (0.5, 0.999, 1.001, 1.2)),
    *(("leaning-tower", {"lean": lean}) for lean in (0.0, 0.124, 0.126, 0.4)),
    *(("semicircular-arch", {"stones": 20, "thickness": t}) for t in (0.05, 0.085, 0.108, 0.5)),
    *(("semicircular-arch", {"stones": 61, "thickness": t}) for t in (0.085, 0.108)),
    *(("semicircular-arch", {"stones": stones, "thickness": 0.11}) for stones in (3, 4, 5, 6, 7)),
    *(("semicircular-arch", {"stones": stones, "thickness": 0.11, "friction": 0.4}) for stones in (8, 9, 16)),
    *(("pointed-arch", {"sharpness": s, "thickness": t}) for s in (0.05, 1.0) for t in (0.15, 1.0)),
    *(("flat-arch", {"stones": n, "lean": lean, "height": 0.2}) for n in (3, 20) for lean in (5.0, 40.0)),
    *(("barrel-vault", {"thickness": t}) for t in (0.15, 1.0)),
    *(("dome", {"thickness": t, "opening": opening}) for t in (0.15, 1.0) for opening in (5.0, 120.0)),
    *(("hexagonal-shell", {"angle": angle, "thickness": t}) for angle in (5.0, 60.0) for t in (0.02, 0.5)),
    ("h-shape", {"friction": 0.0}),
    ("a-shape", {"angle": 20.0, "friction": 0.3}),
    ("a-shape", {"angle": 20.0, "friction": 0.4}),
    *(("bird-house", {"pitch": pitch}) for pitch in (5.0, 27.0)),
    ("mortise-frame", {"bays": 1, "closed": 1}),
    *(("brick-bridge", {"bays": bays}) for bays in (1, 18, 25)),
    *(("brick-stairs", {"steps": steps}) for steps in (19, 20)),
    *(("brick-stick", {"reach": reach}) for reach in (8, 12)),
    ("brick-bench", {"height": 8, "back": 12}),
    ("brick-guitar", {"neck": 30}),
    ("duplo-block", {"layers": 4, "size": 2}),
]


@pytest.mark.parametrize("kind", gallery.kinds())
def test_the_truth_of_the_default(kind: str) -> None:
    _prove(kind, {})


@pytest.mark.parametrize(("kind", "parameters"), SWEEPS)
def test_the_truth_on_both_sides_of_its_limits(kind: str, parameters: dict[str, float]) -> None:
    assert gallery.truth(kind, **parameters).stands is not None
    _prove(kind, parameters)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["tetromino-packing", "polycube-packing"])
def test_packings_stand_without_friction_as_archimedes_says(kind: str, seed: int) -> None:
    packing = gallery.make(kind, seed, columns=4 + seed, rows=5).changed(friction=0.0)
    assert check(packing).answer == "stable"


@pytest.mark.parametrize("specimen", gallery.planning_set(), ids=lambda specimen: specimen.name)
def test_the_planning_set_stands_as_declared(specimen: gallery.Specimen) -> None:
    assert check(specimen.make()).stands == specimen.truth.stands


def _prove(kind: str, parameters: dict[str, float]) -> None:
    declared = gallery.truth(kind, **parameters)
    found = check(gallery.make(kind, **parameters))
    assert found.answer != "undecided"
    if declared.stands is not None:
        assert found.stands == declared.stands, declared.why


SMALL: dict[str, dict[str, float]] = {
    "running-bond-wall": {"columns": 2, "courses": 3},
    "brick-wall": {"columns": 2, "courses": 3},
    "brick-bookshelf": {"levels": 1},
    "brick-table": {"height": 1},
}


IN_PART_ORDER = (
    "harmonic-tower", "leaning-tower", "running-bond-wall", "brick-wall", "bird-house", "mortise-frame", "brick-table",
    "brick-bookshelf", *(kind for kind in gallery.kinds() if kind.startswith("duplo-")),
)  # fmt: skip


@pytest.mark.parametrize("kind", IN_PART_ORDER)
def test_what_one_hand_builds_in_part_order_stands_after_every_part(kind: str) -> None:
    assert gallery.truth(kind).hands == 1
    assembly = gallery.make(kind, **SMALL.get(kind, {}))
    names = [name for name in assembly.names if name not in assembly.fixed]
    for placed in range(1, len(names)):
        assert check(assembly, absent=names[placed:]).stands, names[placed - 1]
