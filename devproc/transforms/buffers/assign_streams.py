"""Assigns the work of a device to its streams, and orders them by events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from devproc.backend.installed import backend
from devproc.dialects.dev import device_of, set_stream, target_of
from devproc.dialects.plan import CopyOp, LaunchOp, StagingOp
from devproc.ir.devices import HOST
from devproc.ir.host.lifetimes import is_step
from devproc.ir.program.kernel_modules import loop_functions, marked_functions
from devproc.transforms.buffers.stream_events import EventInsertion, Work
from devproc.transforms.buffers.stream_islands import IslandCosts, second_island

UPLOADS, DOWNLOADS, ISLAND = 1, 2, 3
"""The streams of copies to and from a device, and of a second island of launches."""


@dataclass(frozen=True)
class Sections:
    """Runs of works of one device, between which the host or another device acts."""

    kernels: Mapping[str, str]
    """The device of each kernel that is not a loop."""

    @staticmethod
    def in_module(module: ModuleOp) -> Sections:
        """Those of the host program of a module."""
        loops = {function.sym_name.data for function in loop_functions(module)}
        marks = ((f.sym_name.data, mark) for f, mark in marked_functions(module))
        return Sections({n: m.device.data for n, m in marks if n not in loops})

    def of(self, block: Block) -> Iterator[tuple[str, list[Work]]]:
        """The device and the works of each section, in order."""
        device, works = HOST, list[Work]()
        for op in block.ops:
            if not is_step(op):
                continue
            own = self._device_of(op)
            if works and own != device:
                yield device, works
                works = []
            if own != HOST:
                assert isinstance(op, CopyOp | LaunchOp)
                works.append(op)
                device = own
        if works:
            yield device, works

    def _device_of(self, op: Operation) -> str:
        """The device that runs a step; the host for what ends a section."""
        if isinstance(op, LaunchOp):
            return self.kernels.get(op.kernel.root_reference.data, HOST)
        staged = [v.owner for v in op.operands if isinstance(v.owner, StagingOp)]
        return staged[0].device.data if staged and not _is_on_host(op) else HOST


def _is_on_host(op: Operation) -> bool:
    return all(device_of(value.type) == HOST for value in op.operands)


def assign(works: Sequence[Work], streams: int, costs: IslandCosts) -> None:
    """Set the streams of the works of a section."""
    for op in works:
        if isinstance(op, CopyOp):
            is_upload = device_of(op.source.type) == HOST
            set_stream(op, UPLOADS if is_upload else DOWNLOADS)
    if streams > ISLAND:
        launches = [op for op in works if isinstance(op, LaunchOp)]
        for launch in second_island(launches, costs):
            set_stream(launch, ISLAND)


@dataclass(frozen=True)
class AssignStreamsPass(ModulePass):
    """Give copies streams of their own, and a second island of launches if that pays.

    Before:

    ```mlir
    !host = memref<4xf32, #dev.on<"cpu">>
    !cuda = memref<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host, %y: !host) {
      %s = plan.staging "cuda" : !host
      %t = plan.staging "cuda" : !host
      plan.copy %x to %s : !host to !host
      %a = memref.alloc() : !cuda
      %b = memref.alloc() : !cuda
      plan.copy %s to %a : !host to !cuda
      plan.launch @k(%a) -> (%b) : (!cuda) -> (!cuda)
      plan.copy %b to %t : !cuda to !host
      dev.sync "cuda"
      plan.copy %t to %y : !host to !host
      func.return
    }
    func.func private @k(!cuda, !cuda) -> () attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", []>}
    ```

    After:

    ```mlir
    !host = memref<4xf32, #dev.on<"cpu">>
    !cuda = memref<4xf32, #dev.on<"cuda">>
    func.func @main(%x: !host, %y: !host) {
      %s = plan.staging "cuda" : !host
      %t = plan.staging "cuda" : !host
      plan.copy %x to %s : !host to !host
      %a = memref.alloc() : !cuda
      %b = memref.alloc() : !cuda
      %e0 = dev.record "cuda" stream 0 : !dev.event
      dev.wait %e0 "cuda" stream 1 : !dev.event
      plan.copy %s to %a {dev.stream = 1 : i64} : !host to !cuda
      %e1 = dev.record "cuda" stream 1 : !dev.event
      dev.wait %e1 "cuda" stream 0 : !dev.event
      plan.launch @k(%a) -> (%b) : (!cuda) -> (!cuda)
      %e2 = dev.record "cuda" stream 0 : !dev.event
      dev.wait %e2 "cuda" stream 2 : !dev.event
      plan.copy %b to %t {dev.stream = 2 : i64} : !cuda to !host
      %e3 = dev.record "cuda" stream 2 : !dev.event
      dev.wait %e3 "cuda" stream 0 : !dev.event
      dev.sync "cuda"
      plan.copy %t to %y : !host to !host
      func.return
    }
    func.func private @k(!cuda, !cuda) -> () attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", []>}
    ```
    """

    name = "assign-streams"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in op.ops:
            if not isinstance(function, FuncOp) or function.sym_name.data != "main":
                continue
            for device, works in list(Sections.in_module(op).of(function.body.block)):
                streams = backend(device).describe(target).streams
                if streams > DOWNLOADS:
                    assign(works, streams, IslandCosts.of(op, device))
                    EventInsertion(device, function.body.block).order(works)
