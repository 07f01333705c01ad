"""Instructions for the screen: one page that holds all its pictures, opens from disk, and can be printed."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from falsework.studio.booklet.booklet import Booklet, CallOutPage, PartCount, StepPage
from falsework.studio.booklet.pages import Page, pages_of

STYLE = """
body{margin:0;background:#e9ecef;color:#1a1e25;font:16px/1.35 system-ui,sans-serif}
section{position:relative;box-sizing:border-box;width:min(1180px,96vw);margin:18px auto;padding:26px 30px 34px;
background:#fff;border-radius:6px;box-shadow:0 1px 6px #0003;page-break-after:always;display:flex;gap:26px}
section>footer{position:absolute;right:22px;bottom:8px;color:#667}
section.stacked{flex-direction:column}
article{flex:1;min-width:0;display:flex;flex-direction:column}
h1{margin:0 0 4px;font-size:38px}h2{margin:6px 0;font-size:34px;display:inline-block;min-width:1.6em}
.parts{display:flex;flex-wrap:wrap;gap:6px 14px;background:#e6f0fa;border-radius:8px;padding:8px 10px;align-self:start}
.parts figure,.all figure{margin:0;width:112px;text-align:center;font-size:13px}
.parts img,.all img{max-width:100px;height:58px;object-fit:contain}
.all{display:flex;flex-wrap:wrap;gap:16px 18px;align-content:start}
.step{width:100%;object-fit:contain;margin:auto}
.apart{border:2px solid #8aa4bd;border-radius:10px;padding:6px 10px;margin-top:8px}
.apart img{max-width:31%;vertical-align:middle}
.turn{color:#1a5ab4;font-weight:600}.note{color:#555}
@media print{body{background:#fff}section{box-shadow:none;width:auto;margin:0;height:96vh}}
"""


def html_of(book: Booklet) -> str:
    """The booklet as one HTML file."""
    pages = pages_of(book)
    body = "\n".join(_page(book, page, len(pages)) for page in pages)
    title = escape(book.title)
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    return f"{head}<style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"


def _page(book: Booklet, page: Page, count: int) -> str:
    if page.is_cover:
        counts = f"{book.count} parts, {len(book.steps)} steps, {count} pages"
        inner = f"<article><h1>{escape(book.title)}</h1><div>{counts}</div>"
        partial = f'<div class="note">Not in here: {escape(book.partial)}</div>' if book.partial else ""
        inner += f"{_image(book.cover, 'step', 'the finished model')}{partial}</article>"
    elif page.parts:
        shown = "".join(map(_part, page.parts))
        inner = f'<article><h2>Parts: {book.count}</h2><div class="all">{shown}</div></article>'
    else:
        inner = "".join(map(_step, page.steps))
    sort = ' class="stacked"' if page.is_stacked else ""
    return f"<section{sort}>{inner}<footer>{page.number}</footer></section>"


def _step(step: StepPage) -> str:
    turn = '<span class="turn">&#8635; turn the model</span>' if step.turn else ""
    note = f' <span class="note">{escape(step.note)}</span>' if step.note else ""
    parts = "".join(map(_part, step.parts))
    picture = _image(step.picture, "step", f"step {step.number}")
    apart = "".join(map(_call_out, step.call_outs))
    head = f'<div class="parts">{parts}</div><div><h2>{step.number}</h2>{turn}{note}</div>'
    return f"<article>{head}{picture}{apart}</article>"


def _call_out(one: CallOutPage) -> str:
    pictures = "".join(_image(picture, "", "") for picture in one.pictures)
    return f'<div class="apart"><b>{escape(one.title or "apart, then placed as one")}</b><br>{pictures}</div>'


def _part(one: PartCount) -> str:
    words = f"<b>{one.count}× {escape(one.kind)}</b><br>{escape(one.color) or '&nbsp;'}"
    return f"<figure>{_image(one.picture, '', one.kind)}<figcaption>{words}</figcaption></figure>"


def _image(data: bytes, kind: str, about: str) -> str:
    named = f' class="{kind}"' if kind else ""
    sort = "png" if data.startswith(b"\x89PNG") else "jpeg"
    return f'<img{named} alt="{escape(about)}" src="data:image/{sort};base64,{b64encode(data).decode()}">'
