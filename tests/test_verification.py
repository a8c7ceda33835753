"""`devproc verify`: a right program passes; a wrong op, or kernel, is named."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from rich.console import Console
from torch import nn
from xdsl.dialects.builtin import ModuleOp

import devproc
from devproc.compiler import verify
from devproc.driver import parse_module
from devproc.ir.verification.verify import verify_module
from devproc.ir.weights.table import WeightTable
from devproc.reference.run.interpreter import evaluate
from devproc.runtime.execution.host_reader import find_function
from devproc.tools.devproc import main
from devproc.verification import (
    Verification,
    add_taps,
    compare_ops,
    difference,
)

TEXT = """
func.func @main(%x: tensor<5x7xf32>) -> (tensor<5x3xf32> {dev.name = "p"}, tensor<5xi64> {dev.name = "label"}) {
  %w = nn.weight @w hash "0" : tensor<3x7xf32> loc("fc")
  %half = nn.constant dense<0.5> : tensor<f32> : tensor<f32>
  %a = nn.linear %x, %w : (tensor<5x7xf32>, tensor<3x7xf32>) -> tensor<5x3xf32> loc("fc"("net.py":7:0))
  %b = nn.mul %a, %half : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x3xf32> loc("scale"("net.py":8:0))
  %c = nn.relu %b : (tensor<5x3xf32>) -> tensor<5x3xf32> loc("act"("net.py":9:0))
  %p = nn.softmax %c axis 1 : (tensor<5x3xf32>) -> tensor<5x3xf32> loc("soft"("net.py":10:0))
  %l = nn.argmax %p axis 1 keep 0 : (tensor<5x3xf32>) -> tensor<5xi64> loc("pick"("net.py":11:0))
  func.return %p, %l : tensor<5x3xf32>, tensor<5xi64>
}
"""

X = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
Change = Callable[[torch.Tensor], torch.Tensor]


def weights() -> WeightTable:
    table = WeightTable()
    rng = np.random.default_rng(0)
    table.add("w", rng.standard_normal((3, 7)).astype(np.float32))
    return table


def broken(place: int, change: Change, only_taps: bool = True) -> Verification:
    """What is found of a backend whose op `place` gives another result, which the ops
    behind it read.
    """

    def run(module: ModuleOp) -> Sequence[torch.Tensor]:
        main = find_function(module, "main")
        tapped = len(main.function_type.outputs) > 2
        if tapped != only_taps:
            return evaluate(main, [X], weights())
        ops = [op for op in main.body.block.ops if op.name not in SKIPPED]
        wrong = ops[place]

        def spoil(op: object, values: tuple[torch.Tensor, ...]) -> None:
            if op is wrong:
                values[0].copy_(change(values[0].clone()))

        return evaluate(main, [X], weights(), spoil)

    return compare_ops(parse_module(TEXT), weights(), [X], run)


SKIPPED = ("nn.weight", "nn.constant", "func.return")


def test_a_right_program_passes() -> None:
    found = broken(0, lambda value: value)
    assert found.passed
    assert found.first_differing is None
    assert found.summary() == "all 5 ops and 2 outputs agree"
    assert all(c.local.max_absolute == 0 for c in found.ops)


@pytest.mark.parametrize(
    ("place", "name", "where"),
    [
        (0, "nn.linear", "fc at net.py:7"),
        (1, "nn.mul", "scale at net.py:8"),
        (2, "nn.relu", "act at net.py:9"),
        (3, "nn.softmax", "soft at net.py:10"),
    ],
)
@pytest.mark.parametrize("wrong", [1e-3, 1.0, float("nan"), float("inf")])
def test_a_wrong_op_is_named(place: int, name: str, where: str, wrong: float) -> None:
    def change(value: torch.Tensor) -> torch.Tensor:
        value[4, 2] += wrong
        return value

    found = broken(place, change)
    assert not found.passed
    first = found.first_differing
    assert first is not None
    assert (first.name, first.where) == (name, where)
    assert f"{name} ({where}) differs first" in found.summary()
    # The ops behind it are right on their own operands, though their values moved.
    assert [c.name for c in found.ops if not c.local.tolerable] == [name]
    assert all(c.local.tolerable for c in found.outputs)
    if place < 2 and wrong == 1.0:
        assert found.ops[3].accumulated.max_absolute > 0


def test_a_wrong_label_is_named() -> None:
    found = broken(4, lambda value: (value + 1) % 3)
    assert found.first_differing is not None
    assert found.first_differing.name == "nn.argmax"


def test_an_error_of_fusion_is_found_at_the_outputs() -> None:
    found = broken(1, lambda value: value * 1.5, only_taps=False)
    assert found.first_differing is None
    assert not found.passed
    assert "output 'p' of the fused program differs" in found.summary()
    assert found.summary().endswith("a fused kernel is wrong")


def test_the_table_ranks_the_errors() -> None:
    found = broken(2, lambda value: value + 1)
    stream = io.StringIO()
    Console(file=stream, width=200).print(found.table(limit=2))
    lines = [line for line in stream.getvalue().splitlines() if "net.py" in line]
    assert len(lines) == 2
    assert "nn.relu" in lines[0]
    assert "differs first" in lines[0]
    assert "output 'p'" in stream.getvalue()


def test_taps() -> None:
    module = parse_module(TEXT)
    before = str(module)
    tapped = add_taps(module)
    verify_module(tapped)
    assert str(module) == before
    main = find_function(tapped, "main")
    assert main.res_attrs is not None
    names = [str(a.data["dev.name"]) for a in main.res_attrs.data]
    assert names == ['"p"', '"label"', *(f'"tap.{i}"' for i in range(5))]
    assert len(evaluate(main, [X], weights())) == 7


# Differences


def test_equal_special_values_do_not_differ() -> None:
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-40])
    assert difference(x, x.clone()).excess == 0


@pytest.mark.parametrize("pair", [("nan", "0"), ("inf", "-inf"), ("inf", "1e38")])
def test_unequal_special_values_are_infinitely_far(pair: tuple[str, str]) -> None:
    for left, right in (pair, pair[::-1]):
        ours = torch.tensor([1.0, float(left)])
        found = difference(ours, torch.tensor([1.0, float(right)]))
        assert found.excess == float("inf")
        assert not found.tolerable


def test_the_tolerance_is_relative() -> None:
    x = torch.linspace(1, 2, 7)
    for scale in (1e-30, 1.0, 1e30):
        assert difference(x * (1 + 1e-6) * scale, x * scale).tolerable
        assert not difference(x * (1 + 1e-4) * scale, x * scale).tolerable
    assert difference(x.half() * 1.001, x.half()).tolerable
    assert not difference(x.double() * (1 + 1e-9), x.double()).tolerable


def test_cancellation_is_judged_by_the_terms() -> None:
    zero, magnitude = torch.zeros(1), torch.full((1,), 1e6)
    noise = torch.full((1,), 0.1)
    assert not difference(noise, zero).tolerable
    assert difference(noise, zero, magnitude).tolerable


def test_integers_and_bools_must_agree() -> None:
    x = torch.tensor([2**60, 3])
    assert difference(x, x).tolerable
    assert not difference(x + 1, x).tolerable
    flags = torch.tensor([True, False])
    assert not difference(flags, ~flags).tolerable


def test_empty_tensors_agree() -> None:
    assert difference(torch.zeros(0, 3), torch.zeros(0, 3)).tolerable


# Whole programs


def network() -> torch.export.ExportedProgram:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 5, 3, padding=1), nn.BatchNorm2d(5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(5 * 4 * 3, 4), nn.Softmax(-1),
    )  # fmt: skip
    return torch.export.export(model.eval(), (torch.randn(2, 3, 8, 7),))


@pytest.mark.parametrize("target", ["cpu", "cpu+cuda:interpret"])
def test_a_compiled_model_passes(target: str) -> None:
    found = verify(network(), target, threads=1)
    assert found.passed, found.summary()
    names = [c.name for c in found.ops]
    assert {"nn.conv2d", "nn.max_pool2d", "nn.linear"} <= set(names)
    assert found.ops[names.index("nn.linear")].where == "5"


def test_a_compiled_pipeline_passes() -> None:
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", (9, 11, 3))
    x = pipe.resize(image, (8, 7), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=(0.4, 0.5, 0.6), std=(0.2, 0.3, 0.4))
    x = pipe.layout(x, "HWC->NCHW")
    pipe.output("best", pipe.argmax(pipe.softmax(x, axis=1), axis=1))
    found = verify(pipe, threads=1, seed=5)
    assert found.passed, found.summary()
    given = np.full((9, 11, 3), 7, np.uint8)
    assert verify(pipe, threads=1, inputs={"image": given}).passed
    with pytest.raises(devproc.InputError, match="'frame' is not an input"):
        verify(pipe, inputs={"frame": given})
    with pytest.raises(devproc.InputError, match=r"uint8 \(9, 11, 3\)"):
        verify(pipe, inputs={"image": given[1:]})


def test_the_command(tmp_path: Path) -> None:
    torch.export.save(network(), tmp_path / "net.pt2")
    result = CliRunner().invoke(main, ["verify", str(tmp_path / "net.pt2")])
    assert result.exit_code == 0, result.output


def test_verify_is_public() -> None:
    assert devproc.verify is verify
    assert "verify" in devproc.__all__
