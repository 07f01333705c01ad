"""A film and a page of each tier's first task, for whoever wants to see what the figures are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

from falsework.bench.rows import Row
from falsework.execution.running import run_task
from falsework.execution.tiers.tasks import build_task
from falsework.model.errors import FalseworkError, one_line
from falsework.studio.film import write_film
from falsework.studio.report import write_report
from falsework.studio.robots.build_film import BuildFilm
from falsework.studio.robots.build_page import build_scene


def filmed(tiers: Sequence[int], seed: int, out: Path) -> Iterator[Row]:
    """`tier-N/report.html` and, where a browser and an encoder are there, `tier-N.mp4`."""
    for tier in tiers:
        begun = process_time()
        film = BuildFilm()
        done = run_task(build_task(tier, 0, seed), watcher=film)
        scene = build_scene(film, f"tier {tier}, task 0, seed {seed}", done)
        written = [str(write_report(scene, out / f"tier-{tier}"))]
        try:
            write_film(scene, out / f"tier-{tier}.mp4", "mp4")
            written.append(str(out / f"tier-{tier}.mp4"))
        except FalseworkError as why:  # no browser, no encoder: the page plays it too
            written.append(f"no film: {one_line(why)}")
        spent = 1e3 * (process_time() - begun)
        yield Row(f"tier {tier}, film", spent, notes={"files": ", ".join(written)})
