"""Lowers `scf.parallel` to a call of the thread pool.

The loop body is outlined into a function. The lowering creates three pieces:

- `@k_parallel_0(i64 begin, i64 end, captured...)` runs iterations `begin` to `end`. The
  captured values are arguments, so that kernel arguments among them keep their
  attributes (`noalias`, alignment), which a context in memory would lose.
- `@k_parallel_0_chunk(ptr context, i64 chunk)` is called by the pool: it loads the
  captured values from the context and runs the iterations of one chunk.
- in place of the loop, the captured values are stored in a context on the stack, and
  `@devproc_parallel_for(chunk function, context, number of chunks)` returns when all
  chunks are done.

The attribute `grain` of the loop is the number of iterations per chunk (default 1). All
induction variables form one linear index, the last one fastest. Inside another parallel
body, with a single chunk, or for a single thread, the lowering emits plain loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    SymbolRefAttr,
    VectorType,
    i64,
)
from xdsl.dialects.scf import ParallelOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from devproc.targets.cpu.dialects.llvm_ext.intrinsics import SMinOp
from devproc.targets.cpu.transforms.to_llvm.builder import FunctionBuilder
from devproc.targets.cpu.transforms.to_llvm.function import make_function
from devproc.targets.cpu.transforms.to_llvm.lowering import FunctionLowering
from devproc.targets.cpu.transforms.to_llvm.properties import NO_WRAP, alignment_of
from devproc.targets.cpu.transforms.to_llvm.small_floats import element_of
from devproc.targets.cpu.transforms.to_llvm.types import POINTER, byte_width

PARALLEL_FOR = "devproc_parallel_for"
"""The entry point of the thread pool: `void (ptr body, ptr context, i64 chunks)`."""


def lower_parallel(fn: FunctionLowering, op: Operation) -> None:
    """`scf.parallel`: a call of the pool, or plain loops."""
    assert isinstance(op, ParallelOp)
    if op.initVals:
        fn.fail("has reductions; a parallel loop of a kernel may only write memory", op)
    extents = _extents(fn, op)
    grain = _grain(fn, op)
    total = prod(extents)
    chunks = -(-total // grain)
    if total == 0:
        return
    if fn.inside_parallel or chunks == 1 or not fn.module.parallel:
        _serial_loops(fn, op, 0, [])
    else:
        _outline(fn, op, extents, total, grain)


def _extents(fn: FunctionLowering, op: ParallelOp) -> list[int]:
    """Iterations of each induction variable; the bounds must be constants."""
    extents: list[int] = []
    for bounds in zip(op.lowerBound, op.upperBound, op.step, strict=True):
        lower, upper, step = (fn.integer(value) for value in bounds)
        if lower is None or upper is None or step is None or step <= 0:
            fn.fail("needs constant bounds and positive constant steps", op)
        extents.append(max(0, -(-(upper - lower) // step)))
    return extents


def _grain(fn: FunctionLowering, op: ParallelOp) -> int:
    grain = op.attributes.get("grain")
    if grain is None:
        return 1
    if not isinstance(grain, IntegerAttr) or grain.value.data < 1:
        fn.fail(f"has grain {grain}; it must be a positive integer", op)
    return grain.value.data


def _serial_loops(
    fn: FunctionLowering, op: ParallelOp, depth: int, variables: list[SSAValue]
) -> None:
    """One loop per induction variable, the last one innermost."""
    if depth == len(op.lowerBound):
        for source, lowered in zip(op.body.block.args, variables, strict=True):
            fn.set(source, lowered)
        fn.lower_block(op.body.block)
        return
    lower, upper, step = (
        fn.get(values[depth]) for values in (op.lowerBound, op.upperBound, op.step)
    )
    counted_loop(
        fn,
        lower,
        upper,
        step,
        lambda variable: _serial_loops(fn, op, depth + 1, [*variables, variable]),
    )


def counted_loop(
    fn: FunctionBuilder,
    lower: SSAValue,
    upper: SSAValue,
    step: SSAValue,
    body: Callable[[SSAValue], None],
) -> None:
    """A rotated loop that is known to run at least once."""
    bounds = [fn.integers.get(value) for value in (lower, upper, step)]
    if None not in bounds and bounds[0] + bounds[2] >= bounds[1]:  # type: ignore[operator]
        body(lower)
        return
    before, loop, end = fn.block, fn.new_block([lower.type]), Block()
    fn.block = loop
    body(loop.args[0])
    following = fn.value(llvm.AddOp, (loop.args[0], step), lower.type, NO_WRAP)
    again = fn.compare("slt", following, upper)
    fn.branch_if(again, loop, [following], end, ())
    fn.block = before
    fn.branch(loop, [lower])
    fn.region.add_block(end)
    fn.block = end


def captured_values(op: ParallelOp) -> list[SSAValue]:
    """Values captured by the body, in order of first use; constants are copied."""
    # By address: integers are hashed fast.
    inside = set(map(id, op.body.block.args))
    captured: list[SSAValue] = []
    for nested in op.body.walk():
        for operand in nested.operands:
            if id(operand) not in inside:
                inside.add(id(operand))
                if not isinstance(operand.owner, arith.ConstantOp):
                    captured.append(operand)
        inside.update(map(id, nested.results))
        for region in nested.regions:
            for block in region.blocks:
                inside.update(map(id, block.args))
    return captured


def _outline(
    fn: FunctionLowering, op: ParallelOp, extents: list[int], total: int, grain: int
) -> None:
    # A value that was lowered to a constant (the induction variable of a loop that runs
    # once) is rematerialized inside.
    used = captured_values(op)
    captured = [value for value in used if fn.integer(value) is None]
    known = [value for value in used if fn.integer(value) is not None]
    lowered = [fn.get(value) for value in captured]
    name = fn.module.unique_name(f"{fn.name}_parallel")
    _body_function(fn, op, name, captured, known, extents, grain)
    types = [value.type for value in lowered]
    chunk = _chunk_function(fn, name, types, total, grain)
    context_type = llvm.LLVMStructType.from_type_list(types)
    context = fn.stack(context_type, 1, sum(_field_bytes(t) for t in types))
    for index, value in enumerate(lowered):
        field = _field(fn, context, context_type, index)
        properties = alignment_of(_field_alignment(value.type))
        fn.emit(llvm.StoreOp, (value, field), properties=properties)
    callee: dict[str, Attribute] = {"global_name": SymbolRefAttr(chunk)}
    address = fn.value(llvm.AddressOfOp, (), POINTER, callee)
    fn.module.declare(PARALLEL_FOR, llvm.LLVMFunctionType([POINTER, POINTER, i64]))
    fn.call(PARALLEL_FOR, (address, context, fn.number(-(-total // grain))))


def _field_alignment(type_: Attribute) -> int:
    """Alignment of a field of the context; a vector has that of its element."""
    if type_ == POINTER:
        return 8
    return byte_width(element_of(type_))


def _field_bytes(type_: Attribute) -> int:
    """An upper bound of the size of a field, including padding."""
    if isinstance(type_, VectorType):
        vector = cast(VectorType[Attribute], type_)
        return 2 * prod(vector.get_shape()) * _field_alignment(vector)
    return 8


def _field(
    fn: FunctionBuilder, context: SSAValue, type_: Attribute, index: int
) -> SSAValue:
    return fn.offset_pointer(context, (fn.number(0), fn.number(index)), type_)


def _body_function(
    fn: FunctionLowering,
    op: ParallelOp,
    name: str,
    captured: Sequence[SSAValue],
    known: Sequence[SSAValue],
    extents: Sequence[int],
    grain: int,
) -> None:
    """The function that runs iterations `begin` to `end` of the linear index."""
    types = [fn.get(value).type for value in captured]
    inner = FunctionLowering(name, [i64, i64, *types], fn.rules, fn.module)
    inner.inside_parallel = True
    inner.location = op.location
    begin, end, *arguments = inner.entry.args
    for value, argument in zip(captured, arguments, strict=True):
        inner.set(value, argument)
    for value in known:
        inner.set(value, inner.number(_known(fn, value), fn.get(value).type))
    lower = [inner.number(_known(fn, v)) for v in op.lowerBound]
    step = [inner.number(_known(fn, v)) for v in op.step]

    def run(linear: SSAValue) -> None:
        indices = _split_index(inner, linear, extents)
        for source, index, low, by in zip(
            op.body.block.args, indices, lower, step, strict=True
        ):
            inner.set(source, inner.add(low, inner.multiply(index, by)))
        inner.lower_block(op.body.block)

    if grain == 1:
        run(begin)
    else:
        counted_loop(inner, begin, end, inner.number(1), run)
    inner.emit(llvm.ReturnOp)
    attributes = [DictionaryAttr({}), DictionaryAttr({})]
    attributes += [_argument_attributes(fn, value) for value in captured]
    fn.module.functions.append(make_function(inner, attributes))


def _known(fn: FunctionLowering, value: SSAValue) -> int:
    known = fn.integer(value)
    assert known is not None
    return known


def _argument_attributes(fn: FunctionLowering, value: SSAValue) -> DictionaryAttr:
    """The attributes of a captured kernel argument, which also hold in the body."""
    lowered = fn.get(value)
    if isinstance(lowered, BlockArgument):
        return fn.argument_attributes.get(lowered, DictionaryAttr({}))
    return DictionaryAttr({})


def _split_index(
    fn: FunctionBuilder, linear: SSAValue, extents: Sequence[int]
) -> list[SSAValue]:
    """The index of each loop from the linear one, the last one fastest."""
    indices: list[SSAValue] = []
    rest = linear
    for position in range(len(extents) - 1, 0, -1):
        extent = fn.number(extents[position])
        if extents[position] == 1:
            indices.append(fn.number(0))
            continue
        indices.append(fn.value(llvm.URemOp, (rest, extent), i64))
        rest = fn.value(llvm.UDivOp, (rest, extent), i64)
    return [rest, *reversed(indices)]


def _chunk_function(
    fn: FunctionLowering,
    body: str,
    types: Sequence[Attribute],
    total: int,
    grain: int,
) -> str:
    """The function that the pool calls with the context and a chunk number."""
    name = f"{body}_chunk"
    chunk_fn = FunctionBuilder(name, [POINTER, i64])
    context, chunk = chunk_fn.entry.args
    context_type = llvm.LLVMStructType.from_type_list(types)
    arguments: list[SSAValue] = []
    for index, type_ in enumerate(types):
        field = _field(chunk_fn, context, context_type, index)
        properties = alignment_of(_field_alignment(type_))
        arguments.append(chunk_fn.value(llvm.LoadOp, (field,), type_, properties))
    begin = chunk_fn.multiply(chunk, chunk_fn.number(grain))
    end = chunk_fn.add(begin, chunk_fn.number(grain))
    if total % grain:
        end = chunk_fn.value(SMinOp, (end, chunk_fn.number(total)), i64)
    chunk_fn.call(body, (begin, end, *arguments))
    chunk_fn.emit(llvm.ReturnOp)
    fn.module.functions.append(make_function(chunk_fn))
    return name
