"""Regions on a device, launches, copies and syncs: the ops of the `dev` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    FunctionType,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    i1,
    i8,
)
from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from devproc.backend.installed import is_asynchronous, memory_of
from devproc.dialects.dev.attributes import (
    KernelAttr,
    byte_size,
    device_of,
    verify_device,
)
from devproc.ir.directives import Text
from devproc.ir.functions import symbol_named
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, signless


@op_definition
class YieldOp(IRDLOperation):
    """Ends a `dev.region`: `dev.yield %a, %b : tensor<2xf32>, tensor<i64>`."""

    name = "dev.yield"

    values = var_operand_def(TensorType)

    assembly_format = "($values^ `:` type($values))? attr-dict"

    traits = traits_def(IsTerminator())


@op_definition
class RegionOp(IRDLOperation):
    """An island of ops that run on one device.

    ```mlir
    %y = dev.region "cpu" (%x) : (tensor<2xf32, #dev.on<"cpu">>) -> (tensor<2xf32, #dev.on<"cpu">>) {
    ^bb0(%a: tensor<2xf32, #dev.on<"cpu">>):
      %r = nn.relu %a : (tensor<2xf32, #dev.on<"cpu">>) -> tensor<2xf32, #dev.on<"cpu">>
      dev.yield %r : tensor<2xf32, #dev.on<"cpu">>
    }
    ```
    """

    name = "dev.region"

    device = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")

    assembly_format = (
        "custom<Text>($device) `(` $inputs `)` `:`"
        " functional-type($inputs, $outputs) $body attr-dict"
    )

    custom_directives = (Text,)

    traits = traits_def(IsolatedFromAbove(), Pure())

    def __init__(
        self,
        device: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        body: Region | None = None,
    ):
        if body is None:
            body = Region(Block(arg_types=[value.type for value in inputs]))
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"device": StringAttr(device)},
            regions=[body],
        )

    def verify_(self) -> None:
        block = self.body.block
        if [a.type for a in block.args] != [v.type for v in self.inputs]:
            raise VerifyException("the block arguments must have the inputs' types")
        last = block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("the body must end in dev.yield")
        if [v.type for v in last.values] != [r.type for r in self.outputs]:
            raise VerifyException("dev.yield must give the region's result types")
        verify_device(self.device, "a region")
        wanted = memory_of(self.device.data)
        for op in (self, *self.body.walk()):
            for value in (*op.operands, *op.results):
                if isinstance(value.type, TensorType):
                    _verify_on(op, cast(Attribute, value.type), wanted)


def _verify_on(op: Operation, type_: Attribute, wanted: str) -> None:
    found = device_of(type_)
    if found is None:
        raise VerifyException(f"'{op.name}' in a region on '{wanted}' has no device")
    if found != wanted:
        raise VerifyException(
            f"'{op.name}' in a region on '{wanted}' uses a value of '{found}': "
            "a value crosses devices only through dev.copy"
        )


@op_definition
class CopyOp(IRDLOperation):
    """A copy of a value to another device's memory.

    ```mlir
    %y = dev.copy %x : tensor<2xf32, #dev.on<"cpu">> to tensor<2xf32, #dev.on<"cuda">>
    ```
    """

    name = "dev.copy"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source = cast(TensorType[Attribute], self.source.type)
        result = self.result.type
        if (source.shape, source.element_type) != (result.shape, result.element_type):
            raise VerifyException("dev.copy keeps shape and element type")
        if device_of(source) is None or device_of(result) is None:
            raise VerifyException("both sides of dev.copy need a device")
        if device_of(source) == device_of(result):
            raise VerifyException(
                f"dev.copy from '{device_of(source)}' to itself is redundant"
            )

    @property
    def byte_count(self) -> int:
        """Bytes moved."""
        return byte_size(self.result.type)


@op_definition
class SyncOp(IRDLOperation):
    """Blocks the host until stream 0 of a device is empty: `dev.sync "cuda"`.

    Other streams have to be joined to it before, by events.
    """

    name = "dev.sync"

    device = prop_def(StringAttr)

    assembly_format = "custom<Text>($device) attr-dict"

    custom_directives = (Text,)

    def __init__(self, device: str):
        super().__init__(properties={"device": StringAttr(device)})

    def verify_(self) -> None:
        verify_device(self.device, "a sync")
        if not is_asynchronous(self.device.data):
            raise VerifyException(
                f"'{self.device.data}' runs in the host's order and needs no sync"
            )


@op_definition
class LaunchOp(IRDLOperation):
    """Runs a kernel on tensors: `%y = dev.launch @k(%x, %w) : (..) -> (..)`."""

    name = "dev.launch"

    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def(AnyAttr())
    outputs = var_result_def(TensorType)

    assembly_format = (
        "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"
    )

    traits = traits_def(Pure())

    def __init__(
        self, kernel: str, inputs: Sequence[SSAValue], result_types: Sequence[Attribute]
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"kernel": SymbolRefAttr(kernel)},
        )

    def verify_(self) -> None:
        verify_launch(
            self,
            self.kernel,
            FunctionType.from_lists(
                [v.type for v in self.inputs], [v.type for v in self.outputs]
            ),
        )


def verify_launch(op: Operation, kernel: SymbolRefAttr, wanted: FunctionType) -> None:
    """Verify that the launched symbol exists and, if typed, has this function type.

    A GPU kernel takes a pointer for each memref of the launch. A function that PyTorch
    runs keeps its tensor types; the launch passes the memory of each.
    """
    if op.parent_op() is None:
        return
    callee = symbol_named(op, kernel)
    if callee is None:
        raise VerifyException(f"no kernel named {kernel}")
    found = getattr(callee, "function_type", None)
    if not isinstance(found, FunctionType):
        return
    pairs = zip((*found.inputs, *found.outputs), (*wanted.inputs, *wanted.outputs))
    counts = (len(found.inputs), len(found.outputs))
    same_counts = counts == (len(wanted.inputs), len(wanted.outputs))
    if is_region_function(callee):
        fits = sum(counts) == len(wanted.inputs) + len(wanted.outputs) and all(
            _same_tensor(have, want) for have, want in pairs
        )
    else:
        fits = same_counts and all(
            have == want or _points_into(have, want) for have, want in pairs
        )
    if not fits:
        raise VerifyException(f"kernel {kernel} has type {found}, launched as {wanted}")


def is_region_function(op: Operation) -> bool:
    """Whether an op of a module is the function of a region, whole and on tensors."""
    mark = op.attributes.get("dev.kernel")
    return isinstance(mark, KernelAttr) and mark.family.data == KernelAttr.REGION


def _same_tensor(value: Attribute, given: Attribute) -> bool:
    """Whether a tensor, or its memory, matches a value's type, signedness aside."""
    if not isinstance(value, TensorType) or not isinstance(
        given, TensorType | MemRefType
    ):
        return False
    have, want = cast(AnyTensor, value), cast(AnyTensor, given)
    return (have.get_shape(), device_of(have), signless(have.element_type)) == (
        want.get_shape(),
        device_of(want),
        signless(want.element_type),
    )


def _points_into(pointer: Attribute, memref: Attribute) -> bool:
    pointee = getattr(pointer, "pointee", None)
    element = getattr(memref, "element_type", None)
    # A bool is one byte in memory, and Triton's pointers say so.
    return pointee is not None and pointee == (i8 if element == i1 else element)
