"""What pictures of instructions show: parts in their real colours, dark edges, new parts with a bright outline."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from falsework.formats.basics.colors import TABLE, is_transparent, rgb
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.errors import MissingExtra
from falsework.model.extras import library
from falsework.model.part import Part
from falsework.model.shapes import BrickShape
from falsework.studio.booklet.raster import Canvas, View
from falsework.studio.brickmesh import part_mesh
from falsework.studio.colors import part_color

FINER = 2  # pixels of a side that make up one of the picture; `_finished` counts on two
OUTLINE: Array = np.array([0.93, 0.36, 0.10])
OUTLINE_PX = 3  # in pixels that are drawn
PALE = 0.55  # how much of a transparent part's colour is white
DARK, LIGHT_EDGE = 0.22, 0.62  # edges of light and of dark parts, as shares of their colour or of white
QUALITY = 80
MARGIN = 1.08
LOW = 2.3  # times wider than high, from which on two pictures fill a page better one above the other
NAMES = frozenset(name for name, _ in TABLE.values())  # colours of which the true shade is known


@lru_cache(maxsize=8192)
def _triangles(part: Part, solid: bool = False) -> Array:
    mesh = surface(part.shape) if solid else part_mesh(part, "studs")
    placed = mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return placed[mesh.triangles]


def view_of(
    parts: Iterable[Part],
    size: tuple[int, int],
    yaw_deg: float,
    pitch_deg: float,
    solid: bool = False,
    if_low: tuple[int, int] | None = None,
) -> View:
    """A view in which the parts fill a picture of so many pixels; `solid`: as they are without studs.

    What is much wider than high fills a picture of the size `if_low`, where there is one.
    """
    points = np.concatenate([_triangles(part, solid).reshape(-1, 3) for part in parts])
    low, high = points.min(axis=0), points.max(axis=0)
    rough = View(yaw_deg, pitch_deg, (low + high) / 2, 1.0, (0, 0), 1.0)
    seen = rough.seen(points)
    low, high = seen.min(axis=0), seen.max(axis=0)
    if if_low is not None and high[0] - low[0] > LOW * (high[1] - low[1]):
        size = if_low
    centre = rough.centre_m + rough.axes.T @ ((low + high) / 2)
    pixels = (FINER * size[0], FINER * size[1])
    scale = min(pixels[0] / max(high[0] - low[0], 1e-9), pixels[1] / max(high[1] - low[1], 1e-9)) / MARGIN
    return View(yaw_deg, pitch_deg, centre, float(scale), pixels, float(high[2] - low[2]) * 0.6 + 1e-6)


class Album:
    """Pictures of parts that are added one after the other, from one view at a time."""

    def __init__(self, parts: tuple[Part, ...], colors: Array, solid: bool = False) -> None:
        """`colors`: (parts, 3) from 0 to 1; `solid`: without studs."""
        self._parts, self._colors, self._solid = parts, colors, solid
        self._canvas: Canvas | None = None
        self._there: frozenset[int] = frozenset()

    def picture(self, view: View, there: frozenset[int], new: frozenset[int] = frozenset()) -> Ints:
        """(height, width, 3) uint8 of parts by their numbers; those that are new have an outline."""
        canvas = self._canvas
        if canvas is None or canvas.view is not view or not self._there <= there:
            canvas = Canvas(view)
            self._there = frozenset()
        self._draw(canvas, there - self._there)
        self._canvas, self._there = canvas, there
        return _finished(canvas, self._colors, new)

    def seen_share(self, view: View, there: frozenset[int], new: frozenset[int]) -> float:
        """How much of the new parts is seen, of what would be without the others."""
        alone, all_of_it = Canvas(view), Canvas(view)
        self._draw(alone, new)
        self._draw(all_of_it, there | new)
        whole = int((alone.owner_of()[alone.triangles()] >= 0).sum())
        return float(np.isin(all_of_it.owner_of(), list(new))[all_of_it.triangles()].sum()) / max(whole, 1)

    def _draw(self, canvas: Canvas, numbers: frozenset[int]) -> None:
        order = sorted(numbers)
        if not order:
            return
        meshes = [_triangles(self._parts[number], self._solid) for number in order]
        owners = np.repeat(np.array(order, dtype=np.int64), [len(mesh) for mesh in meshes])
        closed = np.array([part.mould is None for part in self._parts])
        canvas.draw(np.concatenate(meshes), owners, closed[owners])


def colors_of(parts: tuple[Part, ...]) -> Array:
    """(parts, 3) red, green and blue of parts in pictures; those of one kind without a colour look the same."""
    kinds: dict[object, int] = {}
    rows = []
    for part in parts:
        look = part.shape.kind if isinstance(part.shape, BrickShape) else id(part.shape)
        rows.append(_color(part, kinds.setdefault(look, len(kinds))))
    return np.array(rows).reshape(-1, 3)


def _color(part: Part, place: int) -> tuple[float, ...]:
    if part.color in NAMES or is_transparent(part.color):
        pale = PALE if is_transparent(part.color) else 0.0
        return tuple(pale + (1 - pale) * value for value in rgb(part.color))
    shown = part_color(part, place)
    return int(shown[1:3], 16) / 255, int(shown[3:5], 16) / 255, int(shown[5:7], 16) / 255


def _finished(canvas: Canvas, colors: Array, new: frozenset[int]) -> Ints:
    triangle, owner = canvas.triangles(), canvas.owner_of()
    picture = canvas.shades(colors)[triangle]
    edges = np.nonzero(canvas.edges())
    dark = np.rint(255 * np.concatenate([_edge_colors(colors), np.ones((1, 3))])).astype(np.uint8)
    picture[edges] = dark[owner[triangle[edges]]]
    if new:
        inside = np.isin(owner, list(new))[triangle]
        rim = _grown(inside, OUTLINE_PX) & ~_shrunk(inside, 1)
        picture[rim] = np.rint(255 * OUTLINE).astype(np.uint8)
    wide = picture.astype(np.uint16)
    halved = wide[0::2, 0::2] + wide[1::2, 0::2] + wide[0::2, 1::2] + wide[1::2, 1::2]
    return ((halved + 2) // 4).astype(np.uint8)


def _edge_colors(colors: Array) -> Array:
    """Dark edges, but light ones on parts that are dark themselves."""
    bright = colors @ (0.3, 0.59, 0.11)
    edges: Array = np.where((bright > 0.25)[:, None], DARK * colors, colors + (1 - colors) * (1 - LIGHT_EDGE))
    return edges


def _grown(mask: Bools, steps: int) -> Bools:
    grown = mask.copy()
    for _ in range(steps):
        wider = grown.copy()
        wider[1:] |= grown[:-1]
        wider[:-1] |= grown[1:]
        wider[:, 1:] |= grown[:, :-1]
        wider[:, :-1] |= grown[:, 1:]
        grown = wider
    return grown


def _shrunk(mask: Bools, steps: int) -> Bools:
    return ~_grown(~mask, steps)


def cropped(picture: Ints) -> Ints:
    """Without the white around what is shown."""
    rows: Ints = np.flatnonzero((picture < 255).any(axis=(1, 2)))
    columns: Ints = np.flatnonzero((picture < 255).any(axis=(0, 2)))
    if not len(rows):
        return picture
    return picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _imaging() -> Any:
    """The library that writes pictures to files."""
    try:
        return library("PIL.Image")
    except MissingExtra as why:
        raise MissingExtra("PIL", "instruct") from why


def encoded(picture: Ints) -> bytes:
    """A picture as the bytes of a JPEG file."""
    stream = io.BytesIO()
    image = _imaging().fromarray(np.ascontiguousarray(picture))
    image.save(stream, "JPEG", quality=QUALITY, subsampling=1)
    return stream.getvalue()


def icon(picture: Ints) -> bytes:
    """The same as a PNG file without the white around what is shown."""
    shown = cropped(picture)
    bare = (shown == 255).all(axis=2)
    layers = np.concatenate([shown, np.where(bare, 0, 255).astype(np.uint8)[..., None]], axis=2)
    stream = io.BytesIO()
    _imaging().fromarray(np.ascontiguousarray(layers)).save(stream, "PNG", optimize=True)
    return stream.getvalue()
