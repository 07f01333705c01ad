"""One page of a frame: what was seen with what was made of it, depth, labels, and the bricks to be turned in 3D."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from falsework.formats.basics.atomic import write_whole
from falsework.formats.perception.frame_folders import png
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array, Bits
from falsework.model.figures import count
from falsework.model.perception.findings import Brick, Refused
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import reflectance
from falsework.model.shapes import box
from falsework.studio.brickmesh import brick_mesh
from falsework.studio.perception.overlays import depth_picture, overlay
from falsework.studio.report import report_html
from falsework.studio.scene import Headline, Parts, Role, Scene, SceneMesh, Tone

PAGE_NAME = "frame.html"
_TABLE_COLOR, _GONE_COLOR = "#b9ae98", "#e05050"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 1.2rem; }}
h1 {{ font-size: 1.3rem; margin: 0 0 .2rem; }}
main {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 1rem; margin: 1rem 0; }}
figure {{ margin: 0; }}
img, iframe {{ width: 100%; aspect-ratio: {aspect}; border: 0; display: block; }}
iframe {{ aspect-ratio: 4 / 5; }}
figcaption, li {{ color: #888; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{sentence}</p>
<main>
{panels}
</main>
<ul>
{notes}
</ul>
</body>
</html>
"""


def sight_scene(
    title: str, found: Sequence[Brick], refused: Sequence[Refused], missing: Sequence[tuple[str, Brick]]
) -> Scene:
    """What was found, as a scene that can be turned: bricks over a table, missing ones in red.

    >>> sight_scene("nothing", (), (), ()).headline.word
    '0 bricks'
    """
    everything = [*found, *(brick for _, brick in missing)]
    corners = np.array([one.middle_m for one in everything]).reshape(-1, 3) if everything else np.zeros((1, 3))
    low, high = corners.min(axis=0) - 0.1, corners.max(axis=0) + 0.1
    slab = surface(box((float(high[0] - low[0]), float(high[1] - low[1]), 0.004)))
    T_table = np.eye(4)
    T_table[:3, 3] = low[0], low[1], min(0.0, float(corners[:, 2].min())) - 0.004
    meshes = [brick_mesh(one.kind, "fine") for one in everything]
    poses = np.array([*(one.T_base_brick for one in everything), T_table])
    hues = [_hex(one.color) for one in found] + [_GONE_COLOR] * len(missing)
    names = [f"{number + 1}" for number in range(len(found))] + [f"{why} {n + 1}" for n, (why, _) in enumerate(missing)]
    free: Role = "free"
    gone: Role = "fixed"
    ground: Role = "ground"
    roles = (*(free for _ in found), *(gone for _ in missing), ground)
    parts = Parts(
        (*names, "table"), (*(str(one.kind) for one in everything), "table"), np.arange(len(poses)), poses,
        poses[:, :3, 3], np.zeros(len(poses)), (*hues, _TABLE_COLOR), roles, np.zeros(len(poses), bool),
    )  # fmt: skip
    tone: Tone = "no" if missing else "open" if refused else "yes"
    return Scene(
        kind="info",
        title=title,
        headline=Headline(tone, count(len(found), "brick"), _sentence(found, refused, missing)),
        meshes=tuple(SceneMesh(one.vertices, one.triangles) for one in (*meshes, slab)),
        parts=parts,
    )


def frame_html(
    title: str,
    frame: Frame,
    found: Sequence[Brick] = (),
    refused: Sequence[Refused] = (),
    missing: Sequence[tuple[str, Brick]] = (),
    labels: Bits | None = None,
    T_base_cam: Array | None = None,
) -> str:
    """The page of a frame; `labels` is a picture of them, if there is one. Nothing in it comes from elsewhere."""
    pictures = [
        (
            "what was made of it: found green, refused orange, missing red",
            overlay(frame, found, refused, missing, T_base_cam),
        ),
        ("colour", np.asarray(frame.rgb)),
        (f"depth; holes {100 * (1 - frame.known.mean()):.1f} %", depth_picture(frame.depth_m)),
    ]
    if labels is not None:
        pictures.append(("labels", labels))
    panels = [_picture(caption, picture) for caption, picture in pictures]
    inside = html.escape(report_html(sight_scene(title, found, refused, missing)), quote=True)
    panels.append(f'<figure><iframe title="3D" srcdoc="{inside}"></iframe><figcaption>3D</figcaption></figure>')
    notes = [f"refused: {one.why}" + (f"; {one.decide}" if one.decide else "") for one in refused]
    return _PAGE.format(
        title=html.escape(title),
        sentence=html.escape(_sentence(found, refused, missing)),
        aspect=f"{frame.width} / {frame.height}",
        panels="\n".join(panels),
        notes="\n".join(f"<li>{html.escape(one)}</li>" for one in notes),
    )


def write_frame_page(folder: str | Path, page: str, name: str = PAGE_NAME) -> Path:
    """Write the page; the file appears whole or not at all."""
    path = Path(folder) / name
    write_whole(path, page)
    return path


def _picture(caption: str, picture: Bits) -> str:
    data = base64.b64encode(png(picture)).decode()
    told = html.escape(caption)
    return f'<figure><img alt="{told}" src="data:image/png;base64,{data}"><figcaption>{told}</figcaption></figure>'


def _sentence(found: Sequence[Brick], refused: Sequence[Refused], missing: Sequence[tuple[str, Brick]]) -> str:
    told = [f"{len(found)} found"]
    told += [f"{len(refused)} refused"] if refused else []
    told += [f"{len(missing)} missing or wrong"] if missing else []
    return ", ".join(told)


def _hex(color: str) -> str:
    return "#" + "".join(f"{round(255 * one):02x}" for one in reflectance(color))
