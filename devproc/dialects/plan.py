"""The `plan` dialect: the program on buffers, with the memory plan written out.

The host function takes its inputs and outputs as memrefs. Every other value is a
`plan.buffer` at a fixed offset of one `plan.arena` per device, with the span of steps
over which it is live; weights are `plan.weight`s outside the arena.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import cast

from xdsl.dialects.builtin import (
    FunctionType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    i8,
)
from xdsl.ir import Attribute, Block, Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import OnAttr, byte_size, device_of, verify_launch
from devproc.dialects.dev.attributes import verify_device
from devproc.dialects.nn.base import int_attr, int_of
from devproc.dialects.plan_repeat import FollowOp
from devproc.dialects.plan_views import SliceOp, ViewOp
from devproc.ir.devices import HOST
from devproc.ir.directives import Int, Text
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.host.lifetimes import Span, memory_root, steps_of, use_spans
from devproc.ir.op_definition import op_definition


@op_definition
class ArenaOp(IRDLOperation):
    """The single allocation of a device that contains all its buffers.

    `%arena = plan.arena "cpu" : memref<4096xi8, #dev.on<"cpu">>`
    """

    name = "plan.arena"

    device = prop_def(StringAttr)
    result = result_def(MemRefType)

    assembly_format = "custom<Text>($device) attr-dict `:` type($result)"

    custom_directives = (Text,)

    def __init__(self, device: str, byte_count: int):
        type_ = MemRefType(i8, [byte_count], memory_space=OnAttr.get(device))
        super().__init__(
            properties={"device": StringAttr(device)}, result_types=[type_]
        )

    @property
    def byte_count(self) -> int:
        """Size of the arena in bytes."""
        return self.result.type.get_shape()[0]

    @property
    def buffers(self) -> list[BufferOp]:
        """The buffers in this arena, by id."""
        users = {use.operation for use in self.result.uses}
        found = [op for op in users if isinstance(op, BufferOp)]
        return sorted(found, key=lambda op: op.buffer_id)

    def verify_(self) -> None:
        if device_of(self.result.type) != self.device.data:
            raise VerifyException("the arena's memref must be on the arena's device")
        block = self.parent_block()
        if block is not None:
            verify_arena(self, block)


@op_definition
class BufferOp(IRDLOperation):
    """A buffer of the arena: its offset and size, and the steps of its lifetime.

    Steps count the launches, copies and syncs of the function from 0; `plan-memory`
    writes the number on each (`plan.step`).

    ```mlir
    %b = plan.buffer %arena id 3 offset 128 bytes 256 live 1 to 4
       : memref<4096xi8, #dev.on<"cpu">> -> memref<8x8xf32, #dev.on<"cpu">>
    ```
    """

    name = "plan.buffer"

    arena = operand_def(MemRefType)
    id = prop_def(IntegerAttr)
    offset = prop_def(IntegerAttr)
    bytes = prop_def(IntegerAttr)
    first = prop_def(IntegerAttr)
    last = prop_def(IntegerAttr)
    result = result_def(MemRefType)

    assembly_format = (
        "$arena `id` custom<Int>($id) `offset` custom<Int>($offset)"
        " `bytes` custom<Int>($bytes) `live` custom<Int>($first) `to`"
        " custom<Int>($last) attr-dict `:` type($arena) `->` type($result)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    def __init__(
        self,
        arena: SSAValue,
        result_type: Attribute,
        *,
        buffer_id: int,
        offset: int,
        byte_count: int,
        first: int,
        last: int,
    ):
        names = ("id", "offset", "bytes", "first", "last")
        values = map(int_attr, (buffer_id, offset, byte_count, first, last))
        numbers: dict[str, Attribute] = dict(zip(names, values, strict=True))
        super().__init__(
            operands=[arena], properties=numbers, result_types=[result_type]
        )

    @property
    def buffer_id(self) -> int:
        """The number of this buffer in its arena."""
        return int_of(self.id)

    @property
    def span(self) -> tuple[int, int]:
        """The offsets of the first byte and of the end, within the arena."""
        start = int_of(self.offset)
        return start, start + int_of(self.bytes)

    @property
    def lifetime(self) -> tuple[int, int]:
        """First and last step that touches the buffer, inclusive."""
        return int_of(self.first), int_of(self.last)

    def verify_(self) -> None:
        _verify_place(self)
        if self.lifetime[0] > self.lifetime[1]:
            raise VerifyException("the buffer's lifetime ends before it begins")


def _verify_place(buffer: BufferOp) -> None:
    """Verify that the buffer is within its arena, aligned, and large enough."""
    arena, result = buffer.arena.type, buffer.result.type
    if device_of(arena) != device_of(result):
        raise VerifyException("a buffer must be on the device of its arena")
    start, end = buffer.span
    if start < 0:
        raise VerifyException(f"offset {start} is before its arena")
    if start % ALIGNMENT:
        raise VerifyException(f"offset {start} is not a multiple of {ALIGNMENT}")
    if end - start < byte_size(result):
        raise VerifyException(
            f"{end - start} bytes are too few for {byte_size(result)}"
        )
    if end > cast(MemRefType[Attribute], arena).get_shape()[0]:
        raise VerifyException(f"the buffer ends at {end}, after the end of its arena")


@op_definition
class WeightOp(IRDLOperation):
    """The memory of a weight, by its name in the weight table.

    `%w = plan.weight @"fc1.weight" hash "9f86d0" : memref<10x64xf32, #dev.on<"cpu">>`
    """

    name = "plan.weight"

    key = prop_def(SymbolRefAttr)
    hash = prop_def(StringAttr)
    result = result_def(MemRefType)

    assembly_format = "$key `hash` custom<Text>($hash) attr-dict `:` type($result)"

    custom_directives = (Text,)

    traits = traits_def(Pure())

    def __init__(self, key: str, hash: str, result_type: Attribute):
        super().__init__(
            result_types=[result_type],
            properties={"key": SymbolRefAttr(key), "hash": StringAttr(hash)},
        )

    @property
    def weight_name(self) -> str:
        """The key of the weight in the weight table."""
        return self.key.root_reference.data


@op_definition
class StagingOp(IRDLOperation):
    """Page-locked memory of the host through which a value is copied to or from a device.

    It is not part of an arena: each call takes it from a ring that the program owns.

    `%s = plan.staging "cuda" : memref<4xf32, #dev.on<"cpu">>`
    """

    name = "plan.staging"

    device = prop_def(StringAttr)
    result = result_def(MemRefType)

    assembly_format = "custom<Text>($device) attr-dict `:` type($result)"

    custom_directives = (Text,)

    traits = traits_def(Pure())

    def __init__(self, device: str, result_type: Attribute):
        super().__init__(
            properties={"device": StringAttr(device)}, result_types=[result_type]
        )

    def verify_(self) -> None:
        verify_device(self.device, "a staging buffer")
        if device_of(self.result.type) != HOST:
            raise VerifyException("a staging buffer is memory of the host")


@op_definition
class LaunchOp(IRDLOperation):
    """Runs a kernel or segment: reads `inputs`, overwrites `outputs`.

    `plan.step` is its number in the memory plan; a segment has a `plan.last_step` too.

    ```mlir
    plan.launch @k(%x, %w) -> (%y) : (memref<..>, memref<..>) -> (memref<..>)
    ```
    """

    name = "plan.launch"

    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def(MemRefType)
    outputs = var_operand_def(MemRefType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "$kernel `(` $inputs `)` `->` `(` $outputs `)` attr-dict"
        " `:` `(` type($inputs) `)` `->` `(` type($outputs) `)`"
    )

    def __init__(
        self, kernel: str, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ):
        super().__init__(
            operands=[inputs, outputs], properties={"kernel": SymbolRefAttr(kernel)}
        )

    def verify_(self) -> None:
        wanted = FunctionType.from_lists([v.type for v in self.operands], [])
        verify_launch(self, self.kernel, wanted)


@op_definition
class CopyOp(IRDLOperation):
    """Copies a buffer to one of another device: `plan.copy %a to %b : A to B`."""

    name = "plan.copy"

    source = operand_def(MemRefType)
    destination = operand_def(MemRefType)

    assembly_format = (
        "$source `to` $destination attr-dict `:` type($source) `to` type($destination)"
    )

    def __init__(self, source: SSAValue, destination: SSAValue):
        super().__init__(operands=[source, destination])

    @property
    def byte_count(self) -> int:
        """Bytes moved."""
        return byte_size(self.source.type)

    def verify_(self) -> None:
        source = cast(MemRefType[Attribute], self.source.type)
        destination = cast(MemRefType[Attribute], self.destination.type)
        if byte_size(source) != byte_size(destination):
            raise VerifyException("plan.copy between buffers of different size")


def lifetimes(block: Block) -> dict[BufferOp, Span]:
    """First and last step that touches each buffer of the host function's block."""
    return {
        root.owner: span
        for root, span in use_spans(steps_of(block)).items()
        if isinstance(root.owner, BufferOp)
    }


