"""The host program on memory: destinations for every launch, outputs written in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import dev, plan
from devproc.dialects.nn.constant import WeightOp
from devproc.ir.location import copy_location, describe_location
from devproc.ir.types import AnyMemRef
from devproc.transforms.buffers.memory import copy_generic, memory_type


class HostMemory:
    """Rewrites `@main` in place: inputs, then outputs as arguments, no results."""

    def __init__(self, main: FuncOp, scratch: Mapping[str, Sequence[AnyMemRef]]):
        self.main = main
        self.scratch = scratch
        self.block = Block()
        self.memory: dict[SSAValue, SSAValue] = {}
        self.outputs: dict[SSAValue, SSAValue] = {}
        """Values that are computed right into an output argument."""
        self.copies: dict[Attribute, FuncOp] = {}
        """Kernels that copy a value into an output, by type of the value."""

    def convert(self) -> None:
        """Replace the function's body and type."""
        old = self.main.body.block
        last = old.last_op
        assert isinstance(last, ReturnOp)
        for argument in old.args:
            self.memory[argument] = self.argument(argument)
        places = [(value, self.argument(value)) for value in last.operands]
        for value, place in places:
            self.claim(value, place)
        for op in old.ops:
            self.convert_op(op)
        for value, place in places:
            if self.memory[value] is not place and self.outputs.get(value) is not place:
                self.copy(value, place, last)
        self.add(ReturnOp(), last)
        self.finish(old)

    def argument(self, value: SSAValue) -> SSAValue:
        """A new argument of `@main` for a value."""
        place = self.block.insert_arg(memory_type(value.type), len(self.block.args))
        place.name_hint = value.name_hint
        return place

    def claim(self, value: SSAValue, place: SSAValue) -> None:
        """Let `value` be computed in an output, where it is computed at all."""
        source = value
        while isinstance(source.owner, plan.ViewOp):
            source = source.owner.source
        if not isinstance(source.owner, dev.LaunchOp | dev.CopyOp):
            return
        if source in self.outputs:
            return
        self.outputs[value] = place
        if source is not value:
            view = plan.ViewOp(place, memory_type(source.type))
            self.outputs[source] = self.add(view, source.owner).results[0]

    def convert_op(self, op: Operation) -> None:
        """Add the form on memory of one op of the host program."""
        match op:
            case WeightOp():
                weight = plan.WeightOp(
                    op.weight_name, op.hash.data, memory_type(op.result.type)
                )
                self.memory[op.result] = self.named(weight, op)
            case plan.ViewOp():
                if op.result in self.outputs:
                    self.memory[op.result] = self.outputs[op.result]
                    return
                view = plan.ViewOp(self.memory[op.source], memory_type(op.result.type))
                self.memory[op.result] = self.named(view, op)
            case dev.LaunchOp():
                self.launch(op)
            case dev.CopyOp():
                place = self.place(op.result, op)
                self.add(plan.CopyOp(self.memory[op.source], place), op)
            case dev.SyncOp():
                self.add(op.clone(), op)
            case ReturnOp():
                pass
            case _:
                raise PassFailedException(
                    f"bufferize: '{op.name}' ({describe_location(op.location)}) cannot"
                    " stand in the host program: only launches, copies, syncs, views"
                    " and weights may remain after outline-kernels"
                )

    def launch(self, op: dev.LaunchOp) -> None:
        """A launch, with places for its results and its scratch memory."""
        name = op.kernel.root_reference.data
        inputs = [self.memory[value] for value in op.inputs]
        outputs = [self.place(result, op) for result in op.results]
        for type_ in self.scratch.get(name, ()):
            outputs.append(self.allocate(type_, op))
        launch = plan.LaunchOp(name, inputs, outputs)
        launch.attributes |= op.attributes
        self.add(launch, op)

    def place(self, value: SSAValue, op: Operation) -> SSAValue:
        """Where a value is computed: an output of the program, or memory of its own."""
        place = self.outputs.get(value)
        if place is None:
            place = self.allocate(memory_type(value.type), op)
            place.name_hint = value.name_hint
        self.memory[value] = place
        return place

    def allocate(self, type_: AnyMemRef, op: Operation) -> SSAValue:
        """Memory that the plan will find a place for."""
        alloc = memref.AllocOp.get(
            type_.element_type,
            shape=type_.get_shape(),
            memory_space=type_.memory_space,
        )
        return self.add(alloc, op).results[0]

    def copy(self, value: SSAValue, place: SSAValue, last: ReturnOp) -> None:
        """An output that is an input, a weight, or another output: a copy kernel.

        Host memory only; it stands at the end, behind every sync.
        """
        source = self.memory[value]
        if source.type not in self.copies:
            kernel = FuncOp(
                f"copy_output_{len(self.copies)}",
                ([source.type, place.type], []),
                visibility="private",
            )
            mark = dev.KernelAttr.get("cpu", "pointwise", [])
            kernel.attributes["dev.kernel"] = mark
            old, new = kernel.body.block.args
            kernel.body.block.add_ops([copy_generic(old, new), ReturnOp()])
            copy_location(last, kernel)
            self.copies[source.type] = kernel
        name = self.copies[source.type].sym_name.data
        self.add(plan.LaunchOp(name, [source], [place]), last)

    def finish(self, old: Block) -> None:
        """Put the new block into the function, with names and roles of its arguments."""
        main = self.main
        main.body.add_block(self.block)
        for op in reversed(list(old.ops)):
            op.detach()
            op.erase(safe_erase=False)
        main.body.detach_block(old)
        inputs = len(old.args)
        given = [
            *(main.arg_attrs or [DictionaryAttr({})] * inputs),
            *(main.res_attrs or [DictionaryAttr({})] * (len(self.block.args) - inputs)),
        ]
        roles = [
            DictionaryAttr(
                {
                    **attributes.data,
                    "dev.role": StringAttr("input" if i < inputs else "output"),
                }
            )
            for i, attributes in enumerate(given)
        ]
        main.properties.pop("res_attrs", None)
        main.arg_attrs = ArrayAttr(roles)
        types = [argument.type for argument in self.block.args]
        main.function_type = FunctionType.from_lists(types, [])

    def named(self, new: Operation, source: Operation) -> SSAValue:
        """Append an op; its result takes the name of the source's."""
        self.add(new, source).results[0].name_hint = source.results[0].name_hint
        return new.results[0]

    def add(self, new: Operation, source: Operation) -> Operation:
        """Append an op that comes from `source`."""
        copy_location(source, new)
        self.block.add_op(new)
        return new
