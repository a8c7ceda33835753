"""Inlines producers with a single reader, a reduction, into its body."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.common_subexpression_elimination import cse

from devproc.dialects.dev import byte_size, device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    Generic,
    is_parallel,
    loop_sizes,
    make_generic,
    maps_of,
    yields_of,
)
from devproc.ir.types import tensor_of
from devproc.transforms.buffers.kernel_memory import STACK_LIMIT
from devproc.transforms.kernels.fusion.merge import (
    clone_body,
    describe_as,
)


def inline_producers(
    ops: Sequence[Operation], members: Collection[Operation]
) -> list[Operation]:
    """The ops of a reduction kernel, after inlining the producers of large values into
    the single reduction that reads each.

    `members` are those of the group; members that are not in `ops` have been replaced.
    """
    found = list(ops)
    for op in ops:
        if not isinstance(op, Generic) or all(is_parallel(op)):
            continue
        reduction, left = op, list(op.inputs)
        while left:
            value = left.pop(0)
            producer = value.owner
            if not isinstance(producer, Generic) or producer not in found:
                continue
            readers = {use.operation for use in value.uses} - set(members).difference(
                ops
            )
            if readers == {reduction} and _is_for(producer, reduction):
                left += producer.inputs
                merged = _merged(producer, reduction)
                found[found.index(reduction)] = merged
                found.remove(producer)
                reduction = merged
    return [
        op for op in found if not isinstance(op, tensor.EmptyOp) or op.tensor.first_use
    ]


def _is_for(producer: Generic, reduction: Generic) -> bool:
    """Whether a pointwise op computes one large value as a CPU reduction reads it."""
    if not all(is_parallel(producer)):
        return False
    if len(producer.results) != 1 or len(reduction.results) != 1:
        return False
    (value,) = producer.results
    # Smaller values stay on the stack of the kernel: as fast, and simpler code.
    is_small = byte_size(value.type) <= STACK_LIMIT
    places = [i for i, read in enumerate(reduction.inputs) if read is value]
    if len(places) != 1 or is_small:
        return False
    here = maps_of(reduction)[places[0]]
    return (
        device_of(value.type) == HOST
        and loop_sizes(producer) == loop_sizes(reduction)
        and maps_of(producer)[-1] == here
        and not producer.body.block.args[-1].uses
    )


def _merged(producer: Generic, reduction: Generic) -> Generic:
    """The reduction with its producer inlined."""
    (value,) = producer.results
    place = list(reduction.inputs).index(value)
    rest = [i for i in range(len(reduction.inputs)) if i != place]
    own, theirs = maps_of(reduction), maps_of(producer)
    written = own[len(reduction.inputs) :]
    old = reduction.body.block.args
    reads = [
        *zip(producer.inputs, theirs, producer.body.block.args, strict=False),
        *((reduction.inputs[i], own[i], old[i]) for i in rest),
    ]
    # An operand that both read at the same indices is read once.
    places = list(dict.fromkeys((value, map_) for value, map_, _ in reads))
    inputs = [value for value, _ in places]
    maps = [*(map_ for _, map_ in places), *written]
    sums = old[len(reduction.inputs) :]
    types = [tensor_of(value).element_type for value in inputs]
    block = Block(arg_types=[*types, *(argument.type for argument in sums)])
    local: dict[SSAValue, SSAValue] = {
        argument: block.args[places.index((value, map_))]
        for value, map_, argument in reads
    }
    local |= zip(sums, block.args[len(inputs) :], strict=True)
    sizes = loop_sizes(reduction)
    loops = list(range(len(sizes)))
    clone_body(producer, block, local, loops)
    local[old[place]] = local[yields_of(producer)[0]]
    clone_body(reduction, block, local, loops)
    block.add_op(YieldOp(*(local[v] for v in yields_of(reduction))))
    parallel = is_parallel(reduction)
    merged = make_generic(inputs, reduction.outputs, maps, parallel, block, sizes)
    # Two gathers may compute the same index.
    cse(merged.body.block)
    describe_as(merged, [producer, reduction])
    for result, new in zip(reduction.results, merged.results, strict=True):
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
    for op in (reduction, producer):
        # Ops in the block are erased later, with all other replaced members.
        if op.parent is None:
            op.drop_all_references()
    return merged
