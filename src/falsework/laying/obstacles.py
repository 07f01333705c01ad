"""Why no bricks can build a shape: parts of it that hang on nothing, and cells that no brick reaches."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import label

from falsework.gallery.tiling import sizes
from falsework.model.arrays import Bools, Ints


def obstacles(cells: Bools) -> tuple[str, ...]:
    """What is wrong with the cells (nx, ny, nz) whatever bricks fill them; empty if nothing is."""
    return (*_floating(cells), *_out_of_reach(cells))


def _floating(cells: Bools) -> list[str]:
    """Cells that no path of neighbouring cells joins to the lowest layer."""
    labels, count = label(cells)
    standing = set(np.unique(labels[:, :, 0]).tolist())
    loose = [np.argwhere(labels == number) for number in range(1, count + 1) if number not in standing]
    return [f"{_described(places)} float: nothing joins them to the lowest layer" for places in loose]


def _out_of_reach(cells: Bools) -> list[str]:
    """Cells with nothing above or below, so far from cells that have something that no brick covers both.

    Bricks hold each other only by studs, never side by side: such a cell hangs on nothing in any layout.
    """
    found = []
    for layer in range(cells.shape[2]):
        here = cells[:, :, layer]
        below = cells[:, :, layer - 1] if layer else np.ones_like(here)
        above = cells[:, :, layer + 1] if layer + 1 < cells.shape[2] else np.zeros_like(here)
        alone = here & ~_reached(here, here & (below | above))
        if alone.any():
            places = np.argwhere(alone)
            places = np.column_stack([places, np.full(len(places), layer)])
            longest = max(length for length, _ in sizes())
            why = f"no brick of up to {longest} studs reaches them from a cell with another above or below it"
            found.append(f"{_described(places)} cannot be held: {why}")
    return found


def _reached(cells: Bools, held: Bools) -> Bools:
    """The cells of one layer that a brick within it covers together with a held cell."""
    reached = held.copy()
    for length, width in sizes():
        if length > cells.shape[0] or width > cells.shape[1]:
            continue
        windows = np.lib.stride_tricks.sliding_window_view
        whole = windows(cells, (length, width)).all(axis=(2, 3)) & windows(held, (length, width)).any(axis=(2, 3))
        for x, y in np.argwhere(whole).tolist():
            reached[x : x + length, y : y + width] = True
    return reached


def _described(places: Ints) -> str:
    """`12 cells around x 3, y 4 in layers 5 to 7`: x and y in studs from the shape's corner, the lowest layer is 0."""
    middle = places.mean(axis=0)
    low, high = int(places[:, 2].min()), int(places[:, 2].max())
    layers = f"layer {low}" if low == high else f"layers {low} to {high}"
    cells = "1 cell" if len(places) == 1 else f"{len(places)} cells"
    return f"{cells} around x {middle[0]:.0f}, y {middle[1]:.0f} in {layers}"
