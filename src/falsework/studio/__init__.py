"""What people look at: one self-contained page for every answer.

    scene.py        the description: parts, meshes, arrows, motion, scalars, time line, tables. Data, no browser
    check_page.py   … of a check; info_page.py, margins_page.py, motion_page.py, plan_page.py … of the others
    encoding.py     the description as compact JSON with packed arrays (packing.py), in view_units.py;
    time_encoding.py … what of it is played: motions, steps, curves
    report.py       JSON + the built page = report.html
    live.py         the same answers again and again; desk.py, server.py: the files and the server of `falsework view`
    browser.py      headless Chromium, for pictures (picture.py), films (film.py) and the tests

The page is drawn by three.js, bundled by esbuild from `web/` and shipped in `static/`: users need no Node, and the
page needs no server and no network. Why three.js and not viser, the other candidate: viser's page is a client of its
own Python server, and what it saves to a file is a recording of scene messages without section plane, tables or a
step list; we would own those anyway, on top of somebody else's React application. three.js is a library with one
dependency-free package, has been kept up since 2010, and what we use of it (meshes, lights, clipping) has hardly
changed in ten years. The price is `web/`: some thousand lines of our own TypeScript.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.studio.check_page import check_scene as check_scene
    from falsework.studio.info_page import info_scene as info_scene
    from falsework.studio.margins_page import margins_scene as margins_scene
    from falsework.studio.motion_page import motion_scene as motion_scene
    from falsework.studio.plan_page import plan_scene as plan_scene
    from falsework.studio.report import report_html as report_html
    from falsework.studio.report import write_report as write_report
    from falsework.studio.scene import Scene as Scene

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "check_page": "check_scene",
        "info_page": "info_scene",
        "margins_page": "margins_scene",
        "motion_page": "motion_scene",
        "plan_page": "plan_scene",
        "report": "report_html write_report",
        "scene": "Scene",
    },
)
