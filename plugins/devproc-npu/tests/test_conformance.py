"""The conformance kit on the NPU, whole, and with faults that it has to find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from devproc_npu.backend import NPU
from xdsl.ir import Operation

from devproc.backend.conformance.kit import run_kit
from devproc.ir.types import dtype_name, tensor_of

pytestmark = pytest.mark.usefixtures("npu")

COMPOSITES = {
    "product": {"bfloat16", "int8"},
    "sum of two tensors": {"int8"},
    "mean of pixels, or a clamp": {"bfloat16", "int8"},
}


def test_npu_passes() -> None:
    result = run_kit("npu")
    assert result.passed, list(result.failures())
    assert not [check.name for check in result.checks if check.skipped]
    taken = {(cell.op, cell.dtype) for cell in result.cells if cell.of}
    assert taken >= {(name, d) for name, found in COMPOSITES.items() for d in found}
    for name in ("nn.linear", "nn.conv2d"):
        assert (f"{name} with constants", "bfloat16") in taken


def test_checks_of_a_device_for_int8(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums and products that are rescaled, where no op of a float is legal."""
    legal = NPU.legal

    def only_integers(self: NPU, ops: Sequence[Operation]) -> Sequence[str]:
        dtypes = {
            dtype_name(tensor_of(v).element_type) for op in ops for v in op.operands
        }
        return ["no floats"] if "bfloat16" in dtypes else legal(self, ops)

    monkeypatch.setattr(NPU, "legal", only_integers)
    result = run_kit("npu", ["nn.relu"])
    assert result.passed, list(result.failures())
    assert not [check.name for check in result.checks if check.skipped]


def test_checks_that_no_program_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    legal = NPU.legal

    def only_reshapes(self: NPU, ops: Sequence[Operation]) -> Sequence[str]:
        others = [op.name for op in ops if op.name != "nn.reshape"]
        return [f"no {others[0]}"] if others else legal(self, ops)

    monkeypatch.setattr(NPU, "legal", only_reshapes)
    result = run_kit("npu", ["nn.reshape"])
    assert result.passed, list(result.failures())
    skipped = {check.name: check.skipped for check in result.checks if check.skipped}
    assert len(skipped) == len(result.checks) - 1
    assert all("it takes none of nn.sub" in why for why in skipped.values())


def test_a_fault_of_a_composite_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of int8 are one too large."""
    launch = NPU.launch

    def off_by_one(self: NPU, handle: Any, symbol: str, buffers: Any, queue: int = 0):
        launch(self, handle, symbol, buffers, queue)
        for buffer in buffers[-2:]:
            if buffer.dtype == torch.int8:
                buffer += 1

    monkeypatch.setattr(NPU, "launch", off_by_one)
    result = run_kit("npu", ["sum of*"], ["int8"], ["unknown options"])
    assert not result.passed
    assert any("sum of two tensors in int8" in text for text in result.failures())
