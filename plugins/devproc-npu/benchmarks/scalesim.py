"""Cycles of the simulator beside those of ScaleSim, and the use of the array.

ScaleSim simulates what takes it seconds; its "Total Cycles" equal a formula there, which
gives those of the larger products. `--record` writes the simulated ones as the data of
`tests/test_cycles.py`.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from devproc_npu.estimate import estimate
from devproc_npu.isa import Type
from devproc_npu.machine import Machine
from devproc_npu.shapes import Convolution, Tiling, parts
from environment import SCALESIM, Environment, arguments, made
from layers import BERT, RESNET, RESNET_OTHER, Layer, measured, product

RECORDED = Path(__file__).parents[1] / "tests" / "scalesim_cycles.json"
ODD = (
    product("77 tokens, 768", 77, 768, 768),
    product("77 tokens, scores, 12 heads", 77, 77, 64, 12),
    product("first token", 1, 768, 768),
    product("3x3, 17 x 21, 67 to 100", 357, 100, 603),
)
SIMULATED = {layer.gemm for layer in ODD} | {
    (128, 768, 768),
    (128, 128, 64),
    (128, 64, 128),
    (784, 128, 64),
    (196, 256, 128),
    (49, 512, 256),
    (1, 1000, 512),
}
"""What takes ScaleSim two minutes in all."""
UNBOUND = 1 << 40
BOUNDLESS = Machine(
    scratchpad=1 << 25,
    accumulator=1 << 26,
    bandwidth=UNBOUND,
    rows=UNBOUND,
    latency=0,
    issue=0,
    lanes=UNBOUND,
    shadow=False,
)
"""Only the array takes time, one cycle aside for each move and vector instruction."""
CONFIGURATION = """
[general]
run_name: run
[architecture_presets]
ArrayHeight: 16
ArrayWidth: 16
IfmapSramSzkB: 128
FilterSramSzkB: 128
OfmapSramSzkB: 64
IfmapOffset: 0
FilterOffset: 10000000
OfmapOffset: 20000000
Dataflow: ws
ReadRequestBuffer: 32
WriteRequestBuffer: 32
[layout]
IfmapCustomLayout: False
IfmapSRAMBankBandwidth: 10
IfmapSRAMBankNum: 10
IfmapSRAMBankPort: 2
FilterCustomLayout: False
FilterSRAMBankBandwidth: 10
FilterSRAMBankNum: 10
FilterSRAMBankPort: 2
[sparsity]
SparsitySupport: false
[run_presets]
InterfaceBandwidth: CALC
UseRamulatorTrace: False
"""
SCRIPT = """
from scalesim.scale_sim import scalesim
scalesim(save_disk_space=True, verbose=False, config="run.cfg", topology="gemm.csv",
         layout="gemm.csv", input_type_gemm=True).run_scale(top_path="out")
"""


def formula(m: int, n: int, k: int) -> int:
    """ScaleSim's cycles: for each 16 x 16 weights, one after another, 16 to load them, `m`
    rows, and 30 until the last sums have left the array."""
    return parts(k, 16) * parts(n, 16) * (m + 46) - 1


def scalesim(
    environment: Environment, shapes: list[tuple[int, int, int]]
) -> dict[tuple[int, int, int], int]:
    """The "Total Cycles" that ScaleSim reports for products (m, n, k)."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.cfg").write_text(CONFIGURATION)
        rows = [f"{i},{m},{n},{k}," for i, (m, n, k) in enumerate(shapes)]
        (folder / "gemm.csv").write_text("\n".join(["Layer,M,N,K,", *rows, ""]))
        environment.run("python", "-c", SCRIPT, cwd=folder)
        report = (folder / "out" / "run" / "COMPUTE_REPORT.csv").read_text()
    found = csv.DictReader(report.splitlines(), skipinitialspace=True)
    return {
        shape: int(float(row["Total Cycles"]))
        for shape, row in zip(shapes, found, strict=True)
    }


def as_product(layer: Layer) -> Layer:
    """The product of a layer, its operands as matrices in memory."""
    m, n, k = layer.gemm
    constant = layer.convolution.constant
    return Layer(layer.name, Convolution(1, m, n, k, constant=constant), layer.count)


def compare(layer: Layer, cycles: dict[tuple[int, int, int], int]) -> str:
    """The row of a product."""
    m, n, k = layer.gemm
    scalesim_cycles = cycles.get(layer.gemm, formula(m, n, k))
    one = Layer(layer.name, layer.convolution)
    whole = Tiling(1, m, 16, k, "left")
    constant = measured(one, BOUNDLESS, whole)[1].cycles - scalesim_cycles
    serial = measured(layer, Machine(shadow=False))[1]
    shadow = measured(layer, Machine())[1]
    ratio = serial.cycles / layer.count / scalesim_cycles
    source = "simulated" if layer.gemm in cycles else "formula"
    return (
        f"| {layer.name} | {m} x {n} x {k} | {scalesim_cycles:,} | {source} "
        f"| {constant:+} | {ratio:.3f} | {shadow.cycles / layer.count:,.0f} "
        f"| {shadow.utilization:.1%} |"
    )


def convolve(layer: Layer) -> str:
    """The row of a convolution that the DMA engine unfolds."""
    c, machine = layer.convolution, Machine()
    serial = measured(layer, Machine(shadow=False))[1]
    tiling, shadow = measured(layer, machine)
    estimated = estimate(c, tiling, machine, Type.INT8)
    return (
        f"| {layer.name} | {c.channels} to {c.columns} "
        f"| {serial.cycles / formula(*layer.gemm):.3f} | {shadow.cycles:,} "
        f"| {estimated / shadow.cycles:.3f} | {shadow.utilization:.1%} |"
    )


def main() -> None:
    """Print both tables."""
    parser = arguments("scalesim", __doc__)
    parser.add_argument("--record", action="store_true", help="write the tests' data")
    options = parser.parse_args()
    environment = made(options.environment, SCALESIM)
    layers = [as_product(x) for x in (*BERT, *ODD, *RESNET_OTHER, *RESNET)]
    shapes = sorted({x.gemm for x in layers if x.gemm in SIMULATED})
    cycles = scalesim(environment, shapes)
    for shape, count in cycles.items():
        assert count == formula(*shape), (shape, count)
    if options.record:
        data = {"scalesim": "3.0.0", "cycles": [[*s, c] for s, c in cycles.items()]}
        RECORDED.write_text(json.dumps(data) + "\n")
    print(
        "| product | m x n x k | ScaleSim | | boundless | no shadow | shadow | use |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for layer in layers:
        print(compare(layer, cycles), flush=True)
    print(
        "\n| convolution | channels | no shadow | shadow | estimate | use |\n"
        "|---|---|---|---|---|---|"
    )
    for layer in (*RESNET, *RESNET_OTHER[:-1]):
        print(convolve(layer), flush=True)


if __name__ == "__main__":
    main()
