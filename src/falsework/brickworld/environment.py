"""Gymnasium environments: press a brick onto another until it snaps in, or pull one off.

The agent moves a hand that holds the brick at the centre of its top face through a damped spring.

observation (19,)  place of the brick's frame from its seat, in studs (3); its rotation, first two columns (6); velocity
                   in studs a frame (3) and spin in radians a frame (3); the hand from the brick, in studs (3); whether
                   it is connected (1)
action (3,)        how the hand moves in this frame, −1…1 times half a stud along each axis

>>> import gymnasium
>>> import falsework.brickworld.environment as environment
>>> environment.register()
>>> gymnasium.make("falsework/PressBrick-v0")
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from falsework.brickworld.pushes import Spring, vector
from falsework.brickworld.world import World
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput, MissingExtra, shown
from falsework.model.shapes import BrickShape

if TYPE_CHECKING:
    import gymnasium

Task = Literal["press", "pull"]
OBSERVED = 19
FRAMES = 240  # after which an episode is cut off
STIFFNESS_N_M, DAMPING_NS_M = 200.0, 1.0  # of the hand; less where the brick is too light for it, see `World.drag`


def register() -> None:
    """Tell Gymnasium about `falsework/PressBrick-v0` and `falsework/PullBrick-v0`."""
    library = _gymnasium()
    for name, task in (("PressBrick", "press"), ("PullBrick", "pull")):
        if f"falsework/{name}-v0" not in library.registry:
            library.register(f"falsework/{name}-v0", entry_point=make_environment, kwargs={"task": task})


def make_environment(task: Task = "press", brick: str = "brick_2x4") -> gymnasium.Env[Array, Array]:
    """An environment with one brick fixed and one like it to be handled."""
    library = _gymnasium()

    class BrickEnv(library.Env):  # type: ignore[misc, name-defined]
        """One brick on another."""

        def __init__(self) -> None:
            self.observation_space = library.spaces.Box(-np.inf, np.inf, (OBSERVED,), np.float64)
            self.action_space = library.spaces.Box(-1.0, 1.0, (3,), np.float64)
            self.handled = Handled(task, brick)

        def reset(self, *, seed: int | None = None, options: object = None) -> tuple[Array, dict[str, Any]]:
            super().reset(seed=seed)
            self.handled.start(self.np_random)
            return self.handled.observation(), {}

        def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
            reward, done = self.handled.act(np.clip(vector(action, "action"), -1.0, 1.0))
            over = self.handled.world.frames >= FRAMES and not done
            return self.handled.observation(), reward, done, over, {"connected": self.handled.connected}

    return BrickEnv()


class Handled:
    """The task itself, without Gymnasium."""

    def __init__(self, task: Task, brick: str) -> None:
        if task not in get_args(Task):
            raise BadInput(f"task: found {shown(task)}, expected {' or '.join(get_args(Task))}")
        kind = brick_type(brick)
        self._kind, self._task = kind, task
        self._seat = np.eye(4)
        self._seat[2, 3] = kind.size_m[2]
        low, high = make_part("low", BrickShape(kind), np.eye(4)), make_part("high", BrickShape(kind), self._seat)
        self._model = grounded(Assembly((low, high)), Ground("table")).changed(fixed=frozenset({"low"}))
        self._grip = np.array(kind.size_m) * (0.5, 0.5, 1.0)
        self.world: World
        self._hand: Spring

    def start(self, rng: np.random.Generator) -> None:
        """A new episode: seated to be pulled, or above the studs, a little off and turned, to be pressed."""
        low, high = self._model.parts
        if self._task == "press":
            pose = self._seat.copy()
            turn = np.deg2rad(rng.uniform(-3.0, 3.0))
            pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
            off = rng.uniform(-1.0, 1.0, 2) * 0.1 * self._kind.measures.pitch_m
            pose[:3, 3] += (*off, 2.0 * self._kind.measures.stud_height_m)
            high = replace(high, T_world_part=pose)
        self.world = World(self._model.changed(parts=(low, high)))
        at = self._held_at()
        self._hand = self.world.drag("high", at, at, STIFFNESS_N_M, DAMPING_NS_M)

    @property
    def connected(self) -> bool:
        return ("low", "high") in self.world.connections

    def act(self, action: Array) -> tuple[float, bool]:
        """One frame; reward, and whether the task is done."""
        self.world.release(self._hand)
        target = self._hand.target_m + 0.5 * self._kind.measures.pitch_m * action
        self._hand = replace(self._hand, target_m=target)
        self.world.pushes.append(self._hand)
        self.world.step()
        done = self.connected == (self._task == "press")
        away = float(np.linalg.norm(self._from_seat())) if self._task == "press" else 0.0
        return (10.0 if done else 0.0) - 0.01 * float(action @ action) - 0.1 * away, done

    def observation(self) -> Array:
        pitch, frame = self._kind.measures.pitch_m, self.world.settings.frame_s
        pose, twist = self.world.poses()[1], self.world.velocities()[1]
        hand = (self._hand.target_m - self._held_at()) / pitch
        moving = (twist[:3] * frame / pitch, twist[3:] * frame)
        return np.concatenate([self._from_seat(), pose[:3, :2].T.ravel(), *moving, hand, [float(self.connected)]])

    def _held_at(self) -> Array:
        """(3,) where the hand holds the brick, in the world."""
        pose = self.world.poses()[1]
        place: Array = pose[:3, :3] @ self._grip + pose[:3, 3]
        return place

    def _from_seat(self) -> Array:
        """(3,) in studs."""
        offset: Array = (self.world.poses()[1, :3, 3] - self._seat[:3, 3]) / self._kind.measures.pitch_m
        return offset


def _gymnasium() -> Any:
    try:
        import gymnasium
    except ImportError as why:
        raise MissingExtra("gymnasium", "gym") from why
    return gymnasium
