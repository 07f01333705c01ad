"""One file that holds everything: the scene, the page's code and its style."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from falsework.formats.basics.atomic import write_whole
from falsework.studio.encoding import scene_json
from falsework.studio.scene import Scene

REPORT_NAME = "report.html"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Falsework report</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<noscript>This report is drawn by a script inside this file; allow scripts to see it.</noscript>
<div id="app"{live}></div>
<script type="application/json" id="scene">{scene}</script>
<script>{code}</script>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class LivePage:
    """What a page has to know that a server answers: which file it shows, which others there are."""

    file: str
    files: tuple[str, ...]
    version: int


def report_html(scene: Scene, live: LivePage | None = None) -> str:
    """The page of a scene: nothing in it comes from elsewhere, and its policy forbids that anything could.

    A live page may speak to the server that it came from, and to nobody else.

    >>> import falsework
    >>> from falsework.studio import info_scene
    >>> arch = falsework.load("examples/arch.yaml")
    >>> report_html(info_scene(arch, falsework.info(arch), "arch")).lstrip()[:15]
    '<!doctype html>'
    """
    about = ""
    if live is not None:
        text = json.dumps({"file": live.file, "files": live.files, "version": live.version})
        about = f' data-live="{html.escape(text)}"'
    code, style = static("report.js"), static("report.css")
    policy = page_policy(live is not None)
    return _PAGE.format(policy=policy, style=style, code=code, scene=scene_json(scene), live=about)


@cache
def page_policy(live: bool) -> str:
    """The content security policy of a page."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{inline_hash(static('report.js'))}'",
            f"style-src '{inline_hash(static('report.css'))}'",
            "img-src data:",
            *(["connect-src 'self'"] if live else []),
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def write_report(scene: Scene, folder: str | Path) -> Path:
    """Write report.html into a folder, whole or not at all; gives its path.

    >>> import tempfile, falsework
    >>> from falsework.studio import info_scene
    >>> arch = falsework.load("examples/arch.yaml")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(info_scene(arch, falsework.info(arch), "arch"), folder).name
    'report.html'
    """
    path = Path(folder) / REPORT_NAME
    write_whole(path, report_html(scene))
    return path


@cache
def static(name: str) -> str:
    """A built file of the page."""
    return resources.files("falsework.studio").joinpath("static", name).read_text(encoding="utf-8")


def inline_hash(text: str) -> str:
    """As a content security policy names an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
