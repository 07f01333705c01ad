"""Files that are broken as text, JSON or YAML, whatever they were meant to say."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from itertools import pairwise

_PART = "{name: a, box: [1, 1, 1]}"


def _native(parts: str) -> str:
    return f"format: falsework-assembly/1\nparts: {parts}\n"


TEXTS: dict[str, tuple[str, str]] = {
    "only white space": ("blank.yaml", " \n\t\n"),
    "only comments": ("comments.yaml", "# nothing\n# here\n"),
    "null document": ("null.yaml", "null\n"),
    "plain prose": ("prose.txt", "Dear Sir, enclosed please find one arch.\n"),
    "csv": ("table.csv", "name,x,y,z\na,1,2,3\nb,4,5,6\n"),
    "html": ("page.html", "<!doctype html><html><body>404</body></html>"),
    "a number": ("number.json", "[3]"),
    "empty object": ("object.json", "{}"),
    "empty list": ("list.json", "[]"),
    "json truncated": ("cut.json", '{"1": {"x": 0, "y": 0, "z": 0, "ori": 0, "brick'),
    "json trailing comma": ("comma.json", '{"1": {"x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2},}'),
    "json two documents": ("two.json", '{"a": 1}\n{"b": 2}\n'),
    "json duplicate key": ("twice.json", '{"1": {"brick_id": 2}, "1": {"brick_id": 3}}'),
    "json NaN": ("nan.json", '{"1": {"x": NaN, "y": 0, "z": 0, "ori": 0, "brick_id": 2}}'),
    "json Infinity": ("inf.json", '{"1": {"x": -Infinity, "y": 0, "z": 0, "ori": 0, "brick_id": 2}}'),
    "json 1e999": ("huge.json", '{"1": {"x": 1e999, "y": 0, "z": 0, "ori": 0, "brick_id": 2}}'),
    "json 5000 digits": ("long.json", '{"1": {"x": ' + "9" * 5000 + ', "y": 0, "z": 0, "ori": 0, "brick_id": 2}}'),
    "json deeply nested": ("deep.json", "[" * 100_000 + "]" * 100_000),
    "json lone surrogate in a name": ("half.json", '{"\\ud800": {"x": 0, "y": 0, "z": 0, "ori": 0, "brick_id": 2}}'),
    "yaml truncated": ("cut.yaml", "format: falsework-assembly/1\nparts:\n- {name: a, box: [1, 1"),
    "yaml tab indent": ("tab.yaml", "format: falsework-assembly/1\nparts:\n\t- name: a\n"),
    "yaml python tag": ("tag.yaml", _native("!!python/object/apply:os.system ['echo']")),
    "yaml own tag": ("own.yaml", _native("[!Part {name: a, box: [1, 1, 1]}]")),
    "yaml anchor": ("anchor.yaml", _native(f"[&a {_PART}]")),
    "yaml alias": ("alias.yaml", _native("[*a]")),
    "yaml anchor bomb": (
        "bomb.yaml",
        "a: &a [lol, lol]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefghi")),
    ),
    "yaml merge key": ("merge.yaml", _native("[{<<: {name: a}, box: [1, 1, 1]}]")),
    "yaml duplicate key": ("twice.yaml", _native(f"[{_PART}]") + "parts: []\n"),
    "yaml two documents": ("two.yaml", _native(f"[{_PART}]") + "---\n" + _native(f"[{_PART}]")),
    "yaml list as key": ("key.yaml", "? [a, b]\n: 1\n"),
    "yaml deeply nested": ("deep.yaml", "parts: " + "[" * 20_000),
    "yaml too many values": ("many.yaml", "parts: [" + "0," * 1_000_001 + "]"),
    "yaml 5000 digits": ("long.yaml", _native("[{name: a, box: [" + "9" * 5000 + ", 1, 1]}]")),
    "yaml infinity": ("inf.yaml", _native("[{name: a, box: [.inf, 1, 1]}]")),
    "yaml nan": ("nan.yaml", _native("[{name: a, box: [.nan, 1, 1]}]")),
    "yaml control character": ("bell.yaml", _native("[{name: a\x07, box: [1, 1, 1]}]")),
}


def _zip() -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("assembly.yaml", _native(f"[{_PART}]"))
    return stream.getvalue()


BINARIES: dict[str, tuple[str, bytes]] = {
    "empty file": ("empty.yaml", b""),
    "latin-1": ("latin.yaml", "format: falsework-assembly/1\n# Gewölbe\n".encode("latin-1")),
    "utf-16": ("wide.json", json.dumps({"1": {"brick_id": 2}}).encode("utf-16")),
    "utf-16 without mark": ("wider.json", json.dumps({"1": {"brick_id": 2}}).encode("utf-16-le")),
    "utf-8 cut in a letter": ("letter.yaml", "format: falsework-assembly/1\n# ö".encode()[:-1]),
    "nul bytes": ("nul.txt", b"2x4 (0,0,0)\n\0\0\0\n"),
    "binary junk": ("junk.bin", bytes(range(200, 0, -1)) * 20),
    "zip archive": ("archive.zip", _zip()),
    "png image": ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
}
