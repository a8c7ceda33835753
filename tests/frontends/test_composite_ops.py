"""What has a name in PyTorch is one op until `decompose-nn` opens it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.frontends.torch_export.importer import import_program
from tests.frontends.imported import check, export, op_names

FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "nn.attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "nn.gelu": lambda x: F.gelu(x, approximate="tanh"),
    "nn.group_norm": lambda x: F.group_norm(x, 2),
    "nn.hardsigmoid": F.hardsigmoid,
    "nn.hardswish": F.hardswish,
    "nn.layer_norm": lambda x: F.layer_norm(x, x.shape[-2:]),
    "nn.log_softmax": lambda x: F.log_softmax(x, 1),
    "nn.rms_norm": lambda x: F.rms_norm(x, x.shape[-1:]),
    "nn.silu": F.silu,
    "nn.softmax": lambda x: F.softmax(x, -1),
}

TOLERANCE = {
    torch.float32: {"rtol": 2e-6, "atol": 2e-6},
    torch.float16: {"rtol": 2e-3, "atol": 2e-3},
    torch.bfloat16: {"rtol": 2e-2, "atol": 2e-2},
}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_op_stays_whole(name: str, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5, 7).to(dtype).transpose(1, 2).transpose(1, 2)
    program = check(FUNCTIONS[name], x, exact=False, tolerance=TOLERANCE[dtype])
    assert op_names(program) == [name]


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n != "nn.group_norm"])
def test_special_values_and_empty_tensors(name: str) -> None:
    x = torch.randn(2, 3, 5)
    x[0, 0, 0], x[1, 2, 1] = float("nan"), float("inf")
    check(FUNCTIONS[name], x, exact=False, tolerance=TOLERANCE[torch.float32])
    check(FUNCTIONS[name], torch.zeros(0, 3, 5))


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_attention_with_every_mask(dtype: torch.dtype) -> None:
    """Bool, added, of another dtype; causal; grouped heads; a row without any key."""
    torch.manual_seed(0)
    q, k, v = (
        torch.randn(s).to(dtype) for s in ((2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 3))
    )
    keep = torch.rand(2, 1, 5, 7) > 0.4
    keep[1, 0, 3] = False
    added = torch.randn(5, 7).to(dtype)

    def attend(**options: object) -> Callable[..., Tensor]:
        return lambda *args: F.scaled_dot_product_attention(
            *args[:3], *args[3:], enable_gqa=True, **options
        )

    tolerance = TOLERANCE[dtype]
    for call, args in (
        (attend(), (q, k, v, keep)),
        (attend(scale=0.3), (q, k, v, added)),
        (attend(is_causal=True), (q, k, v)),
    ):
        program = check(call, *args, exact=False, tolerance=tolerance)
        assert op_names(program).count("nn.attention") == 1


def test_native_norms_give_their_statistics() -> None:
    x, w = torch.randn(2, 6, 5), torch.randn(6)
    tolerance = TOLERANCE[torch.float32]
    for call in (
        lambda x, w: torch.native_layer_norm(x, [5], None, None, 1e-5),
        lambda x, w: torch.native_group_norm(x, w, None, 2, 6, 5, 3, 1e-5),
        lambda x, w: torch.native_batch_norm(x, w, None, None, None, True, 0.0, 1e-5),
    ):
        check(call, x, w, exact=False, tolerance=tolerance)


def test_decomposed_programs_keep_the_names() -> None:
    """Core ATen has `native_*` operators, whose statistics nobody reads."""
    exported = export(
        lambda x: F.gelu(F.layer_norm(x, x.shape[-1:])), (torch.randn(2, 5),)
    )
    names = op_names(import_program(exported.run_decompositions()))
    assert [n for n in names if n in FUNCTIONS] == ["nn.layer_norm", "nn.gelu"]
