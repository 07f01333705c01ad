"""Films: which moments they show, and what they need."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import pytest

from falsework.cli import main
from falsework.model.errors import FalseworkError, MissingExtra
from falsework.studio import film
from falsework.studio.browser import Browser
from falsework.studio.film import find_ffmpeg, moments, refuse_missing, write_film
from tests.studio.scenes import building_stack, checked, falling_stack, harmonic, overhang, plain


def test_a_motion_runs_through_and_rests_at_its_end() -> None:
    shares = moments(falling_stack(), 10)
    assert shares[0] == 0
    assert shares[20:] == [1.0] * 9  # a second of motion in two of film, then the rest
    assert shares == sorted(shares)


def test_plans_take_time_by_step_and_loops_close() -> None:
    assert moments(building_stack(), 10).index(1.0) == 36
    walk = moments(plain(overhang(), "bricks"), 10)
    assert len(walk) == 25
    assert max(walk) < 1
    assert moments(checked(harmonic(5, 1.2), "harmonic"), 10)[-1] == 1


def test_a_missing_encoder_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(MissingExtra, match=r"needs Pillow.*falsework\[film\]"):
        refuse_missing("gif")
    with pytest.raises(MissingExtra, match=r"needs ffmpeg.*falsework\[film\]"):
        refuse_missing("mp4")
    model = tmp_path / "tower.txt"
    model.write_text("2x4 (0,0,0)\n")
    assert main(["info", str(model), "--mp4", str(tmp_path / "x.mp4")]) == 2
    assert "falsework[film]" in capsys.readouterr().err
    assert not (tmp_path / "x.mp4").exists()


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film, "SIZE", (320, 240))


def test_a_gif_moves(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image")
    del browser
    monkeypatch.setitem(film.FRAMES_A_SECOND, "gif", 2)
    told: list[tuple[int, int]] = []
    write_film(falling_stack(), tmp_path / "fall.gif", "gif", lambda done, total: told.append((done, total)))
    picture = image.open(io.BytesIO((tmp_path / "fall.gif").read_bytes()))
    assert picture.size == film.SIZE
    assert picture.n_frames == 5
    first = picture.convert("RGB").tobytes()
    picture.seek(3)
    assert picture.convert("RGB").tobytes() != first
    assert told[-1] == (7, 7)


def test_an_mp4_is_one(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_ffmpeg() is None:
        pytest.skip("no ffmpeg")
    del browser
    monkeypatch.setitem(film.FRAMES_A_SECOND, "mp4", 1)
    write_film(plain(overhang(), "bricks"), tmp_path / "turn.mp4", "mp4")
    assert (tmp_path / "turn.mp4").read_bytes()[4:8] == b"ftyp"


def test_an_encoder_that_fails_says_so_and_leaves_nothing(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del browser
    monkeypatch.setattr(film, "find_ffmpeg", lambda: "false")
    monkeypatch.setitem(film.FRAMES_A_SECOND, "mp4", 1)
    with pytest.raises(FalseworkError, match="ffmpeg could not write the film"):
        write_film(plain(overhang(), "bricks"), tmp_path / "turn.mp4", "mp4")
    assert list(tmp_path.iterdir()) == []


def test_a_browser_runs_wherever_temporary_files_go(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / "-".join(["its socket may have a hundred letters"] * 4)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with Browser() as another:
        assert another.page().evaluate("1 + 1") == 2
    assert not list(deep.iterdir())
