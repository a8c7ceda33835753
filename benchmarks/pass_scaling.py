"""Compile time by pass: BERT-base, and programs of 100, 1,000 and 10,000 ops.

The programs have five shapes: a chain, a wide fan-out that is summed up, residual blocks,
many small matrix products, and such products whose results all live to the end. Times are
of the process (`time.process_time`), so other work on the machine counts little. A pass
whose time per op grows to more than twice from 1,000 to 10,000 ops is flagged: it is not
linear. `--model` measures BERT-base with random weights, 128 tokens; the export is not
counted. Writes into `benchmarks/RESULTS.md`.

    python benchmarks/pass_scaling.py
    python benchmarks/pass_scaling.py --model
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from results import write_section
from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.dev import TargetAttr
from devproc.driver import make_context, parse_module, run_stages, stages_between

SIZES = (100, 1_000, 10_000)
MOST_GROWTH = 2.0
LEAST_SECONDS = 0.02
"""Below this, at 10,000 ops, growth is noise and not flagged."""

PYTHON_GOAL = 2.0
"""Seconds for importing and optimising BERT-base."""

T = "tensor<8x16xf32>"
ROW = "tensor<8x1xf32>"
SQUARE = "tensor<16x16xf32>"


def chain(count: int) -> Iterator[str]:
    """Each op reads the one before."""
    yield f"%v0 = nn.add %x, %y : ({T}, {T}) -> {T}"
    for i in range(1, count):
        kind = ("mul", "add", "sub")[i % 3]
        yield f"%v{i} = nn.{kind} %v{i - 1}, %y : ({T}, {T}) -> {T}"
    yield f"func.return %v{count - 1} : {T}"


def fan_out(count: int) -> Iterator[str]:
    """Half of the ops read one value, the other half sums them up in a tree."""
    half = count // 2
    level = []
    for i in range(half):
        yield f"%v{i} = nn.constant dense<{i}.0> : tensor<f32> : tensor<f32>"
        yield f"%m{i} = nn.mul %x, %v{i} : ({T}, tensor<f32>) -> {T}"
        level.append(f"%m{i}")
    number = 0
    while len(level) > 1:
        pairs = list(zip(level[::2], level[1::2], strict=False))
        rest = level[2 * len(pairs) :]
        level = []
        for a, b in pairs:
            yield f"%s{number} = nn.add {a}, {b} : ({T}, {T}) -> {T}"
            level.append(f"%s{number}")
            number += 1
        level += rest
    yield f"func.return {level[0]} : {T}"


def residual(count: int) -> Iterator[str]:
    """Blocks of four ops: a row sum, a difference, a product, and the sum with the input."""
    last = "%x"
    for i in range(count // 4):
        yield f"%r{i} = nn.reduce_sum {last} axes [1] keep 1 : ({T}) -> {ROW}"
        yield f"%d{i} = nn.sub {last}, %r{i} : ({T}, {ROW}) -> {T}"
        yield f"%p{i} = nn.mul %d{i}, %y : ({T}, {T}) -> {T}"
        yield f"%a{i} = nn.add {last}, %p{i} : ({T}, {T}) -> {T}"
        last = f"%a{i}"
    yield f"func.return {last} : {T}"


def matmuls(count: int) -> Iterator[str]:
    """Pairs of a matrix product and an addition."""
    last = "%x"
    for i in range(count // 2):
        yield f"%m{i} = nn.matmul {last}, %w : ({T}, {SQUARE}) -> {T}"
        yield f"%a{i} = nn.add %m{i}, %y : ({T}, {T}) -> {T}"
        last = f"%a{i}"
    yield f"func.return {last} : {T}"


def recurrent(count: int) -> Iterator[str]:
    """Pairs of a product with the state and an addition; all states live to the end."""
    last, states = "%x", ["%x"]
    for i in range(count // 2):
        yield f"%m{i} = nn.matmul {last}, %w : ({T}, {SQUARE}) -> {T}"
        yield f"%a{i} = nn.add %m{i}, %y : ({T}, {T}) -> {T}"
        last = f"%a{i}"
        states.append(last)
    types = ", ".join([T] * len(states))
    joined = f"tensor<{8 * len(states)}x16xf32>"
    yield f"%j = nn.concat {', '.join(states)} axis 0 : ({types}) -> {joined}"
    yield f"%s = nn.reduce_sum %j axes [0] keep 1 : ({joined}) -> tensor<1x16xf32>"
    yield f"%o = nn.add %x, %s : ({T}, tensor<1x16xf32>) -> {T}"
    yield f"func.return %o : {T}"


SHAPES: Mapping[str, Callable[[int], Iterator[str]]] = {
    "chain": chain,
    "fan-out": fan_out,
    "residual": residual,
    "matmuls": matmuls,
    "recurrent": recurrent,
}


def program(shape: str, count: int) -> ModuleOp:
    """A module at the stage `tensor` whose @main has about `count` ops."""
    body = "\n".join(SHAPES[shape](count))
    names = [
        f'%{n} : {t} {{dev.name = "{n}"}}'
        for n, t in (("x", T), ("y", T), ("w", SQUARE))
    ]
    text = (
        f'func.func @main({", ".join(names)}) -> ({T} {{dev.name = "out"}}) {{\n'
        f"{body}\n}}"
    )
    module = parse_module(text)
    module.attributes["devproc.target"] = TargetAttr.get(threads=2)
    return module


def seconds_by_pass(module: ModuleOp, last: str | None) -> dict[str, float]:
    """Process seconds of every pass and of the verification of every stage."""
    times: dict[str, float] = {}
    for stage in stages_between(None, last):
        for record in run_stages(
            module, make_context(), [stage], clock=time.process_time
        ):
            for name, seconds in record.seconds.items():
                key = f"verify {stage.name}" if name == "verify" else name
                times[key] = seconds
    return times


def measure_shapes(last: str | None, sizes: tuple[int, ...]) -> list[str]:
    """The table of all shapes, one row for each pass, in microseconds per op."""
    lines = []
    for shape in SHAPES:
        run = {}
        for count in sizes:
            module = program(shape, count)
            gc.collect()
            gc.disable()
            run[count] = seconds_by_pass(module, last)
            gc.enable()
        header = " | ".join(f"{count:,}" for count in sizes)
        lines += ["", f"{shape}: microseconds per op", "", f"| pass | {header} | |"]
        lines += ["|---" * (len(sizes) + 2) + "|"]
        for name in run[sizes[-1]]:
            per_op = [run[count][name] / count * 1e6 for count in sizes]
            growth = per_op[-1] / max(per_op[-2], 1e-3)
            slow = run[sizes[-1]][name] > LEAST_SECONDS and growth > MOST_GROWTH
            cells = " | ".join(f"{value:.1f}" for value in per_op)
            flag = f"grows {growth:.1f}x" if slow else ""
            lines.append(f"| {name} | {cells} | {flag} |")
        totals = [sum(run[count].values()) / count * 1e6 for count in sizes]
        cells = " | ".join(f"{value:.1f}" for value in totals)
        lines.append(f"| all | {cells} | |")
    return lines


def measure_model() -> list[str]:
    """BERT-base: import, the passes up to the kernels, and the later stages."""
    import torch
    import transformers

    import devproc
    from devproc.source import read_source

    torch.manual_seed(0)
    config = transformers.BertConfig(attn_implementation="sdpa")  # pyright: ignore[reportCallIssue]
    model = transformers.BertModel(config).eval()
    ids = torch.randint(0, 30_000, (1, 128))
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    with torch.no_grad():
        exported = torch.export.export(model, (), inputs)
    # The first compilation pays for imports of Python modules.
    devproc.compile(torch.export.export(torch.nn.ReLU(), (torch.ones(3),)), cache=False)
    gc.disable()
    start = time.process_time()
    source = read_source(exported)
    imported = time.process_time() - start
    source.module.attributes["devproc.target"] = TargetAttr.get(threads=2)
    lines = ["| stage | pass | s |", "|---|---|---|", f"| import | | {imported:.3f} |"]
    optimised = imported
    reached = False
    for stage in stages_between(None, None):
        (record,) = run_stages(
            source.module, make_context(), [stage], clock=time.process_time
        )
        for name, seconds in record.seconds.items():
            lines.append(f"| {stage.name} | {name} | {seconds:.3f} |")
        if not reached:
            optimised += record.total_seconds
        if stage.name == "kernels":
            reached = True
            lines.append(
                f"| import to kernels | (goal {PYTHON_GOAL}) | {optimised:.3f} |"
            )
    return lines


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="store_true", help="measure BERT-base")
    parser.add_argument("--to-stage", help="stop the synthetic programs there")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest program")
    given = parser.parse_args()
    if given.model:
        write_section(
            "Compile time of BERT-base by pass",
            "python benchmarks/pass_scaling.py --model",
            measure_model(),
        )
        return
    sizes = tuple(size for size in SIZES if size <= given.most)
    write_section(
        "Time per op by pass",
        "python benchmarks/pass_scaling.py",
        measure_shapes(given.to_stage, sizes),
    )


if __name__ == "__main__":
    main()
