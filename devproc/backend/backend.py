"""`Backend`: the one class that a device is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from devproc.backend.description import Description
from devproc.errors import CompileError

if TYPE_CHECKING:
    import torch
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from devproc.dialects.dev import TargetAttr
    from devproc.ir.weights.table import Array
    from devproc.stages import Stage

Buffer = Any
"""A value in the memory of a device: what `Backend.view` returns."""


@dataclass(frozen=True)
class Composite:
    """Ops that a device takes only, or more cheaply, as a whole."""

    name: str
    match: Callable[[Operation], Sequence[Operation] | None]
    """From the last op to all of them, in the order of the program; None if it is not the
    last op of one. A result of any op but the last must have no reader outside."""


class Backend:
    """A device: what it is, how its code is made, and how it runs.

    Compilation asks `describe`, `legal`, `cost` and `patterns` to place ops, runs the passes
    of `stages` and gives the functions of the device to `build`. A saved program only loads
    and launches: nothing that it needs may import xDSL or the compiler when this class is
    imported.

    There are two roads to code. With `lowers_kernels`, the ops of the device become
    structured loops, are fused into kernels and scheduled, as for the CPU; weights are
    arguments of kernels. Without it, each region of the device becomes one function on
    tensors that holds `nn` ops, its weights and constants among them.
    """

    name: str
    """The name of its entry point; set when it is loaded."""
    summary: ClassVar[str] = ""
    """One line for `devproc targets`."""
    is_asynchronous: ClassVar[bool] = True
    """Whether launches and copies are queued, so that the host waits with `dev.sync`."""
    lowers_kernels: ClassVar[bool] = False

    dialects: ClassVar[Mapping[str, str]] = {}
    """Its dialects: name -> "module:attribute"."""
    passes: ClassVar[Mapping[str, str]] = {}
    """Its passes: name -> "module:Class"."""
    texts: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Texts that `devproc inspect` shows besides the stages, such as source code: name ->
    (stage that it is printed from, "module:Class" of an `xdsl.utils.target.Target`)."""
    options: ClassVar[Sequence[str]] = ()
    """What may follow its name in a target: `cuda:interpret`."""

    @property
    def stages(self) -> Sequence[Stage]:
        """Its stages; `Stage.after` names the stage that each follows."""
        return ()

    # What it is.

    def missing(self, option: str = "") -> str | None:
        """Why nothing can run on the device in this process; None where it can."""
        return None

    def describe(self, target: TargetAttr) -> Description:
        """Its memories, rates and link, under the options of a compilation."""
        raise NotImplementedError

    def legal(self, ops: Sequence[Operation]) -> Sequence[str]:
        """Why the device cannot compute these ops, which follow one another; none if it can.

        A reason is a clause, such as "the weight is not constant".
        """
        return ()

    def cost(self, ops: Sequence[Operation], target: TargetAttr) -> float:
        """Seconds of these ops; by default the roofline of `describe`."""
        from devproc.transforms.placed.cost_model import roofline_seconds

        return roofline_seconds(ops, self.describe(target), self.efficiency)

    def efficiency(self, op: Operation) -> float:
        """The share of the peak rate that an op reaches."""
        return 0.5

    def patterns(self) -> Sequence[Composite]:
        """The composites that it takes as a whole, the most wanted first."""
        return ()

    def tuning_space(self, kernel: Operation) -> Sequence[object]:
        """The schedules of one of its kernels that a tuner may try."""
        return ()

    # How its code is made.

    def build(self, module: ModuleOp) -> bytes:
        """The code of a module that holds the functions of this device, and nothing else.

        Options are attributes of the module (`devproc.target`). The code says what it was
        built for, so that `problems` can refuse it.
        """
        raise NotImplementedError

    # How it runs.

    def problems(self, code: bytes, launches: Mapping[str, Sequence[str]]) -> list[str]:
        """What is wrong with the code of a saved program; nothing of it has run yet.

        `launches`: each symbol that the program launches, with the dtypes of its buffers.
        """
        return []

    def load(self, code: bytes, weights: Mapping[str, Array], option: str = "") -> Any:
        """Code ready to be launched, with the weights that its functions name."""
        raise NotImplementedError

    def unload(self, handle: Any) -> None:
        """Releases what `load` took."""

    def session(self, handle: Any) -> AbstractContextManager[None]:
        """A context around all launches of one inference."""
        return nullcontext()

    def launch(
        self, handle: Any, symbol: str, buffers: Sequence[Buffer], queue: int = 0
    ) -> None:
        """Runs or queues one function; `buffers` are its operands, then its results."""
        raise NotImplementedError

    def synchronize(self, handle: Any, queue: int = 0) -> None:
        """Waits until all that was queued is done."""

    def allocate(self, handle: Any, byte_count: int) -> Any:
        """Uninitialised memory of the device; by default, memory of the host."""
        import torch

        return torch.empty(byte_count, dtype=torch.uint8)

    def view(
        self, memory: Any, offset: int, dtype: str, shape: Sequence[int]
    ) -> Buffer:
        """A value in memory that `allocate` returned, from a byte on."""
        from devproc.runtime.calls.tensors import view_bytes

        return view_bytes(memory, offset, dtype, shape)

    def upload(self, source: torch.Tensor, buffer: Buffer) -> None:
        """Copies, or queues a copy, from the host; both are contiguous."""
        buffer.copy_(source.view(buffer.shape), non_blocking=True)

    def download(self, buffer: Buffer, destination: torch.Tensor) -> None:
        """Copies, or queues a copy, to the host; both are contiguous."""
        destination.copy_(buffer.view(destination.shape), non_blocking=True)

    # Errors.

    def refuse(self, problem: str) -> CompileError:
        """An error that names the device."""
        return CompileError(f"device '{self.name}': {problem}")
