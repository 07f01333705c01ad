"""`falsework bench perception`: how many bricks are found, how many wrongly, how well, and what that costs.

Scenes are drawn with the stated noise and cameras off by 1 mm and 0.2°, each row prints its seeds. What could be seen
is the referee's word (`perception/scenes/truth.py`). CPU time of one process. By default some scenes of every kind, in
about a quarter of an hour; `--full` two thousand (hours).
"""

from __future__ import annotations

from collections.abc import Iterator

from falsework.bench.rows import Row, Skipped


def run(full: bool = False) -> Iterator[Row | Skipped]:
    """Strewn bricks first, then what is hard, then structures."""
    from falsework.bench.perception import kinds_of_scenes, structures

    yield from kinds_of_scenes.rows(full)
    yield from structures.rows(full)
