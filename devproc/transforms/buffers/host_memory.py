"""Bufferizes the host program: every launch gets the buffers of its results."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import dev, plan
from devproc.dialects.nn.constant import WeightOp
from devproc.ir.program.state import is_in_place, state_name
from devproc.ir.text.location import describe_location
from devproc.ir.types import AnyMemRef
from devproc.transforms.buffers.launch_memory import LaunchMemory
from devproc.transforms.buffers.memory import memory_type


class HostMemory(LaunchMemory):
    """Rewrites `@main`: its arguments are inputs, then outputs; it has no results.

    A state that is updated in place is one argument, among the inputs.
    """

    copy_name = "copy_output"

    def __init__(self, main: FuncOp, scratch: Mapping[str, Sequence[AnyMemRef]]):
        super().__init__(scratch)
        self.main = main

    def convert(self) -> None:
        """Replace the function's body and type."""
        old = self.main.body.block
        last = old.last_op
        assert isinstance(last, ReturnOp)
        for argument in old.args:
            self.memory[argument] = self.argument(argument)
        in_place = self.states_in_place(last)
        places = [
            (value, self.memory[in_place[i]] if i in in_place else self.argument(value))
            for i, value in enumerate(last.operands)
        ]
        # What is computed in the place of a state is copied to outputs, not the reverse.
        for i in sorted(range(len(places)), key=lambda i: i not in in_place):
            self.claim(*places[i])
        for op in old.ops:
            self.convert_op(op)
        for i, (value, place) in enumerate(places):
            if i in in_place:
                continue
            if self.memory[value] is not place and self.outputs.get(value) is not place:
                # The output is an input, a weight or another output: copy it, in host
                # memory, after every sync.
                self.copy(self.memory[value], place, last)
        self.add(ReturnOp(), last)
        self.finish(old, in_place)

    def states_in_place(self, last: ReturnOp) -> dict[int, SSAValue]:
        """Number of the result of each state that is updated in place -> its argument."""
        pairs = zip(self.main.body.block.args, self.main.arg_attrs or (), strict=False)
        states = [pair for pair in pairs if state_name(pair[1]) is not None]
        first = len(last.operands) - len(states)
        return {
            number: argument
            for number, (argument, row) in enumerate(states, first)
            if is_in_place(row)
        }

    def argument(self, value: SSAValue) -> SSAValue:
        """A new argument of `@main` for a value."""
        place = self.block.insert_arg(memory_type(value.type), len(self.block.args))
        place.name_hint = value.name_hint
        return place

    def convert_op(self, op: Operation) -> None:
        """Add the bufferized form of one op of the host program."""
        match op:
            case WeightOp():
                weight = plan.WeightOp(
                    op.weight_name, op.hash.data, memory_type(op.result.type)
                )
                self.memory[op.result] = self.named(weight, op)
            case plan.ViewOp():
                self.view(op)
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
                    f"bufferize: '{op.name}' ({describe_location(op.location)}) is"
                    " not allowed in the host program: only launches, copies, syncs,"
                    " views and weights may remain after outline-kernels"
                )

    def allocate(self, type_: AnyMemRef, op: Operation) -> SSAValue:
        """A buffer that the memory plan allocates."""
        alloc = memref.AllocOp.get(
            type_.element_type,
            shape=type_.get_shape(),
            memory_space=type_.memory_space,
        )
        return self.add(alloc, op).results[0]

    def finish(self, old: Block, in_place: Container[int]) -> None:
        """Install the new block in the function, with the argument attributes."""
        main = self.main
        main.body.add_block(self.block)
        for op in reversed(list(old.ops)):
            op.detach()
            op.erase(safe_erase=False)
        main.body.detach_block(old)
        results, none = main.function_type.outputs.data, DictionaryAttr({})
        before = [
            (row, role_of(row)) for row in main.arg_attrs or [none] * len(old.args)
        ]
        after = [(row, "output") for row in main.res_attrs or [none] * len(results)]
        kept = [pair for i, pair in enumerate(after) if i not in in_place]
        roles = [
            DictionaryAttr({**attributes.data, "dev.role": StringAttr(role)})
            for attributes, role in (*before, *kept)
        ]
        main.properties.pop("res_attrs", None)
        main.arg_attrs = ArrayAttr(roles)
        types = [argument.type for argument in self.block.args]
        main.function_type = FunctionType.from_lists(types, [])


def role_of(attributes: DictionaryAttr) -> str:
    """The role of an argument of the host program."""
    return "state" if is_in_place(attributes) else "input"
