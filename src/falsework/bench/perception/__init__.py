"""`falsework bench perception`: what the locator finds in random scenes, against the truth, with noise as stated.

Scene S is made of seed S. Cameras are believed to be 1 mm and 0.2° from where they are. Ambiguous is what the referee
says (`perception/scenes/ambiguity.py`), who knows the truth and no locator. Times are CPU time of one process. With
`--journal FILE` a run goes on where it was cut; `--pool processes:2` does scenes two at a time; `--seed N` begins with
another scene; `--out DIR` draws how far off bricks were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from falsework.bench.perception.hostile import hostile_rows
from falsework.bench.perception.masks import beside_icp
from falsework.bench.perception.scenes import tally
from falsework.bench.perception.states import state_row
from falsework.bench.perception.tallies import Journal, Tally, quantiles
from falsework.bench.rows import Row, Skipped
from falsework.formats.basics.atomic import write_whole
from falsework.model.ports import WorkPool
from falsework.perception.scenes.dataset import KINDS
from falsework.perception.scenes.random_scenes import SceneSettings
from falsework.studio.perception.errors_page import Seen, errors_html

SCENES, FULL = 12, 2000  # scenes; other rows take a share of them
FULL_STATES = 200
PAGE = "errors.html"
DRAWN = {"usual": "one view", "noise doubled": "noise doubled", "two views": "two views"}
ODD = ("one-color", "white", "glossy", "plate", "clutter", "empty")
# Of the small system's kinds, from where a stud has 20 pixels or more.
SMALL = SceneSettings(
    bricks=(5, 10),
    kinds=("system:brick_2x2", "system:brick_2x3", "system:brick_2x4"),
    plate_studs=(8, 16),
    room_m=(0.13, 0.11),
    height_m=(0.15, 0.17),
)
SMALL_PITCH_MM = 8.0


def run(
    full: bool = False,
    journal: Path | None = None,
    seed: int = 0,
    pool: WorkPool | None = None,
    out: Path | None = None,
) -> Iterator[Row | Skipped]:
    """The tables of seeing, of 12 scenes, or with `full` of 2,000; drawn in `out`."""
    yield from measured(FULL if full else SCENES, seed, journal, pool, out)


def measured(
    scenes: int,
    first: int = 0,
    journal: Path | None = None,
    pool: WorkPool | None = None,
    out: Path | None = None,
) -> Iterator[Row | Skipped]:
    """The same of so many scenes, from seed `first` on."""
    kept = Journal(journal, pool)
    seeds = range(first, first + scenes)
    usual = kept.of("usual", seeds, partial(tally, settings=SceneSettings()))
    yield from usual_rows(usual, seeds)
    fewer = range(first, first + max(2, scenes // 10))
    yield from _harder_rows(kept, fewer)
    if out is not None:
        _draw(kept, out / PAGE)
    yield from beside_icp(fewer)
    yield from hostile_rows(kept, range(first, first + max(2, scenes // 100)))
    yield state_row(kept, range(first, first + (FULL_STATES if scenes >= FULL else max(6, scenes // 10))))


def _draw(kept: Journal, page: Path) -> None:
    told = [(words, kept.told[row]) for row, words in DRAWN.items()]
    seen = [Seen(words, one.places_mm, one.yaws_deg, one.distances, one.counts) for words, one in told]
    write_whole(page, errors_html(seen))


def _harder_rows(kept: Journal, seeds: range) -> Iterator[Row]:
    doubled = kept.of("noise doubled", seeds, partial(tally, settings=SceneSettings(), noise=2.0))
    yield Row(
        "noise doubled", doubled.ms, notes=_notes(seeds, doubled), target="wrong ≤ 1 %",
        figure=f"wrong {doubled.false_share:.2%}, recall {doubled.share('clear', 'found'):.2%}{_inside(doubled)}",
    )  # fmt: skip
    two = kept.of("two views", seeds, partial(tally, settings=SceneSettings(), views=2))
    yield Row(
        "two views", two.ms, notes=_notes(seeds, two), target="recall of 30–70 % visible ≥ 90 %; 95 % ± 3 % inside",
        figure=f"recall {two.share('partly', 'found'):.1%} of {two.total('partly')}, wrong {two.counts['false']}"
        f"{_inside(two)} of {len(two.distances)}",
    )  # fmt: skip
    small = kept.of("small kinds", seeds, partial(tally, settings=SMALL))
    median, most = (100 * one / SMALL_PITCH_MM for one in quantiles(small.places_mm))
    yield Row(
        "kinds of the small system, ≥ 20 px a stud", small.ms, notes=_notes(seeds, small),
        target="5 % of the pitch; 12 % at 95 %",
        figure=f"median {median:.1f} %, 95 % {most:.1f} % of the pitch; recall {small.share('clear', 'found'):.1%}, "
        f"false {small.false_share:.2%}",
    )  # fmt: skip
    for kind in ODD:
        settings = KINDS[kind]
        if settings is not None:
            some = kept.of(f"kind {kind}", seeds, partial(tally, settings=settings))
            figure = f"wrong {some.counts['false']}, recall {some.share('clear', 'found'):.1%}{_inside(some)}"
            notes = _notes(seeds, some)
            yield Row(f"scenes of kind {kind}", some.ms, notes=notes, target="right or refused", figure=figure)


def usual_rows(usual: Tally, seeds: Sequence[int]) -> Iterator[Row]:
    """Of scenes as they come, one view each."""
    notes = _notes(seeds, usual)
    clear = usual.total("clear")
    yield Row(
        "bricks at least 70 % visible", usual.ms, notes=notes,
        target="recall ≥ 99 %, false ≤ 0.5 %, refused ≤ 0.5 %",
        figure=f"recall {usual.share('clear', 'found'):.2%}, false {usual.false_share:.2%}, "
        f"refused {usual.share('clear', 'refused'):.2%} of {clear}",
    )  # fmt: skip
    yield Row(
        "ambiguous bricks", usual.ms, notes=notes, target="0 wrong picks of 500 or more",
        figure=f"{usual.counts['wrong pick']} wrong picks of {usual.total('ambiguous')}",
    )  # fmt: skip
    place, yaw = quantiles(usual.places_mm), quantiles(usual.yaws_deg)
    yield Row(
        "place and yaw", usual.ms, notes=notes, target="median 0.4 mm, 0.5°; 95 % 1 mm, 1.5°",
        figure=f"median {place[0]:.2f} mm, {yaw[0]:.2f}°; 95 % {place[1]:.2f} mm, {yaw[1]:.2f}°",
    )  # fmt: skip
    yield Row(
        "truth inside the 95 % ellipsoid", usual.ms, notes=notes, target="95 % ± 3 % of 2,000 or more",
        figure=f"{usual.inside:.1%} of {len(usual.distances)}",
    )  # fmt: skip
    yield Row("a brick", usual.ms, notes=notes, target="≤ 60 ms", figure=f"{usual.ms:.0f} ms CPU")


def _inside(told: Tally) -> str:
    return f", {told.inside:.1%} inside" if told.distances else ""


def _notes(seeds: Sequence[int], told: Tally) -> dict[str, Any]:
    return {"seeds": f"{seeds[0]} to {seeds[-1]}", "bricks": told.bricks}
