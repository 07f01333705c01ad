"""The shipped page is the one that `web/` builds, and says whose work is in it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from falsework.studio.report import static

WEB = Path(__file__).resolve().parents[2] / "web"


def test_the_bundle_was_built_from_these_sources() -> None:
    digest = hashlib.sha256()
    sources = ["package-lock.json", "build.mjs", *sorted(f"src/{path.name}" for path in (WEB / "src").iterdir())]
    for source in sources:
        digest.update(source.encode() + b"\0" + (WEB / source).read_bytes() + b"\0")
    assert static("sources.sha256").strip() == digest.hexdigest(), "run: cd web && npm ci && npm run build"


def test_the_lock_file_pins_everything_and_names_no_host() -> None:
    packages = json.loads((WEB / "package-lock.json").read_text())["packages"]
    others = {name: entry for name, entry in packages.items() if name}
    assert others
    assert all("resolved" not in entry and "integrity" in entry for entry in others.values())


def test_the_bundle_is_small_and_carries_its_licence() -> None:
    assert len(static("report.js")) < 800_000
    assert "three.js authors" in static("LICENSE.three.txt")
    assert "</script" not in static("report.js").lower()
    assert "</style" not in static("report.css").lower()


def test_the_page_never_parses_text_as_markup() -> None:
    for source in (WEB / "src").glob("*.ts"):
        text = source.read_text()
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"):
            assert way not in text, f"{source.name} uses {way}"
