"""Programs of two devices, from `devproc.compile`, bit for bit against an eager run."""

from __future__ import annotations

import pytest
import torch

import devproc
from tests.quantized_models import quantize_bert_layer, quantize_resnet18

pytestmark = pytest.mark.usefixtures("npu")

ON_NPU = (
    *("nn.conv2d", "nn.linear", "nn.add", "nn.rescale", "nn.relu"),
    *("nn.max_pool2d", "nn.cast", "nn.reduce_sum"),
)


def test_resnet18_is_one_region() -> None:
    torch.manual_seed(0)
    model, x = quantize_resnet18(35, 4, 10), torch.randn(2, 3, 35, 35)
    program = devproc.compile(
        torch.export.export(model, (x,)),
        target="cpu+npu",
        placement={"*": "cpu"} | dict.fromkeys(ON_NPU, "npu"),
    )
    text = program.ir("npu")
    assert text.count("func.func private @npu_") == 1
    # One transpose of the image; the others are of results that the model returns.
    assert text.count("nn.transpose") == 6
    for got, wanted in zip(program(x), model(x), strict=True):
        assert torch.equal(got, wanted)


def test_bert_layer_is_shared_with_the_cpu() -> None:
    """Products on the NPU; softmax, GELU and layer norm on the CPU."""
    torch.manual_seed(0)
    model, x = quantize_bert_layer(48, 3, 17), torch.randn(2, 17, 48)
    program = devproc.compile(
        torch.export.export(model, (x,)),
        target="cpu+npu",
        placement={"nn.linear": "npu", "nn.matmul": "npu"},
    )
    text = program.ir("npu")
    for name in ("npu.convolution", "npu.matmul"):
        assert name in text
    result, *integers = program(x)
    wanted, *others = model(x)
    torch.testing.assert_close(result, wanted)
    for got, other in zip(integers, others, strict=True):
        assert got.dtype == torch.int8
        assert torch.equal(got, other)
