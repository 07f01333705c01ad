"""A film and a page of builds, for whoever wants to see what the figures are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

from falsework.bench.build.tries import Wanted
from falsework.bench.rows import Row
from falsework.execution.running import run_task
from falsework.model.errors import FalseworkError, one_line
from falsework.studio.film import write_film
from falsework.studio.report import write_report
from falsework.studio.robots.build_film import BuildFilm
from falsework.studio.robots.build_page import build_scene


def filmed(wanted: Sequence[Wanted], out: Path) -> Iterator[Row]:
    """`NAME/report.html` and, where a browser and an encoder are there, `NAME.mp4`."""
    for one in wanted:
        begun = process_time()
        film = BuildFilm()
        done = run_task(one.task(), one.usual_settings, watcher=film)
        words = f"model {one.model}, {one.cell}" if one.model else f"tier {one.tier}"
        name = words.replace(",", "").replace(" ", "-")
        scene = build_scene(film, f"{words}, task {one.number}, seed {one.seed}", done)
        written = [str(write_report(scene, out / name))]
        try:
            write_film(scene, out / f"{name}.mp4", "mp4")
            written.append(str(out / f"{name}.mp4"))
        except FalseworkError as why:  # no browser, no encoder: the page plays it too
            written.append(f"no film: {one_line(why)}")
        spent = 1e3 * (process_time() - begun)
        notes = {"files": ", ".join(written), "built": done.success}
        yield Row(f"{words}, film", spent, notes=notes)
