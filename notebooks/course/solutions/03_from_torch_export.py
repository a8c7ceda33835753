"""Answers to lesson 3, and wrong ones with a part of the hint that each must get."""

import runpy
import sys
from pathlib import Path

from torch.export import ExportedProgram
from xdsl.ir import SSAValue

from devproc.dialects.nn.pointwise import (
    AddOp,
    DivOp,
    MaximumOp,
    MulOp,
    QuotientOp,
    SubOp,
)
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.frontends.torch_export.graph.builder import GraphBuilder
from devproc.ir.types import DTYPES


def operators(exported: ExportedProgram) -> list[str]:
    nodes = exported.graph.nodes
    return [str(node.target) for node in nodes if node.op == "call_function"]


def build_contrast(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:
    height, width = b.result.get_shape()[2:]
    count = b.scalar(float(height * width), DTYPES["float32"])
    total = b.emit(ReduceSumOp.over(x, [2, 3], keep=True))
    mean = b.emit(DivOp.build_op([total, count]))
    difference = b.emit(SubOp.build_op([x, mean]))
    scaled = b.emit(MulOp.build_op([difference, b.scalar(gain, DTYPES["float32"])]))
    return b.emit(AddOp.build_op([scaled, mean]))


def build_average(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    wide = DTYPES["int16"]
    total = b.emit(AddOp.build_op([b.cast(x, wide), b.cast(y, wide)]))
    total = b.emit(AddOp.build_op([total, b.scalar(1, wide)]))
    half = b.emit(QuotientOp.build_op([total, b.scalar(2, wide)]))
    return b.cast(half, DTYPES["uint8"])


def all_targets(exported: ExportedProgram) -> list[str]:
    return [str(node.target) for node in exported.graph.nodes]


def names_of_calls(exported: ExportedProgram) -> list[str]:
    return [n.name for n in exported.graph.nodes if n.op == "call_function"]


def without_inputs(exported: ExportedProgram) -> list[str]:
    return [str(n.target) for n in exported.graph.nodes if n.op != "placeholder"]


def each_once(exported: ExportedProgram) -> list[str]:
    return list(dict.fromkeys(operators(exported)))


def targets_themselves(exported: ExportedProgram) -> list:
    return [n.target for n in exported.graph.nodes if n.op == "call_function"]


def _contrast(b, x, gain, axes=(2, 3), keep=True, count=None, back=True):
    shape = b.result.get_shape()
    sizes = [shape[axis] for axis in axes]
    total = b.emit(ReduceSumOp.over(x, list(axes), keep=keep))
    for size in sizes if count is None else [count]:
        total = b.emit(
            DivOp.build_op([total, b.scalar(float(size), DTYPES["float32"])])
        )
    result = b.emit(SubOp.build_op([x, total]))
    result = b.emit(MulOp.build_op([result, b.scalar(gain, DTYPES["float32"])]))
    return b.emit(AddOp.build_op([result, total])) if back else result


def sum_for_mean(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:
    return _contrast(b, x, gain, count=1)


def axes_not_kept(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:
    return _contrast(b, x, gain, keep=False)


def mean_of_all(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:
    return _contrast(b, x, gain, axes=(0, 1, 2, 3))


def mean_not_added(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:
    return _contrast(b, x, gain, back=False)


def gain_not_used(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:
    return _contrast(b, x, 1.5)


def returns_the_mean(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:
    return b.emit(ReduceSumOp.over(x, [2, 3], keep=True))


def _average(b, x, y, dtype, one=1):
    wide = DTYPES[dtype]
    total = b.emit(AddOp.build_op([b.cast(x, wide), b.cast(y, wide)]))
    total = b.emit(AddOp.build_op([total, b.scalar(one, wide)]))
    return b.emit(QuotientOp.build_op([total, b.scalar(2, wide)]))


def rounds_in_bytes(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    return _average(b, x, y, "uint8")


def rounds_down(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    return b.cast(_average(b, x, y, "int16", 0), DTYPES["uint8"])


def stays_wide(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    return _average(b, x, y, "int16")


def signed_bytes(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    return b.cast(_average(b, x, y, "int8"), DTYPES["uint8"])


def takes_the_larger(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    return b.emit(MaximumOp.build_op([x, y]))


ANSWERS = {
    "operators": operators,
    "build_contrast": build_contrast,
    "build_average": build_average,
}
WRONG = [
    ("operators", all_targets, "an input or a weight is no operator"),
    ("operators", names_of_calls, "the operator is its target"),
    ("operators", without_inputs, "the output is no operator"),
    ("operators", each_once, "of a model that calls relu twice"),
    ("operators", targets_themselves, "return them as strings"),
    ("build_contrast", sum_for_mean, "a gray image has no contrast"),
    ("build_contrast", mean_not_added, "a gray image has no contrast"),
    ("build_contrast", axes_not_kept, "do not broadcast"),
    ("build_contrast", mean_of_all, "is the mean that of each channel alone?"),
    ("build_contrast", gain_not_used, "with a gain of 1, an image must stay"),
    ("build_contrast", returns_the_mean, "the exporter recorded"),
    ("build_average", rounds_in_bytes, "a byte ends at 255"),
    ("build_average", rounds_down, "the average of 20 and 41 is 31"),
    ("build_average", stays_wide, "tensor<5xi16>"),
    ("build_average", signed_bytes, "the average of 200 and 100 is 150"),
    ("build_average", takes_the_larger, "the average of 20 and 40 is 30"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
