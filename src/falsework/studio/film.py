"""A film of a scene: the page in a headless browser, moment by moment, put together by an encoder that is there.

Motions run as they did, plans step by step, a first motion once through its loop, and what does not move is walked
around once. GIFs need Pillow; MP4s need ffmpeg, from the system or from the package imageio-ffmpeg.
"""

from __future__ import annotations

import importlib.util
import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from falsework.formats.basics.atomic import write_whole
from falsework.model.errors import FalseworkError, MissingExtra
from falsework.model.scratch import scratch_prefix
from falsework.studio.browser import opened
from falsework.studio.report import write_report
from falsework.studio.scene import Frames, Scene, Steps

Encoder = Literal["gif", "mp4"]
SIZE = (800, 600)  # pixels
FRAMES_A_SECOND: dict[Encoder, int] = {"gif": 15, "mp4": 25}
SHORTEST_S, LONGEST_S = 2.0, 20.0  # quicker motions are slowed down, longer ones sped up
STEP_S = 0.9  # of a plan
LOOP_S = 2.5  # of what has no time of its own
REST_S = 0.8  # at the end, before it begins again
FILM = "#picture-film"  # the page leaves its panels out, stands still, and draws as quickly as it can


def write_film(
    scene: Scene,
    path: str | Path,
    kind: Encoder,
    progress: Callable[[int, int], None] | None = None,
    size: tuple[int, int] | None = None,
) -> None:
    """Into a file, whole or not at all; SIZE unless told."""
    refuse_missing(kind)
    pictures = _pictures(scene, moments(scene, FRAMES_A_SECOND[kind]), size or SIZE, progress)
    write_whole(path, _gif(pictures) if kind == "gif" else _mp4(pictures))


def refuse_missing(kind: Encoder) -> None:
    """MissingExtra unless the encoder is there."""
    if kind == "gif" and importlib.util.find_spec("PIL") is None:
        raise MissingExtra("Pillow", "film")
    if kind == "mp4" and find_ffmpeg() is None:
        raise MissingExtra("ffmpeg", "film")


def find_ffmpeg() -> str | None:
    """The path of an ffmpeg, the system's first."""
    found = shutil.which("ffmpeg")
    if found is None and importlib.util.find_spec("imageio_ffmpeg") is not None:
        import imageio_ffmpeg

        found = str(imageio_ffmpeg.get_ffmpeg_exe())
    return found


def moments(scene: Scene, frames_a_second: int) -> list[float]:
    """Which shares of its time a film shows, one a frame."""
    match scene.timeline:
        case Frames() as frames:
            seconds = float(frames.times_s[-1] - frames.times_s[0])
        case Steps() as steps:
            seconds = STEP_S * len(steps.steps)
        case None:
            seconds = LOOP_S
    count = round(float(np.clip(seconds, SHORTEST_S, LONGEST_S)) * frames_a_second)
    if scene.timeline is None and scene.motion is None:  # once around: the last frame is before the first
        return [k / count for k in range(count)]
    return [k / count for k in range(count + 1)] + [1.0] * round(REST_S * frames_a_second)


def _pictures(
    scene: Scene, shares: list[float], size: tuple[int, int], progress: Callable[[int, int], None] | None
) -> Iterator[bytes]:
    """PNGs, one a frame; what stands still is photographed once."""
    with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder:
        path = write_report(scene, folder)
        with opened(path, *size, FILM) as page:
            page.evaluate("document.body.classList.add('paper')")
            last: tuple[float, bytes] | None = None
            for number, share in enumerate(shares):
                if last is None or last[0] != share:
                    page.seek(share)
                    last = share, page.screenshot()
                yield last[1]
                if progress is not None:
                    progress(number + 1, len(shares))


def _gif(pictures: Iterator[bytes]) -> bytes:
    """One palette for all frames, from the middle one, so that nothing flickers."""
    from PIL import Image

    frames: list[Any] = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    palette = frames[len(frames) // 2].quantize(128, method=Image.Quantize.MEDIANCUT)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    buffer = io.BytesIO()
    pace = round(1000 / FRAMES_A_SECOND["gif"])
    drawn[0].save(buffer, "GIF", save_all=True, append_images=drawn[1:], duration=pace, loop=0, optimize=False)
    return buffer.getvalue()


def _mp4(pictures: Iterator[bytes]) -> bytes:
    """H.264 as every browser plays it."""
    program = find_ffmpeg()
    assert program is not None, "refuse_missing has looked"
    with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder:
        target = Path(folder) / "film.mp4"
        rate = str(FRAMES_A_SECOND["mp4"])
        words = [program, "-y", "-loglevel", "error", "-f", "image2pipe", "-c:v", "png", "-framerate", rate, "-i", "-"]
        words += ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-crf", "23", str(target)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stderr is not None
            try:
                for picture in pictures:
                    process.stdin.write(picture)
                process.stdin.close()
            except BrokenPipeError:
                pass  # it says why below
            except BaseException:
                process.kill()  # or its end would be waited for
                raise
            complaint = process.stderr.read().decode(errors="replace")
        if process.returncode != 0 or not target.exists():
            raise FalseworkError(f"ffmpeg could not write the film: {complaint.strip() or process.returncode}")
        return target.read_bytes()
