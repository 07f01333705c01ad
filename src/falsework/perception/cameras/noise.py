"""What a depth camera does to the truth: stereo matching for depth, a small sensor for colour. All of it is settings.

Depth is what a stereo pair of cameras finds. Disparity is taken over a window (a median: edges grow fat), at a place
that wavers (at edges, values in between: flying pixels), with an error of which part is shared by neighbours; it comes
in fractions of a pixel and leaves in whole millimetres. Depth is missing where the second camera does not see the
point, at some of the pixels on edges, and in blobs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy import ndimage

from falsework.model.arrays import Array, Bits, Bools
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.poses import exponential

RANDOM = (
    "jitter_px", "disparity_px", "edge_holes", "blobs", "gain", "white_balance", "sigma", "extrinsics_m",
    "extrinsics_deg",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Noise:
    """How a camera errs. `times(2)` doubles all that is random; what is built in (optics, steps, window) stays.

    Extrinsics are off by exactly as much as told, in a random direction and about a random axis: `T_base_cam` of a
    frame is where the camera is believed to be.

    >>> Noise().times(2).sigma
    8.0
    """

    baseline_m: float = 0.05  # between the two eyes; the second is at +x of the first
    focal_px: float = 447.0  # of the pair that measures depth
    median_px: int = 5  # side of the window
    jitter_px: float = 0.5
    disparity_px: float = 0.08
    shared: float = 0.5  # share of the disparity's variance that neighbours have in common
    shared_px: float = 3.0  # how far that reaches
    disparity_step_px: float = 1 / 32  # 0: none
    depth_step_m: float = 0.001  # 0: none
    shadow: bool = True  # holes where only one eye sees
    edge_holes: float = 0.3  # share of edge pixels
    edge_m: float = 0.006  # a jump in depth that makes an edge
    blobs: float = 4.0  # holes, in the mean
    blob_px: float = 4.0  # their radius, at most
    gain: float = 0.06
    white_balance: float = 0.03
    blur_px: float = 0.6
    sigma: float = 4.0  # of 255
    extrinsics_m: float = 0.0
    extrinsics_deg: float = 0.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not (isinstance(value, bool | int | float) and math.isfinite(value) and value >= 0):
                raise BadInput(f"noise: {one.name}: found {shown(value)}, expected a number that is 0 or more")
        if self.median_px % 2 == 0:
            raise BadInput(f"noise: median_px: found {self.median_px}, expected an odd number; 1 for none")
        if self.shared > 1 or self.edge_holes > 1:
            raise BadInput("noise: shared and edge_holes are shares: expected 0 to 1")
        if min(self.baseline_m, self.focal_px) == 0:
            raise BadInput("noise: a stereo pair needs a baseline_m and a focal_px above 0")

    @staticmethod
    def none() -> Noise:
        """Of a camera that errs in nothing."""
        zero: dict[str, Any] = dict.fromkeys((*RANDOM, "blur_px", "disparity_step_px", "depth_step_m"), 0.0)
        return Noise(**zero, median_px=1, shadow=False)

    @staticmethod
    def of(settings: dict[str, Any]) -> Noise:
        """From what a settings file says; a key that there is not is refused."""
        known = {one.name for one in fields(Noise)}
        for key in settings:
            if key not in known:
                raise BadInput(f"noise: {shown(key)}: {did_you_mean(key, known)}")
        return Noise(**settings)

    def times(self, factor: float) -> Noise:
        """The same with all that is random so many times as strong; extrinsics stay."""
        stronger = {name: factor * getattr(self, name) for name in RANDOM if not name.startswith("extrinsics")}
        stronger["edge_holes"] = min(1.0, stronger["edge_holes"])
        return replace(self, **stronger)

    @property
    def depth_sigma_at(self) -> float:
        """Standard deviation of depth, m, for a pixel at 1 m; it grows with the square of the distance."""
        return self.disparity_px / (self.focal_px * self.baseline_m)


def measured_depth(depth_m: Array, noise: Noise, rng: np.random.Generator) -> Array:
    """(h, w) depth as the sensor gives it, 0 for holes; `depth_m` is the truth, 0 where there is nothing."""
    seen = depth_m > 0
    reach = noise.focal_px * noise.baseline_m
    disparity = np.where(seen, reach / np.where(seen, depth_m, 1.0), 0.0)
    holes = ~seen | _holes(depth_m, disparity, noise, rng)
    if noise.median_px > 1:
        disparity = ndimage.median_filter(disparity, size=noise.median_px, mode="nearest")
    if noise.jitter_px > 0:
        v, u = np.mgrid[: depth_m.shape[0], : depth_m.shape[1]]
        places = [v + rng.normal(0, noise.jitter_px, v.shape), u + rng.normal(0, noise.jitter_px, u.shape)]
        disparity = ndimage.map_coordinates(disparity, places, order=1, mode="nearest")
    if noise.disparity_px > 0:
        disparity = disparity + noise.disparity_px * _partly_shared(depth_m.shape, noise, rng)
    if noise.disparity_step_px > 0:
        disparity = np.rint(disparity / noise.disparity_step_px) * noise.disparity_step_px
    known = ~holes & (disparity > 1e-3)
    depth = np.where(known, reach / np.where(known, disparity, 1.0), 0.0)
    if noise.depth_step_m > 0:
        depth = np.rint(depth / noise.depth_step_m) * noise.depth_step_m
    return np.asarray(depth, dtype=float)


def measured_colour(rgb: Bits, noise: Noise, rng: np.random.Generator) -> Bits:
    """(h, w, 3) the picture as the sensor gives it: brighter or darker, tinted, blurred, grainy."""
    bright = rgb.astype(np.float32)
    gains = rng.normal(1, noise.gain) * rng.normal(1, noise.white_balance, 3)
    if noise.blur_px > 0:
        bright = ndimage.gaussian_filter(bright, (noise.blur_px, noise.blur_px, 0), mode="nearest", truncate=3.0)
    bright = bright * np.maximum(gains, 0.05).astype(np.float32)
    if noise.sigma > 0:
        bright = bright + np.float32(noise.sigma) * rng.standard_normal(bright.shape, dtype=np.float32)
    return np.clip(np.rint(bright), 0, 255).astype(np.uint8)


def believed_pose(T_base_cam: Array, noise: Noise, rng: np.random.Generator) -> Array:
    """(4, 4) where the camera is thought to be."""
    directions = rng.normal(size=(2, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    off = np.concatenate([noise.extrinsics_m * directions[0], math.radians(noise.extrinsics_deg) * directions[1]])
    believed: Array = T_base_cam @ exponential(off)
    return believed


def _partly_shared(shape: tuple[int, ...], noise: Noise, rng: np.random.Generator) -> Array:
    """(h, w) of variance 1, of which a share varies slowly over the picture."""
    own = rng.standard_normal(shape)
    if noise.shared == 0 or noise.shared_px == 0:
        return own
    smooth = ndimage.gaussian_filter(rng.standard_normal(shape), noise.shared_px, mode="wrap")
    smooth *= 2 * math.sqrt(math.pi) * noise.shared_px  # one over what the filter leaves of the deviation
    both: Array = math.sqrt(1 - noise.shared) * own + math.sqrt(noise.shared) * smooth
    return both


def _holes(depth_m: Array, disparity: Array, noise: Noise, rng: np.random.Generator) -> Bools:
    """(h, w) where the sensor knows nothing."""
    holes = np.zeros(depth_m.shape, dtype=bool)
    if noise.shadow:
        u = np.arange(depth_m.shape[1])
        there = np.where(depth_m > 0, u - disparity, np.inf)  # the column in the second eye's picture
        nearest = np.minimum.accumulate(there[:, ::-1], axis=1)[:, ::-1]  # of what is at or to the right of a pixel
        hidden = np.zeros_like(holes)
        hidden[:, :-1] = there[:, :-1] >= nearest[:, 1:]
        holes |= hidden
    if noise.edge_holes > 0:
        high = ndimage.maximum_filter(depth_m, size=3, mode="nearest")
        low = ndimage.minimum_filter(depth_m, size=3, mode="nearest")
        holes |= (high - low > noise.edge_m) & (rng.random(depth_m.shape) < noise.edge_holes)
    for _ in range(rng.poisson(noise.blobs) if noise.blobs > 0 else 0):
        middle = rng.uniform(0, depth_m.shape)
        radii = rng.uniform(0.25, 1.0, 2) * noise.blob_px
        low = np.maximum((middle - radii).astype(int), 0)
        high = np.minimum((middle + radii).astype(int) + 2, depth_m.shape)
        y, x = np.ogrid[low[0] : high[0], low[1] : high[1]]
        inside = ((y - middle[0]) / radii[0]) ** 2 + ((x - middle[1]) / radii[1]) ** 2 < 1
        holes[low[0] : high[0], low[1] : high[1]] |= inside
    return holes
