"""The suites of measurements, and what each of them can be asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.extras import missing

if TYPE_CHECKING:
    from falsework.bench.rows import Row, Skipped
    from falsework.model.ports import WorkPool

SUITES = (
    "contacts",
    "cad_forms",
    "equilibrium",
    "certified",
    "collapse",
    "hands",
    "models",
    "oracle",
    "plan",
    "bricks",
    "brick_plans",
    "brickworld",
    "fixes",
    "cad",
    "robots",
    "perception",
    "build",
    "view",
    "batch",
    "learning",
)
ALL = "all"
FULLER = (
    "plan",
    "brick_plans",
    "brickworld",
    "cad",
    "perception",
    "build",
    "batch",
    "learning",
)  # measure more with `full`
JOURNALLED = ("brick_plans", "cad", "build", "perception", "learning", "robots")
PAGED = ("cad", "build", "perception")
ASKED = {  # whom one may ask so: for so many tasks, drawn or begun with a seed, from settings, worked through by a pool
    "tasks": ("build",),
    "seed": ("build", "perception"),
    "settings": ("build",),
    "pool": ("perception", "learning"),
}


def bench(
    suite: str,
    *,
    full: bool = False,
    journal: Path | None = None,
    data: Path | None = None,
    out: Path | None = None,
    tasks: int | None = None,
    seed: int | None = None,
    settings: Path | None = None,
    pool: str | WorkPool | None = None,
) -> Iterator[tuple[str, Row | Skipped]]:
    """The rows of a suite, or of all of them, each with its suite's name, as they are measured.

    `full` measures what takes minutes to hours too; `journal` keeps what was done in a file, and goes on from it.
    `data` is a folder with assemblies of others (else the environment's `FALSEWORK_DATA`): rows that need one which is
    not there are told as skipped. `out` is a folder for pages, where a suite has some to show. Where a suite draws
    tasks or scenes, `tasks` says how many of each kind, `seed` with what, or which is the first, `settings` is a file
    of what they are drawn from, and `pool` says who works through them (serial, processes[:N], ray[:ADDRESS]).

    >>> bench("contacts")  # measures when it is walked through  # doctest: +ELLIPSIS
    <generator object ...>
    """
    if suite not in (*SUITES, ALL):
        raise BadInput(f"suite {shown(suite)}: {did_you_mean(suite, (*SUITES, ALL))}")
    suites = SUITES if suite == ALL else (suite,)
    if full and not set(suites) & set(FULLER):
        raise BadInput(f"--full: only {', '.join(FULLER)} have more to measure, not {suite}")
    if journal is not None and not set(JOURNALLED) & set(suites):
        raise BadInput(f"--journal: only {', '.join(JOURNALLED)} keep one, not {suite}")
    if out is not None and not set(PAGED) & set(suites):
        raise BadInput(f"--out: only {', '.join(PAGED)} have a page to show, not {suite}")
    asked: dict[str, Any] = {
        name: value
        for name, value in (("tasks", tasks), ("seed", seed), ("settings", settings), ("pool", pool))
        if value is not None
    }
    for name in asked:
        if not set(ASKED[name]) & set(suites):
            raise BadInput(f"--{name}: only {' and '.join(ASKED[name])} can be asked so, not {suite}")
    if settings is not None:
        from falsework.bench.build.tries import drawn_from

        drawn_from(settings)  # before anything is measured
    if pool is not None:
        from falsework.batch.pools.named import pool_named

        asked["pool"] = pool_named(pool)
    return _measured(suites, full, journal, data, out, asked)


def _measured(
    suites: tuple[str, ...],
    full: bool,
    journal: Path | None,
    data: Path | None,
    out: Path | None,
    asked: dict[str, Any],
) -> Iterator[tuple[str, Row | Skipped]]:
    from falsework.bench.reference_data import DATA, set_folder
    from falsework.bench.rows import Skipped

    for suite in suites:
        set_folder(data)
        options: dict[str, Any] = {}
        if full and suite in FULLER:
            options["full"] = True
        if suite in JOURNALLED:  # one file holds what one suite did
            options["journal"] = journal if suite in (suites[0], JOURNALLED[0]) else None
        if suite in PAGED:
            options["out"] = out
        options |= {name: value for name, value in asked.items() if suite in ASKED[name]}
        try:
            for row in importlib.import_module(f"falsework.bench.{suite}").run(**options):
                yield suite, row
        except ModuleNotFoundError as why:  # a suite compares with whatever it needs
            raise missing(why) or why from why
        for place in dict.fromkeys(DATA.missing):
            yield suite, Skipped(place, DATA.why_missing())
