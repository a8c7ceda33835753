"""Our estimate beside that of Vela for Arm's Ethos-U85 with 256 MAC units.

Both machines multiply 256 pairs of int8 per cycle at 1 GHz. Vela's `cycles_npu` is the
time of the units, `cycles_total` that of the network with its memories: 384 KB on the chip,
and DRAM of 12 bytes per cycle, where ours has 256 KB and 16 bytes per cycle. Weights are
random, so that Vela cannot compress them.
"""

from __future__ import annotations

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from devproc_npu.estimate import estimate
from devproc_npu.isa import Type
from devproc_npu.machine import COLUMNS, ROWS, Machine
from devproc_npu.tiling import best_tiling
from environment import VELA, Environment, arguments, made
from layers import BERT, RESNET, RESNET_OTHER, Layer
from tosa_graph import Graph

OPTIONS = (
    "--accelerator-config=ethos-u85-256",
    "--config=Arm/vela.ini",
    "--system-config=Ethos_U85_SYS_DRAM_Mid",
    "--memory-mode=Dedicated_Sram_384KB",
    "--output-format=raw",
    "--optimise=Performance",
    "--output-dir=.",
)


def graph_of(layer: Layer) -> tuple[Graph, str]:
    """A layer with its rescale: a convolution, or a batch of products of two inputs."""
    c, random, graph = layer.convolution, np.random.default_rng(0), Graph()
    scale = np.array([1 << 30], np.int32), np.array([40], np.int8)
    if not c.constant:
        a = graph.input((layer.count, c.width, c.channels))
        b = graph.input((layer.count, c.channels, c.columns))
        return graph, graph.rescale(graph.matmul(a, b), *scale, "i8")
    weight = random.integers(-128, 128, (c.columns, *c.kernel, c.channels), np.int8)
    bias = np.zeros(c.columns, np.int32)
    before = [k // 2 for k in c.kernel]
    after = [max(0, b - (c.stride - 1)) for b in before]
    size = [
        (n - 1) * c.stride + k - b - a
        for n, k, b, a in zip((c.lines, c.width), c.kernel, before, after, strict=True)
    ]
    image = graph.input((1, *size, c.channels))
    padding = [before[0], after[0], before[1], after[1]]
    sums = graph.conv2d(image, weight, bias, c.stride, padding)
    return graph, graph.rescale(sums, *scale, "i8")


def vela(environment: Environment, layer: Layer) -> tuple[float, float]:
    """Cycles of the units, and of the whole, that Vela estimates for a layer."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        graph, result = graph_of(layer)
        file = graph.file(environment, result, folder)
        environment.run("vela", file, *OPTIONS, cwd=folder)
        summary = next(folder.glob("*summary*.csv")).read_text()
    row = next(csv.DictReader(summary.splitlines()))
    return float(row["cycles_npu"]), float(row["cycles_total"])


def compare(environment: Environment, layer: Layer) -> str:
    """The row of a layer."""
    c, machine = layer.whole, Machine()
    ours = estimate(c, best_tiling(c, machine, Type.INT8), machine, Type.INT8)
    units, total = vela(environment, layer)
    least = layer.multiplications / (ROWS * COLUMNS)
    m, n, k = layer.gemm
    return (
        f"| {layer.name} | {m} x {n} x {k} | {ours:,.0f} | {least / ours:.1%} "
        f"| {units:,.0f} | {least / units:.1%} | {total:,.0f} | {least / total:.1%} |"
    )


def main() -> None:
    """Print the table."""
    environment = made(arguments("vela", __doc__).parse_args().environment, VELA)
    print(
        "| layer | m x n x k | ours | use | Vela, units | use | Vela, whole | use |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for layer in (*BERT, *RESNET, *RESNET_OTHER):
        print(compare(environment, layer), flush=True)


if __name__ == "__main__":
    main()
