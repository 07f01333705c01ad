"""One verb asked of many inputs: every job has one row, nothing is lost, nothing is done twice."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import falsework
from falsework.batch import shards as shards_module
from falsework.batch.keys import Job
from falsework.batch.pools.processes import Serial
from falsework.batch.shards import ROWS, TIMINGS, lines, objects
from falsework.cli import main
from falsework.model.errors import BadFile, BadInput, MissingExtra
from falsework.model.work import Limits, Outcome

EXAMPLES = Path(__file__).parents[2] / "examples"
BRICKS = "2x4 (0,0,0)\n2x4 (0,0,1)\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with twelve small models of different heights, and we are there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    for number in range(12):
        text = "".join(f"2x4 (0,0,{z})\n" for z in range(number + 1))
        (tmp_path / "models" / f"{number:02}.txt").write_text(text)
    return tmp_path


def rows(folder: str | Path) -> list[dict[str, Any]]:
    return sorted(objects(Path(folder), ROWS), key=lambda row: str(row["input"]))


class InThisProcess:
    """A pool for tests: no process, any order; the worker of a task that is named in `deadly` dies of it."""

    workers, shares_files = 1, True

    def __init__(self, deadly: tuple[str, ...] = (), shuffled: int = 0, most: int | None = None) -> None:
        self.deadly, self.shuffled, self.most = deadly, shuffled, most
        self.asked: list[str] = []

    def outcomes(self, work: Any, tasks: Any, limits: Limits) -> Iterator[Outcome]:
        given = list(enumerate(tasks))
        random.Random(self.shuffled).shuffle(given)
        for number, task in given[: self.most]:
            self.asked.append(task.source.name)
            if task.source.name in self.deadly:
                yield Outcome(number, lost="its worker was ended by SIGSEGV", tries=2)
            else:
                yield Outcome(number, work(task), took_s=0.5, worker="here:1")


def test_a_row_is_what_the_verb_prints_without_its_times(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bridge, arch = str(EXAMPLES / "bridge.txt"), str(EXAMPLES / "arch.yaml")
    falsework.batch("check", [bridge, arch], out="out", pool=InThisProcess(), set={"mu": 0.7})
    for source, row in zip(sorted([bridge, arch]), rows("out"), strict=True):
        assert main(["check", source, "--mu", "0.7", "--json"]) == row["exit"]
        printed = json.loads(capsys.readouterr().out)
        told = {word: value for word, value in row.items() if word not in ("key", "input", "options", "exit")}
        assert {word: told[word] for word in ("verdict", "model", "interfaces", "falling")} == {
            word: printed[word] for word in ("verdict", "model", "interfaces", "falling")
        }
        assert set(printed) - set(told) == {"build_ms", "solve_ms"} and not set(told) - set(printed)
        assert row["options"] == {"mu": "0.7"} and row["input"] == source
    times = list(objects(Path("out"), TIMINGS))
    assert all({"key", "input", "took_s", "cpu_s", "tries", "worker", "solve_ms"} <= set(row) for row in times)


def test_rows_do_not_depend_on_the_pool_or_the_order(desk: Path) -> None:
    words = ["models", "new:random-bricks{n=3..6,seed=0..1}", str(EXAMPLES)]
    pools = {"a": InThisProcess(), "b": InThisProcess(shuffled=3), "c": "serial", "d": "processes:2"}
    for name, pool in pools.items():
        found = falsework.batch("check", words, out=name, pool=pool)
        assert found.jobs == found.done == found.new
    first, *others = (sorted(lines(Path(name), ROWS)) for name in pools)
    assert len(first) > 25 and all(other == first for other in others)


def test_what_is_done_is_not_done_again_and_what_has_changed_is(desk: Path) -> None:
    falsework.batch("info", "models", out="out", pool=InThisProcess(most=5))
    again = InThisProcess()
    found = falsework.batch("info", "models", out="out", pool=again)
    assert (found.jobs, found.done, found.new, len(again.asked)) == (12, 12, 7, 7)
    (desk / "models" / "03.txt").write_text(BRICKS)
    os.utime(desk / "models" / "04.txt", (1, 1))  # touched, but the same
    third = InThisProcess()
    found = falsework.batch("info", "models", out="out", pool=third)
    assert third.asked == ["models/03.txt"] and (found.jobs, found.done, found.new) == (12, 12, 1)
    table = pytest.importorskip("pyarrow.parquet").read_table("out/results.parquet")
    parts = dict(zip(table["input"].to_pylist(), table["parts"].to_pylist(), strict=True))
    assert parts["models/03.txt"] == 2 and len(parts) == 12  # the older answer does not count
    assert json.loads(Path("out/summary.json").read_text())["done"] == 12


def test_other_options_and_other_inputs_are_other_jobs(desk: Path) -> None:
    falsework.batch("info", "models/00.txt", out="out", pool=InThisProcess())
    pool = InThisProcess()
    falsework.batch("info", ["models/00.txt", "models/01.txt"], out="out", pool=pool, set={"mu": [0.3, 0.5]})
    assert sorted(pool.asked) == ["models/00.txt"] * 2 + ["models/01.txt"] * 2
    keys = {Job("info", source, {"mu": mu}).key() for source in _sources("models/00.txt") for mu in ("0.3", "0.5")}
    assert keys < {row["key"] for row in rows("out")} and len(keys) == 2


def _sources(name: str) -> list[Any]:
    from falsework.batch.inputs.sources import FileSource

    return [FileSource(name)]


def test_what_is_named_twice_is_done_once(desk: Path) -> None:
    pool = InThisProcess()
    found = falsework.batch("info", ["models", "models/01.txt", "models/0*.txt"], out="out", pool=pool)
    assert found.jobs == len(pool.asked) == 12


def test_what_was_cut_off_in_the_middle_of_a_line_is_done_again(desk: Path) -> None:
    falsework.batch("info", "models", out="out", pool=InThisProcess())
    (shard,) = (Path("out") / "shards").glob("rows-*")
    shard.write_bytes(shard.read_bytes()[:-20])
    pool = InThisProcess()
    found = falsework.batch("info", "models", out="out", pool=pool)
    assert len(pool.asked) == 1 and found.done == 12
    assert all(line.startswith(b"{") and line.endswith(b"}") for line in lines(Path("out"), ROWS))


def test_a_bad_file_has_a_row_of_its_own_and_the_others_are_answered(desk: Path) -> None:
    (desk / "models" / "05.txt").write_text("2x4 (0,0,0)\nnonsense\n")
    (desk / "models" / "06.txt").write_bytes(b"")
    found = falsework.batch("check", ["models", "nobody.txt"], out="out", pool=InThisProcess())
    assert (found.jobs, found.done, found.failed, found.answers) == (13, 13, 3, {"stable": 10})
    refused = {row["input"]: row["error"]["message"] for row in rows("out") if row["exit"] == 2}
    assert refused == {
        "models/05.txt": "models/05.txt: line 2: found 'nonsense', expected a brick like 2x4 (0,0,0)",
        "models/06.txt": "models/06.txt: is empty, expected an assembly",
        "nobody.txt": "nobody.txt: there is no such file",
    }


def test_what_kills_its_worker_is_quarantined_and_tried_again_when_asked(desk: Path) -> None:
    found = falsework.batch("info", "models", out="out", pool=InThisProcess(deadly=("models/07.txt",)))
    assert (found.done, found.quarantined, found.failed) == (12, 1, 0)
    (row,) = (row for row in rows("out") if "error" in row)
    assert row["error"]["message"] == "models/07.txt: its worker was ended by SIGSEGV" and row["exit"] == 3
    resting = InThisProcess()
    assert falsework.batch("info", "models", out="out", pool=resting).quarantined == 1 and resting.asked == []
    found = falsework.batch("info", "models", out="out", pool=InThisProcess(), retry=True)
    assert (found.new, found.done, found.quarantined) == (1, 12, 0)


def test_a_job_that_takes_too_long_is_given_up_by_real_workers(desk: Path) -> None:
    words = ["models/01.txt", "new:brick-wall{columns=40,courses=40}"]
    found = falsework.batch("check", words, out="out", pool="processes:2", timeout_s=0.4)
    assert found.quarantined == 1 and found.answers == {"stable": 1}
    (row,) = (row for row in rows("out") if "error" in row)
    assert row["error"]["message"].endswith("it took longer than 0.4 s")


def test_one_run_at_a_time(desk: Path) -> None:
    class Rude(InThisProcess):
        def outcomes(self, work: Any, tasks: Any, limits: Limits) -> Iterator[Outcome]:
            with pytest.raises(BadFile, match=rf"out: another batch is writing there \(process {os.getpid()}\)"):
                falsework.batch("info", "models", out="out", pool=InThisProcess())
            return super().outcomes(work, tasks, limits)

    assert falsework.batch("info", "models", out="out", pool=Rude()).done == 12
    assert falsework.batch("info", "models", out="out", pool=InThisProcess()).done == 12  # the lock is gone


def test_a_folder_holds_answers_of_one_verb(desk: Path) -> None:
    falsework.batch("info", "models", out="out", pool=InThisProcess())
    with pytest.raises(BadFile, match="out: holds answers of info, not of check; name another folder"):
        falsework.batch("check", "models", out="out", pool=InThisProcess())
    (desk / "other").mkdir()
    (desk / "other" / "batch.json").write_text("{}")
    with pytest.raises(BadFile, match=r"batch.json: is not of the format falsework-batch/1"):
        falsework.batch("info", "models", out="other", pool=InThisProcess())
    with pytest.raises(BadFile, match="holds nothing to resume"):
        falsework.batch("info", "models", out="fresh", pool=InThisProcess(), resume=True)
    with pytest.raises(BadFile, match="is a file, expected a folder"):
        falsework.batch("info", "models", out="models/00.txt", pool=InThisProcess())


def test_a_full_disk_keeps_what_was_done(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, room = os.write, 3000

    def writes(descriptor: int, data: bytes) -> int:
        nonlocal room
        if not room:
            raise OSError(28, "No space left on device")
        taken = write(descriptor, bytes(data)[:room])
        room -= taken
        return taken

    with monkeypatch.context() as full:
        full.setattr(shards_module.os, "write", writes)
        with pytest.raises(BadFile, match="cannot be written: No space left on device; what was done is kept"):
            falsework.batch("info", "models", out="out", pool=InThisProcess())
    kept = rows("out")
    assert 2 < len(kept) < 12 and all(row["parts"] for row in kept)
    found = falsework.batch("info", "models", out="out", pool=InThisProcess())
    assert (found.done, found.new) == (12, 12 - len(kept))


def test_the_table_has_types(desk: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    (desk / "bad.txt").write_text("nonsense")
    falsework.batch(
        "check", ["models", "bad.txt", str(EXAMPLES / "stairs.txt")], out="out", pool=InThisProcess(), set={"mu": 0.4}
    )
    table = parquet.read_table("out/results.parquet")
    kinds = {name: str(table.schema.field(name).type) for name in table.column_names}
    assert kinds["exit"] == kinds["interfaces.clutches"] == "int64"
    assert kinds["utilization"] == kinds["certificate.residual"] == kinds["options.mu"] == "double"
    assert kinds["verdict"] == kinds["connections"] == "string" and kinds["certificate.checked"] == "bool"
    assert kinds["falling"].startswith("list<")
    assert table.num_rows == 14 and table["error.message"].null_count == 13
    assert json.loads(table["connections"].to_pylist()[3])[0].keys() == {"parts", "utilization"}


def test_converted_files_have_names_of_their_own(desk: Path) -> None:
    found = falsework.batch(
        "convert", ["models/01.txt", "new:brick-guitar"], out="out", pool=InThisProcess(), set={"to": "ldraw"}
    )
    assert found.answers == {"yes": 2}
    paths = [Path("out") / row["path"] for row in rows("out")]
    assert all(falsework.load(path).parts for path in paths) and len(set(paths)) == 2
    with pytest.raises(BadInput, match="name the format to write"):
        falsework.batch("convert", "models", out="out", pool=InThisProcess())


def test_plans_are_verified_and_known_by_what_they_build_too(desk: Path) -> None:
    falsework.batch("plan", "models/02.txt", out="plans", pool=InThisProcess(), artefacts="all")
    assert [row["status"] for row in rows("plans")] == ["complete"] and "wall_s" not in json.dumps(rows("plans"))
    (plan,) = Path("plans").glob("artefacts/*/plan.json")
    assert falsework.batch("verify", plan, out="verified", pool=InThisProcess()).answers == {"yes": 1}
    (desk / "models" / "02.txt").write_text(BRICKS)
    changed = falsework.batch("verify", plan, out="verified", pool=InThisProcess())
    assert (changed.new, changed.answers) == (1, {"no": 1})
    assert "has changed since the plan was made" in json.dumps(rows("verified")[-1]["failures"])


def test_artefacts_are_kept_of_failures(desk: Path) -> None:
    words = [str(EXAMPLES / "stairs.txt"), "models/00.txt", "new:diamond-tower{widest=3}"]
    falsework.batch("check", words, out="out", pool=InThisProcess(), artefacts="failures", set={"mu": 0})
    failing = {row["key"] for row in rows("out") if row["exit"] == 1}
    kept = {path.name for path in Path("out/artefacts").iterdir()}
    assert kept == failing and failing
    for folder in Path("out/artefacts").iterdir():
        assert {"report.html", "certificate.npz", "drawing.svg"} <= {file.name for file in folder.iterdir()}


def test_a_question_that_makes_no_sense_is_refused_before_anything_begins(desk: Path) -> None:
    def ask(verb: str = "check", inputs: Any = "models", **options: Any) -> None:
        falsework.batch(verb, inputs, out="out", pool=options.pop("pool", InThisProcess()), **options)

    for options, why in (
        ({"verb": "view"}, "unknown verb 'view'; expected one of: check"),
        ({"set": ["absnt=3"]}, "check has no option 'absnt' in a batch; did you mean 'absent'?"),
        ({"set": ["out=x"]}, "check has no option 'out' in a batch"),
        ({"set": ["mu=x"]}, "argument --mu: found 'x', expected a number that is 0 or more"),
        ({"verb": "plan", "set": ["regrasp=perhaps"]}, "found 'perhaps', expected true or false"),
        ({"artefacts": "some"}, "artefacts 'some': expected one of: all, failures, none"),
        ({"pool": "processes:0"}, "expected processes:N with N from 1 to 1024"),
        ({"pool": "serial:2"}, "serial is one worker"),
        ({"pool": "threads"}, "pool 'threads': expected one of: processes, ray, serial"),
        ({"memory_mb": -1}, "memory_mb: found -1, expected a number above 0"),
        ({"inputs": []}, "there is nothing to do"),
    ):
        with pytest.raises(BadInput) as raised:
            ask(**options)
        assert why in str(raised.value)
    assert not (desk / "out" / "shards").exists()


def test_a_library_that_all_jobs_lack_ends_it_at_once(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from falsework.engine.library import mujoco

    monkeypatch.setitem(sys.modules, "mujoco", None)
    mujoco.cache_clear()  # other tests may have brought it in
    with pytest.raises(MissingExtra, match=r"pip install 'falsework\[engine\]'"):
        falsework.batch("simulate", "models", out="out", pool=InThisProcess())
    assert rows("out") == []


def test_without_pyarrow_rows_are_lines_and_it_is_said(
    desk: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = falsework.batch("info", "models", out="out", pool=InThisProcess())
    assert found.done == 12 and found.results == Path("out/shards")
    assert "results.parquet needs pyarrow: pip install 'falsework[batch]'" in caplog.text


def test_progress_is_told(desk: Path) -> None:
    told: list[tuple[int, int]] = []
    falsework.batch("info", "models", out="out", pool=InThisProcess(), progress=lambda *now: told.append(now))
    assert told == [(number, 12) for number in range(1, 13)]


def test_nothing_of_ray_is_imported_unless_asked_for() -> None:
    import subprocess
    import sys

    code = "import sys, falsework.batch.running; print([n for n in ('ray', 'pyarrow', 'numba') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert Serial().shares_files
