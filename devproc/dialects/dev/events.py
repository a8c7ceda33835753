"""Events between the streams of a device: `dev.record` and `dev.wait`.

Launches and copies of one stream run in order. Stream 0 is that of the caller; the attribute
`dev.stream` of a `plan.launch` or `plan.copy` names another one.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from devproc.backend.installed import is_asynchronous
from devproc.dialects.dev.attributes import verify_device
from devproc.ir.directives import Int, Text
from devproc.ir.op_definition import op_definition

STREAM = "dev.stream"


@irdl_attr_definition
class EventType(ParametrizedAttribute, TypeAttribute):
    """A point in the work of a stream: `!dev.event`."""

    name = "dev.event"


@op_definition
class RecordOp(IRDLOperation):
    """Marks the point that a stream has reached: `%e = dev.record "cuda" stream 1 : !dev.event`."""

    name = "dev.record"

    device = prop_def(StringAttr)
    stream = prop_def(IntegerAttr)
    event = result_def(EventType)

    assembly_format = (
        "custom<Text>($device) `stream` custom<Int>($stream) attr-dict `:` type($event)"
    )

    custom_directives = (Text, Int)

    def __init__(self, device: str, stream: int):
        super().__init__(
            properties=_place(device, stream),
            result_types=[EventType()],
        )

    def verify_(self) -> None:
        _verify_stream(self.device, self.stream)


@op_definition
class WaitOp(IRDLOperation):
    """Makes later work of a stream wait for an event of another one; the host goes on.

    `dev.wait %e "cuda" stream 0 : !dev.event`
    """

    name = "dev.wait"

    event = operand_def(EventType)
    device = prop_def(StringAttr)
    stream = prop_def(IntegerAttr)

    assembly_format = (
        "$event custom<Text>($device) `stream` custom<Int>($stream) attr-dict"
        " `:` type($event)"
    )

    custom_directives = (Text, Int)

    def __init__(self, event: SSAValue, device: str, stream: int):
        super().__init__(
            operands=[event],
            properties=_place(device, stream),
        )

    def verify_(self) -> None:
        _verify_stream(self.device, self.stream)
        record = self.event.owner
        if isinstance(record, RecordOp) and record.device != self.device:
            raise VerifyException(
                f"a stream of '{self.device.data}' cannot wait for an event of "
                f"'{record.device.data}'"
            )


def _place(device: str, stream: int) -> dict[str, Attribute]:
    return {"device": StringAttr(device), "stream": IntegerAttr(stream, i64)}


def _verify_stream(device: StringAttr, stream: IntegerAttr) -> None:
    verify_device(device, "an event")
    if not is_asynchronous(device.data):
        raise VerifyException(
            f"'{device.data}' runs in the host's order and has no streams"
        )
    if stream.value.data < 0:
        raise VerifyException(f"there is no stream {stream.value.data}")


def stream_number(op: Operation) -> int:
    """The stream of a launch, a copy or an event; 0 is the caller's."""
    if isinstance(op, RecordOp | WaitOp):
        return op.stream.value.data
    number = op.attributes.get(STREAM)
    return number.value.data if isinstance(number, IntegerAttr) else 0


def set_stream(op: Operation, stream: int) -> None:
    """Moves a launch or a copy to a stream."""
    if stream:
        op.attributes[STREAM] = IntegerAttr(stream, i64)
    else:
        op.attributes.pop(STREAM, None)
