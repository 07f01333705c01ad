"""Recordings: a camera whose frames are written as they are seen, and one that plays them again."""

from __future__ import annotations

from pathlib import Path

from falsework.formats.perception.frame_folders import USUAL_SCALE, frame_folders, read_frame, write_frame
from falsework.model.errors import BadInput
from falsework.model.perception.frames import Frame
from falsework.model.ports import Camera


class Replay:
    """A `Camera` that gives the frames of a recording, one after the other, then raises BadInput."""

    def __init__(self, folder: str | Path) -> None:
        self._folders = frame_folders(folder)
        self._folder, self._next = Path(folder), 0
        self._name = read_frame(self._folders[0]).camera

    @property
    def name(self) -> str:
        return self._name

    def __len__(self) -> int:
        return len(self._folders)

    def look(self) -> Frame:
        """The next frame; its place is the one where it was recorded."""
        if self._next == len(self._folders):
            raise BadInput(f"{self._folder}: the recording has ended, after {len(self._folders)} frames")
        frame = read_frame(self._folders[self._next])
        self._next += 1
        return frame


class Recorder:
    """A `Camera` that looks through another one and writes down what it sees."""

    def __init__(self, camera: Camera, folder: str | Path, depth_scale: float = USUAL_SCALE) -> None:
        self._camera, self._folder, self._scale, self._count = camera, Path(folder), depth_scale, 0

    @property
    def name(self) -> str:
        return self._camera.name

    def look(self) -> Frame:
        """What the other one sees; written before it is given."""
        frame = self._camera.look()
        write_frame(frame, self._folder / f"{self._count:06d}", self._scale)
        self._count += 1
        return frame
