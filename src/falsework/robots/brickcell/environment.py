"""A Gymnasium environment of a Panda that picks a brick up, puts it on another and presses until it snaps in.

observation (29,)  joints (7, rad); opening (1, of the widest); the tool's point from the brick, and the brick from its
                   seat, in studs (3, 3); the brick's rotation, two columns (6), and velocity in studs a frame (3);
                   the force on the tool, in N (3); how far the tool points down (1); the grip in N (1); whether it is
                   connected (1). With a camera: a dictionary of this `state` and an `image` (84, 84, 3)
action             `cartesian` (5,): how the tool moves, −1…1 times 4 mm a frame along x, y, z, turns about the upright,
                   times 0.04 rad, and where the fingers should be, −1 closed, 1 open. `joint` (8,): joints, times 0.03
                   rad a frame, and fingers

>>> import gymnasium
>>> import falsework.robots.brickcell.environment as environment
>>> environment.register()
>>> gymnasium.make("falsework/PandaBrick-v0")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from falsework.brickworld import environment as bricks
from falsework.brickworld.events import Break
from falsework.engine.pictures import Pictures
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput, MissingExtra, shown
from falsework.model.poses import about
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import brick_holds
from falsework.robots.brickcell.cell_world import CellWorld
from falsework.robots.cells.kinds import new_cell

if TYPE_CHECKING:
    import gymnasium

Actions = Literal["cartesian", "joint"]
OBSERVED = 29
MOST = 100.0  # of an observation: beyond, it is cut off
STEPS = 600  # frames after which an episode is cut off
MOVES_M, TURNS_RAD, JOINT_RAD = 4e-3, 0.04, 0.03  # a frame
GRIP_N, FINGER_M_S = 8.0, 0.08
PIXELS = (84, 84)
FPS = 60
BROKEN = -5.0  # for each break; 10 for the brick in its place, 1 for lifting it once


def register() -> None:
    """Tell Gymnasium about `falsework/PandaBrick-v0`, and about the environments without an arm."""
    bricks.register()
    library = _gymnasium()
    if "falsework/PandaBrick-v0" not in library.registry:
        library.register("falsework/PandaBrick-v0", entry_point=make_environment, max_episode_steps=STEPS)


def make_environment(
    actions: Actions = "cartesian",
    brick: str = "brick_2x4",
    camera: bool = False,
    render_mode: Literal["rgb_array"] | None = None,
) -> gymnasium.Env[Any, Array]:
    """An environment with one brick fixed in the middle and one like it that lies somewhere beside it."""
    library = _gymnasium()
    box = library.spaces.Box

    class PandaBrick(library.Env):  # type: ignore[misc, name-defined]
        """A Panda and two bricks."""

        metadata = {"render_modes": ["rgb_array"], "render_fps": FPS}  # noqa: RUF012

        def __init__(self) -> None:
            if render_mode not in (None, "rgb_array"):
                raise BadInput(f"render_mode: found {shown(render_mode)}, expected rgb_array or None")
            self.render_mode = render_mode
            self.task = PickAndPress(actions, brick)
            state = box(-MOST, MOST, (OBSERVED,), np.float64)
            image = box(0, 255, (PIXELS[1], PIXELS[0], 3), np.uint8)
            self.observation_space = library.spaces.Dict(state=state, image=image) if camera else state
            self.action_space = box(-1.0, 1.0, (self.task.size,), np.float64)

        def reset(self, *, seed: int | None = None, options: object = None) -> tuple[Any, dict[str, Any]]:
            super().reset(seed=seed)
            self.task.start(self.np_random)
            return self._observed(), {}

        def step(self, action: Array) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            reward = self.task.act(np.asarray(action, dtype=np.float64))
            done = self.task.connected
            return self._observed(), reward, done, False, {"connected": done, "breaks": self.task.breaks}

        def render(self) -> Any:
            return None if self.render_mode is None else self.task.picture(None, (640, 480))

        def close(self) -> None:
            self.task.close()

        def _observed(self) -> Any:
            state = self.task.observation()
            return {"state": state, "image": self.task.picture("above", PIXELS)} if camera else state

    return PandaBrick()


class PickAndPress:
    """The task itself, without Gymnasium."""

    def __init__(self, actions: Actions, brick: str) -> None:
        if actions not in get_args(Actions):
            raise BadInput(f"actions: found {shown(actions)}, expected {' or '.join(get_args(Actions))}")
        self._actions, kind = actions, brick_type(brick)
        self._kind = kind
        self._cell = new_cell("panda")
        self._seat = np.eye(4)
        self._seat[:3, 3] = (-kind.size_m[0] / 2, -kind.size_m[1] / 2, kind.size_m[2])
        base = self._seat.copy()
        base[2, 3] = 0.0
        parts = (make_part("low", BrickShape(kind), base), make_part("high", BrickShape(kind), self._seat))
        self._model = grounded(Assembly(parts), Ground("table")).changed(fixed=frozenset({"low"}))
        self._hold = next(brick_holds(parts[1], self._cell.arms[0].tool, parts[1].com_part_m))
        self.world: CellWorld
        self._pictures: dict[tuple[int, int], Pictures] = {}
        self._broken: list[Break] = []
        self._lifted = False

    @property
    def size(self) -> int:
        """Of an action."""
        return 5 if self._actions == "cartesian" else len(self._cell.arms[0].home) + 1

    @property
    def breaks(self) -> int:
        return len(self._broken)

    @property
    def connected(self) -> bool:
        return ("low", "high") in self.world.world.connections

    def start(self, rng: np.random.Generator) -> None:
        """A new episode: the brick beside the other, turned anyhow, the arm at home with open fingers."""
        self.close()
        lies = np.eye(4)
        lies[:3, :3] = about(2, float(rng.uniform(-30.0, 30.0)))
        side = float(rng.choice([-1.0, 1.0]))
        lies[:2, 3] = rng.uniform(-0.08, 0.05), side * rng.uniform(0.08, 0.18)
        self.world = CellWorld(self._cell, self._model, placed={"high": lies, "low": self._model.parts[0].T_world_part})
        self._broken, self._lifted = [], False
        self.world.world.on_break.append(self._broken.append)
        self._aim = self.world.aim("arm")

    def act(self, action: Array) -> float:
        """One frame; the reward."""
        if action.shape != (self.size,) or not np.isfinite(action).all():
            raise BadInput(f"action: found {shown(action.tolist())}, expected {self.size} finite numbers")
        move = np.clip(action, -1.0, 1.0)
        if self._actions == "joint":
            self.world.nudge("arm", JOINT_RAD * move[:-1])
        else:
            aim = self._aim.copy()
            aim[:3, 3] += MOVES_M * move[:3]
            aim[:3, :3] = about(2, float(np.rad2deg(TURNS_RAD * move[3]))) @ aim[:3, :3]
            if self.world.nudge_to("arm", aim):
                self._aim = aim
        wide = self.world.arm("arm").placed.tool.opening_m[1]
        self.world.arm("arm").open_to(0.5 * (1.0 + move[-1]) * wide, FINGER_M_S, GRIP_N, self.world.time_s)
        before, far = len(self._broken), self._distances()
        self.world.step()
        return self._reward(far, len(self._broken) - before)

    def _reward(self, far: tuple[float, float], broken: int) -> float:
        """Nearer is better, in studs; more for what is achieved."""
        now = self._distances()
        reward = (far[0] - now[0]) + 2.0 * (far[1] - now[1]) + BROKEN * broken + (10.0 if self.connected else 0.0)
        if not self._lifted and self.world.T_world_part("high")[2, 3] > 0.01 and "high" in self.world.touched("arm"):
            self._lifted = True
            reward += 1.0
        return float(reward)

    def _distances(self) -> tuple[float, float]:
        """Of the tool from where it would hold the brick, and of the brick from its seat, in studs."""
        brick, tool = self.world.T_world_part("high"), self.world.arm("arm").T_world_tool()
        hand = (brick @ self._hold.T_part_tool)[:3, 3] - tool[:3, 3]
        pitch = self._kind.measures.pitch_m
        return float(np.linalg.norm(hand)) / pitch, float(np.linalg.norm(self._from_seat(brick))) / pitch

    def _from_seat(self, brick: Array) -> Array:
        offset: Array = brick[:3, 3] - self._seat[:3, 3]
        return offset

    def observation(self) -> Array:
        state, brick = self.world.state("arm"), self.world.T_world_part("high")
        pitch, frame = self._kind.measures.pitch_m, self.world.world.settings.frame_s
        speed = self.world.world.velocities()[self.world.world.number("high"), :3]
        tool = self.world.arm("arm").placed.tool
        found = np.concatenate([
            state.q, [state.opening_m / tool.opening_m[1]], (state.T_world_tool[:3, 3] - brick[:3, 3]) / pitch,
            self._from_seat(brick) / pitch, brick[:3, :2].T.ravel(), speed * frame / pitch, state.wrench[:3],
            [-state.T_world_tool[2, 2], state.grip_n, float(self.connected)],
        ])  # fmt: skip
        cut: Array = np.clip(found, -MOST, MOST)
        return cut

    def picture(self, camera: str | None, pixels: tuple[int, int]) -> Any:
        """(down, across, 3) as the engine draws it."""
        if pixels not in self._pictures:
            self._pictures[pixels] = Pictures(self.world.world.scene, pixels)
        return self._pictures[pixels].take(camera)

    def close(self) -> None:
        for one in self._pictures.values():
            one.close()
        self._pictures.clear()


def _gymnasium() -> Any:
    try:
        import gymnasium
    except ImportError as why:
        raise MissingExtra("gymnasium", "gym") from why
    return gymnasium
