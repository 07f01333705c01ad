"""The page of a batch: counts, histogram, what failed with its drawing, what was refused; whatever names are like."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import falsework
from falsework.model.errors import BadFile
from falsework.studio.batch_page import batch_html, read_summary, write_batch_page
from tests.batch.test_batch import InThisProcess

EXAMPLES = Path(__file__).parents[2] / "examples"
EVIL = '<script>alert("x")</script>.txt'


class Reader(HTMLParser):
    """What is on the page: tags, links, text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.images: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        if tag == "a":
            self.links.append(str(found["href"]))
        if tag == "img":
            self.images.append(str(found["src"]))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / EVIL.replace("/", "_")).write_text("nonsense")
    words = [str(EXAMPLES / "stairs.txt"), str(EXAMPLES / "bridge.txt"), EVIL.replace("/", "_")]
    falsework.batch("check", words, out="out", pool=InThisProcess(), artefacts="failures")
    return tmp_path / "out"


def test_the_page_tells_what_came_out_and_leads_to_what_was_kept(folder: Path) -> None:
    page = Reader(write_batch_page(folder).read_text(encoding="utf-8"))
    assert "3 jobs of falsework check" in page.text
    assert all(word in page.text for word in ("1stand", "1fall", "1refused", "What took longest"))
    assert page.tags.count("rect") == 21  # of the histogram
    assert len(page.images) == 1 and page.links
    assert all((folder / link).is_file() for link in (*page.images, *page.links))
    assert (folder / page.links[0]).name == "report.html"


def test_names_are_text_and_nothing_runs(folder: Path) -> None:
    text = batch_html(read_summary(folder), folder)
    page = Reader(text)
    assert "script" not in page.tags and "alert" in page.text
    assert "default-src 'none'" in text


def test_a_page_without_artefacts_names_failures(folder: Path, tmp_path: Path) -> None:
    summary = read_summary(folder)
    page = Reader(batch_html(summary, tmp_path / "elsewhere"))
    assert not page.images and not page.links
    assert "stairs.txt" in page.text and re.search(r"falls, 1\d\d % of the strength is needed", page.text)


def test_more_than_a_page_shows_is_counted(folder: Path, tmp_path: Path) -> None:
    summary: dict[str, Any] = read_summary(folder)
    summary["failures"] = summary["failures"] * 100
    summary["answers"] = {"unstable": 1000}
    assert "… and 940 more." in Reader(batch_html(summary, tmp_path)).text


def test_a_folder_without_a_summary_says_who_writes_one(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="falsework batch writes it when it is done"):
        write_batch_page(tmp_path)
    (tmp_path / "summary.json").write_text(json.dumps({"format": "other"}))
    with pytest.raises(BadFile, match="expected falsework-batch-summary/1"):
        write_batch_page(tmp_path)
