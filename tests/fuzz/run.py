"""`python -m tests.fuzz.run [COUNT] [SEED]`: thousands of cases under limits of memory and time.

Cases run one after the other in a child process whose address space is limited; the parent ends a child that spends
too long on one case and goes on after it. Prints one JSON object; exit 1 if anything was found.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

ADDRESS_SPACE = 8 * 2**30  # bytes; libraries map far more than they touch
PEAK = 2 * 2**30  # bytes of memory in use, at most
STUCK_S = 60.0  # on one case, on a busy machine; what takes more than 10 s is a finding anyway


def child(first: int, last: int, seed: int, report: Path) -> None:
    """Run cases, one line of the report each."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    from tests.fuzz.cases import any_case
    from tests.fuzz.judging import judged

    with report.open("a", encoding="utf-8") as stream:
        for number in range(first, last):
            case = any_case(Random(f"{seed}:{number}"))
            with tempfile.TemporaryDirectory() as folder:
                complaints = judged(case, Path(folder))
            peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            line = {"number": number, "verb": case.words[0], "complaints": complaints, "peak": peak}
            stream.write(json.dumps(line) + "\n")
            stream.flush()


def run(count: int, seed: int) -> dict[str, object]:
    """All cases; what was found, the slowest and the largest."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        report.touch()
        while (done := len(report.read_text().splitlines())) < count:
            _run_child(done, count, seed, report)
        lines = [json.loads(line) for line in report.read_text().splitlines()]
    peak = max(line["peak"] for line in lines)
    found = [
        {"number": line["number"], "verb": line["verb"], "why": why} for line in lines for why in line["complaints"]
    ]
    if peak > PEAK:
        found.append(
            {"number": None, "verb": None, "why": f"used {peak / 2**20:.0f} MiB, the limit is {PEAK / 2**20:.0f}"}
        )
    verbs = {verb: sum(line["verb"] == verb for line in lines) for verb in sorted({line["verb"] for line in lines})}
    spent = time.perf_counter() - start
    return {"cases": len(lines), "seed": seed, "verbs": verbs, "peak_mib": peak >> 20, "wall_s": spent, "found": found}


def _run_child(first: int, last: int, seed: int, report: Path) -> None:
    """One child from case `first` on, until it is done, dies or is stuck; the case it was at is then a finding."""
    words = [sys.executable, "-m", "tests.fuzz.run", "child", str(first), str(last), str(seed), str(report)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        lines, since = first, time.monotonic()
        while process.poll() is None:
            time.sleep(0.5)
            now = len(report.read_text().splitlines())
            if now > lines:
                lines, since = now, time.monotonic()
            elif time.monotonic() - since > STUCK_S:
                process.kill()
        said = "" if process.stderr is None else process.stderr.read()[-500:]
    done = len(report.read_text().splitlines())
    if done < last:
        line = {"number": done, "verb": "?", "complaints": [f"the process was stuck or died: {said}"], "peak": 0}
        with report.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def show(number: int, seed: int) -> None:
    """One case, for whoever looks into it: its files are kept."""
    from tests.fuzz.cases import any_case
    from tests.fuzz.judging import judged

    case = any_case(Random(f"{seed}:{number}"))
    folder = Path(tempfile.mkdtemp())
    sys.stdout.write(f"{' '.join(map(repr, case.words))}\n{folder}\n{judged(case, folder)}\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*(int(word) for word in sys.argv[2:5]), report=Path(sys.argv[5]))  # type: ignore[misc]
    elif sys.argv[1:2] == ["show"]:
        show(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    else:
        answer = run(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
        sys.stdout.write(json.dumps(answer, indent=1) + "\n")
        sys.exit(1 if answer["found"] else 0)
