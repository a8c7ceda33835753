"""Lowers `func` to `llvm.func`: signatures, attributes, entry points and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    i1,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import plan
from devproc.dialects.plan_repeat import FollowOp
from devproc.ir.host.control import FOLLOW
from devproc.targets.cpu.transforms.to_llvm.builder import FunctionBuilder
from devproc.targets.cpu.transforms.to_llvm.lowering import (
    FunctionLowering,
    ModuleLowering,
    Rule,
)
from devproc.targets.cpu.transforms.to_llvm.properties import (
    UNIT,
    alignment_of,
    call_properties,
    integer_attr,
)
from devproc.targets.cpu.transforms.to_llvm.types import (
    POINTER,
    AnyMemRef,
    UnsupportedTypeError,
    convert_type,
    size_in_bytes,
)


def make_function(
    fn: FunctionBuilder,
    argument_attributes: Sequence[DictionaryAttr] = (),
    result: Attribute | None = None,
    linkage: str = "internal",
) -> llvm.FuncOp:
    """The `llvm.func` for a finished body; it never unwinds."""
    fn.drop_unused_constants()
    types = [arg.type for arg in fn.entry.args]
    properties: dict[str, Attribute | None] = {"no_unwind": UNIT}
    if any(attributes.data for attributes in argument_attributes):
        properties["arg_attrs"] = ArrayAttr(argument_attributes)
    function = llvm.FuncOp(
        fn.name,
        llvm.LLVMFunctionType(types, result),
        linkage=llvm.LinkageAttr(linkage),
        body=fn.region,
        other_props=properties,
    )
    if fn.location is not None:
        function.location = fn.location
    return function


def declare_function(source: FuncOp) -> llvm.FuncOp:
    """Declare a CPU function whose body is in another object file."""
    types = [convert_type(t) for t in source.function_type.inputs.data]
    function = llvm.FuncOp(
        source.sym_name.data,
        llvm.LLVMFunctionType(types),
        linkage=llvm.LinkageAttr("external"),
        other_props={"no_unwind": UNIT},
    )
    function.location = source.location
    return function


def lower_function(
    source: FuncOp, rules: Mapping[str, Rule], module: ModuleLowering
) -> llvm.FuncOp:
    """Lower one CPU `func.func`; helper functions are added to `module`."""
    function_type = source.function_type
    outputs = function_type.outputs.data
    name = source.sym_name.data
    if len(outputs) > 1 or any(isinstance(t, MemRefType) for t in outputs):
        raise PassFailedException(
            f"convert-to-llvm: @{name} returns {len(outputs)} values; a CPU function "
            "writes its results to memrefs and returns at most one scalar"
        )
    blocks = source.body.blocks
    if len(blocks) != 1:
        raise PassFailedException(
            f"convert-to-llvm: @{name} has {len(blocks)} blocks; it must have one, "
            "with structured control flow"
        )
    (body,) = blocks
    try:
        types = [convert_type(t) for t in function_type.inputs.data]
        result = convert_type(outputs[0]) if outputs else None
        attributes = [
            _argument_attributes(source, index, type_)
            for index, type_ in enumerate(function_type.inputs.data)
        ]
    except UnsupportedTypeError as error:
        raise PassFailedException(f"convert-to-llvm: @{name}: {error}") from None
    fn = FunctionLowering(name, types, rules, module)
    for old, new, promised in zip(body.args, fn.entry.args, attributes, strict=True):
        fn.set(old, new)
        fn.argument_attributes[new] = promised
        new.name_hint = old.name_hint
    fn.lower_block(body)
    terminator = body.last_op
    assert terminator is not None
    fn.location = terminator.location
    fn.emit(llvm.ReturnOp, [fn.get(operand) for operand in terminator.operands])
    fn.location = source.location
    return make_function(fn, attributes, result)


def _argument_attributes(
    source: FuncOp, index: int, type_: Attribute
) -> DictionaryAttr:
    """The given `llvm.*` attributes; memrefs are also nonnull and dereferenceable."""
    given: Mapping[str, Attribute] = {}
    if source.arg_attrs is not None:
        given = source.arg_attrs.data[index].data
    kept = {key: value for key, value in given.items() if key.startswith("llvm.")}
    if isinstance(type_, MemRefType):
        bytes_ = size_in_bytes(cast(AnyMemRef, type_))
        kept["llvm.noundef"] = UNIT
        if bytes_:
            kept["llvm.nonnull"] = UNIT
            kept["llvm.dereferenceable"] = integer_attr(bytes_)
    return DictionaryAttr(kept)


def make_entry(target: llvm.FuncOp) -> llvm.FuncOp:
    """The C entry of a segment: `void @<name>_entry(ptr table)`.

    It loads its operands, which are pointers, from a table in order, so that any
    program is called with a single argument.
    """
    name = target.sym_name.data
    fn = FunctionBuilder(f"{name}_entry", [POINTER])
    fn.location = target.location
    table = fn.entry.args[0]
    table.name_hint = "table"
    arguments: list[SSAValue] = []
    for index, type_ in enumerate(target.function_type.inputs.data):
        if type_ != POINTER:
            raise PassFailedException(
                f"convert-to-llvm: operand {index} of @{name} is a {type_}; the "
                "operands of a segment are memrefs"
            )
        slot = fn.shift_pointer(table, index, POINTER)
        arguments.append(fn.value(llvm.LoadOp, (slot,), POINTER, alignment_of(8)))
    fn.call(name, arguments)
    fn.emit(llvm.ReturnOp)
    return make_function(fn, linkage="external")


def lower_call(fn: FunctionLowering, op: Operation) -> None:
    """`func.call` of another CPU function, or a launch of one in a loop."""
    assert isinstance(op, CallOp | plan.LaunchOp)
    arguments = [fn.get(operand) for operand in op.operands]
    symbol = op.callee if isinstance(op, CallOp) else op.kernel
    callee = symbol.string_value()
    fn.module.called.setdefault(callee, op)
    result = fn.call(callee, arguments, fn.results_type(op))
    for source, lowered in zip(op.results, result.results, strict=True):
        fn.set(source, lowered)


def lower_follow(fn: FunctionLowering, op: Operation) -> None:
    """`plan.follow`: an indirect call, unless the address is null."""
    assert isinstance(op, FollowOp)
    control, zero = fn.get(op.control), fn.number(0)
    field = fn.shift_pointer(control, FOLLOW, i64)
    address = fn.value(llvm.LoadOp, (field,), i64, alignment_of(8))
    before, asking = fn.block, fn.new_block()
    end = Block(arg_types=[i1])
    fn.block = asking
    callee = fn.value(llvm.IntToPtrOp, (address,), POINTER)
    called = fn.emit(llvm.CallOp, (callee, control), (i64,), call_properties(None, 2))
    wanted = fn.compare("ne", called.results[0], zero)
    fn.branch(end, [wanted])
    fn.block = before
    is_there = fn.compare("ne", address, zero)
    fn.branch_if(is_there, asking, (), end, (fn.number(1, i1),))
    fn.region.add_block(end)
    fn.block = end
    fn.set(op.result, end.args[0])


RULES: dict[str, Rule] = {
    "func.call": lower_call,
    "plan.follow": lower_follow,
    "plan.launch": lower_call,
}
