"""Other processors, as this one can play them.

`python -m falsework.bench.targets TARGET MODULE …` runs a module of Python there; on `all`, on each that this machine
can play, one after the other, until one fails.

The same sources round differently elsewhere: a processor without fused multiplication, or with wider vectors, adds in
another order. What is varied: the machine code of our own solvers, OpenBLAS's kernels and numpy's own loops. Machine
code is kept apart for each target (`kernels/machine_code.py`).
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

from falsework.kernels.machine_code import PROCESSOR
from falsework.model.errors import BadInput, did_you_mean, shown

VARIED = (*PROCESSOR, "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of processor; without a `processor`, the one at hand."""

    name: str
    processor: str = ""  # as LLVM names it
    blas: str = ""  # as OpenBLAS names its kernels
    lacks: tuple[str, ...] = ()  # instructions that numpy must not use, by how their names begin

    def environment(self) -> dict[str, str]:
        """That of this process, but for what makes a processor."""
        own = {name: value for name, value in os.environ.items() if name not in VARIED}
        if not self.processor:
            return own
        unused = [feature for feature in _found_by_numpy() if feature.startswith(self.lacks)]
        values = (self.processor, "", self.blas, " ".join(unused))  # no features beside those of the name
        return own | dict(zip(VARIED, values, strict=True))


NATIVE = Target("native")
PLAIN = Target("plain", "x86-64", "Prescott", ("",))  # SSE2: no fused multiplication
HASWELL = Target("haswell", "haswell", "Haswell", ("X86_V4", "AVX512"))  # AVX2 and fused multiplication
TARGETS = (NATIVE, PLAIN, HASWELL)
ALL = "all"


def targets_here() -> tuple[Target, ...]:
    """Those whose machine code this machine can run."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return (NATIVE,)
    has_avx2 = any(feature in ("X86_V3", "AVX2") for feature in _found_by_numpy())
    return TARGETS if has_avx2 else (NATIVE, PLAIN)


def run_on(target: Target, module: str, *arguments: str) -> int:
    """Runs a module of Python in a process of its own; its exit code."""
    return subprocess.run([sys.executable, "-m", module, *arguments], env=target.environment(), check=False).returncode


def _found_by_numpy() -> list[str]:
    """Instructions that numpy chooses among when it is loaded, and that this machine has."""
    known: dict[str, dict[str, list[str]]] = np.show_config(mode="dicts")  # type: ignore[assignment]
    return known["SIMD Extensions"].get("found", [])


def main(arguments: list[str]) -> int:
    here = {target.name: target for target in targets_here()}
    if len(arguments) < 2:
        raise BadInput(f"expected a target ({', '.join((*here, ALL))}) and a module, with its arguments")
    name, module, *others = arguments
    if name not in (*here, ALL):
        raise BadInput(f"this machine cannot play a target {shown(name)}; {did_you_mean(name, (*here, ALL))}")
    for target in here.values() if name == ALL else (here[name],):
        sys.stderr.write(f"{module} on target {target.name}\n")
        if code := run_on(target, module, *others):
            return code
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BadInput as problem:
        sys.exit(str(problem))
