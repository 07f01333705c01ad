"""Ten shapes as cells of a stud grid, given by implicit functions: what is turned into bricks to measure that."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from falsework.model.arrays import Array, Bools

LAYER = 1.2  # height of a brick, in studs
Point = tuple[Array, Array, Array]  # x, y, z in studs; z from the ground up


def cells(shape: Callable[[Point], Bools], size: tuple[int, int, int]) -> Bools:
    """The cells (nx, ny, layers) whose middle is inside; x and y from the middle of the grid."""
    nx, ny, layers = size
    axes = [np.arange(count) + 0.5 for count in (nx, ny, layers)]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    return shape((x - nx / 2, y - ny / 2, z * LAYER))


def sphere(p: Point) -> Bools:
    x, y, z = p
    ball: Bools = x**2 + y**2 + (z - 7.5) ** 2 < 8.0**2
    return ball


def torus(p: Point) -> Bools:
    """Upright: it stands on its rim."""
    x, y, z = p
    tube: Bools = (np.hypot(x, z - 11.0) - 8.0) ** 2 + y**2 < 3.2**2
    return tube


def chair(p: Point) -> Bools:
    x, y, z = p
    legs = (np.abs(np.abs(x) - 7) <= 1) & (np.abs(np.abs(y) - 7) <= 1) & (z < 12)
    seat = (z > 12) & (z < 14.4)
    back = (y > 6) & (z > 12)
    return _either(legs, seat, back)


def arch(p: Point) -> Bools:
    x, y, z = p
    radius = np.hypot(x, z)
    ring: Bools = (radius > 14) & (radius < 19) & (np.abs(y) <= 3)
    return ring


def tree(p: Point) -> Bools:
    """A trunk, two limbs and a crown of three balls."""
    x, y, z = p
    trunk = (np.hypot(x, y) < 2.2) & (z < 20)
    limbs = (np.hypot(np.abs(x) - np.clip((z - 8) * 0.8, 0, 7), y) < 1.5) & (z > 8) & (z < 20)
    crown = x**2 + y**2 + (z - 22) ** 2 < 5**2
    sides = (np.abs(x) - 7) ** 2 + y**2 + (z - 18) ** 2 < 4**2
    return _either(trunk, limbs, crown, sides)


def rabbit(p: Point) -> Bools:
    """A blob with a head and two long ears: the zero set of a sum of bells."""
    x, y, z = p
    bells = ((0, 0, 6, 6.0), (5, 0, 12, 3.6), (-5, 0, 4, 3.0), (4, 1.8, 17, 1.9), (4, -1.8, 17, 1.9),
             (3.4, 2.0, 20, 1.8), (3.4, -2.0, 20, 1.8), (4, 3, 1.5, 2.4), (4, -3, 1.5, 2.4))  # fmt: skip
    field = np.zeros_like(x)
    for bx, by, bz, radius in bells:
        field += np.exp(-((x - bx) ** 2 + (y - by) ** 2 + (z - bz) ** 2) / radius**2)
    blob: Bools = field > np.exp(-1.0)
    return blob


def vase(p: Point) -> Bools:
    """A wall of revolution, wide, narrow, wide again."""
    x, y, z = p
    radius, profile = np.hypot(x, y), 5.5 + 2.2 * np.sin(z / 4.0)
    wall: Bools = (radius < profile) & ((radius > profile - 2.1) | (z < 2.4)) & (z < 26)
    return wall


def table(p: Point) -> Bools:
    """A thin round top on one foot."""
    x, y, z = p
    top = (np.hypot(x, y) < 14) & (z > 12) & (z < 14.4)
    foot = (np.hypot(x, y) < 7 - 5 * np.clip(z / 4, 0, 1)) & (z < 12)
    return _either(top, foot)


def letter(p: Point) -> Bools:
    """An upright F with long thin arms over nothing."""
    x, _, z = p
    stem = x < -26
    arms = _either((z > 33.6) & (z < 36), (z > 21.6) & (z < 24) & (x < 10))
    return _either(stem, arms) & (z < 36)


def bridge(p: Point) -> Bools:
    """A flat deck, two bricks thick, far between two piers."""
    x, y, z = p
    piers = (np.abs(np.abs(x) - 46) <= 4) & (z < 9.6)
    deck = (z > 9.6) & (z < 12)
    return _either(piers, deck) & (np.abs(y) <= 2)


def _either(*regions: Bools) -> Bools:
    found: Bools = np.logical_or.reduce(regions)
    return found


_SIZES: dict[Callable[[Point], Bools], tuple[int, int, int]] = {
    sphere: (16, 16, 13),
    torus: (24, 8, 20),
    chair: (16, 16, 26),
    arch: (38, 6, 16),
    tree: (24, 12, 23),
    rabbit: (18, 14, 19),
    vase: (16, 16, 22),
    table: (28, 28, 12),
    letter: (60, 4, 30),
    bridge: (100, 4, 10),
}


def shapes() -> dict[str, Bools]:
    """The ten, by name."""
    return {shape.__name__: cells(shape, size) for shape, size in _SIZES.items()}
