"""One run of a verb that is struck by a signal at some moment, and what is to be said against how it ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from falsework.formats import write
from falsework.gallery import make
from tests.perception.test_calibration import taken, write_pictures

EXAMPLES = Path(__file__).parents[2] / "examples"
STUCK_S = 120.0  # then it is ended outright, and the test fails
BROWSERS_S = 10.0  # for a browser that lost its owner, on a busy machine
LINES = {signal.SIGINT: "falsework: interrupted", signal.SIGTERM: "falsework: ended by SIGTERM"}

# Words of a run: {made} is a folder with what `prepare` makes, {out} one of the run's own.
COMMANDS = (
    "info {made}/wall.yaml",
    "check {made}/wall.yaml --out {out}/check",
    "check {made}/blocks.yaml --json",
    "check {examples}/arch.yaml --png {out}/arch.png",
    "collapse {examples}/diamond.yaml --out {out}/fall",
    "collapse {examples}/arch.yaml --absent keystone --seconds 0.4 --mp4 {out}/fall.mp4",
    "margins {examples}/arch.yaml --out {out}/margins",
    "simulate {examples}/guitar.ldr --drop 0.144 --seconds 5 --out {out}/drop",
    "plan {made}/vault.yaml --robots 2 --paths none --out {out}/plan",
    "plan {examples}/bird-house.yaml --out {out}/house --gif {out}/house.gif",
    "replan {made}/arch/plan.json --at 6 --delayed stone-3 --out {out}/replan",
    "verify {made}/arch/plan.json",
    "cell --new two-irb2600 --for {made}/blocks.yaml --out {out}/cell.yaml",
    "build {examples}/duplo-bridge.yaml --out {out}/built",
    "new brick-wall --param columns=40 --param courses=60 --out {out}/new.ldr",
    "convert {made}/wall.yaml {out}/meshes --to mesh-folder --lossy",
    "batch check {examples} --out {out}/batch",
    "learn {examples}/arch.yaml --out {out}/learned",
    "instruct {made}/house.yaml --pdf --out {out}/book",
    "scenes --count 4 --out {out}/scenes",
    "locate {made}/scenes/frames/000000 --json",
    "calibrate {made}/board --out {out}/camera.yaml",
    "view {examples}/arch.yaml --no-open",
    "bench contacts",
    "bench brickworld --json",
    "doctor",
    "--help",
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run that was struck came to its end."""

    code: int
    seconds: float  # from the signal on
    early: bool  # Python itself was still starting: nobody was there yet to heed a signal
    complaints: tuple[str, ...]

    @property
    def finished(self) -> bool:
        """It had its answer, or got it in the meantime."""
        return self.code in (0, 1)


def prepare(made: Path) -> None:
    """What the commands read."""
    write(make("brick-wall", 0, columns=40, courses=25), made / "wall.yaml")
    write(make("running-bond-wall", 0, columns=20, courses=20), made / "blocks.yaml")
    write(make("barrel-vault", 0, stones=9, rows=3), made / "vault.yaml")
    words = ["plan", str(EXAMPLES / "arch.yaml"), "--robots", "2", "--out", str(made / "arch")]
    subprocess.run([sys.executable, "-m", "falsework", *words], check=True, stdout=subprocess.DEVNULL)
    words = ["scenes", "--count", "1", "--kind", "apart", "--out", str(made / "scenes")]
    subprocess.run([sys.executable, "-m", "falsework", *words], check=True, stdout=subprocess.DEVNULL)
    write(make("brick-wall", 0, columns=6, courses=8), made / "house.yaml")
    write_pictures(taken(), made / "board")


def verb_of(command: str) -> str:
    return command.split()[0]


def struck(command: str, made: Path, out: Path, moment_s: float, rng: Random, awake: bool) -> Ending:
    """Strike a run so many seconds after it began: one process, or all as a terminal does; now and then by SIGTERM.

    `awake`: not before there is somebody to heed it, and then so many seconds later.
    """
    out.mkdir()
    scratch = out / "scratch"
    scratch.mkdir()
    words = [word.format(made=made, out=out, examples=EXAMPLES) for word in command.split()]
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background, which a run would inherit
        signal.signal(signal.SIGINT, signal.default_int_handler)
    number = signal.SIGTERM if rng.random() < 0.15 else signal.SIGINT
    with subprocess.Popen(
        [sys.executable, "-m", "falsework", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
        start_new_session=True,
    ) as process:
        try:
            while awake and process.poll() is None and not _heeds(process.pid):
                time.sleep(0.002)
            with suppress(subprocess.TimeoutExpired):
                process.wait(moment_s)
            early = not _heeds(process.pid)
            begun = time.monotonic()
            if process.poll() is None:
                (os.killpg if rng.random() < 0.5 else os.kill)(process.pid, number)
            said = process.communicate(timeout=STUCK_S)[1]
        except BaseException:
            process.kill()
            raise
    seconds = time.monotonic() - begun
    against = (
        ()
        if early
        else (*_ending(verb_of(command), process.returncode, said, number), *_left(process.pid, out, scratch))
    )
    return Ending(process.returncode, seconds, early, against)


def _heeds(process: int) -> bool:
    """Whether the supervisor is there: it blocks signals first, then minds the alarm."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return True  # it has ended
    masks = dict(line.split(":") for line in status.splitlines() if line.startswith(("SigBlk", "SigCgt")))
    if not masks:
        return True  # a zombie
    blocked, caught = (int(masks[name], 16) for name in ("SigBlk", "SigCgt"))
    return bool(blocked & _bit(signal.SIGINT) or caught & _bit(signal.SIGALRM))


def _bit(number: int) -> int:
    return 1 << (number - 1)


def _ending(verb: str, code: int, said: str, number: signal.Signals) -> Iterator[str]:
    lines = said.splitlines()[-1:] if verb == "bench" else said.splitlines()  # which shows its rows there, with --json
    if code in (0, 1):
        return
    if code != 128 + number:
        yield f"exit code {code}: {said[-300:]!r}"
    elif lines != [LINES[number]]:
        yield f"said {said[-300:]!r}"


def _left(session: int, out: Path, scratch: Path) -> Iterator[str]:
    """Processes that go on, files that are not whole."""
    end = time.monotonic() + BROWSERS_S
    while (alive := list(_members(session))) and time.monotonic() < end:
        time.sleep(0.02)
    yield from (f"left running: {name}" for name in alive)
    yield from (f"left behind: {path.relative_to(out)}" for path in scratch.iterdir())
    shutil.rmtree(scratch)
    for path in out.rglob("*"):
        if path.name.endswith(".part"):
            yield f"left behind: {path.relative_to(out)}"
        elif not WHOLE.get(path.suffix, Path.exists)(path):
            yield f"half written: {path.name}"


def _members(session: int) -> Iterator[str]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue
        state, _, _, its_session = rest.split()[:4]
        if int(its_session) == session and state != "Z":
            yield name.partition("(")[2]


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True


def _is_archive(path: Path) -> bool:
    return zipfile.is_zipfile(path) and zipfile.ZipFile(path).testzip() is None


def _is_page(path: Path) -> bool:
    return path.read_text(encoding="utf-8").rstrip().endswith("</html>")


WHOLE = {".json": _is_json, ".npz": _is_archive, ".html": _is_page}
