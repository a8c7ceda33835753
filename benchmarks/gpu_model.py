"""Estimated times of models on a GPU, by the machine code of their kernels; needs no GPU.

    python benchmarks/gpu_model.py [resnet50@32 gemm_4096 ...] [--dtypes bfloat16]
        [--archs sm_90 sm_80] [--precision default] [--kernels 6] [--json FILE] [--write]

`devproc/targets/triton/estimate.py` is the model, and states its constants. Compilation
runs in processes. `--kernels` also prints the kernels that take longest; `--json` writes
every kernel of every model, `--write` the table into RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gpu_forms import FORMS, MODELS, export
from results import write_section

from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.assess import machine_codes
from devproc.targets.triton.estimate import KernelTime, estimate
from devproc.targets.triton.gpus import gpu_of
from devproc.targets.triton.machine_code import MachineCode
from devproc.targets.triton.program_kernels import ProgramKernel, program_kernels

HEAD = [
    "| model | dtype | arch | launches | kernels | MB | estimate us | roofline us "
    "| share | spills |",
    "|---|---|---|---|---|---|---|---|---|---|",
]


@dataclass(frozen=True)
class Assessed:
    """A kernel of a model, compiled and estimated; without code if it does not compile."""

    kernel: ProgramKernel
    code: MachineCode | None
    time: KernelTime | None
    problem: str = ""

    @property
    def microseconds(self) -> float:
        """Of all of its launches in one run."""
        return self.time.seconds * self.kernel.launches * 1e6 if self.time else 0.0

    def line(self) -> str:
        """What takes the time."""
        if self.code is None or self.time is None:
            return f"    {self.kernel.kernel.name}: {self.problem}"
        return (
            f"    {self.microseconds:8.1f} us  {self.kernel.launches} x "
            f"{self.kernel.kernel.name[:60]}: {self.time.bound}, roofline "
            f"{self.time.roofline_share:.0%}, grid {self.kernel.kernel.grid}, "
            f"{self.code.registers} registers, {self.code.spilled_bytes} spilled, "
            f"{self.code.shared_bytes} shared, {self.kernel.schedule}"
        )

    def record(self) -> dict[str, object]:
        """The same for other programs."""
        return {
            "name": self.kernel.kernel.name,
            "schedule": self.kernel.schedule,
            "launches": self.kernel.launches,
            "grid": self.kernel.kernel.grid,
            "problem": self.problem,
            "time": asdict(self.time) if self.time else None,
            "mix": self.code.mix if self.code else None,
        }


def assess(
    name: str, dtype: str, arch: str, precision: str, processes: int | None = None
) -> list[Assessed]:
    """The kernels of a model, compiled for a GPU."""
    source = read_source(export(name, dtype))
    options = target_options("cuda", precision=precision, arch=arch)
    set_options(source.module, options, None)
    kernels = program_kernels(source.module)
    codes = machine_codes([k.kernel for k in kernels], arch, processes)
    gpu = gpu_of(arch)
    return [
        Assessed(kernel, None, None, code)
        if isinstance(code, str)
        else Assessed(
            kernel, code, estimate(code, kernel.work, kernel.argument_bytes, gpu)
        )
        for kernel, code in zip(kernels, codes, strict=True)
    ]


def row(name: str, dtype: str, arch: str, found: Sequence[Assessed]) -> str:
    """The line of a model."""
    timed = [(a.time, a.kernel.launches) for a in found if a.time is not None]
    best = sum(t.roofline_seconds * n for t, n in timed) * 1e6
    total = sum(a.microseconds for a in found)
    moved = sum(t.moved_bytes * n for t, n in timed) / 1e6
    spills = sum(a.code is not None and a.code.spilled_bytes > 0 for a in found)
    failed = sum(a.code is None for a in found)
    problems = f"{spills}" + (f", {failed} do not compile" if failed else "")
    launches = sum(a.kernel.launches for a in found)
    return (
        f"| {name} | {dtype} | {arch} | {launches} | {len(found)} | {moved:.1f} "
        f"| {total:.1f} | {best:.1f} | {best / total:.0%} | {problems} |"
    )


def main() -> None:
    """Estimate, print, and write the section where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--dtypes", nargs="+", default=["bfloat16", "float32"])
    parser.add_argument("--archs", nargs="+", default=["sm_90"])
    parser.add_argument("--precision", default="default")
    parser.add_argument("--kernels", type=int, default=0, metavar="COUNT")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    lines, records = list(HEAD), dict[str, list[dict[str, object]]]()
    print("\n".join(HEAD), flush=True)
    for name in args.models or (*FORMS, *MODELS):
        for dtype in args.dtypes:
            for arch in args.archs:
                started = time.perf_counter()
                key = (name, dtype, arch)
                found = assess(*key, args.precision, args.processes)
                lines.append(row(*key, found))
                took = time.perf_counter() - started
                print(f"{lines[-1]}  ({took:.0f} s)", flush=True)
                found.sort(key=lambda a: -a.microseconds)
                for assessed in found[: args.kernels]:
                    print(assessed.line())
                records[" ".join(key)] = [a.record() for a in found]
    if args.json is not None:
        args.json.write_text(json.dumps(records, indent=1))
    if args.write:
        write_section("GPU, estimated", "python benchmarks/gpu_model.py", lines)


if __name__ == "__main__":
    main()
