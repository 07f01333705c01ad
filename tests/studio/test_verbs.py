"""`--out` and `--png` of the verbs that show their answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.cli import main
from falsework.studio.browser import Browser, NoBrowser, find_browser
from falsework.studio.picture import picture
from tests.studio.looking import decoded
from tests.studio.scenes import falling_stack


@pytest.fixture
def tower(tmp_path: Path) -> Path:
    model = tmp_path / "tower.txt"
    model.write_text("2x4 (0,0,0)\n2x4 (0,0,1)\n2x2 (0,4,0)\n")
    return model


def test_check_and_info_write_a_report(tower: Path, tmp_path: Path) -> None:
    assert main(["check", str(tower), "--out", str(tmp_path / "check"), "--json"]) == 0
    assert main(["info", str(tower), "--out", str(tmp_path / "info"), "--json"]) == 0
    assert sorted(path.name for path in (tmp_path / "check").iterdir()) == ["certificate.npz", "report.html"]
    assert sorted(path.name for path in (tmp_path / "info").iterdir()) == ["report.html"]
    page = (tmp_path / "check" / "report.html").read_text()
    assert "tower.txt" in page
    assert "input sha256" in page
    assert "http://" not in page.partition('id="scene">')[0]


def test_bad_input_leaves_no_report(tower: Path, tmp_path: Path) -> None:
    assert main(["check", str(tower), "--absent", "9", "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_is_one_line(tower: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert main(["info", str(tower), "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_missing_browser_is_named_with_its_package(
    tower: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FALSEWORK_BROWSER", str(tmp_path / "nothing"))
    with pytest.raises(NoBrowser, match="apt-get install chromium"):
        find_browser()
    assert main(["info", str(tower), "--png", str(tmp_path / "tower.png")]) == 2
    assert "apt-get install chromium" in capsys.readouterr().err
    assert not (tmp_path / "tower.png").exists()


def test_png_is_a_picture_on_a_clear_ground(
    browser: Browser, tower: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("falsework.studio.picture.SIZE", (480, 360))
    assert main(["info", str(tower), "--png", str(tmp_path / "tower.png"), "--json"]) == 0
    pixels = decoded(browser.page(), (tmp_path / "tower.png").read_bytes())
    assert pixels.shape == (360, 480, 4)
    assert (pixels[..., 3] == 0).mean() > 0.2
    assert (pixels[..., 3] == 255).mean() > 0.05


def test_a_picture_is_the_same_twice(browser: Browser) -> None:
    del browser
    assert picture(falling_stack(), (400, 300)) == picture(falling_stack(), (400, 300))
