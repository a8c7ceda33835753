"""Two small devices with queues of their own, whose ops PyTorch computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from devproc.backend import Backend, Composite, Description, Link, Memory
from devproc.dialects.dev import TargetAttr
from devproc.driver import module_text, parse_module
from devproc.ir.program.region_functions import region_functions
from devproc.ir.types import tensor_of
from devproc.ir.weights.table import Array, WeightTable
from devproc.reference.conversion.tensors import torch_dtype
from devproc.reference.run.interpreter import evaluate
from devproc.targets import BACKENDS, built_in


@dataclass
class Handle:
    """Loaded code, and what is queued."""

    module: ModuleOp
    weights: WeightTable
    queue: list[Callable[[], object]] = field(
        default_factory=list[Callable[[], object]]
    )


@dataclass
class Buffer:
    """A value, and the queue of its device."""

    queue: list[Callable[[], object]]
    tensor: torch.Tensor


class Alpha(Backend):
    """Fast at products; nothing runs before it is synchronized."""

    fast: ClassVar = ("nn.linear", "nn.matmul")
    refused: ClassVar[Mapping[str, str]] = {}
    """Name of an op -> why it cannot be computed alone."""
    composite: ClassVar[tuple[str, ...]] = ()
    """Names of ops, the last one last, that are computed as a whole."""
    link: ClassVar = Link(5e-7, 10e9)
    seconds: ClassVar[Mapping[str, float]] = {}
    """Name of an op -> time."""

    def describe(self, target: TargetAttr) -> Description:
        return Description((Memory("own", 1e12, 1 << 20),), {"": 1e12}, 1e-7, self.link)

    def legal(self, ops: Sequence[Operation]) -> Sequence[str]:
        if len(ops) > 1:
            return ()
        return [self.refused[op.name] for op in ops if op.name in self.refused]

    def cost(self, ops: Sequence[Operation], target: TargetAttr) -> float | None:
        if all(op.name in self.seconds for op in ops):
            return max(self.seconds[op.name] for op in ops)
        return None

    def efficiency(self, op: Operation) -> float:
        return 0.5 if op.name in self.fast else 0.001

    def patterns(self) -> Sequence[Composite]:
        return [Composite("pair", self.match)] if self.composite else []

    def match(self, op: Operation) -> Sequence[Operation] | None:
        """A chain of ops with these names."""
        found: list[Operation] = []
        for name in reversed(self.composite):
            if op.name != name or (found and len(list(op.results[0].uses)) > 1):
                return None
            found.insert(0, op)
            owner = op.operands[0].owner
            if not isinstance(owner, Operation):
                break
            op = owner
        return found if len(found) == len(self.composite) else None

    def build(self, module: ModuleOp) -> bytes:
        return module_text(module).encode()

    def load(
        self, code: bytes, weights: Mapping[str, Array], option: str = ""
    ) -> Handle:
        table = WeightTable()
        for name, array in weights.items():
            table.add(name, array)
        return Handle(parse_module(code.decode()), table)

    def allocate(self, handle: Handle, byte_count: int) -> Any:
        # Bytes that nothing wrote are NaN.
        return handle, torch.full((byte_count,), 255, dtype=torch.uint8)

    def view(self, memory: Any, offset: int, dtype: str, shape: Sequence[int]) -> Any:
        handle, data = memory
        return Buffer(handle.queue, super().view(data, offset, dtype, shape))

    def upload(self, source: torch.Tensor, buffer: Buffer) -> None:
        buffer.queue.append(
            lambda: buffer.tensor.copy_(source.view(buffer.tensor.shape))
        )

    def download(self, buffer: Buffer, destination: torch.Tensor) -> None:
        buffer.queue.append(
            lambda: destination.copy_(buffer.tensor.view(destination.shape))
        )

    def launch(
        self, handle: Handle, symbol: str, buffers: Sequence[Buffer], queue: int = 0
    ) -> None:
        function = region_functions(handle.module)[symbol]
        last = function.body.block.last_op
        assert last is not None
        types = [*function.body.block.args, *last.operands]
        tensors = [
            buffer.tensor.view(torch_dtype(tensor_of(value).element_type))
            for buffer, value in zip(buffers, types, strict=True)
        ]
        count = len(function.body.block.args)

        def run() -> None:
            found = evaluate(function, tensors[:count], handle.weights)
            for place, value in zip(tensors[count:], found, strict=True):
                place.copy_(value)

        handle.queue.append(run)

    def synchronize(self, handle: Handle, queue: int = 0) -> None:
        while handle.queue:
            handle.queue.pop(0)()


class Beta(Alpha):
    """Fast at elementary functions."""

    fast: ClassVar = ("nn.exp", "nn.tanh", "nn.sin")
    refused: ClassVar[Mapping[str, str]] = {}
    composite: ClassVar[tuple[str, ...]] = ()
    link: ClassVar = Link(5e-7, 10e9)
    seconds: ClassVar[Mapping[str, float]] = {}


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Installs `alpha` and `beta`."""
    for name in ("alpha", "beta"):
        path = f"tests.transforms.devices:{name.title()}"
        monkeypatch.setitem(BACKENDS, name, path)
    built_in.cache_clear()
    yield
    monkeypatch.undo()
    built_in.cache_clear()
