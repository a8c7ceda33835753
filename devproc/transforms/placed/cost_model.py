"""What an op costs on a device, and a value on its way: time from FLOPs and bytes.

A roofline with a fixed cost per launch. It only has to rank two devices, so its
constants are round numbers of current machines, not measurements of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from devproc.dialects.dev import TargetAttr, byte_size
from devproc.dialects.nn import scan
from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.elementary import UNARY as ELEMENTARY
from devproc.dialects.nn.loop import LoopOp
from devproc.ir.types import tensor_of


@dataclass(frozen=True)
class Machine:
    """A device as the model sees it; times in microseconds."""

    flops_per_us: float
    bytes_per_us: float
    launch_us: float


CPU_FLOPS_PER_BIT = 128.0
"""FLOP per microsecond, thread and bit of vector width: 65 GFLOP/s for 512 bits."""

CPU_THREAD_BYTES, CPU_BYTES = 12_000.0, 40_000.0
"""Bytes per microsecond from main memory: of one thread, and of all together."""

CPU_LAUNCH_US = 0.1
"""A call inside a native segment."""

CUDA = Machine(flops_per_us=40e6, bytes_per_us=3e6, launch_us=8.0)
"""A data-centre GPU in float32; a launch through Triton's launcher."""

COPY_LATENCY_US, COPY_BYTES_PER_US = 10.0, 20_000.0
"""A copy over PCIe from or to pageable memory, with its share of the sync."""

FUSED_SHARE = 0.25
"""Share of a launch that a pointwise op pays: most of them fuse with a neighbour."""

SCANS = tuple(op.name for op in scan.OPS)
"""Ops that hand results on from element to element."""

EFFICIENCY: Mapping[tuple[str, str], float] = {
    # Taps at computed places: loads one by one on the CPU, coalesced on the GPU.
    ("cpu", "nn.gather"): 0.1,
    ("cpu", "nn.resample"): 0.1,
    ("cpu", "nn.scatter"): 0.02,
    ("cpu", "nn.sort"): 0.02,
    # A maximum with its index, and a window's maximum, keep few vector lanes busy.
    ("cpu", "nn.argmax"): 0.1,
    ("cpu", "nn.max_pool2d"): 0.25,
    ("cpu", "nn.sum_pool2d"): 0.25,
    ("cuda", "nn.argmax"): 0.01,
    ("cuda", "nn.reduce_sum"): 0.05,
    ("cuda", "nn.reduce_max"): 0.05,
    ("cuda", "nn.reduce_prod"): 0.05,
    ("cuda", "nn.max_pool2d"): 0.1,
    ("cuda", "nn.sum_pool2d"): 0.1,
    **{("cpu", name): 0.1 for name in SCANS},
    **{("cuda", name): 0.05 for name in SCANS},
}
"""(device, op) -> share of the machine's FLOP rate that this kind of op reaches; 1/2
where not listed."""

SEVERAL_FLOPS = {
    **{op.name: 20 for op in ELEMENTARY},
    **dict.fromkeys(("nn.ceil", "nn.floor", "nn.round", "nn.trunc"), 1),
    **{"nn.pow": 60, "nn.atan2": 40, "nn.remainder": 20, "nn.quotient": 10},
    "nn.logcumsumexp": 40,
    **{"nn.exp": 12, "nn.div": 4, "nn.normalize": 3, "nn.softmax": 20},
}
"""Operations per element of pointwise ops that need more than one."""

ONE_FLOP = tuple(
    f"nn.{name}"
    for name in (
        *("abs", "add", "bitcast", "cast", "maximum", "minimum", "mul", "relu", "sqrt"),
        *("sub", "and", "eq", "le", "lt", "or", "shift_left", "shift_right", "where"),
        *("xor", "cummax", "cummin", "cumprod", "cumsum", "concat", "expand", "gather"),
        *("nms", "pad", "slice", "transpose"),
    )
)
"""Ops that count as one operation per element of the result, moves of elements too."""

NO_COST: Mapping[str, str] = {
    "nn.loop": "what its body costs, times its steps",
    "nn.yield": "it computes nothing",
}
"""op name -> why it has no cost of its own."""

FREE = frozenset({"nn.reshape"})
"""Ops that are only another view of the same bytes."""

ANCHORS = frozenset(
    {
        *SCANS,
        "nn.argmax",
        "nn.attention",
        "nn.concat",
        "nn.conv2d",
        "nn.gather",
        "nn.kth_value",
        "nn.linear",
        "nn.matmul",
        "nn.max_pool2d",
        "nn.nms",
        "nn.reduce_max",
        "nn.reduce_prod",
        "nn.reduce_sum",
        "nn.sum_pool2d",
        "nn.resample",
        "nn.scatter",
        "nn.slice",
        "nn.softmax",
        "nn.sort",
    }
)
"""Ops that always begin a kernel of their own."""


def machine_of(device: str, target: TargetAttr) -> Machine:
    """The machine behind a device of the target."""
    if device == "cuda":
        return CUDA
    threads = target.threads.data
    return Machine(
        flops_per_us=CPU_FLOPS_PER_BIT * target.vector_bits.data * threads,
        bytes_per_us=min(CPU_THREAD_BYTES * threads, CPU_BYTES),
        launch_us=CPU_LAUNCH_US,
    )


