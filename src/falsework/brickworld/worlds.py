"""Many worlds at once, each its own; threads share nothing, so that results do not depend on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from falsework.brickworld.collector import nothing_old_collected
from falsework.brickworld.world import World
from falsework.model.errors import BadInput, Undecided, shown


class Worlds:
    """Worlds that are stepped together; one whose engine fails stays at its last good state and is named.

    >>> from falsework.gallery import make
    >>> worlds = Worlds(World(make("random-bricks", seed, bricks=3)) for seed in range(2))
    >>> worlds.run(0.05)
    >>> worlds.failed
    {}
    """

    def __init__(self, worlds: Iterable[World], threads: int = 1) -> None:
        if threads < 1:
            raise BadInput(f"threads: found {shown(threads)}, expected 1 or more")
        self.worlds = tuple(worlds)
        self.failed: dict[int, str] = {}  # why a world's engine failed, by its number
        self._threads = threads

    def __len__(self) -> int:
        return len(self.worlds)

    def step(self) -> None:
        """One frame of every world."""
        self._each(lambda number: self._frames(number, 1))

    def run(self, seconds: float, progress: Callable[[int, int], None] | None = None) -> None:
        """Whole frames, at least as long as asked, one world after the other on each thread."""
        done = []

        def one(number: int) -> None:
            self._frames(number, self.worlds[number].settings.frames(seconds))
            done.append(number)
            if progress is not None:
                progress(len(done), len(self.worlds))

        with nothing_old_collected():
            self._each(one)

    def _frames(self, number: int, count: int) -> None:
        world = self.worlds[number]
        for _ in range(count):
            if number in self.failed:
                return
            before = world.snapshot()
            try:
                world.step()
            except Undecided as why:
                self.failed[number] = str(why)
                world.restore(before)

    def _each(self, work: Callable[[int], None]) -> None:
        if self._threads == 1:
            for number in range(len(self.worlds)):
                work(number)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(work, range(len(self.worlds))))
