"""Islands of ops become `dev.region`s; copies and syncs between them become visible.

A value is copied once for each device that reads it, as soon as it is there. A sync
stands only where the host would otherwise read what a stream has not finished; one sync
covers everything queued before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects import dev
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.text.location import describe_location
from devproc.ir.types import AnyTensor, tensor_of, with_encoding
from devproc.transforms.placed.constants import erase_dead_ops, name_constants
from devproc.transforms.placed.islands import Island, form_islands
from devproc.transforms.placed.syncs import HOST, insert_syncs


def device_of_op(op: Operation) -> str:
    """The device that `place-ops` chose; raises PassFailedException if it did not."""
    place = op.attributes.get("dev.place")
    if not isinstance(place, dev.PlaceAttr):
        raise PassFailedException(
            f"partition-by-device: '{op.name}' ({describe_location(op.location)}) has no"
            " device: run place-ops first"
        )
    return place.device.data


def on(type_: AnyTensor, memory: str) -> AnyTensor:
    """The tensor type in a memory."""
    return with_encoding(type_, dev.OnAttr.get(memory))


class Partition:
    """Rewrites the block of `@main` in place."""

    def __init__(self, block: Block):
        self.block = block
        last = block.last_op
        assert isinstance(last, ReturnOp)
        self.last = last
        self.available: dict[tuple[SSAValue, str], SSAValue] = {}
        """A value of the program in a memory: the host-level value that holds it."""
        self.readers: dict[SSAValue, dict[str, None]] = {}
        """The memories that a value is read in."""

    def run(self) -> None:
        """Form the islands and connect them."""
        ops = list(self.block.ops)[:-1]
        compute = [op for op in ops if not isinstance(op, WeightOp | ConstantOp)]
        islands = form_islands(compute, device_of_op)
        for island in islands:
            for op in island.ops:
                self.read_by(op, dev.memory_of(island.device))
        self.read_by(self.last, HOST)
        for op in ops:
            if isinstance(op, WeightOp):
                self.place_weight(op)
        for argument in list(self.block.args):
            self.place_argument(argument)
        for island in islands:
            self.place_island(island)
        results = [self.result(value) for value in self.last.operands]
        self.block.insert_op_before(ReturnOp(*results), self.last)
        for op in (self.last, *reversed(ops)):
            if op.parent is self.block:
                op.detach()
                op.erase()
        insert_syncs(self.block)

    def read_by(self, op: Operation, memory: str) -> None:
        """Note that an op needs its operands in a memory."""
        for value in op.operands:
            self.readers.setdefault(value, {})[memory] = None

    def place_weight(self, op: WeightOp) -> None:
        """A weight for each memory that reads it: uploaded at load, never copied."""
        for memory in self.readers.get(op.result, ()):
            new = WeightOp(
                op.weight_name, op.hash.data, on(tensor_of(op.result), memory)
            )
            new.location = op.location
            new.result.name_hint = op.result.name_hint
            self.block.insert_op_before(new, self.last)
            self.available[op.result, memory] = new.result

    def place_argument(self, argument: SSAValue) -> None:
        """An input of the program lies in host memory."""
        memories = self.readers.pop(argument, {})
        placed = Rewriter.replace_value_with_new_type(
            argument, on(tensor_of(argument), HOST)
        )
        self.available[placed, HOST] = placed
        self.copy_to_readers(placed, placed, memories)

    def copy_to_readers(
        self, value: SSAValue, held: SSAValue, memories: dict[str, None]
    ) -> None:
        """Copies of a value to the memories that read it and do not hold it."""
        for memory in memories:
            if (value, memory) in self.available:
                continue
            copy = dev.CopyOp(held, on(tensor_of(held), memory))
            if isinstance(value.owner, Operation):
                copy.location = value.owner.location
            copy.result.name_hint = value.name_hint
            self.block.insert_op_before(copy, self.last)
            self.available[value, memory] = copy.result

    def place_island(self, island: Island) -> None:
        """Move the ops of an island into a region, and copy what others read."""
        memory = dev.memory_of(island.device)
        members = set(island.ops)
        inputs: dict[SSAValue, None] = {}
        constants: dict[Operation, None] = {}
        for op in island.ops:
            for value in op.operands:
                owner = value.owner
                if isinstance(owner, ConstantOp):
                    constants[owner] = None
                elif owner not in members:
                    inputs[value] = None
        outputs = [
            result
            for op in island.ops
            for result in op.results
            if any(use.operation not in members for use in result.uses)
        ]
        held = [self.available[value, memory] for value in inputs]
        body = Block(arg_types=[value.type for value in held])
        local: dict[SSAValue, SSAValue] = {}
        for value, argument in zip(inputs, body.args, strict=True):
            local[value] = argument
            argument.name_hint = value.name_hint
        for constant in constants:
            copy = constant.clone()
            body.add_op(copy)
            local[constant.results[0]] = _retype(copy, memory)[0]
        for op in island.ops:
            new = op.clone(local)
            body.add_op(new)
            local |= zip(op.results, _retype(new, memory), strict=True)
        self.add_region(island, held, outputs, body, local)

    def add_region(
        self,
        island: Island,
        held: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        body: Block,
        local: dict[SSAValue, SSAValue],
    ) -> None:
        """Insert the finished region and the copies of its results."""
        memory = dev.memory_of(island.device)
        inside = [local[value] for value in outputs]
        body.add_op(dev.YieldOp.create(operands=inside))
        types = [value.type for value in inside]
        region = dev.RegionOp(island.device, held, types, Region(body))
        self.block.insert_op_before(region, self.last)
        for value, result in zip(outputs, region.results, strict=True):
            result.name_hint = value.name_hint
            self.available[value, memory] = result
        for value, result in zip(outputs, region.results, strict=True):
            self.copy_to_readers(value, result, self.readers.get(value, {}))

    def result(self, value: SSAValue) -> SSAValue:
        """An output of the program in host memory."""
        if isinstance(value.owner, ConstantOp) and (value, HOST) not in self.available:
            # Islands that read the constant hold their own; nobody needs copies.
            self.readers.pop(value)
            body = Block()
            constant = value.owner.clone()
            body.add_op(constant)
            self.add_region(
                Island(HOST, ()), [], [value], body, {value: _retype(constant, HOST)[0]}
            )
        return self.available[value, HOST]


def _retype(op: Operation, memory: str) -> Sequence[SSAValue]:
    """Put all results of an op, and the values inside of it, into a memory."""
    values: list[SSAValue] = []
    for child in op.walk():
        values += child.results
        values += [v for region in child.regions for v in region.block.args]
    for value in values:
        hint = value.name_hint
        Rewriter.replace_value_with_new_type(
            value, on(tensor_of(value), memory)
        ).name_hint = hint
    return op.results


@dataclass(frozen=True)
class PartitionByDevicePass(ModulePass):
    """The program as islands of one device each, with every copy and wait written out.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %a = nn.exp %x {dev.place = #dev.place<"cuda", "the only device">} : (tensor<4xf32>) -> tensor<4xf32>
      %b = nn.relu %a {dev.place = #dev.place<"cuda", "the only device">} : (tensor<4xf32>) -> tensor<4xf32>
      func.return %b : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
      %c = dev.copy %x : tensor<4xf32, #dev.on<"cpu">> to tensor<4xf32, #dev.on<"cuda">>
      %r = dev.region "cuda" (%c) : (tensor<4xf32, #dev.on<"cuda">>) -> (tensor<4xf32, #dev.on<"cuda">>) {
      ^bb0(%d: tensor<4xf32, #dev.on<"cuda">>):
        %a = nn.exp %d {dev.place = #dev.place<"cuda", "the only device">}
           : (tensor<4xf32, #dev.on<"cuda">>) -> tensor<4xf32, #dev.on<"cuda">>
        %b = nn.relu %a {dev.place = #dev.place<"cuda", "the only device">}
           : (tensor<4xf32, #dev.on<"cuda">>) -> tensor<4xf32, #dev.on<"cuda">>
        dev.yield %b : tensor<4xf32, #dev.on<"cuda">>
      }
      %y = dev.copy %r : tensor<4xf32, #dev.on<"cuda">> to tensor<4xf32, #dev.on<"cpu">>
      dev.sync "cuda"
      func.return %y : tensor<4xf32, #dev.on<"cpu">>
    }
    ```
    """

    name = "partition-by-device"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                erase_dead_ops(function.body.block)
                name_constants(op, function.body.block)
                Partition(function.body.block).run()
                function.update_function_type()
