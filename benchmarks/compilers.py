"""Models beside IREE and TVM, in turns, on one thread.

    python benchmarks/compilers.py [resnet18 bert_base] [--rounds 3] [--write]

The models are those of `models.py`. IREE compiles for this processor at its highest level of
optimisation; TVM with its default pipeline, without a search for schedules, which takes hours.
Times are the processor's, which other programs disturb less than the clock's. Compilers that
are not installed are left out:

    pip install iree-base-compiler iree-base-runtime apache-tvm onnx onnxscript
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

# Read when the libraries are loaded.
os.environ["TVM_NUM_THREADS"] = "1"

import numpy as np
import torch
from bundle import measure, python_turn
from model_variants import build
from results import write_section

import devproc
from devproc.accuracy import float64_outputs

Arrays = Sequence[np.ndarray]
Call = Callable[[], np.ndarray]

MODELS = ("resnet18", "bert_base")
HEAD = (
    "| model | compiler | time, ms (median / least) | to DevProc | error |",
    "|---|---|---|---|---|",
)


def onnx_file(exported: Any) -> str:
    """The model as an ONNX file."""
    path = str(Path(mkdtemp()) / "model.onnx")
    torch.onnx.export(exported, f=path, dynamo=True, external_data=False, verbose=False)
    return path


def devproc_call(exported: Any, inputs: Arrays) -> Call:
    program = devproc.compile(exported, threads=1)
    return lambda: np.asarray(program(*inputs))


def iree_call(exported: Any, inputs: Arrays) -> Call:
    """IREE, from ONNX, run in the calling thread."""
    from iree import compiler, runtime  # pyright: ignore
    from iree.compiler.tools.import_onnx import __main__ as onnx  # pyright: ignore

    source = onnx_file(exported)
    text, code = f"{source}.mlir", f"{source}.vmfb"
    onnx.main(onnx.parse_arguments([source, "-o", text]))
    compiler.compile_file(
        text,
        output_file=code,
        target_backends=["llvm-cpu"],
        extra_args=[
            "--iree-llvmcpu-target-cpu=host",
            "--iree-opt-level=O3",
            # BERT's LayerNorm needs 73,920 bytes; the limit is 32,768.
            "--iree-llvmcpu-stack-allocation-limit=131072",
        ],
    )
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.mmap(config.vm_instance, code))
    functions = context.modules.module
    names = functions.vm_module.function_names
    name = next(n for n in names if n != "__init" and not n.endswith("$async"))
    arrays = [runtime.asdevicearray(config.device, x) for x in inputs]
    return lambda: functions[name](*arrays).to_host()


def tvm_call(exported: Any, inputs: Arrays) -> Call:
    """TVM's Relax, from the exported program."""
    import tvm  # pyright: ignore
    from tvm import relax  # pyright: ignore
    from tvm.relax.frontend.torch import from_exported_program  # pyright: ignore

    from devproc.targets.cpu.machine.cpu_target import CPUTarget

    module = from_exported_program(exported, unwrap_unit_return_tuple=True)
    target = tvm.target.Target({"kind": "llvm", "mcpu": CPUTarget.host().cpu})
    machine = relax.VirtualMachine(tvm.compile(module, target), tvm.cpu())
    arrays = [tvm.runtime.tensor(x) for x in inputs]
    return lambda: machine["main"](*arrays).numpy()


COMPILERS: dict[str, tuple[str, str, Callable[[Any, Arrays], Call]]] = {
    "DevProc": ("devproc", "devproc", devproc_call),
    "IREE": ("iree.compiler", "iree-base-compiler", iree_call),
    "TVM": ("tvm", "apache-tvm", tvm_call),
}
"""Compiler -> its module, its package, and what compiles a program with it."""


def installed(module: str) -> bool:
    """Whether a module, also one in a package, can be imported."""
    return find_spec(module.partition(".")[0]) is not None


def row(model: str, name: str, times: str, ratio: str = "", error: str = "") -> str:
    """A row of the table."""
    label = f"{name} {version(COMPILERS[name][1])}"
    return f"| {' | '.join([model, label, times, ratio, error])} |"


def rows_of(model: str, rounds: int) -> list[str]:
    """The rows of a model."""
    module, examples = build(model)
    exported = torch.export.export(module, examples)
    inputs = [x.numpy() for x in examples]
    (exact,) = float64_outputs(module, examples)
    expected = exact.numpy()
    rows: list[str] = []
    calls, errors = dict[str, Call](), dict[str, float]()
    for name, (place, _, make) in COMPILERS.items():
        if installed(place):
            try:
                call = make(exported, inputs)
                error = np.abs(call() - expected).max() / np.abs(expected).max()
            # A compiler may raise anything; the others are timed without it.
            except Exception as problem:
                rows.append(row(model, name, "fails"))
                print(f"{model}, {name}: {problem}", file=sys.stderr)
                continue
            calls[name], errors[name] = call, float(error)
    turns = measure(
        {
            name: lambda call=call: python_turn(call, time.process_time)
            for name, call in calls.items()
        },
        rounds,
    )
    for name, found in turns.items():
        median, least = statistics.median(m for m, _ in found), min(t for _, t in found)
        pairs = zip(found, turns["DevProc"], strict=True)
        ratio = statistics.median(theirs / ours for (theirs, _), (ours, _) in pairs)
        times = f"{median:.1f} / {least:.1f}"
        rows.append(row(model, name, times, f"{ratio:.2f}", f"{errors[name]:.1e}"))
    return rows


def main() -> None:
    """Measure, print, and write the section where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    torch.set_num_threads(1)
    lines = list(HEAD)
    for model in args.models:
        lines += rows_of(model, args.rounds)
        print("\n".join(lines), flush=True)
    if args.write:
        command = " ".join(["python benchmarks/compilers.py", *sys.argv[1:]])
        write_section("Models beside other compilers", command, lines)


if __name__ == "__main__":
    main()
