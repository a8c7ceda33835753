"""Bufferizes a loop over launches, and assigns buffers to its carried values.

If a carried value is also stacked, the next step reads it from the stack, and the loop
carries its memref. Any other carried value uses the buffer of the loop's result: the
next value is computed there directly if the previous one has no later reader, or else
copied there at the end of the step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import dev, plan
from devproc.dialects.nn.loop import LoopOp, last_of
from devproc.ir.host.lifetimes import memory_root, readers_of
from devproc.ir.program.structured import is_parallel, maps_of
from devproc.ir.text.location import describe_location
from devproc.ir.types import AnyMemRef
from devproc.transforms.buffers.launch_memory import LaunchMemory
from devproc.transforms.buffers.memory import memory_type


class LoopMemory(LaunchMemory):
    """Rewrites the function of one loop in place; `own_scratch` lists the arguments for
    temporaries between its launches. `kernels` are the bufferized kernels it launches.
    """

    copy_name = "copy_carried"

    def __init__(
        self,
        function: FuncOp,
        scratch: Mapping[str, Sequence[AnyMemRef]],
        kernels: Mapping[str, FuncOp],
        copies: dict[Attribute, FuncOp],
    ):
        super().__init__(scratch)
        self.copies = copies
        self.function = function
        self.kernels = kernels
        self.entry = self.block
        self.own_scratch: list[AnyMemRef] = []
        loop = function.body.block.first_op
        if not isinstance(loop, LoopOp) or len(function.body.block.ops) != 2:
            raise PassFailedException(
                f"bufferize: @{function.sym_name.data} is of the family 'loop'"
                f" ({describe_location(function.location)}): it must contain one"
                " nn.loop and return its results"
            )
        self.loop, self.last = loop, last_of(loop.body)
        self.position = {op: i for i, op in enumerate(loop.body.block.ops)}

    def convert(self) -> None:
        """Replace the function's body and type."""
        old, loop = self.function.body.block, self.loop
        for argument in old.args:
            self.memory[argument] = self.argument(memory_type(argument.type))
            self.memory[argument].name_hint = argument.name_hint
        results = [self.argument(memory_type(value.type)) for value in loop.results]
        carried, stacks = results[: len(loop.initial)], results[len(loop.initial) :]
        moving = [i for i, value in enumerate(self.last.carried) if self.moves(value)]
        for index, (value, place) in enumerate(zip(loop.initial, carried)):
            if index not in moving:
                self.copy(self.memory[value], place, loop)
        ends = self.loop_over(carried, stacks, moving)
        for index, end in zip(moving, ends, strict=True):
            self.copy(end, carried[index], loop)
        self.add(ReturnOp(), loop)
        self.function.body.add_block(self.entry)
        for op in reversed(list(old.ops)):
            op.detach()
            op.erase(safe_erase=False)
        self.function.body.detach_block(old)
        types = [argument.type for argument in self.entry.args]
        self.function.function_type = FunctionType.from_lists(types, [])

    def argument(self, type_: AnyMemRef) -> SSAValue:
        """A new argument of the function."""
        return self.entry.insert_arg(type_, len(self.entry.args))

    def allocate(self, type_: AnyMemRef, op: Operation) -> SSAValue:
        """An argument whose buffer the memory plan of the program allocates."""
        self.own_scratch.append(type_)
        return self.argument(type_)

    def moves(self, value: SSAValue) -> bool:
        """Whether a carried value is computed in a stack, with varying addresses."""
        return value in self.last.stacked and isinstance(value.owner, dev.LaunchOp)

    def loop_over(
        self,
        carried: Sequence[SSAValue],
        stacks: Sequence[SSAValue],
        moving: Sequence[int],
    ) -> Sequence[SSAValue]:
        """Build the loop over steps; returns the last memrefs of moving values."""
        first, end, by = map(self.index, (0, self.loop.step_count, 1))
        starts = [self.memory[self.loop.initial[index]] for index in moving]
        body = Block(arg_types=[IndexType(), *(value.type for value in starts)])
        self.block = body
        places = list(carried)
        for index, place in zip(moving, body.args[1:], strict=True):
            places[index] = place
        self.step(self.step_number(body.args[0]), places, stacks, moving)
        following = [self.memory[self.last.carried[index]] for index in moving]
        self.add(scf.YieldOp(*following), self.last)
        self.block = self.entry
        loop = scf.ForOp(first, end, by, starts, Region(body))
        return self.add(loop, self.loop).results

    def step_number(self, counter: SSAValue) -> SSAValue:
        """The number of the step, counted from the last one in a reverse loop."""
        if self.loop.order.step > 0:
            return counter
        last = self.index(self.loop.step_count - 1)
        return self.add(arith.SubiOp(last, counter), self.loop).results[0]

    def index(self, number: int) -> SSAValue:
        """An index constant."""
        value = IntegerAttr(number, IndexType())
        return self.add(arith.ConstantOp(value), self.loop).results[0]

    def step(
        self,
        number: SSAValue,
        carried: Sequence[SSAValue],
        stacks: Sequence[SSAValue],
        moving: Sequence[int],
    ) -> None:
        """Add the launches of one step, then the copies for the next step."""
        loop, last = self.loop, self.last
        outside = [
            *(self.slice(self.memory[value], number) for value in loop.sequences),
            *carried,
            *(self.memory[value] for value in loop.invariants),
        ]
        block = loop.body.block
        self.memory |= zip(block.args, outside, strict=True)
        arguments = block.args[len(loop.sequences) :]
        places = [self.slice(stack, number) for stack in stacks]
        for index in moving:
            value = last.carried[index]
            self.claim(value, places[list(last.stacked).index(value)])
        for before, value, place in zip(arguments, last.carried, carried):
            if self.is_done_with(before, value):
                self.claim(value, place)
        for value, place in zip(last.stacked, places, strict=True):
            self.claim(value, place)
        for op in block.ops:
            self.convert_op(op)
        for value, place in zip(last.stacked, places, strict=True):
            if self.memory[value] is not place:
                self.copy(self.memory[value], place, last)
        fixed = [i for i in range(len(carried)) if i not in moving]
        self.hand_on([last.carried[i] for i in fixed], [carried[i] for i in fixed])

    def slice(self, whole: SSAValue, number: SSAValue) -> SSAValue:
        """The slice of a sequence for a step."""
        return self.add(plan.SliceOp(whole, number), self.loop).results[0]

    def hand_on(self, values: Sequence[SSAValue], places: Sequence[SSAValue]) -> None:
        """Copy carried values to their buffers, unless they are already there.

        Values that swap buffers are first copied to temporaries.
        """
        last = self.last
        found = [self.memory[value] for value in values]
        moves = [(s, place) for s, place in zip(found, places) if s is not place]
        for index, (source, place) in enumerate(moves):
            if memory_root(source) in places:
                aside = self.allocate(cast(AnyMemRef, source.type), last)
                self.copy(source, aside, last)
                moves[index] = aside, place
        for source, place in moves:
            self.copy(source, place, last)

    def convert_op(self, op: Operation) -> None:
        """Add the bufferized form of one op of the body."""
        match op:
            case plan.ViewOp():
                self.view(op)
            case dev.LaunchOp():
                self.launch(op)
            case _ if op is self.last:
                pass
            case _:
                raise PassFailedException(
                    f"bufferize: '{op.name}' ({describe_location(op.location)}) is"
                    " not allowed in a loop: only launches and views may remain after"
                    " outline-loops"
                )

    def is_done_with(self, before: SSAValue, value: SSAValue) -> bool:
        """Whether the launch that computes the next carried value may overwrite the
        previous one, because no later element of it is read.
        """
        source = memory_root(value)
        launch = source.owner
        if not isinstance(launch, dev.LaunchOp) or source in self.outputs:
            return False
        for reader, operand in readers_of(before):
            if reader is launch:
                if not self.is_elementwise(launch, operand, source):
                    return False
            elif self.position[reader] > self.position[launch]:
                return False
        return True

    def is_elementwise(
        self, launch: dev.LaunchOp, operand: int, result: SSAValue
    ) -> bool:
        """Whether a kernel reads each element of an operand only in the iteration that
        writes the same element of a result.
        """
        kernel = self.kernels[launch.kernel.root_reference.data]
        if kernel.is_declaration:
            return False
        block = kernel.body.block
        read = block.args[operand]
        number = list[SSAValue](launch.results).index(result)
        written = block.args[len(launch.inputs) + number]
        generics = [op for op in block.ops if isinstance(op, GenericOp)]
        if len(generics) != 1 or read.type != written.type:
            return False
        (generic,) = generics
        operands, maps = list(generic.operands), maps_of(generic)
        # Neither has another use, such as the fill of a padding.
        if any(value.uses.get_length() != 1 for value in (read, written)):
            return False
        if not all(is_parallel(generic)) or not {read, written} <= set(operands):
            return False
        there = maps[operands.index(written)]
        loops = sorted(d for e in there.results for d in e.used_dims())
        return maps[operands.index(read)] == there and loops == list(
            range(there.num_dims)
        )
