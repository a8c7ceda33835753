"""One program on three devices: PyTorch's results, every copy and sync in its text."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import export
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

import devproc
from devproc.dialects import plan
from devproc.dialects.dev import CopyOp, RegionOp, SyncOp, device_of
from devproc.driver import parse_module
from devproc.ir.functions import ops_of
from devproc.ir.verification.device_order import verify_device_order
from devproc.ir.verification.verify import verify_module
from tests.backend.conftest import Install

TARGET = "cpu+cuda:interpret+numpy"
PLACEMENT = {
    "*": "cpu",
    **dict.fromkeys(("nn.linear", "nn.matmul", "nn.relu"), "numpy"),
    **dict.fromkeys(("nn.sin", "nn.sub"), "cuda"),
}


class Model(nn.Module):
    """Values go from each device to each other one."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(7, 5), nn.Linear(5, 3)
        self.register_buffer("total", torch.zeros(3, 5))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        hidden = torch.relu(self.first(x))  # the host to NumPy
        waves = torch.sin(hidden)  # NumPy to Triton
        grown = torch.exp(waves)  # Triton to the host
        product = torch.matmul(grown.transpose(1, 2), waves)  # Triton to NumPy
        rest = grown - hidden  # NumPy and the host to Triton
        self.total.add_(self.second(rest).mean(0).T)
        return product, rest, self.total * 2, hidden


def example(seed: int) -> torch.Tensor:
    return torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def program(install: Install) -> devproc.Program:
    """The program, with NumPy installed."""
    install()
    torch.manual_seed(1)
    exported = export(Model().eval(), (example(0),))
    return devproc.compile(exported, TARGET, placement=PLACEMENT, threads=1)


def check(program: devproc.Program) -> None:
    """Three calls, the state among what they return."""
    torch.manual_seed(1)
    model = Model().eval()
    with torch.no_grad():
        for seed in range(3):
            x = example(seed)
            for found, wanted in zip(program(x), model(x), strict=True):
                torch.testing.assert_close(found, wanted)


def test_it_equals_pytorch(program: devproc.Program, tmp_path: Path) -> None:
    assert program.artifact.code.keys() == {"cpu", "cuda", "numpy"}
    check(program)
    program.save(tmp_path / "program.devproc")
    check(devproc.load(tmp_path / "program.devproc"))


def test_its_text_has_every_copy_and_sync(program: devproc.Program) -> None:
    module = parse_module(program.ir("placed"))
    ops, copies = ops_of(module, "main"), copies_of(module)
    ways = {(device_of(c.source.type), device_of(c.result.type)) for c in copies}
    # No two devices reach each other: what one gives the other goes over the host.
    there, back = (
        {("cpu", "cuda"), ("cpu", "numpy")},
        {("cuda", "cpu"), ("numpy", "cpu")},
    )
    assert ways == there | back
    over = [c for c in copies if isinstance(c.source.owner, CopyOp)]
    assert {device_of(c.result.type) for c in over} == {"cuda", "numpy"}
    for region in ops:
        if isinstance(region, RegionOp):
            devices = {device_of(value.type) for value in region.operands}
            assert devices <= {region.device.data}
    assert {s.device.data for s in ops if isinstance(s, SyncOp)} == {"cuda", "numpy"}
    steps = program.artifact.host.steps
    # The host copies to and from staging memory besides.
    on_devices = [s for s in steps if s.kind == "copy" and s.device != "cpu"]
    assert len(on_devices) == len(copies)
    assert sum(step.kind == "sync" for step in steps) == sum(
        isinstance(op, SyncOp) for op in ops
    )


def copies_of(module: ModuleOp) -> list[CopyOp]:
    return [op for op in ops_of(module, "main") if isinstance(op, CopyOp)]


def host_module(program: devproc.Program) -> tuple[ModuleOp, list[Operation]]:
    """The program on memory, and the ops of its `@main`."""
    module = parse_module(program.ir("host"))
    verify_module(module)
    return module, ops_of(module, "main")


def test_each_sync_is_needed(program: devproc.Program) -> None:
    count = len([op for op in host_module(program)[1] if isinstance(op, SyncOp)])
    assert count > 2
    for number in range(count):
        module, ops = host_module(program)
        sync = [op for op in ops if isinstance(op, SyncOp)][number]
        sync.detach()
        with pytest.raises(
            VerifyException, match=f'before the dev.sync "{sync.device.data}"'
        ):
            verify_device_order(module)


def test_each_copy_is_needed(program: devproc.Program) -> None:
    """Without it, a value of one device would be read on another, or returned."""
    text = program.ir("placed")
    count = len(copies_of(parse_module(text)))
    for number in range(count):
        module = parse_module(text)
        copy = copies_of(module)[number]
        copy.result.replace_all_uses_with(copy.source)
        copy.detach()
        with pytest.raises(VerifyException, match="types"):
            verify_module(module)


def test_each_copy_on_memory_is_needed(program: devproc.Program) -> None:
    """Without it, a buffer would be read that nothing has written."""
    count = len([op for op in host_module(program)[1] if isinstance(op, plan.CopyOp)])
    for number in range(count):
        module, ops = host_module(program)
        [op for op in ops if isinstance(op, plan.CopyOp)][number].detach()
        with pytest.raises(VerifyException):
            verify_module(module)


def test_a_value_on_a_wrong_device(program: devproc.Program) -> None:
    """A launch of NumPy gets a buffer of Triton."""
    module, ops = host_module(program)
    buffers = [op.result for op in ops if isinstance(op, plan.BufferOp)]
    launches = [op for op in ops if isinstance(op, plan.LaunchOp)]
    launch = next(op for op in launches if device_of(op.outputs[0].type) == "numpy")
    wrong = next(value for value in buffers if device_of(value.type) == "cuda")
    launch.operands[0] = wrong
    with pytest.raises(VerifyException, match="on 'numpy' uses a value of 'cuda'"):
        verify_device_order(module)


def test_two_devices_write_one_buffer(program: devproc.Program) -> None:
    """Triton's copy to the host goes where NumPy's copy is still on its way."""
    module, ops = host_module(program)
    copies = [
        op
        for op in ops
        if isinstance(op, plan.CopyOp) and device_of(op.destination.type) == "cpu"
    ]
    by_device = {device_of(op.source.type): op for op in copies}
    first, second = by_device["numpy"], by_device["cuda"]
    again = second.clone()
    again.operands[1] = first.destination
    block = first.parent
    assert block is not None
    block.insert_op_after(again, first)
    with pytest.raises(VerifyException, match="overwrites a result of 'numpy'"):
        verify_device_order(module)
