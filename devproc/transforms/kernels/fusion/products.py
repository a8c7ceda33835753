"""Products in one kernel, so that their results do not pass through memory.

The gate and the value of SwiGLU multiply the same rows by different weights, and meet in an
elementwise product. A program of a GPU that holds a tile of both reads the rows once.

Other products have factors of their own: a stage of a ResNet adds a convolution of its branch
to one of its input; a recurrent layer adds the products of its input and of its state. A
program may hold a tile of one result in registers while it computes the other. Where the
elementwise ops only add, the second product accumulates into the sums of the first: partial
sums stay in f32, and are not rounded in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.linalg.ops import FillOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue

from devproc.algorithms import algorithm
from devproc.backend.installed import backend
from devproc.dialects.dev import device_of, target_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    Generic,
    is_multiply_add,
    is_parallel,
    is_pointwise,
    loop_sizes,
    make_generic,
    maps_of,
    writes_in_order,
    yields_of,
)
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.fusion.groups import Group, reads
from devproc.transforms.kernels.fusion.merge import (
    describe_as,
    is_used_outside,
    merge_pointwise,
)

MOST_OF_SAME_ROWS = 2
"""Products of one kernel: the sums of more need more registers than their rows save."""

MOST_PRODUCTS = 4
"""Products of one kernel, whose loops follow one another."""

PRODUCT_FAMILIES = ("contraction", "window")
LINEAR = (arith.AddfOp, arith.ExtFOp, arith.TruncFOp, YieldOp)
"""Ops of a body that only adds, and rounds in between."""


def multiply_same_rows(group: Group, other: Group) -> bool:
    """Whether the products of two groups on a GPU are of the same rows, in the same loops."""
    if group.family != "contraction" or other.family != "contraction":
        return False
    products = [op for g in (group, other) for op in g.members if not is_pointwise(op)]
    first, *rest = products
    return (
        len(products) <= MOST_OF_SAME_ROWS
        and device_of(first.results[0].type) not in (HOST, None)
        and all(map(is_multiply_add, products))
        and all(map(adds_in_f32, products))
        and all(has_same_rows(first, op) for op in rest)
    )


def has_same_rows(first: Generic, second: Generic) -> bool:
    """Whether the first factor of two products is the same, and all maps are."""
    return (
        first.inputs[0] is second.inputs[0]
        and maps_of(first) == maps_of(second)
        and loop_sizes(first) == loop_sizes(second)
        and [v.type for v in first.operands] == [v.type for v in second.operands]
    )


def adds_in_f32(product: Generic) -> bool:
    """Whether the sums are of f32, as in the products that tensor cores compute."""
    return tensor_of(product.results[0]).element_type == f32


def meet_in_last(group: Group, other: Group) -> bool:
    """Whether products of two groups meet in the op last added to the first group, which
    alone reads them, and the device prefers one kernel for them."""
    families = {group.family, other.family}
    if group.sizes != other.sizes or not families <= {*PRODUCT_FAMILIES}:
        return False
    members = [*other.members, *group.members]
    products = products_of(members)
    device, module = device_of(products[0].results[0].type), module_of(products[0])
    if (
        device in (HOST, None)
        or module is None
        or len(products) > MOST_PRODUCTS
        or not all(is_multiply_add(op) and adds_in_f32(op) for op in products)
        or any(has_same_rows(a, b) for a, b in combinations(products, 2))
    ):
        return False
    last = group.members[-1]
    partial = (v for op in members if op is not last for v in op.results)
    if any(is_used_outside(value, members) for value in partial):
        return False
    are_added = only_adds(members, stages_of(members))
    takers = map(algorithm, backend(device).algorithms)
    return any(
        a.joins(products, are_added, target_of(module)) for a in takers if a.joins
    )


def products_of(members: Sequence[Generic]) -> list[Generic]:
    """The members that are not elementwise."""
    return [op for op in members if not is_pointwise(op)]


def module_of(op: Operation) -> ModuleOp | None:
    """The module that contains an op."""
    top = op.get_toplevel_object()
    return top if isinstance(top, ModuleOp) else None


def has_sums(group: Group) -> bool:
    """Whether a group has products with different factors."""
    first, *others = products_of(group.members)
    return group.family in PRODUCT_FAMILIES and not all(
        has_same_rows(first, op) for op in others
    )


def finish_sums(group: Group) -> list[Operation]:
    """The products of a group, each followed by what is computed from it and those before;
    one sum of them all where nothing else happens to them."""
    products, stages = products_of(group.members), stages_of(group.members)
    rest = [op for op in group.members if is_pointwise(op)]
    count = len(group.sizes)
    if only_adds(group.members, stages):
        merged = merge_pointwise(group, rest, count)
        return [*products, *accumulated(products, merged)]
    ops: list[Operation] = []
    for number, product in enumerate(products):
        ops.append(product)
        if run := [op for op in rest if stages[op] == number]:
            ops += merge_pointwise(group, run, count)
    return ops


def stages_of(members: Sequence[Generic]) -> dict[Operation, int]:
    """The number of the last product that each member depends on, or that members do which
    read one that depends on none."""
    stages: dict[Operation, int] = {}
    products = products_of(members)
    for op in members:
        makers = [value.owner for value in reads(op)]
        found = [stages[m] for m in makers if isinstance(m, Operation) and m in stages]
        own = products.index(op) if op in products else -1
        stages[op] = max(found, default=own)
    for op in reversed(members):
        if stages[op] < 0:
            readers = [use.operation for value in op.results for use in value.uses]
            found = [stages[reader] for reader in readers if reader in stages]
            stages[op] = min(found, default=len(products) - 1)
    return stages


def only_adds(members: Sequence[Generic], stages: Mapping[Operation, int]) -> bool:
    """Whether elementwise ops only add and round up to the first that depends on the last
    product."""
    rest, last = list(filter(is_pointwise, members)), max(stages.values())
    final = next((op for op in rest if stages[op] == last), None)
    return all(
        isinstance(inner, LINEAR)
        for op in rest
        if stages[op] < last or op is final
        for inner in op.body.block.ops
    )


def accumulated(
    products: Sequence[Generic], merged: Sequence[Operation]
) -> Sequence[Operation]:
    """Let products accumulate into the sums of those before, which an elementwise op adds;
    what remains of `merged`, the op and the empty tensors of its results."""
    *empties, epilogue = merged
    assert isinstance(epilogue, Generic)
    for first, second in pairwise(products):
        epilogue = accumulate(first, second, epilogue)
    last = products[-1]
    is_copy = (
        list(epilogue.inputs) == list(last.results)
        and list(yields_of(epilogue)) == [epilogue.body.block.args[0]]
        and writes_in_order(epilogue)
        and epilogue.result_types == last.result_types
    )
    if not is_copy:
        return [*empties, epilogue]
    describe_as(last, [last, epilogue])
    epilogue.results[0].replace_all_uses_with(last.results[0])
    epilogue.erase()
    return []


def accumulate(first: Generic, second: Generic, epilogue: Generic) -> Generic:
    """Let one product accumulate into the sums of another, if an elementwise op only adds
    their results; returns the op that replaces it, or itself."""
    inputs, block = list(epilogue.inputs), epilogue.body.block
    places = [inputs.index(product.results[0]) for product in (first, second)]
    mine, theirs = (additions(block.args[place]) for place in places)
    common = next((op for op in mine if op in theirs), None)
    if common is None or any(inputs.count(inputs[place]) > 1 for place in places):
        return epilogue
    for path in (mine, theirs):
        drop_roundings(path[: path.index(common)])
    place = places[0]
    (use,) = block.args[place].uses
    add = use.operation
    if not isinstance(add, arith.AddfOp):
        return epilogue
    add.result.replace_all_uses_with(add.operands[1 - use.index])
    add.detach()
    add.erase()
    (filled,) = second.outputs
    second.operands[len(second.inputs)] = first.results[0]
    if isinstance(filled.owner, FillOp) and not filled.uses:
        filled.owner.detach()
        filled.owner.erase()
    return without_input(epilogue, place)


def additions(value: SSAValue) -> list[Operation]:
    """The ops that add to a value, or convert it, each the only user of the one before."""
    found: list[Operation] = []
    while value.has_one_use():
        (use,) = value.uses
        if not isinstance(use.operation, LINEAR) or not use.operation.results:
            break
        found.append(use.operation)
        value = use.operation.results[0]
    return found


def drop_roundings(path: Sequence[Operation]) -> None:
    """Erase conversions to a narrower type and back."""
    for narrow, wide in pairwise(path):
        if isinstance(narrow, arith.TruncFOp) and isinstance(wide, arith.ExtFOp):
            if narrow.input.type == wide.result.type:
                wide.result.replace_all_uses_with(narrow.input)
                for op in (wide, narrow):
                    op.detach()
                    op.erase()


def without_input(op: Generic, place: int) -> Generic:
    """The same elementwise op without an input that its body does not use."""
    inputs, maps, sizes = list(op.inputs), maps_of(op), loop_sizes(op)
    del inputs[place], maps[place]
    body: Block = op.body.detach_block(0)
    body.erase_arg(body.args[place])
    new = make_generic(inputs, op.outputs, maps, is_parallel(op), body, sizes)
    describe_as(new, [op])
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.erase()
    return new