def _size(op: Operation, operand: int) -> int:
    return prod(tensor_of(op.operands[operand]).get_shape())


def _sums(op: Operation) -> int:
    """FLOPs of a sum of products: two for each result and summed element."""
    shape = tensor_of(op.operands[1]).get_shape()
    summed = {"nn.linear": shape[-1:], "nn.matmul": shape[-2:-1]}
    return 2 * _results(op) * prod(summed.get(op.name, shape[1:]))


def _attention(op: Operation) -> int:
    """FLOPs of the two products of attention."""
    *_, keys, values = tensor_of(op.operands[2]).get_shape()
    depth = tensor_of(op.operands[0]).get_shape()[-1]
    return 2 * _results(op) // values * keys * (depth + values)


def _results(op: Operation) -> int:
    return sum(prod(tensor_of(result).get_shape()) for result in op.results)


def _updates(op: Operation) -> int:
    """How many updates there are: in the axis those of the index, else the results."""
    axis, shape = int_of(op.properties["axis"]), tensor_of(op.results[0]).get_shape()
    return _results(op) // max(shape[axis], 1) * _index_size(op)


def _index_size(op: Operation) -> int:
    """How many updates of a scatter an element of the result may look at."""
    axis = int_of(op.properties["axis"])
    return tensor_of(op.operands[2]).get_shape()[axis]


def _comparisons(op: Operation) -> int:
    """Of a sort that compares two elements at a time."""
    last = tensor_of(op.operands[0]).get_shape()[-1]
    return _size(op, 0) * max(last - 1, 1).bit_length()


def _pairs(op: Operation) -> int:
    """Of comparing all elements of a row with all."""
    return 8 * _size(op, 0) * tensor_of(op.operands[0]).get_shape()[-1]


FLOPS: Mapping[str, Callable[[Operation], int]] = {
    "nn.attention": _attention,
    "nn.conv2d": _sums,
    "nn.kth_value": lambda op: 32 * _size(op, 0),
    "nn.linear": _sums,
    "nn.matmul": _sums,
    "nn.max_pool2d": lambda op: _results(op) * prod(ints(op.properties["kernel"])),
    "nn.resample": lambda op: (
        2 * _results(op) * tensor_of(op.operands[2]).get_shape()[1]
    ),
    "nn.scatter": lambda op: 2 * _updates(op),
    "nn.sort": lambda op: 4 * _comparisons(op),
    "nn.argmax": lambda op: _size(op, 0),
    "nn.reduce_max": lambda op: _size(op, 0),
    "nn.reduce_prod": lambda op: _size(op, 0),
    "nn.reduce_sum": lambda op: _size(op, 0),
    "nn.sum_pool2d": lambda op: _results(op) * prod(ints(op.properties["kernel"])),
}
"""op name -> its FLOPs; other ops take the same number for each element."""

DEVICE_FLOPS: Mapping[str, Callable[[Operation], int]] = {
    "nn.scatter": lambda op: 2 * _results(op) * _index_size(op),
    "nn.kth_value": _pairs,
    "nn.sort": _pairs,
}
"""The same for ops that do more on a GPU, where no element waits for another."""


@dataclass(frozen=True)
class Work:
    """What an op does: operations, and bytes it touches."""

    flops: int
    byte_count: int

    def __str__(self) -> str:
        return f"{si(self.flops)}FLOP, {si(self.byte_count)}B"


def work_of(op: Operation, device: str = "cpu") -> Work:
    """The work of an `nn` op."""
    if op.name in FREE:
        return Work(0, 0)
    if isinstance(op, LoopOp):
        parts = [work_of(child, device) for child in computed_in(op)]
        return Work(
            op.step_count * sum(part.flops for part in parts),
            op.step_count * sum(part.byte_count for part in parts),
        )
    count = FLOPS.get(op.name)
    if device != "cpu":
        count = DEVICE_FLOPS.get(op.name, count)
    flops = count(op) if count else _results(op) * SEVERAL_FLOPS.get(op.name, 1)
    values = (*dict.fromkeys(op.operands), *op.results)
    return Work(flops, sum(byte_size(value.type) for value in values))


def computed_in(op: LoopOp) -> list[Operation]:
    """The ops of a loop's body that compute something."""
    return [child for child in op.body.block.ops if child.operands and child.results]


def op_time(op: Operation, device: str, target: TargetAttr) -> float:
    """Microseconds of an op on a device."""
    if op.name in FREE:
        return 0.0
    if isinstance(op, LoopOp):
        step = sum(op_time(child, device, target) for child in computed_in(op))
        return op.step_count * step
    machine, work = machine_of(device, target), work_of(op, device)
    rate = machine.flops_per_us * EFFICIENCY.get((device, op.name), 0.5)
    share = 1.0 if op.name in ANCHORS else FUSED_SHARE
    busy = max(work.flops / rate, work.byte_count / machine.bytes_per_us)
    return machine.launch_us * share + busy


def copy_time(byte_count: int) -> float:
    """Microseconds of a copy between host and device."""
    return COPY_LATENCY_US + byte_count / COPY_BYTES_PER_US


def si(number: float) -> str:
    """A number with three digits and its decimal prefix: `1.23 M`."""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            return f"{number / scale:.3g} {unit}"
    return f"{number:.3g} "
