"""One program on the CPU, a GPU (interpreted) and the NPU: PyTorch's results."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import export
from xdsl.utils.exceptions import VerifyException

import devproc
from devproc.dialects.dev import CopyOp, SyncOp, device_of
from devproc.driver import parse_module
from devproc.ir.functions import ops_of
from devproc.ir.verification.device_order import verify_device_order
from devproc.quantized import conv2d, dequantize, quantize, rescale, scale_of

TARGET = "cpu+cuda:interpret+npu"
PLACEMENT = {"nn.softmax": "cuda", "nn.sin": "cuda"}

pytestmark = pytest.mark.usefixtures("npu")


class Model(nn.Module):
    """An int8 convolution between float ops; what it gives is read on two devices."""

    weight: torch.Tensor
    bias: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        made = torch.Generator().manual_seed(3)
        weight = torch.randint(-128, 128, (17, 5, 3, 3), generator=made)
        bias = torch.randint(-9999, 9999, (17, 1, 1), generator=made)
        self.register_buffer("weight", weight.to(torch.int8))
        self.register_buffer("bias", bias.to(torch.int32))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        multiplier, shift = scale_of(1 / 3001)
        sums = conv2d(quantize(torch.sin(x), [1 / 127]), self.weight, padding=1)
        y = torch.relu(rescale(sums + self.bias, [multiplier], [shift]))
        return y, torch.softmax(dequantize(y, [0.1]), 1)


def example(seed: int) -> torch.Tensor:
    return torch.randn(2, 5, 9, 7, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def program() -> devproc.Program:
    exported = export(Model().eval(), (example(0),))
    placement = PLACEMENT | {"nn.conv2d": "npu"}
    return devproc.compile(exported, TARGET, placement=placement, threads=1)


def check(program: devproc.Program) -> None:
    for seed in range(3):
        found, wanted = program(example(seed)), Model()(example(seed))
        assert torch.equal(found[0], wanted[0])
        torch.testing.assert_close(found[1], wanted[1])


def test_it_equals_pytorch(program: devproc.Program, tmp_path: Path) -> None:
    assert program.artifact.code.keys() == {"cpu", "cuda", "npu"}
    check(program)
    program.save(tmp_path / "program.devproc")
    check(devproc.load(tmp_path / "program.devproc"))


def test_its_text_has_every_copy_and_sync(program: devproc.Program) -> None:
    ops = ops_of(parse_module(program.ir("placed")), "main")
    copies = [op for op in ops if isinstance(op, CopyOp)]
    ways = {(device_of(c.source.type), device_of(c.result.type)) for c in copies}
    others = ("cuda", "npu")
    assert ways == {("cpu", d) for d in others} | {(d, "cpu") for d in others}
    assert {s.device.data for s in ops if isinstance(s, SyncOp)} == {"cuda", "npu"}


def test_each_sync_is_needed(program: devproc.Program) -> None:
    text = program.ir("host")
    count = text.count("dev.sync")
    assert count >= 2
    for number in range(count):
        module = parse_module(text)
        ops = ops_of(module, "main")
        [op for op in ops if isinstance(op, SyncOp)][number].detach()
        with pytest.raises(VerifyException, match=r"before the dev\.sync"):
            verify_device_order(module)


def test_its_report_has_the_region(program: devproc.Program) -> None:
    (row,) = program.report().regions.rows
    found = row.estimate
    assert (row.device, found.symbol) == ("npu", "npu_0")
    # 2 x 9 x 7 pixels of 17 channels, from windows of 9 x 5.
    assert found.operations >= 2 * (2 * 9 * 7 * 17) * (9 * 5)
    assert found.cycles > 0
    assert 0 < found.utilisation < 1
    assert {"external", "scratchpad"} <= found.byte_counts.keys()
