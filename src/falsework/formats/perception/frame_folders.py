"""Frames as folders: what a depth camera saw, in two pictures and a few numbers.

    rgb.png        8 bit colour
    depth.png      16 bit, aligned to the colour picture, 0 where unknown
    camera.yaml    K: three rows            # pixels; the middle of the first pixel is (0, 0)
                   T_base_cam: four rows    # m; z along the view, x right, y down
                   depth_scale: 0.001       # metres a unit of depth.png
                   distortion: [k1, k2, p1, p2, k3]   # optional, of both pictures: Brown's, 4, 5 or 8 numbers
                   time_s: 0.0              # optional
                   camera: name             # optional
                   T_base_flange: four rows # optional, for calibration: where the hand was

A distorted picture is straightened when it is read, so that its frame obeys K alone. A recording is a folder of such
folders, played in the order of their names.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from falsework.formats.basics.atomic import write_whole
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_yaml
from falsework.formats.basics.text import read_bytes, read_text
from falsework.formats.native.writing import plain_yaml
from falsework.model.arrays import Array, Bits
from falsework.model.errors import BadFile, BadInput
from falsework.model.extras import library
from falsework.model.perception.frames import Frame, rays
from falsework.model.poses import is_rigid

COLOUR, DEPTH, CAMERA = "rgb.png", "depth.png", "camera.yaml"
KEYS = ("K", "T_base_cam", "depth_scale", "distortion", "time_s", "camera", "T_base_flange")
MAX_PIXELS = 50_000_000
MAX_BYTES = 400_000_000
USUAL_SCALE = 0.001


def read_frame(folder: str | Path) -> Frame:
    """The frame in a folder; BadFile says what is wrong with it, and where."""
    path = Path(folder)
    if not path.is_dir():
        raise BadFile(path, "", f"is no folder; a frame is a folder with {COLOUR}, {DEPTH} and {CAMERA}")
    file = path / CAMERA
    root = load_yaml(file, read_text(file))
    root.only(KEYS)
    K, T = _matrix(root["K"], 3), _matrix(root["T_base_cam"], 4)
    scale = root["depth_scale"].number(1e-7, 1.0)
    rgb, units = _picture(path / COLOUR), _picture(path / DEPTH)
    _refuse_unlike(path, rgb, units)
    depth = units.astype(float) * scale
    distortion = root.get("distortion")
    if distortion is not None:
        rgb, depth = straightened(rgb, depth, K, _coefficients(distortion))
    time, camera = root.get("time_s"), root.get("camera")
    time_s, name = 0.0 if time is None else time.number(), "camera" if camera is None else camera.name()
    try:
        return Frame(rgb, depth, K, T, time_s, name)
    except BadInput as why:
        raise BadFile(file, "", str(why)) from why


def write_frame(frame: Frame, folder: str | Path, depth_scale: float = USUAL_SCALE) -> None:
    """Write a frame; depth is rounded to whole units of `depth_scale` metres, up to 65,535 of them."""
    path = Path(folder)
    units = np.rint(frame.depth_m / depth_scale)
    if units.max(initial=0) > np.iinfo(np.uint16).max:
        deepest = float(frame.depth_m.max())
        raise BadInput(
            f"depth up to {deepest:.4g} m does not fit 16 bit at {depth_scale:g} m; use a larger depth_scale"
        )
    write_whole(path / COLOUR, png(frame.rgb))
    write_whole(path / DEPTH, png(units.astype(np.uint16)))
    document: dict[str, Any] = {"K": frame.K.tolist(), "T_base_cam": frame.T_base_cam.tolist()}
    document |= {"depth_scale": depth_scale, "time_s": float(frame.time_s), "camera": frame.camera}
    write_whole(path / CAMERA, plain_yaml(document))  # last: a folder that has it is whole


def read_picture(folder: str | Path) -> tuple[Bits, Array | None]:
    """The colours in a folder as the lens showed them, and where the hand was, if its camera.yaml says so.

    For calibration: K, pose and depth need not be known yet.
    """
    path = Path(folder)
    rgb = _picture(path / COLOUR)
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
        raise BadFile(path / COLOUR, "", f"found {_kind(rgb)}, expected three channels of 8 bit")
    file = path / CAMERA
    if not file.is_file():
        return rgb, None
    root = load_yaml(file, read_text(file))
    root.only(KEYS)
    hand = root.get("T_base_flange")
    if hand is None:
        return rgb, None
    T = _matrix(hand, 4)
    if not is_rigid(T):
        raise hand.wrong("found a matrix that is no rotation and translation of finite numbers")
    return rgb, T


def frame_folders(path: str | Path) -> list[Path]:
    """The folder itself if it holds a frame; the frames of a recording, in order, if it holds those."""
    folder = Path(path)
    if not folder.is_dir():
        raise BadFile(folder, "", f"is no folder; a frame is a folder with {COLOUR}, {DEPTH} and {CAMERA}")
    if (folder / CAMERA).exists() or (folder / COLOUR).exists():
        return [folder]
    inside = sorted(one for one in folder.iterdir() if (one / CAMERA).is_file())
    if not inside:
        raise BadFile(folder, "", f"holds no frame: there is no {CAMERA} in it, nor in a folder of it")
    return inside


def write_recording(frames: Iterable[Frame], folder: str | Path, depth_scale: float = USUAL_SCALE) -> int:
    """Write frames one after the other, as 000000, 000001, …; how many there were."""
    count = 0
    for frame in frames:
        write_frame(frame, Path(folder) / f"{count:06d}", depth_scale)
        count += 1
    return count


def png(picture: Any) -> bytes:
    """A picture (h, w, 3) of 8 bit, or (h, w) of 8 or 16, as the bytes of a PNG file."""
    stream = io.BytesIO()
    library("PIL.Image").fromarray(picture).save(stream, "PNG")
    return stream.getvalue()


def straightened(rgb: Bits, depth_m: Array, K: Array, coefficients: Array) -> tuple[Bits, Array]:
    """Pictures as a lens without distortion would show them; depth is taken from the nearest pixel, never between two.

    What the lens did not see is black, and a hole.
    """
    k1, k2, p1, p2, k3, k4, k5, k6 = np.pad(coefficients, (0, 8 - len(coefficients))).tolist()
    at = rays(K, *depth_m.shape)
    x, y = at[..., 0], at[..., 1]
    r2 = x * x + y * y
    radial = (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)))
    bent_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    bent_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    rows = K[1, 1] * bent_y + K[1, 2]
    columns = K[0, 0] * bent_x + K[0, 1] * bent_y + K[0, 2]
    colours = [ndimage.map_coordinates(rgb[..., c].astype(np.float32), [rows, columns], order=1) for c in range(3)]
    v, u = np.rint(rows).astype(int), np.rint(columns).astype(int)
    inside = (v >= 0) & (u >= 0) & (v < depth_m.shape[0]) & (u < depth_m.shape[1])
    straight = np.where(inside, depth_m[np.where(inside, v, 0), np.where(inside, u, 0)], 0.0)
    return np.clip(np.rint(np.stack(colours, axis=-1)), 0, 255).astype(np.uint8), straight


def _matrix(node: Node, size: int) -> Array:
    rows = node.table(size)
    if len(rows) != size:
        raise node.expected(f"{size} rows of {size} numbers")
    return rows


def _coefficients(node: Node) -> Array:
    count = len(node.elements())
    if count not in (4, 5, 8):
        raise node.expected("4, 5 or 8 numbers: k1, k2, p1, p2, k3, k4, k5, k6")
    return np.array(node.numbers(count))


def _picture(path: Path) -> Any:
    data = read_bytes(path, MAX_BYTES)
    image_room = library("PIL.Image")
    try:
        image = image_room.open(io.BytesIO(data), formats=("PNG",))
        width, height = image.size
        if width * height > MAX_PIXELS:
            raise BadFile(path, "", f"has {width} x {height} pixels, allowed are {MAX_PIXELS:,}")
        pixels = np.array(image)
    except image_room.UnidentifiedImageError as why:
        raise BadFile(path, "", "is no PNG picture: it begins with other bytes") from why
    except (OSError, SyntaxError, ValueError, image_room.DecompressionBombError) as why:
        raise BadFile(path, "", f"is no PNG picture that can be read: {why}") from why
    return pixels


def _refuse_unlike(folder: Path, rgb: Any, units: Any) -> None:
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
        raise BadFile(folder / COLOUR, "", f"found {_kind(rgb)}, expected three channels of 8 bit")
    if units.ndim != 2 or units.dtype.kind not in "iu" or units.dtype.itemsize < 2:
        raise BadFile(folder / DEPTH, "", f"found {_kind(units)}, expected one channel of 16 bit")
    if rgb.shape[:2] != units.shape:
        sizes = f"{units.shape[1]} x {units.shape[0]}, but {COLOUR} {rgb.shape[1]} x {rgb.shape[0]}"
        raise BadFile(folder / DEPTH, "", f"is {sizes}; align depth to colour first")


def _kind(picture: Any) -> str:
    channels = 1 if picture.ndim == 2 else picture.shape[2]
    return f"{channels} channel{'s' if channels > 1 else ''} of {8 * picture.dtype.itemsize} bit"
