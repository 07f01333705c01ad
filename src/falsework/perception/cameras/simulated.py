"""A camera that looks at a simulated scene: on a stand, or on the wrist of an arm."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput, shown
from falsework.model.perception.frames import Frame, refuse_no_camera_matrix
from falsework.model.robots.cell import Camera as CellCamera
from falsework.perception.cameras.noise import Noise, believed_pose, measured_colour, measured_depth
from falsework.perception.scenes.drawing import Drawn, Stage
from falsework.perception.scenes.scene import Scene


def camera_matrix(view_deg: float, pixels: tuple[int, int]) -> Array:
    """(3, 3) K of a camera that sees `view_deg` from top to bottom; `pixels` across and down.

    >>> camera_matrix(90.0, (640, 480)).round(3).tolist()
    [[240.0, 0.0, 319.5], [0.0, 240.0, 239.5], [0.0, 0.0, 1.0]]
    """
    across, down = pixels
    focal = 0.5 * down / math.tan(math.radians(view_deg) / 2)
    return np.array([[focal, 0, (across - 1) / 2], [0, focal, (down - 1) / 2], [0, 0, 1.0]])


def looking_at(eye_m: Array, target_m: Array, turn_deg: float = 0.0) -> Array:
    """(4, 4) T_base_cam of a camera at `eye_m` that looks at `target_m`; its x axis level, then turned about its view.

    >>> looking_at(np.array([0, 0, 1.0]), np.zeros(3))[:3, 2].tolist()
    [0.0, 0.0, -1.0]
    """
    z = np.subtract(target_m, eye_m, dtype=float)
    length = float(np.linalg.norm(z))
    if not length > 1e-9:
        raise BadInput("a camera must look at something that is not where it is itself")
    z /= length
    level = np.array([1.0, 0, 0]) if math.hypot(z[0], z[1]) < 1e-6 else np.cross(z, [0, 0, 1.0])
    x = level / np.linalg.norm(level)
    turn = math.radians(turn_deg)
    y = np.cross(z, x)
    x, y = math.cos(turn) * x + math.sin(turn) * y, math.cos(turn) * y - math.sin(turn) * x
    T = np.eye(4)
    T[:3, :4] = np.column_stack([x, y, z, eye_m])
    return T


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """From where, and through which lens."""

    T_base_cam: Array  # (4, 4)
    K: Array  # (3, 3)
    pixels: tuple[int, int] = (640, 480)  # across, down

    @staticmethod
    def of(camera: CellCamera, T_base_flange: Array | None = None) -> View:
        """Of a cell's camera; one that rides on an arm needs to know where that arm's flange is."""
        if camera.arm is not None and T_base_flange is None:
            raise BadInput(f"camera {shown(camera.name)} rides on arm {shown(camera.arm)}: say where its flange is")
        mount = np.eye(4) if camera.arm is None or T_base_flange is None else T_base_flange
        return View(mount @ camera.T_mount_camera, camera_matrix(camera.view_deg, camera.pixels), camera.pixels)


def seen(scene: Scene, view: View, noise: Noise, rng: np.random.Generator, time_s: float = 0.0) -> Frame:
    """One frame of a scene, with noise."""
    return noisy(Stage.of(scene).drawn(view.K, view.T_base_cam, view.pixels), view, noise, rng, time_s)


def noisy(
    drawn: Drawn, view: View, noise: Noise, rng: np.random.Generator, time_s: float = 0.0, name: str = "camera"
) -> Frame:
    """The frame that a camera with such noise makes of what is there to see."""
    if drawn.rgb is None:
        raise BadInput("a frame needs colours; draw the scene with colour=True")
    rgb = measured_colour(drawn.rgb, noise, rng)
    depth = measured_depth(drawn.depth_m, noise, rng)
    return Frame(rgb, depth, view.K, believed_pose(view.T_base_cam, noise, rng), time_s, name)


@dataclass(slots=True)
class SimulatedCamera:
    """A `Camera` of a scene that may change. `scene` and, for a wrist camera, `flange` are asked at every look.

    What its extrinsics are off by is drawn once: a camera that was calibrated badly stays so.

    >>> camera = SimulatedCamera("above", lambda: Scene(()), looking_at(np.array([0, 0, 0.5]), np.zeros(3)))
    >>> camera.look().depth_m.shape
    (480, 640)
    """

    name: str
    scene: Callable[[], Scene]
    T_mount_cam: Array  # (4, 4) in the base's frame, or in the flange's
    K: Array = field(default_factory=lambda: np.array([[447.0, 0, 319.5], [0, 447.0, 239.5], [0, 0, 1]]))
    pixels: tuple[int, int] = (640, 480)
    noise: Noise = field(default_factory=Noise)
    seed: int = 0
    flange: Callable[[], Array] | None = None  # T_base_flange now
    clock: Callable[[], float] | None = None
    _rng: np.random.Generator = field(init=False, repr=False)
    _believed: Array = field(init=False, repr=False)  # T_mount_cam as it was calibrated
    _looks: int = field(init=False, default=0, repr=False)

    def __post_init__(self) -> None:
        refuse_no_camera_matrix(np.asarray(self.K, dtype=float), *self.pixels)
        self._rng = np.random.default_rng(self.seed)
        self._believed = believed_pose(self.T_mount_cam, self.noise, self._rng)

    def look(self) -> Frame:
        """What it sees now. Without a clock, looks are a thirtieth of a second apart."""
        mount = np.eye(4) if self.flange is None else self.flange()
        drawn = Stage.of(self.scene()).drawn(self.K, mount @ self.T_mount_cam, self.pixels)
        time_s = self._looks / 30 if self.clock is None else self.clock()
        self._looks += 1
        rgb = measured_colour(drawn.rgb, self.noise, self._rng)  # type: ignore[arg-type]
        depth = measured_depth(drawn.depth_m, self.noise, self._rng)
        return Frame(rgb, depth, self.K, mount @ self._believed, time_s, self.name)
