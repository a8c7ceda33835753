"""`Backend`: the one class that a device is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from devproc.backend.builder import CodeBuilder
from devproc.backend.description import Description, Estimate
from devproc.backend.queued import Marker, Queued

if TYPE_CHECKING:
    from pathlib import Path

    import torch
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation

    from devproc.backend.stage import Stage
    from devproc.dialects.dev import TargetAttr
    from devproc.ir.weights.table import Array

Buffer = Any
"""A value in the memory of a device: what `Backend.view` returns."""


@dataclass(frozen=True)
class Composite:
    """Ops that a device takes only, or more cheaply, as a whole."""

    name: str
    match: Callable[[Operation], Sequence[Operation] | None]
    """From the last op to all of them, in the order of the program; None if it is not the
    last op of one. A result of any op but the last must have no reader outside."""


@dataclass(frozen=True)
class PrintedText:
    """A text that is printed from a stage."""

    stage: str
    target: str
    """"module:Class" of an `xdsl.utils.target.Target`."""
    file: str
    """The name of its file among those of `devproc compile --dump`."""


@dataclass(frozen=True)
class Argument:
    """An argument of `devproc.compile` that is about one device."""

    name: str
    default: str
    help: str


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
    merges_products: ClassVar[bool] = False
    """Whether one product is better than several that read the same value, if their
    readers take slices of its result (`merge-products`)."""
    merges_sliced_ops: ClassVar[bool] = False
    """Whether one op is better than equal ops on neighbouring slices (`merge-sliced-ops`)."""
    memory: ClassVar[str | None] = None
    """The device whose memory it shares; None for one with a memory of its own."""
    channels_last: ClassVar[bool] = False
    """Whether it computes on images with channels last: `convert-to-nhwc` converts programs
    whose devices all do."""
    masks_padding: ClassVar[bool] = False
    """Whether its windows skip what lies outside of an image, so that padding stays a
    property of the window instead of a copy of the image."""
    updates_in_place: ClassVar[bool] = False
    """Whether a scatter may write into the memory of its first operand, and an elementwise
    kernel into that of an operand (`update-in-place`)."""
    is_target: ClassVar[bool] = True
    """Whether a user may name it; otherwise the compiler adds it where it is needed."""

    packages: ClassVar[Sequence[str]] = ()
    """The packages whose versions may change its code."""
    dialects: ClassVar[Mapping[str, str]] = {}
    """Its dialects: name -> "module:attribute"."""
    passes: ClassVar[Mapping[str, str]] = {}
    """Its passes: name -> "module:Class"."""
    algorithms: ClassVar[Mapping[str, str]] = {}
    """With `lowers_kernels`, its algorithms in the order in which they are tried: name ->
    package; see `devproc.algorithms`."""
    tuner: ClassVar[str] = ""
    """The module that defines `TUNER`, its `devproc.backend.Tuner`."""
    texts: ClassVar[Mapping[str, PrintedText]] = {}
    """Texts that `devproc inspect` shows besides the stages, such as source code, by name."""
    stages: ClassVar[Sequence[Stage]] = ()
    """Its stages, in order; `Stage.after` names the stage that each follows. One with the
    name of a common stage adds its passes before the passes of that stage."""
    options: ClassVar[Sequence[str]] = ()
    """What may follow its name in a target: `cuda:interpret`."""
    arguments: ClassVar[Sequence[Argument]] = ()
    """Arguments of `devproc.compile` and options of the commands that are about it."""

    # What it is.

    def missing(self, option: str = "") -> str | None:
        """Why nothing can run on the device in this process; None where it can."""
        return None

    def target_options(
        self, option: str, arguments: Mapping[str, str]
    ) -> Attribute | None:
        """Its part of `dev.target`: an attribute of a dialect of its own; None for none.

        `option` follows its name in the target; `arguments` has all of its `arguments`.
        Raises CompileError for a value that it does not know.
        """
        return None

    def machine(self) -> str:
        """What code depends on of this machine when it is made for the machine itself."""
        return ""

    def describe(self, target: TargetAttr) -> Description:
        """Its memories, rates and link, under the options of a compilation."""
        raise NotImplementedError

    def legal(self, ops: Sequence[Operation]) -> Sequence[str]:
        """Why the device cannot compute these ops, which follow one another; none if it can.

        A reason is a clause, such as "the weight is not constant".
        """
        return ()

    def cost(self, ops: Sequence[Operation], target: TargetAttr) -> float | None:
        """Seconds of these ops; None for those of the roofline of `describe`."""
        return None

    def efficiency(self, op: Operation) -> float:
        """The share of the peak rate that an op reaches."""
        return 0.5

    def keeps(self, op: Operation) -> bool:
        """Whether it has code for an op that is decomposed otherwise (`nn.attention`).

        Asked only with `lowers_kernels`. If one device of a target keeps an op, `legal`
        of the others has to refuse what they do not keep.
        """
        return False

    def patterns(self) -> Sequence[Composite]:
        """The composites that it takes as a whole, the most wanted first."""
        return ()

    # How its code is made.

    def build(self, module: ModuleOp) -> bytes:
        """The code of a module that holds the functions of this device, and nothing else.

        Options are attributes of the module (`devproc.target`). The code says what it was
        built for, so that `problems` can refuse it.
        """
        raise NotImplementedError

    def builder(self, module: ModuleOp, executor: Executor) -> CodeBuilder:
        """Makes the code alongside the compilation; by default all at the end, by `build`.

        `module` has its options; `executor` has one thread.
        """
        return CodeBuilder(self)

    def compile_ahead(
        self,
        code: bytes,
        options: Mapping[str, Any],
        folder: Path | None,
        unaligned: Collection[str] = (),
    ) -> tuple[bytes, Sequence[str]]:
        """Compiles what otherwise `load` would: the code with it, and lines that describe it.

        `options` are those of `devproc compile`; binaries are written into the folder, too.
        `unaligned`: functions that are launched on parts of buffers of any alignment.
        """
        return code, ()

    def estimate(self, code: bytes) -> Sequence[Estimate]:
        """What each function of the code costs, for reports; none if that is not known."""
        return ()

    # How it runs.

    def refusal(self, code: bytes) -> str | None:
        """Why code is for another machine than this one; None if it is not."""
        return None

    def needs(self, code: bytes) -> Sequence[str]:
        """What code needs of other packages, such as operators of PyTorch, for messages."""
        return ()

    def problems(self, code: bytes, launches: Mapping[str, Sequence[str]]) -> list[str]:
        """What is wrong with the code of a saved program; nothing of it has run yet.

        `launches`: each symbol that the program launches, with the dtypes of its buffers.
        May raise any exception for code that cannot be read.
        """
        return []

    def load(self, code: bytes, weights: Mapping[str, Array], option: str = "") -> Any:
        """Code ready to be launched, with the weights that its functions name.

        An array of bfloat16 is uint16. The arrays are the caller's: code keeps copies.
        """
        raise NotImplementedError

    def unload(self, handle: Any) -> None:
        """Releases what `load` took."""

    def session(self, handle: Any) -> AbstractContextManager[None]:
        """A context around all launches of one inference."""
        return nullcontext()

    def launch(
        self, handle: Any, symbol: str, buffers: Sequence[Buffer], queue: int = 0
    ) -> None:
        """Runs or queues one function; `buffers` are its operands, then its results.

        Integers have no sign in memory: uint8 comes as int8, uint16 as int16.
        """
        raise NotImplementedError

    def sequence(self, handle: Any, works: Sequence[Queued]) -> Callable[[], None]:
        """Works that follow one another, always on the same buffers, as one function.

        What does not depend on the call can be prepared here. With one stream all of them are
        launches.
        """

        def run() -> None:
            for work in works:
                self.launch(handle, work.symbol, work.buffers)

        return run

    def staging(self, handle: Any, byte_count: int) -> torch.Tensor:
        """With several streams: uninitialised memory of the host that copies go through, as
        bytes, aligned to 64."""
        raise NotImplementedError

    def marker(self, handle: Any) -> Marker:
        """With several streams: a point in the work of the caller's stream."""
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
        from devproc.backend.host_memory import view_bytes

        return view_bytes(memory, offset, dtype, shape)

    def holds(self, handle: Any, tensor: torch.Tensor) -> bool:
        """Whether a tensor of PyTorch lies on the device, in memory that `upload` reads and
        `download` writes without the host, and which `view` returns."""
        return False

    def upload(self, source: torch.Tensor, buffer: Buffer) -> None:
        """Copies, or queues a copy, from the host; both are contiguous."""
        buffer.copy_(source.view(buffer.shape), non_blocking=True)

    def download(self, buffer: Buffer, destination: torch.Tensor) -> None:
        """Copies, or queues a copy, to the host; both are contiguous."""
        destination.copy_(buffer.view(destination.shape), non_blocking=True)
