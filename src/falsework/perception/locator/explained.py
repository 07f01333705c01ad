"""Bricks that are known to stand are taken out of a view: whoever looks for others need not explain them again."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import ndimage

from falsework.kernels.casting import draw
from falsework.model.perception.findings import Brick
from falsework.perception.locator.labels import NO_LABEL
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.views import View

AS_DEEP = 0.4  # of a brick's height: what is nearer or farther than a brick should be by more is something else
RIM_PX = 3  # by which depth grows fat at edges


def without_bricks(view: View, bricks: Sequence[Brick]) -> View:
    """The view with neither depth nor label where it shows these bricks where they should be."""
    if not bricks:
        return view
    depth, ids = np.full(view.depth.shape, np.inf), np.full(view.depth.shape, -1, np.int32)
    faces = np.zeros(view.depth.shape, np.int8)
    poses = np.array([view.T_cam_base @ brick.T_base_brick for brick in bricks])
    draw(
        depth, ids, faces, view.K, np.array([solid_of(one.kind) for one in bricks]), np.ascontiguousarray(poses[:, :3])
    )
    near = AS_DEEP * min(brick.kind.size_m[2] for brick in bricks)
    with np.errstate(invalid="ignore"):
        shows = (ids >= 0) & ((view.depth <= 0) | (np.abs(view.depth - depth) < near))
    if not shows.any():
        return view
    shows = ndimage.binary_dilation(shows, structure=np.ones((3, 3), dtype=bool), iterations=RIM_PX)
    return replace(view, depth=np.where(shows, 0.0, view.depth), labels=np.where(shows, np.int8(NO_LABEL), view.labels))
