"""Compares each op of a compiled program with its reference in PyTorch.

The program is compiled a second time with the results of all ops as outputs (`add_taps`).
There are two differences for each op: the *local* one, to its reference on our operands,
shows whether this op is correct; the *accumulated* one, to that of the whole program, shows
how far errors have grown. The outputs of the program as it normally runs, fused, are compared
as well, and the results of the exported program's nodes, if given, with the ops of their names.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch
from rich.box import SIMPLE
from rich.table import Table
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import HostCallOp
from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.loop import LoopOp
from devproc.ir.text.location import describe_location
from devproc.ir.types import is_known_dtype, tensor_of
from devproc.ir.weights.table import WeightTable
from devproc.op_rules.base.tolerances import Tolerance
from devproc.op_rules.facets import tables
from devproc.op_rules.gather import reads_24_bits
from devproc.reference.conversion.arrays import TORCH_DTYPES, to_torch
from devproc.reference.conversion.tensors import type_of
from devproc.reference.run.interpreter import evaluate, evaluate_op
from devproc.report.rendering import Rendered
from devproc.runtime.calls.interface import Interface, TensorSpec
from devproc.runtime.calls.named_inputs import check_names
from devproc.runtime.calls.tensors import check_tensors
from devproc.runtime.execution.host_reader import find_function

if TYPE_CHECKING:
    from devproc.frontends.torch_export.evaluation import Evaluation

Runner: TypeAlias = Callable[[ModuleOp], Sequence[torch.Tensor]]
"""Compiles a module at the `tensor` stage and returns its outputs for the sample."""

TOLERANCE: Mapping[torch.dtype, float] = {
    torch.float64: 64 * 2.0**-52,
    torch.float32: 64 * 2.0**-23,
    torch.float16: 4 * 2.0**-10,
    torch.bfloat16: 4 * 2.0**-7,
}
"""Tolerated relative error of an op; integers and bools must be equal."""

OUTPUT_FACTOR = 16
"""The factor by which the tolerance of a whole program is larger."""


@dataclass(frozen=True)
class Difference:
    """The difference of two tensors of one shape and dtype; infinite if a NaN or infinity is
    in one of them alone. `max_absolute` and `max_relative` are the largest errors of an
    element, `excess` is the largest one in units of the tolerance.
    """

    max_absolute: float
    max_relative: float
    excess: float

    @property
    def tolerable(self) -> bool:
        """Whether every element is within the tolerance."""
        return self.excess <= 1


@dataclass(frozen=True)
class Comparison:
    """An op or output: its `name`, `where` and `type`, its `local` and `accumulated` error."""

    name: str
    where: str
    type: str
    local: Difference
    accumulated: Difference
    exported: Difference | None = None
    """The difference to the node of the exported program with this name and line."""


@dataclass(frozen=True, repr=False)
class Verification(Rendered):
    """All `ops` and the `outputs` of the fused program, in order; prints as `table`."""

    ops: tuple[Comparison, ...]
    outputs: tuple[Comparison, ...]

    @property
    def passed(self) -> bool:
        """Whether every op, and every output of the fused program, is within the tolerance."""
        return all(c.local.tolerable for c in (*self.ops, *self.outputs)) and all(
            c.exported is None or c.exported.tolerable for c in self.outputs
        )

    @property
    def first_differing(self) -> Comparison | None:
        """The first op of the program whose local difference exceeds the tolerance."""
        return next((c for c in self.ops if not c.local.tolerable), None)

    def __rich__(self) -> Table:
        return self.table()

    def __repr__(self) -> str:
        return f"<Verification {self.summary()}>"

    def table(self, limit: int | None = 20) -> Table:
        """The ops with the largest local errors, then the outputs: the largest absolute and
        relative local error, and the absolute accumulated one.
        """
        ranked = sorted(self.ops, key=lambda c: c.local.excess, reverse=True)
        table = Table(
            title=f"{len(self.ops)} ops, the largest local error first", box=SIMPLE
        )
        table.add_column("op", no_wrap=True)
        table.add_column("where", overflow="fold")
        nodes = any(c.exported for c in (*self.ops, *self.outputs))
        extra = ("PyTorch",) if nodes else ()
        headers = ("type", "local", "relative", "whole", *extra, "")
        for header in headers:
            table.add_column(header, justify="right", no_wrap=True)
        for comparison in ranked[:limit]:
            table.add_row(*_cells(comparison, self.first_differing, nodes))
        table.add_section()
        for comparison in self.outputs:
            table.add_row(*_cells(comparison, None, nodes))
        return table

    def summary(self) -> str:
        """One sentence: success, or the first differing op, its location and difference."""
        first = self.first_differing
        if first is not None:
            wrong = sum(not c.local.tolerable for c in self.ops)
            return (
                f"{first.name} ({first.where}) differs first: by "
                f"{first.local.max_absolute:.3g} from its reference on the same "
                f"operands; {wrong} of {len(self.ops)} ops differ"
            )
        bad = [c for c in self.outputs if not c.local.tolerable]
        if bad:
            return (
                f"each of {len(self.ops)} ops alone agrees with its reference, but "
                f"{bad[0].name} of the fused program differs by "
                f"{bad[0].local.max_absolute:.3g}: a fused kernel is wrong"
            )
        far = [c for c in self.outputs if c.exported and not c.exported.tolerable]
        if far and far[0].exported:
            return (
                f"the program is compiled as it is, but {far[0].name} differs by "
                f"{far[0].exported.max_absolute:.3g} from the exported program in PyTorch"
            )
        agree = f"all {len(self.ops)} ops and {len(self.outputs)} outputs agree"
        count = sum(c.exported is not None for c in self.ops)
        if any(c.exported for c in self.outputs):
            agree += f", {count} ops and the outputs also with the exported program"
        return agree


def sample_inputs(
    interface: Interface, given: Mapping[str, object], seed: int
) -> list[torch.Tensor]:
    """The given inputs as tensors, and random values for the others.

    Random floats are normally distributed, bytes uniform, other integers small. Raises
    InputError for an input that does not fit.
    """
    unknown = [n for n in given if n not in {spec.name for spec in interface.inputs}]
    if unknown:
        check_names(interface, given, "verify")
    generator = torch.Generator().manual_seed(seed)
    values = [
        given[spec.name] if spec.name in given else _random(spec, generator)
        for spec in interface.inputs
    ]
    return check_tensors(interface.inputs, values)


def initial_states(interface: Interface, weights: WeightTable) -> list[torch.Tensor]:
    """The states of a program before its first call, in order."""
    return [to_torch(weights.array(s.name), s.dtype) for s in interface.states]


def _random(spec: TensorSpec, generator: torch.Generator) -> torch.Tensor:
    dtype = TORCH_DTYPES[spec.dtype]
    if dtype.is_floating_point:
        return torch.randn(spec.shape, generator=generator).to(dtype)
    top = {torch.uint16: 65536, torch.uint8: 256, torch.bool: 2}.get(dtype, 10)
    return torch.randint(top, spec.shape, generator=generator).to(dtype)


def add_taps(module: ModuleOp) -> ModuleOp:
    """A copy whose `@main` also returns the results of tapped ops, in order.

    They follow its own results and are named `tap.0`, `tap.1`, ...
    """
    copy = module.clone()
    main = find_function(copy, "main")
    taps = [value for op in tapped_ops(main) for value in op.results]
    last = main.body.block.last_op
    assert isinstance(last, ReturnOp)
    values = [*last.arguments, *taps]
    names = [
        DictionaryAttr({"dev.name": StringAttr(f"tap.{i}")}) for i in range(len(taps))
    ]
    main.properties["res_attrs"] = ArrayAttr([*_result_attributes(main), *names])
    main.body.block.insert_op_before(ReturnOp(*values), last)
    last.detach()
    last.erase()
    main.update_function_type()
    return copy


def tapped_ops(main: FuncOp) -> list[Operation]:
    """The ops whose results are compared, in order."""
    return [op for op in main.body.block.ops if is_tapped(op)]


def is_tapped(op: Operation) -> bool:
    """Whether an op is compared: any whose results a program can return."""
    if isinstance(op, HostCallOp):
        return all(is_known_dtype(tensor_of(r).element_type) for r in op.results)
    return isinstance(op, NNOp | LoopOp)


def compare_ops(
    module: ModuleOp,
    weights: WeightTable,
    inputs: Sequence[torch.Tensor],
    run: Runner,
    exported: Evaluation | None = None,
) -> Verification:
    """Runs a module at the `tensor` stage, with and without taps, and compares.

    `weights` includes the results of `@prepare`; `exported` holds those of PyTorch.
    """
    main = find_function(module, "main")
    last = main.body.block.last_op
    assert isinstance(last, ReturnOp)
    chain: dict[SSAValue, torch.Tensor] = {}
    wanted = evaluate(
        main, inputs, weights, lambda op, values: chain.update(zip(op.results, values))
    )
    # A program without inputs returns arrays.
    outputs = [torch.as_tensor(value) for value in run(add_taps(module))]
    ours = dict[SSAValue, torch.Tensor](zip(main.body.block.args, inputs, strict=True))
    taps = iter(outputs[len(wanted) :])
    nodes = exported.match(tapped_ops(main)) if exported else {}
    comparisons: list[Comparison] = []
    for op in main.body.block.ops:
        if is_tapped(op):
            found = tuple(next(taps) for _ in op.results)
            comparisons += _compare_op(op, found, ours, chain, weights, nodes)
        elif op is not last:
            found = evaluate_op(op, [ours[v] for v in op.operands], weights)
        else:
            break
        ours.update(zip(op.results, found, strict=True))
    returned = [
        _compare_output(f"output '{name}'", found, reference, theirs)
        for name, found, reference, theirs in zip(
            _output_names(main),
            map(torch.as_tensor, run(module)),
            wanted,
            exported.outputs if exported else [None] * len(wanted),
            strict=True,
        )
    ]
    return Verification(tuple(comparisons), tuple(returned))


def _compare_op(
    op: Operation,
    found: Sequence[torch.Tensor],
    ours: Mapping[SSAValue, torch.Tensor],
    chain: Mapping[SSAValue, torch.Tensor],
    weights: WeightTable,
    nodes: Mapping[SSAValue, torch.Tensor],
) -> list[Comparison]:
    operands = [ours[operand] for operand in op.operands]
    references = evaluate_op(op, operands, weights)
    magnitude, tolerance = None, tables.rule_of(tables.TOLERANCE, op)
    is_exact = tolerance is Tolerance.EXACT and not reads_24_bits(op)
    if tolerance is Tolerance.SUMMED:
        (magnitude,) = evaluate_op(op, [value.abs() for value in operands], weights)
    return [
        Comparison(
            op.name,
            describe_location(op.location),
            _describe(value),
            difference(value, reference, magnitude, is_exact=is_exact),
            difference(value, chain[result], magnitude),
            difference(value, nodes[result], magnitude) if result in nodes else None,
        )
        for value, reference, result in zip(found, references, op.results, strict=True)
    ]


def _compare_output(
    name: str,
    found: torch.Tensor,
    reference: torch.Tensor,
    theirs: torch.Tensor | None,
) -> Comparison:
    far = difference(found, reference, factor=OUTPUT_FACTOR)
    exported = (
        theirs if theirs is None else difference(found, theirs, factor=OUTPUT_FACTOR)
    )
    where = "the program as it runs"
    return Comparison(name, where, _describe(found), far, far, exported)


def difference(
    found: torch.Tensor,
    reference: torch.Tensor,
    magnitude: torch.Tensor | None = None,
    factor: float = 1,
    is_exact: bool = False,
) -> Difference:
    """How far `found` is from `reference`.

    The tolerance of an element is relative to the largest element, and, where given, to
    `magnitude` as well; it is none with `is_exact`.
    """
    if not reference.numel():
        return Difference(0, 0, 0)
    if not reference.is_floating_point():
        wrong = found != reference
        gap = (found.double() - reference.double()).abs()
        gap = torch.where(wrong, gap.clamp_min(1), 0.0)
        return Difference(float(gap.max()), _relative(gap, reference), _infinite(wrong))
    ours, theirs = found.double(), reference.double()
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    gap = torch.where(same, 0.0, (ours - theirs).abs()).nan_to_num(
        nan=torch.inf, posinf=torch.inf
    )
    scale = theirs.abs().nan_to_num(nan=0, posinf=0).max()
    if magnitude is not None:
        scale = scale + magnitude.double().nan_to_num(nan=0, posinf=0)
    if is_exact:
        return Difference(float(gap.max()), _relative(gap, reference), _infinite(~same))
    tiny = torch.finfo(reference.dtype).tiny
    allowed = factor * (TOLERANCE[reference.dtype] * scale + tiny)
    excess = gap / allowed
    return Difference(float(gap.max()), _relative(gap, reference), float(excess.max()))


def _relative(gap: torch.Tensor, reference: torch.Tensor) -> float:
    relative = gap / reference.double().abs()
    return float(
        torch.where(gap == 0, 0.0, relative)
        .nan_to_num(nan=torch.inf, posinf=torch.inf)
        .max()
    )


def _infinite(wrong: torch.Tensor) -> float:
    return torch.inf if bool(wrong.any()) else 0.0


def _result_attributes(main: FuncOp) -> Sequence[DictionaryAttr]:
    count = len(main.function_type.outputs)
    return main.res_attrs.data if main.res_attrs else [DictionaryAttr({})] * count


def _output_names(main: FuncOp) -> list[str]:
    names = [
        attributes.data.get("dev.name", StringAttr(str(number)))
        for number, attributes in enumerate(_result_attributes(main))
    ]
    return [name.data if isinstance(name, StringAttr) else str(name) for name in names]


def _describe(value: torch.Tensor) -> str:
    return "x".join([*map(str, value.shape), str(type_of(value).element_type)])


def _cells(comparison: Comparison, first: Comparison | None, nodes: bool) -> list[str]:
    local, accumulated = comparison.local, comparison.accumulated
    exported = comparison.exported
    extra = [f"{exported.max_absolute:.2g}" if exported else ""] if nodes else []
    verdict = "" if local.tolerable else "differs"
    return [
        comparison.name,
        comparison.where,
        comparison.type,
        f"{local.max_absolute:.2g}",
        f"{local.max_relative:.2g}",
        f"{accumulated.max_absolute:.2g}",
        *extra,
        "differs first" if comparison is first else verdict,
    ]
