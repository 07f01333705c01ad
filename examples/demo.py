"""`make demo`: the main job on shipped examples. Does it stand, what if something changes, and how is it built?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*words: str) -> None:
    """Show a command, run it, and stop at any ending but yes (0) and no (1)."""
    print(f"\n$ falsework {' '.join(words)}", flush=True)
    code = subprocess.run([sys.executable, "-m", "falsework", *words], cwd=ROOT, check=False).returncode
    if code not in (0, 1):
        sys.exit(code)


def main() -> None:
    run("check", "examples/bridge.txt", "--out", "out/bridge")
    run("check", "examples/bridge.txt", "--load", "10:0,0,-10", "--out", "out/bridge-overloaded")
    run("check", "examples/arch.yaml", "--absent", "keystone", "--out", "out/arch-without-keystone")
    run("plan", "examples/arch.yaml", "--out", "out/arch-plan")
    run("verify", "out/arch-plan/plan.json")
    print("\nOpen out/bridge/report.html in a browser: the bridge with the force at every joint;")
    print("and out/arch-plan/report.html: how the arch is built, step by step.")


if __name__ == "__main__":
    main()
