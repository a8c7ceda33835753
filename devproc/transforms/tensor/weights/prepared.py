"""Parts that `@prepare` makes of constant weights for `quantize-weights`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.constant import WeightOp
from devproc.ir.verification.verify import PREPARE
from devproc.ir.weight_format import HALVES, WeightFormat
from devproc.ir.weights.prepare import extend_prepare


def ops_outside_of_prepare(module: ModuleOp) -> Iterator[Operation]:
    """The ops of all functions but `@prepare`."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data != PREPARE:
            yield from function.walk()


def is_wider(dtype: str, stored: WeightFormat) -> bool:
    """Whether weights of a dtype may be stored in the format."""
    return dtype == "float32" or (stored.is_integer and dtype in HALVES)


@dataclass
class PreparedParts:
    """The stored forms of the weights of one module, each made once."""

    module: ModuleOp
    made: dict[tuple[str, bool], Sequence[tuple[str, str]]] = field(
        default_factory=dict[tuple[str, bool], Sequence[tuple[str, str]]]
    )
    """Names and hashes of the parts, by the weight and whether it is transposed."""

    def of(
        self,
        weight: WeightOp,
        is_transposed: bool,
        ops: Sequence[Operation],
        parts: Sequence[SSAValue],
    ) -> list[WeightOp]:
        """The parts of a weight that `ops` compute, as weights of the program."""
        key = (weight.weight_name, is_transposed)
        if key not in self.made:
            for op in ops:
                op.location = weight.location
            self.made[key] = extend_prepare(self.module, ops, parts)
        names = zip(self.made[key], parts, strict=True)
        weights = [WeightOp(*name, part.type) for name, part in names]
        for each in weights:
            each.result.name_hint = weight.result.name_hint
        return weights
