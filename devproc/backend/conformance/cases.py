"""Cases: one op in one dtype, with sizes and values."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, StringAttr, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.exceptions import VerifyException

from devproc.backend.conformance.samples import (
    SAMPLES,
    Sample,
)
from devproc.backend.conformance.values import draw
from devproc.dialects.nn import NN
from devproc.dialects.nn.base import NNOp, int_array, int_attr
from devproc.ir.dtypes import DTYPE_NAMES
from devproc.ir.types import tensor
from devproc.reference.conversion.arrays import TORCH_DTYPES

VARIANTS = ("odd", "special", "empty")
"""Random values in odd shapes; NaN, infinities, zeros and extremes; a leading size of 0."""

ODD = (1, 3, 5, 7, 9, 17)
WINDOW_SIZES = (6, 7, 9, 11)

OPS: Mapping[str, type[NNOp]] = {
    op.name: cast(type[NNOp], op) for op in NN.operations if op.name in SAMPLES
}


@dataclass(frozen=True)
class Case:
    """An op with the values of its operands."""

    name: str
    dtype: str
    variant: str
    properties: Mapping[str, Attribute]
    inputs: tuple[torch.Tensor, ...]

    def __str__(self) -> str:
        names = {dtype: name for name, dtype in TORCH_DTYPES.items()}
        shown = [f"{names[v.dtype]}{[*v.shape]}" for v in self.inputs]
        given = ", ".join(f"{n} = {v}" for n, v in self.properties.items())
        return f"{self.variant}: {' '.join(shown)}{given and ' ' + given}"

    def build(self, block: Block, first: int = 0) -> NNOp:
        """The op on arguments of a block from `first` on; raises VerifyException."""
        operands = block.args[first : first + len(self.inputs)]
        return OPS[self.name].build_op(operands, self.properties)

    def types(self) -> list[Attribute]:
        """The types of the inputs."""
        names = {dtype: name for name, dtype in TORCH_DTYPES.items()}
        return [tensor(names[value.dtype], value.shape) for value in self.inputs]


def cases_of(name: str, dtypes: Sequence[str] = DTYPE_NAMES) -> Iterator[Case]:
    """The cases of an op that its verifier accepts; they are the same in every run."""
    for number, sample in enumerate(SAMPLES[name]):
        fixed = [operand.dtype for operand in sample.operands]
        # One whose dtypes are all given has one case.
        for dtype in dtypes if "" in fixed else set(fixed[:1]).intersection(dtypes):
            for variant in VARIANTS if sample.special else ("odd", "empty"):
                case = _case(name, sample, dtype, variant, f"{name} {number} {dtype}")
                if case is not None and _is_valid(case):
                    yield case


def module_of(cases: Sequence[Case]) -> ModuleOp:
    """A module at the stage `tensor`, whose `@main` returns all results of all cases."""
    block = Block(arg_types=[type_ for case in cases for type_ in case.types()])
    results: list[Any] = []
    first = 0
    for case in cases:
        op = case.build(block, first)
        first += len(case.inputs)
        block.add_op(op)
        results += op.results
    block.add_op(ReturnOp(*results))
    types = (block.arg_types, [value.type for value in results])
    main = FuncOp("main", types)
    main.body.detach_block(main.body.block)
    main.body.add_block(block)
    return ModuleOp([main])


def op_of(case: Case) -> Operation:
    """The op alone, as `Backend.legal` may be asked about it."""
    return case.build(Block(arg_types=case.types()))


def _is_valid(case: Case) -> bool:
    try:
        op_of(case).verify()
    except VerifyException:
        return False
    return True


def _case(
    name: str, sample: Sample, dtype: str, variant: str, seed: str
) -> Case | None:
    """A case; None if the sample has no size to be 0."""
    sizes = _draw_sizes(sample, random.Random(f"{seed} {variant}"))
    if variant == "empty":
        if not sizes:
            return None
        sizes[min(sizes)] = 0
    generator = torch.Generator().manual_seed(len(seed) + 31 * VARIANTS.index(variant))
    special = variant == "special"
    inputs = tuple(draw(o, dtype, sizes, special, generator) for o in sample.operands)
    properties = {
        key: _attribute(value(sizes, dtype) if callable(value) else value)
        for key, value in sample.properties.items()
    }
    return Case(name, dtype, variant, properties, inputs)


def _draw_sizes(sample: Sample, source: random.Random) -> dict[str, int]:
    tokens = {t for operand in sample.operands for t in operand.shape.split()}
    letters = sorted(token for token in tokens if token.isalpha())
    return {
        letter: source.choice(WINDOW_SIZES if letter in "hw" else ODD)
        for letter in letters
    }


def _attribute(value: Any) -> Attribute:
    if isinstance(value, Attribute):
        return value
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, int):
        return int_attr(value)
    if any(isinstance(number, float) for number in value):
        return DenseArrayBase.from_list(f64, value)
    return int_array(value)
