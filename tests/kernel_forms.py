"""Checks that each group of a module is in the normal form of its family.

The forms are those of the docstring of `devproc.ir.program.structured`; this is a second, plain
statement of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import linalg, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

Generic = linalg.ops.GenericOp


@dataclass
class Kernel:
    """One group: its family and its `linalg` and `tensor.pad` ops in order."""

    family: str
    ops: list[Operation]

    @property
    def generics(self) -> list[Generic]:
        """The structured loops, in order."""
        return [op for op in self.ops if isinstance(op, Generic)]

    @property
    def sources(self) -> list[str]:
        """Source ops, each once, in order."""
        marks: list[Any] = [op.attributes["kernel.sources"] for op in self.ops]
        names = [name.data for mark in marks for name in mark]
        return list(dict.fromkeys(names))


def blocks_with_loops(module: ModuleOp) -> list[Block]:
    """The blocks that hold structured loops."""
    found = [op.parent for op in module.walk() if isinstance(op, Generic)]
    return list(dict.fromkeys(b for b in found if b is not None))


def kernels_of(module: ModuleOp) -> list[Kernel]:
    """The groups in order, each checked."""
    kernels: list[Kernel] = []
    for block in blocks_with_loops(module):
        groups: dict[int, list[Operation]] = {}
        previous = -1
        for op in block.ops:
            if not isinstance(op, Generic | linalg.ops.FillOp | tensor.PadOp):
                continue
            mark: Any = op.attributes["kernel.group"]
            number = mark.value.data
            assert number in (previous, previous + 1), "groups are not in order"
            previous = number
            groups.setdefault(number, []).append(op)
        for ops in groups.values():
            marks: list[Any] = [op.attributes.get("kernel.family") for op in ops]
            (family,) = [mark.data for mark in marks if mark is not None]
            kernel = Kernel(family, ops)
            check_form(kernel)
            kernels.append(kernel)
    return kernels


def maps(op: Generic) -> list[AffineMap]:
    """Indexing maps."""
    return [a.data for a in op.indexing_maps]


def parallel(op: Generic) -> list[bool]:
    """Which loops are parallel."""
    return [str(kind.data) == "parallel" for kind in op.iterator_types]


def captures(op: Generic) -> bool:
    """Whether the body extracts from a tensor."""
    return any(isinstance(inner, tensor.ExtractOp) for inner in op.body.block.ops)


def is_projection(map_: AffineMap) -> bool:
    """Distinct loops and zeros."""
    plain = all(isinstance(e, AffineDimExpr | AffineConstantExpr) for e in map_.results)
    return plain and is_part(map_) and not any(map_.eval([0] * map_.num_dims, []))


def is_part(map_: AffineMap) -> bool:
    """Distinct loops, each perhaps as loop * step + start, and numbers."""
    loops = [d for e in map_.results for d in e.used_dims()]
    origin = map_.eval([0] * map_.num_dims, [])
    for loop in set(loops):
        one, two = (
            map_.eval([n * (d == loop) for d in range(map_.num_dims)], [])
            for n in (1, 2)
        )
        steps = [b - a for a, b in zip(origin, one, strict=True)]
        assert steps == [b - a for a, b in zip(one, two, strict=True)]
        assert min(steps) >= 0
    return len(set(loops)) == len(loops) and min(origin, default=0) >= 0


def is_in_order(map_: AffineMap) -> bool:
    """All loops in order, perhaps behind a border."""
    return is_part(map_) and [e.used_dims() for e in map_.results] == [
        {loop} for loop in range(map_.num_dims)
    ]


def borders(op: Generic) -> list[Operation]:
    """The fills of what lies around the results of a pointwise op."""
    arguments = op.body.block.args[len(op.inputs) :]
    return [
        value.owner
        for value, argument in zip(op.outputs, arguments, strict=True)
        if isinstance(value.owner, linalg.ops.FillOp) and not argument.uses
    ]


def is_identity(map_: AffineMap) -> bool:
    """(d0, d1, ...) -> (d0, d1, ...)."""
    return map_ == AffineMap.identity(map_.num_dims)


def check_pointwise(op: Generic) -> None:
    """All loops parallel, no reads at computed indices, plain maps."""
    assert all(parallel(op))
    assert not captures(op)
    assert all(is_part(m) for m in maps(op))
    for value, map_ in zip(op.outputs, maps(op)[len(op.inputs) :], strict=True):
        # What does not fill its tensor is written into a filled one.
        if not is_projection(map_):
            assert value.owner in borders(op)


def check_anchored(kernel: Kernel) -> None:
    """[pad] [fill] anchor [borders] [epilogue]."""
    anchor, *rest = kernel.generics
    assert "kernel.family" in anchor.attributes
    around = [fill for epilogue in rest for fill in borders(epilogue)]
    kinds = [op.name for op in kernel.ops if op not in around]
    pads, fills = kinds.count("tensor.pad"), kinds.count("linalg.fill")
    assert kinds == ["tensor.pad"] * pads + ["linalg.fill"] * fills + [
        "linalg.generic"
    ] * (1 + len(rest))
    assert pads == 0 or kernel.family == "window"
    assert len(rest) <= 1
    assert captures(anchor) == (kernel.family == "gather")
    count = sum(parallel(anchor))
    assert parallel(anchor) == sorted(parallel(anchor), reverse=True)
    output = maps(anchor)[-1]
    assert output == AffineMap(output.num_dims, 0, AffineMap.identity(count).results)
    for epilogue in rest:
        check_pointwise(epilogue)
        assert epilogue.get_num_loops() == count
        reads = [
            m for v, m in zip(epilogue.inputs, maps(epilogue), strict=False)
            if v in anchor.results
        ]  # fmt: skip
        assert reads
        assert all(is_identity(m) for m in reads)
        users = {use.operation for result in anchor.results for use in result.uses}
        assert users == {epilogue}
        written = maps(epilogue)[len(epilogue.inputs) :]
        if kernel.family != "gather":
            assert all(is_in_order(m) for m in written)


def check_reduction(kernel: Kernel) -> None:
    """Rows first; each op has all loops or the rows alone; columns of one kind."""
    domain: Sequence[int] | None = None
    rows = 0
    for op in kernel.generics:
        if not all(parallel(op)):
            rows = sum(parallel(op))
            domain = op.get_static_loop_ranges()
            break
    assert domain is not None
    for op in kernel.generics:
        assert not captures(op)
        assert all(is_part(m) for m in maps(op)[: len(op.inputs)])
        assert all(is_projection(m) for m in maps(op)[len(op.inputs) :])
        assert all(parallel(op)[:rows])
        assert len(set(parallel(op)[rows:])) <= 1
        sizes = op.get_static_loop_ranges()
        assert sizes in (domain, domain[:rows])
    first = next(op for op in kernel.generics if not all(parallel(op)))
    assert "kernel.family" in first.attributes


def check_form(kernel: Kernel) -> None:
    """Raises AssertionError where a group is not in its family's form."""
    if kernel.family == "pointwise":
        (op,) = kernel.generics
        assert kernel.ops == [*borders(op), op]
        check_pointwise(op)
    elif kernel.family == "reduction":
        check_reduction(kernel)
    else:
        check_anchored(kernel)
