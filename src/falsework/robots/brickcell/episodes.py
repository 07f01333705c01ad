"""Episodes as LeRobot keeps them: Parquet tables of what an arm saw and was told, one row a frame, and what they mean.

    data/chunk-000/episode_000000.parquet   observation.state, action, timestamp, frame_index, episode_index, index,
                                            task_index, next.reward, next.done
    meta/info.json, meta/tasks.jsonl, meta/episodes.jsonl

A state is the joints and the opening, an action what they were asked to be in that frame; in rad and m.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput, MissingExtra, shown
from falsework.robots.brickcell.cell_world import CellWorld

VERSION = "v2.1"  # of the layout
CHUNK = 1000  # episodes a folder


class Episodes:
    """A folder of episodes; each `record` adds one.

    >>> import falsework, tempfile
    >>> from falsework.robots import CellWorld
    >>> cell = CellWorld(falsework.new_cell("panda"), falsework.new("duplo-single"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     episodes = Episodes(folder)
    ...     with episodes.record(cell, "arm", "wait a little"):
    ...         cell.run(0.1)
    ...     len(episodes)
    1
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._told = self._read("episodes")
        self._tasks = [str(one["task"]) for one in self._read("tasks")]
        self._parquet()

    def __len__(self) -> int:
        return len(self._told)

    def record(self, cell: CellWorld, arm: str, task: str) -> Recording:
        """From now on, until the block ends."""
        return Recording(self, cell, arm, task)

    def add(self, states: Array, actions: Array, times_s: Array, task: str, joints: tuple[str, ...], fps: int) -> Path:
        """One episode of rows (k, n): its file."""
        if not (len(states) == len(actions) == len(times_s) > 0):
            raise BadInput(f"an episode needs one action and one time for each state, found {len(states)} states")
        if task not in self._tasks:
            self._tasks.append(task)
        number, first = len(self._told), sum(int(one["length"]) for one in self._told)
        rows = len(states)
        done = np.arange(rows) == rows - 1
        table = {
            "observation.state": [row.astype(np.float32).tolist() for row in states],
            "action": [row.astype(np.float32).tolist() for row in actions],
            "timestamp": (times_s - times_s[0]).astype(np.float32),
            "frame_index": np.arange(rows),
            "episode_index": np.full(rows, number),
            "index": first + np.arange(rows),
            "task_index": np.full(rows, self._tasks.index(task)),
            "next.reward": done.astype(np.float32),
            "next.done": done,
        }
        file = self.folder / "data" / f"chunk-{number // CHUNK:03d}" / f"episode_{number:06d}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        arrow, parquet = self._parquet()
        parquet.write_table(arrow.table(table), file)
        self._told.append({"episode_index": number, "tasks": [task], "length": rows})
        self._tell(joints, fps, first + rows)
        return file

    def _tell(self, joints: tuple[str, ...], fps: int, frames: int) -> None:
        vector = {"dtype": "float32", "shape": [len(joints)], "names": list(joints)}
        numbers = ("timestamp", "frame_index", "episode_index", "index", "task_index", "next.reward")
        features = {
            "observation.state": vector,
            "action": vector,
            **{name: {"dtype": "int64" if "index" in name else "float32", "shape": [1]} for name in numbers},
            "next.done": {"dtype": "bool", "shape": [1]},
        }
        info = {
            "codebase_version": VERSION,
            "robot_type": "falsework",
            "total_episodes": len(self._told),
            "total_frames": frames,
            "total_tasks": len(self._tasks),
            "chunks_size": CHUNK,
            "fps": fps,
            "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
            "features": features,
        }
        meta = self.folder / "meta"
        meta.mkdir(parents=True, exist_ok=True)
        (meta / "info.json").write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
        tasks: list[dict[str, Any]] = [{"task_index": k, "task": one} for k, one in enumerate(self._tasks)]
        for name, rows in (("tasks", tasks), ("episodes", self._told)):
            lines = "".join(json.dumps(one) + "\n" for one in rows)
            (meta / f"{name}.jsonl").write_text(lines, encoding="utf-8")

    def _read(self, name: str) -> list[dict[str, Any]]:
        file = self.folder / "meta" / f"{name}.jsonl"
        if not file.exists():
            return []
        try:
            return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        except ValueError as why:
            raise BadInput(f"{file} is no list of {name}: {why}; give another folder") from why

    @staticmethod
    def _parquet() -> tuple[Any, Any]:
        try:
            return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
        except ImportError as why:
            raise MissingExtra("pyarrow", "batch") from why


class Recording:
    """One episode while it happens; what ends with an error is not kept."""

    def __init__(self, episodes: Episodes, cell: CellWorld, arm: str, task: str) -> None:
        if not task.strip():
            raise BadInput(f"task: found {shown(task)}, expected a sentence that says what is done")
        self._episodes, self._cell, self._arm, self._task = episodes, cell, cell.arm(arm), task
        self._rows: list[tuple[Array, Array, float]] = []
        self.file: Path | None = None

    def __enter__(self) -> Recording:
        self._cell.each_frame.append(self._look)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._cell.each_frame.remove(self._look)
        if kind is None and self._rows:
            states, actions, times = (np.array(one) for one in zip(*self._rows, strict=True))
            joints = (*(joint.name for joint in self._arm.placed.arm.joints), "opening")
            fps = round(1.0 / self._cell.world.settings.frame_s)
            self.file = self._episodes.add(states, actions, times, self._task, joints, fps)

    def _look(self) -> None:
        arm, now = self._arm, self._cell.time_s
        state = np.append(arm.drive.q, arm.opening_m)
        self._rows.append((state, np.append(arm.wanted(now), arm.opening_wanted(now)), now))
