"""Bufferizes launches, in the host program and in its loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from devproc.dialects import dev, plan
from devproc.ir.devices import HOST
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.program.updates import updated_by, updates_of
from devproc.ir.text.location import copy_location
from devproc.ir.types import AnyMemRef
from devproc.transforms.buffers.memory import copy_generic, memory_type


class LaunchMemory:
    """Rewrites ops on values to ops on buffers, which are appended to `block`."""

    copy_name: str
    """Prefix of the names of copy kernels."""

    def __init__(self, scratch: Mapping[str, Sequence[AnyMemRef]]):
        self.scratch = scratch
        self.block = Block()
        self.memory: dict[SSAValue, SSAValue] = {}
        self.outputs: dict[SSAValue, SSAValue] = {}
        """Values that are computed directly into the buffer of a result."""
        self.copies: dict[Attribute, FuncOp] = {}
        """Copy kernels by the type of the value."""

    def allocate(self, type_: AnyMemRef, op: Operation) -> SSAValue:
        """A buffer for a value of `op`, or for its scratch memory."""
        raise NotImplementedError

    def claim(self, value: SSAValue, place: SSAValue) -> None:
        """Compute `value` directly in `place`, if a launch computes it.

        So are the values that become it by updates in place.
        """
        source = memory_root(value)
        updated = updated_by(source)
        if not isinstance(source.owner, dev.LaunchOp | dev.CopyOp):
            return
        if source in self.outputs or isinstance(base_of(source), BlockArgument):
            return
        self.outputs[value] = place
        if source is not value:
            view = plan.ViewOp(place, memory_type(source.type))
            self.outputs[source] = self.add(view, source.owner).results[0]
        if updated is not None:
            self.claim(updated, self.outputs[source])

    def view(self, op: plan.ViewOp) -> None:
        """The same view of a buffer."""
        if op.result in self.outputs:
            self.memory[op.result] = self.outputs[op.result]
            return
        view = plan.ViewOp(self.memory[op.source], memory_type(op.result.type))
        self.memory[op.result] = self.named(view, op)

    def launch(self, op: dev.LaunchOp) -> None:
        """A launch, with buffers for its results and its scratch memory."""
        name = op.kernel.root_reference.data
        inputs = [self.memory[value] for value in op.inputs]
        updates = updates_of(op)
        outputs = [
            self.updated(result, op.inputs[updates[number]])
            if number in updates
            else self.place(result, op)
            for number, result in enumerate(op.results)
        ]
        for type_ in self.scratch.get(name, ()):
            outputs.append(self.allocate(type_, op))
        launch = plan.LaunchOp(name, inputs, outputs)
        launch.attributes |= op.attributes
        self.add(launch, op)

    def updated(self, value: SSAValue, operand: SSAValue) -> SSAValue:
        """The buffer of a value that updates an operand in place."""
        self.memory[value] = self.outputs.get(value, self.memory[operand])
        return self.memory[value]

    def place(self, value: SSAValue, op: Operation) -> SSAValue:
        """The buffer that a value is computed in: that of a result, or a new one."""
        place = self.outputs.get(value)
        if place is None:
            place = self.allocate(memory_type(value.type), op)
            place.name_hint = value.name_hint
        self.memory[value] = place
        return place

    def copy(self, source: SSAValue, place: SSAValue, at: Operation) -> None:
        """Launch a kernel that copies a buffer, on the device of that buffer."""
        if source.type not in self.copies:
            kernel = FuncOp(
                f"{self.copy_name}_{len(self.copies)}",
                ([source.type, place.type], []),
                visibility="private",
            )
            device = dev.device_of(source.type) or HOST
            kernel.attributes["dev.kernel"] = dev.KernelAttr.get(
                device, "pointwise", []
            )
            old, new = kernel.body.block.args
            kernel.body.block.add_ops([copy_generic(old, new), ReturnOp()])
            copy_location(at, kernel)
            self.copies[source.type] = kernel
        name = self.copies[source.type].sym_name.data
        self.add(plan.LaunchOp(name, [source], [place]), at)

    def named(self, new: Operation, source: Operation) -> SSAValue:
        """Append an op; its result takes the name of the source's result."""
        self.add(new, source).results[0].name_hint = source.results[0].name_hint
        return new.results[0]

    def add(self, new: Operation, source: Operation) -> Operation:
        """Append an op with the location of `source`."""
        copy_location(source, new)
        self.block.add_op(new)
        return new


def base_of(value: SSAValue) -> SSAValue:
    """The first of the values that become this one by updates in place."""
    source = memory_root(value)
    while (updated := updated_by(source)) is not None:
        source = memory_root(updated)
    return source
