"""Bufferizes one kernel, in destination-passing style.

The kernel gets one more argument for each result, and writes there. A temporary shares
the buffer of the result that replaces it if possible (an accumulator and its epilogue
do), else it is a small `memref.alloca` or a scratch argument that the memory plan
allocates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FunctionType,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import plan
from devproc.dialects.dev import byte_size
from devproc.dialects.linalg_ext.order import OrderOp
from devproc.dialects.linalg_ext.scan import AnyScanOp
from devproc.dialects.linalg_ext.sequential import NmsOp, ScatterOp, ScatterSortedOp
from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.ir.program.structured import loop_sizes, maps_of
from devproc.ir.program.updates import updates_of
from devproc.ir.text.linalg_stand_ins import PlainFillOp
from devproc.ir.text.location import copy_location, describe_location
from devproc.ir.types import AnyMemRef
from devproc.transforms.buffers.memory import (
    INSIDE,
    argument_type,
    constant_table,
    copy_generic,
    inside_of,
    memory_type,
    used_up,
)

WRITERS = (
    GenericOp
    | FillOp
    | NmsOp
    | OrderOp
    | AnyScanOp
    | ScatterOp
    | ScatterSortedOp
    | tensor.PadOp
)
"""Ops that write to a given destination."""

STACK_LIMIT = 32 * 1024
"""Most bytes of a temporary on the stack of the host: the size of an L1 cache."""


IN_REGISTERS = ("attention", "bottleneck")
"""Families whose schedules keep all temporaries in registers."""


class KernelMemory:
    """Rewrites one kernel in place; `scratch` lists its additional arguments."""

    def __init__(self, kernel: FuncOp):
        self.kernel = kernel
        self.old = kernel.body.block
        self.block = Block(arg_types=[argument_type(v.type) for v in self.old.args])
        self.memory: dict[SSAValue, SSAValue] = {}
        """The buffer of each computed tensor."""
        self.places: dict[SSAValue, SSAValue] = {}
        """The destination of a tensor: an output argument, or a temporary."""
        self.becomes: dict[SSAValue, SSAValue] = {}
        """The value that reuses the buffer of another one."""
        self.scratch: list[AnyMemRef] = []
        self.globals: list[memref.GlobalOp] = []
        mark = kernel_mark(kernel)
        self.is_host = mark is None or mark.device.data == HOST
        self.keeps_temporaries = mark is not None and mark.family.data in IN_REGISTERS
        """Whether the schedule keeps temporaries in registers."""

    def convert(self) -> None:
        """Replace the kernel's body and type."""
        last = self.old.last_op
        assert isinstance(last, ReturnOp)
        for old, new in zip(self.old.args, self.block.args, strict=True):
            new.name_hint = old.name_hint
            self.memory[old] = new
        returned = list(last.operands)
        outputs = [
            self.block.insert_arg(memory_type(value.type), len(self.block.args))
            for value in returned
        ]
        for value, output in zip(returned, outputs, strict=True):
            if isinstance(value.owner, WRITERS):
                self.places.setdefault(value, output)
        for result, argument in updates_of(self.kernel).items():
            # The launch gives the same buffer twice.
            self.memory[self.old.args[argument]] = outputs[result]
        self.share_memory()
        for op in list(self.old.ops):
            if op is not last:
                self.convert_op(op)
        for value, output in zip(returned, outputs, strict=True):
            if (source := self.read(value)) is not output:
                self.add(copy_generic(source, output), last)
        self.add(ReturnOp(), last)
        self.kernel.body.add_block(self.block)
        for op in reversed(list(self.old.ops)):
            op.detach()
            op.erase(safe_erase=False)
        self.kernel.body.detach_block(self.old)
        types = [argument.type for argument in self.block.args]
        self.kernel.function_type = FunctionType.from_lists(types, [])

    def share_memory(self) -> None:
        """Let a result reuse the buffer of an operand whose last use is its op."""
        position = {op: index for index, op in enumerate(self.old.ops)}
        for op in reversed(list(self.old.ops)):
            if not isinstance(op, GenericOp):
                continue
            for index, result in enumerate(op.results):
                source = used_up(op, index, position)
                if source is None or source in self.places or source in self.becomes:
                    continue
                self.becomes[source] = result

    def place(self, value: SSAValue) -> SSAValue:
        """The buffer to write a tensor to: that of its successor, or a new one."""
        while value in self.becomes:
            value = self.becomes[value]
        if value in self.places:
            return self.places[value]
        type_ = memory_type(value.type)
        if not self.is_on_stack(value):
            self.scratch.append(type_)
            place = self.block.insert_arg(type_, len(self.block.args))
        else:
            alloca = memref.AllocaOp.get(
                type_.element_type,
                plan.ALIGNMENT,
                type_.get_shape(),
                memory_space=type_.memory_space,
            )
            place = self.add(alloca, self.kernel).results[0]
        self.places[value] = place
        place.name_hint = value.name_hint
        return place

    def is_on_stack(self, value: SSAValue) -> bool:
        """Whether a temporary is small, or on another device only a shape.

        Ops of a kernel may become several programs of a device, which share no stack.
        """
        if not self.is_host:
            return isinstance(value.owner, tensor.EmptyOp)
        is_small = byte_size(memory_type(value.type)) <= STACK_LIMIT
        return is_small or self.keeps_temporaries

    def convert_op(self, op: Operation) -> None:
        """Add the bufferized form of one op of the kernel."""
        match op:
            case tensor.EmptyOp() | FillOp():
                pass  # Created for each reader: several ops may share one.
            case arith.ConstantOp() if isinstance(op.result.type, TensorType):
                pass
            case GenericOp():
                self.convert_generic(op)
            case ScatterOp():
                self.convert_scatter(op)
            case _ if isinstance(op, OrderOp):
                self.convert_order(op)
            case _ if isinstance(op, AnyScanOp | ScatterSortedOp):
                self.convert_with_body(op)
            case NmsOp():
                self.convert_nms(op)
            case tensor.PadOp():
                self.convert_pad(op)
            case tensor.ExtractOp():
                load = memref.LoadOp.get(self.read(op.tensor), op.indices)
                op.result.replace_all_uses_with(self.add(load, op).results[0])
            case plan.ViewOp():
                view = plan.ViewOp(self.read(op.source), memory_type(op.result.type))
                self.memory[op.result] = self.add(view, op).results[0]
            case _ if any(isinstance(r.type, TensorType) for r in op.results):
                raise PassFailedException(
                    f"bufferize: '{op.name}' ({describe_location(op.location)}) is"
                    " not supported: use linalg.generic, linalg.fill or tensor.pad"
                )
            case _:
                op.detach()
                self.block.add_op(op)

    def convert_generic(self, op: GenericOp) -> None:
        """The same loops on buffers."""
        body, count = op.body.block, len(op.inputs)
        inputs = [self.read(value) for value in op.inputs]
        outputs = [self.place(result) for result in op.results]
        for place, init, argument, map_ in zip(
            outputs, op.outputs, body.args[count:], maps_of(op)[count:], strict=True
        ):
            if argument.uses:
                self.initialize(place, init, op)
            elif isinstance(init.owner, FillOp):
                self.initialize(place, init, op)
                box = inside_of(map_, loop_sizes(op))
                last = self.block.last_op
                assert last is not None
                last.attributes[INSIDE] = box
        self.read_elements(body)
        region = op.detach_region(op.body)
        new = type(op)(inputs, outputs, region, op.indexing_maps, op.iterator_types)
        new.attributes |= op.attributes
        self.add(new, op)
        self.memory |= zip(op.results, outputs, strict=True)

    def convert_scatter(self, op: ScatterOp) -> None:
        """The same op on buffers; it updates its target in place."""
        place = self.place(op.results[0])
        region = op.detach_region(op.body)
        self.initialize(place, op.target, op)
        updates, index = self.read(op.updates), self.read(op.index)
        new = ScatterOp(updates, index, place, op.axis.value.data, region)
        new.attributes |= op.attributes
        self.add(new, op)
        self.memory[op.results[0]] = place

    def convert_order(self, op: OrderOp) -> None:
        """The same op on buffers."""
        outputs = [self.place(result) for result in op.results]
        inputs = [self.read(value) for value in op.operands[: -len(outputs)]]
        new = type(op).create(
            operands=[*inputs, *outputs],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self.add(new, op)
        self.memory |= zip(op.results, outputs, strict=True)

    def convert_with_body(self, op: AnyScanOp | ScatterSortedOp) -> None:
        """The same op on buffers."""
        places = [self.place(result) for result in op.results]
        inputs = [self.read(value) for value in op.operands[: -len(places)]]
        new = type(op).create(
            operands=[*inputs, *places],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=[op.detach_region(op.body)],
        )
        self.add(new, op)
        self.memory |= zip(op.results, places, strict=True)

    def convert_nms(self, op: NmsOp) -> None:
        """The same op on buffers."""
        places = [self.place(result) for result in op.results]
        classes = op.classes and self.read(op.classes)
        new = NmsOp(
            [self.read(op.boxes), self.read(op.scores)],
            classes,
            places,
            (op.overlap.value.data, op.score.value.data),
            bool(op.agnostic.value.data),
            op.iom,
        )
        new.attributes |= op.attributes
        self.add(new, op)
        self.memory |= zip(op.results, places, strict=True)

    def read_elements(self, body: Block) -> None:
        """Replace element extractions from captured tensors with loads."""
        for op in list(body.ops):
            if isinstance(op, tensor.ExtractOp):
                load = memref.LoadOp.get(self.read(op.tensor), op.indices)
                copy_location(op, load)
                body.insert_op_before(load, op)
                op.result.replace_all_uses_with(load.res)
                op.detach()
                op.erase()

    def convert_pad(self, op: tensor.PadOp) -> None:
        """Fill the padded image, then copy the image into it."""
        if op.low or op.high:
            raise PassFailedException("bufferize: tensor.pad needs static padding")
        inner = op.region.block
        last = inner.last_op
        assert last is not None
        (value,) = last.operands
        if isinstance(value.owner, Operation) and value.owner.parent is inner:
            value.owner.detach()
            self.block.add_op(value.owner)
        place = self.place(op.result)
        self.add(PlainFillOp([value], [place], []), op)
        low = cast(Sequence[int], op.static_low.get_values())
        self.add(copy_generic(self.read(op.source), place, low), op)
        self.memory[op.result] = place

    def initialize(self, place: SSAValue, init: SSAValue, op: Operation) -> None:
        """Initialize `place` with the contents of `init`, which the loops update."""
        match init.owner:
            case FillOp() as fill:
                self.add(PlainFillOp(list(fill.inputs), [place], []), fill)
            case tensor.EmptyOp():
                pass
            case _ if (source := self.read(init)) is not place:
                self.add(copy_generic(source, place), op)
            case _:
                pass

    def read(self, value: SSAValue) -> SSAValue:
        """The buffer of a tensor; a scalar is returned unchanged."""
        if value in self.memory or not isinstance(value.type, TensorType):
            return self.memory.get(value, value)
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            self.memory[value] = self.constant(owner)
            return self.memory[value]
        assert isinstance(owner, FillOp | tensor.EmptyOp)
        self.memory[value] = place = self.place(value)
        if isinstance(owner, FillOp):
            self.add(PlainFillOp(list(owner.inputs), [place], []), owner)
        return place

    def constant(self, op: arith.ConstantOp) -> SSAValue:
        """The buffer of a constant: filled if all elements are equal, else a global."""
        value = op.value
        assert isinstance(value, DenseIntOrFPElementsAttr)
        type_ = memory_type(op.result.type)
        if value.is_splat():
            scalar = arith.ConstantOp(value.get_attrs()[0])
            place = self.place(op.result)
            self.add(PlainFillOp([self.add(scalar, op).results[0]], [place], []), op)
            return place
        name = f"{self.kernel.sym_name.data}_constant_{len(self.globals)}"
        self.globals.append(constant_table(name, type_, value))
        return self.add(memref.GetGlobalOp(name, type_), op).results[0]

    def add(self, new: Operation, source: Operation) -> Operation:
        """Append an op with the location of `source`."""
        copy_location(source, new)
        self.block.add_op(new)
        return new