def verify_arena(arena: ArenaOp, block: Block) -> None:
    """Verify live ranges, and that no two buffers live at the same step overlap.

    Raises VerifyException naming both buffers.
    """
    spans = lifetimes(block)
    buffers = arena.buffers
    for buffer, following in pairwise(buffers):
        if buffer.buffer_id == following.buffer_id:
            raise VerifyException(
                f"two buffers of the '{arena.device.data}' arena have the id "
                f"{buffer.buffer_id}"
            )
    for buffer in buffers:
        needed = spans.get(buffer)
        first, last = buffer.lifetime
        if needed is not None and (needed[0] < first or needed[1] > last):
            raise VerifyException(
                f"buffer {buffer.buffer_id} is used from step {needed[0]} to "
                f"{needed[1]}, but planned live from {first} to {last}"
            )
    _verify_segments(arena, block)
    _verify_apart(arena, buffers)


def _verify_apart(arena: ArenaOp, buffers: Sequence[BufferOp]) -> None:
    """Verify that buffers live at the same time do not overlap.

    The live buffers are sorted by offset and do not overlap, so a new one can only
    overlap its predecessor and its successor.
    """
    live: list[tuple[int, int, int]] = []
    deaths: list[tuple[int, tuple[int, int, int]]] = []
    for buffer in sorted(buffers, key=lambda b: b.lifetime):
        (born, dies), (start, end) = buffer.lifetime, buffer.span
        while deaths and deaths[0][0] < born:
            del live[bisect_left(live, heappop(deaths)[1])]
        if start == end:
            continue
        entry = (start, end, buffer.buffer_id)
        place = bisect_left(live, entry)
        for other_start, other_end, other in live[max(place - 1, 0) : place + 1]:
            if start < other_end and other_start < end:
                raise VerifyException(
                    f"buffers {other} and {buffer.buffer_id} of the "
                    f"'{arena.device.data}' arena are live together and overlap"
                )
        live.insert(place, entry)
        heappush(deaths, (dies, entry))


def _verify_segments(arena: ArenaOp, block: Block) -> None:
    """Verify that the buffers of a segment are live during one of its steps or more."""
    for step in steps_of(block):
        if step.last == step.first:
            continue
        for operand in step.op.operands:
            buffer = memory_root(operand).owner
            if not isinstance(buffer, BufferOp) or buffer.arena is not arena.result:
                continue
            first, last = buffer.lifetime
            if last < step.first or first > step.last:
                raise VerifyException(
                    f"buffer {buffer.buffer_id} is used between step {step.first} and"
                    f" {step.last}, but planned live from {first} to {last}"
                )


PLAN = Dialect(
    "plan",
    [
        ArenaOp,
        BufferOp,
        CopyOp,
        FollowOp,
        LaunchOp,
        SliceOp,
        StagingOp,
        ViewOp,
        WeightOp,
    ],
)
