"""`make pictures`: what README shows, made anew from the gallery. Needs Chromium and Pillow."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import falsework
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Ground, Load
from falsework.studio.check_page import check_scene
from falsework.studio.film import write_film
from falsework.studio.motion_page import motion_scene
from falsework.studio.picture import page_picture, picture
from falsework.studio.plan_page import plan_scene
from falsework.studio.scene import Scene

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SMALL = (640, 480)  # pixels
COLORS = 256  # a picture: enough for flat light, and a third of the bytes


def checked(kind: str, *, absent: tuple[str, ...] = (), loads: tuple[Load, ...] = ()) -> Scene:
    """A check of a kind of the gallery."""
    assembly = falsework.new(kind)
    joints = interfaces(assembly)
    verdict = falsework.check(assembly, absent=absent, loads=loads, joints=joints)
    return check_scene(assembly, joints, verdict, kind, absent=absent, loads=loads)


def planned(kind: str) -> Scene:
    """A plan for a kind of the gallery."""
    assembly = falsework.new(kind)
    return plan_scene(assembly, interfaces(assembly), falsework.plan(assembly).plan, kind)


def collapsed(kind: str, **parameters: float) -> Scene:
    """The fall of a kind of the gallery onto a table, until all is at rest."""
    assembly = grounded(falsework.new(kind, **parameters), Ground("table"))
    return motion_scene(assembly, falsework.collapse(assembly).motion.trajectory, kind)


def keystone(assembly: Assembly) -> str:
    """The highest part."""
    return max(assembly.parts, key=lambda part: float(part.com_world_m[2])).name


PICTURES: dict[str, Callable[[], bytes]] = {
    "report.png": lambda: page_picture(checked("brick-stairs"), (1180, 720)),
    "arch.png": lambda: picture(checked("semicircular-arch"), SMALL),
    "arch-falls.png": lambda: picture(
        checked("semicircular-arch", absent=(keystone(falsework.new("semicircular-arch")),)), SMALL
    ),
    "plan.png": lambda: picture(planned("bird-house"), SMALL, 0.62),
}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in PICTURES.items():
        (FOLDER / name).write_bytes(smaller(make()))
        print(f"{name}: {(FOLDER / name).stat().st_size / 1000:.0f} kB")
    write_film(collapsed("leaning-tower", bricks=4, lean=0.3), FOLDER / "collapse.gif", "gif", size=(400, 300))
    print(f"collapse.gif: {(FOLDER / 'collapse.gif').stat().st_size / 1000:.0f} kB")


def smaller(png: bytes) -> bytes:
    """The same picture with a palette."""
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGBA")
    if image.getextrema()[3][0] == 255:  # nothing to see through: the better palette, which knows no clear colours
        image = image.convert("RGB").quantize(COLORS, method=Image.Quantize.MEDIANCUT)
    else:
        image = image.quantize(COLORS, method=Image.Quantize.FASTOCTREE)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
