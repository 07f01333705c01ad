"""A page of text, tables and drawings without a script: what a batch or a training run leaves to be looked at."""

from __future__ import annotations

import base64
import hashlib

PLAIN_STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
rect { fill: #4a76a8; } text { font-size: 11px; fill: currentColor; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {sources}style-src '{hash}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Falsework {title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def plain_html(title: str, body: str, style: str, pictures: bool = False) -> str:
    """A page that may load nothing, but for `pictures` of its own folder; `style` comes on top of the usual one."""
    whole = PLAIN_STYLE + style
    digest = base64.b64encode(hashlib.sha256(whole.encode()).digest()).decode()
    sources = "img-src 'self' file:; " if pictures else ""
    return _PAGE.format(sources=sources, hash=f"sha256-{digest}", title=title, style=whole, body=body)
