"""The interpreter of `nn` functions: against NumPy, in float64, with an observer."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from devproc.driver import parse_module
from devproc.errors import CompileError
from devproc.ir.types import DTYPES, tensor
from devproc.ir.weights.table import WeightTable
from devproc.reference.conversion.arrays import TORCH_DTYPES, to_numpy, to_torch
from devproc.reference.conversion.tensors import (
    constant_to_torch,
    torch_to_constant,
    type_of,
)
from devproc.reference.run.interpreter import evaluate, evaluate_op, prepare_results
from devproc.runtime.execution.host_reader import find_function

RNG = np.random.default_rng(0)


def run(
    text: str,
    *inputs: np.ndarray,
    weights: WeightTable | None = None,
    wide: bool = False,
) -> list[torch.Tensor]:
    """The results of `@main`."""
    main = find_function(parse_module(text), "main")
    tensors = [torch.from_numpy(np.ascontiguousarray(x)) for x in inputs]
    return evaluate(main, tensors, weights or WeightTable(), dtype64=wide)


def unary(op: str, operand: str, result: str) -> str:
    """A program of one op."""
    return (
        f"func.func @main(%0: tensor<{operand}>) -> tensor<{result}> {{\n"
        f"  %r = {op} : (tensor<{operand}>) -> tensor<{result}>\n"
        f"  func.return %r : tensor<{result}>\n}}"
    )


def random(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


# Against NumPy


def test_pointwise() -> None:
    x = random(3, 5)
    (found,) = run(unary("nn.relu %0", "3x5xf32", "3x5xf32"), x)
    np.testing.assert_array_equal(found, np.maximum(x, 0))
    (found,) = run(unary("nn.exp %0", "3x5xf32", "3x5xf32"), x)
    np.testing.assert_allclose(found, np.exp(x.astype(np.float64)), rtol=3e-7)
    (found,) = run(unary("nn.cast %0 to i32", "3x5xf32", "3x5xi32"), x * 9)
    np.testing.assert_array_equal(found, (x * 9).astype(np.int32))


@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("axes", [(), (0,), (1, 2), (0, 1, 2)])
def test_reductions(axes: tuple[int, ...], keep: int) -> None:
    x = random(2, 3, 5)
    wanted = x.sum(axes, keepdims=bool(keep)) if axes else x
    type_ = "x".join([*(str(d) for d in np.shape(wanted)), "f32"])
    for name, function in (("sum", np.sum), ("max", np.max)):
        wanted = function(x, axis=axes, keepdims=bool(keep)) if axes else x
        op = f"nn.reduce_{name} %0 axes {list(axes)} keep {keep}"
        (found,) = run(unary(op, "2x3x5xf32", type_), x)
        np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=1e-6)


def test_argmax_takes_the_first() -> None:
    x = np.array([[1, 3, 3], [np.nan, 2, np.nan]], np.float32)
    (found,) = run(unary("nn.argmax %0 axis 1 keep 0", "2x3xf32", "2xi64"), x)
    np.testing.assert_array_equal(found, np.argmax(x, 1))


def test_shapes() -> None:
    x = random(2, 3)
    (found,) = run(unary("nn.transpose %0 by [1, 0]", "2x3xf32", "3x2xf32"), x)
    np.testing.assert_array_equal(found, x.T)
    (found,) = run(unary("nn.pad %0 low [1, 0] high [0, 2]", "2x3xf32", "3x5xf32"), x)
    np.testing.assert_array_equal(found, np.pad(x, ((1, 0), (0, 2))))


LAYOUTS = (
    ((5, 7), (0, 1), (1, 1)),
    ((5, 7), (1, 0), (1, 1)),
    ((30, 8), (0, 1), (16, 1)),
    ((5, 7), (1, 0), (4, 2)),
    ((3, 4, 5, 6), (0, 2, 3, 1), (1, 3, 1, 1)),
    ((3, 4, 5, 6), (3, 0, 2, 1), (2, 3, 4, 5)),
)


@pytest.mark.parametrize(("shape", "order", "tiles"), LAYOUTS)
def test_pack(
    shape: tuple[int, ...], order: tuple[int, ...], tiles: tuple[int, ...]
) -> None:
    """Every element lies where the layout says; the rest is zero."""
    x = random(*shape) + 10
    outer = [-(-shape[d] // tiles[d]) for d in order]
    physical = (*outer, *(tiles[d] for d in order if tiles[d] > 1))
    wanted = np.zeros(physical, np.float32)
    for index in np.ndindex(*shape):
        place = [index[d] // tiles[d] for d in order]
        place += [index[d] % tiles[d] for d in order if tiles[d] > 1]
        wanted[tuple(place)] = x[index]
    before, after = ("x".join([*map(str, s), "f32"]) for s in (shape, physical))
    (found,) = run(
        unary(
            f"nn.pack %0 as #dev.layout<{list(order)}, {list(tiles)}>", before, after
        ),
        x,
    )
    np.testing.assert_array_equal(found, wanted)


# Weights, constants, dtypes

PREPARED = """
func.func private @prepare() -> (tensor<3xf32>, tensor<3xbf16>) {
  %w = nn.weight @w hash "0" : tensor<3xf32>
  %two = nn.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r = nn.mul %w, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %h = nn.cast %r to bf16 : (tensor<3xf32>) -> tensor<3xbf16>
  func.return %r, %h : tensor<3xf32>, tensor<3xbf16>
}
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %p = nn.weight @prepare.0 hash "0" : tensor<3xf32>
  %r = nn.add %x, %p : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %r : tensor<3xf32>
}
"""


def test_prepare() -> None:
    module, table, w = parse_module(PREPARED), WeightTable(), random(3)
    table.add("w", w)
    found = dict(prepare_results(module, table))
    assert list(found) == ["prepare.0", "prepare.1"]
    np.testing.assert_array_equal(found["prepare.0"], w * 2)
    # The upper half of the float32's bits, rounded to nearest.
    assert found["prepare.1"].dtype == np.uint16
    bits = (w * 2).view(np.uint32).astype(np.int64)
    assert np.abs(found["prepare.1"].astype(np.int64) - (bits >> 16)).max() <= 1
    for name, dtype in (("prepare.0", "float32"), ("prepare.1", "bfloat16")):
        table.add(name, found[name], dtype)
    x = random(3)
    (result,) = evaluate(find_function(module, "main"), [torch.from_numpy(x)], table)
    np.testing.assert_array_equal(result, x + w * 2)


def test_no_prepare() -> None:
    module = parse_module(unary("nn.relu %0", "3xf32", "3xf32"))
    assert dict(prepare_results(module, WeightTable())) == {}


@pytest.mark.parametrize("name", DTYPES)
def test_tensors_round_trip(name: str) -> None:
    dtype = TORCH_DTYPES[name]
    values = [0, 1, 3, 0] if name == "bool" else [0, 1, 100, 7]
    if dtype.is_floating_point:
        values = [float("inf"), float("nan"), -0.0, 0.1]
    value = torch.tensor(values, dtype=torch.float64).to(dtype).reshape(2, 2)
    assert type_of(value) == tensor(name, (2, 2))
    for again in (
        to_torch(to_numpy(value), name),
        constant_to_torch(torch_to_constant(value)),
    ):
        assert again.dtype == dtype
        torch.testing.assert_close(again, value, rtol=0, atol=0, equal_nan=True)


def test_read_only_weights_are_not_written_to() -> None:
    table = WeightTable()
    table.add("w", np.ones(3, np.float32))
    value = to_torch(table.array("w"), "float32")
    value.zero_()
    np.testing.assert_array_equal(table.array("w"), np.ones(3))


# Evaluation


def test_float64_run_does_not_round() -> None:
    text = """
    func.func @main(%x: tensor<3xf32>, %n: tensor<3xi32>) -> (tensor<3xf16>, tensor<3xi32>) {
      %c = nn.constant dense<0.1> : tensor<f32> : tensor<f32>
      %a = nn.add %x, %c : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %h = nn.cast %a to f16 : (tensor<3xf32>) -> tensor<3xf16>
      func.return %h, %n : tensor<3xf16>, tensor<3xi32>
    }
    """
    x, n = random(3), np.arange(3, dtype=np.int32)
    wide, numbers = run(text, x, n, wide=True)
    assert wide.dtype == torch.float64
    assert numbers.dtype == torch.int32
    tenth = np.float64(np.float32(0.1))
    np.testing.assert_array_equal(wide, x.astype(np.float64) + tenth)
    assert run(text, x, n)[0].dtype == torch.float16


def test_the_observer_sees_each_op_in_order() -> None:
    table = WeightTable()
    table.add("w", np.ones(3, np.float32))
    table.add("prepare.0", np.ones(3, np.float32))
    main = find_function(parse_module(PREPARED), "main")
    seen: list[tuple[str, int]] = []
    evaluate(
        main,
        [torch.zeros(3)],
        table,
        lambda op, values: seen.append((op.name, len(values))),
    )
    assert seen == [("nn.weight", 1), ("nn.add", 1)]


def test_results_may_repeat_and_be_inputs() -> None:
    text = """
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %r = nn.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      func.return %r, %x, %r : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    }
    """
    x = random(2)
    for found, wanted in zip(run(text, x), (x + x, x, x + x), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_islands_copies_and_syncs_are_seen_through() -> None:
    cpu, cuda = '2xf32, #dev.on<"cpu">', '2xf32, #dev.on<"cuda">'
    text = f"""
    func.func @main(%x: tensor<{cpu}>) -> tensor<{cpu}> {{
      %g = dev.copy %x : tensor<{cpu}> to tensor<{cuda}>
      %y = dev.region "cuda" (%g) : (tensor<{cuda}>) -> (tensor<{cuda}>) {{
      ^bb0(%a: tensor<{cuda}>):
        %r = nn.relu %a : (tensor<{cuda}>) -> tensor<{cuda}>
        dev.yield %r : tensor<{cuda}>
      }}
      %h = dev.copy %y : tensor<{cuda}> to tensor<{cpu}>
      dev.sync "cuda"
      func.return %h : tensor<{cpu}>
    }}
    """
    (found,) = run(text, np.array([-1, 2], np.float32))
    np.testing.assert_array_equal(found, [0, 2])


# Errors


def test_wrong_number_of_inputs() -> None:
    with pytest.raises(CompileError, match="@main takes 1 inputs, got 2"):
        run(unary("nn.relu %0", "2xf32", "2xf32"), random(2), random(2))


def test_missing_and_foreign_weights() -> None:
    module, table = parse_module(PREPARED), WeightTable()
    with pytest.raises(CompileError, match="weight 'w' is not in the weight table"):
        dict(prepare_results(module, table))
    table.add("w", random(4))
    with pytest.raises(CompileError, match=r"weight 'w' is float32 \(4,\)"):
        dict(prepare_results(module, table))


def test_an_op_without_meaning() -> None:
    module = parse_module("arith.constant 1 : i32")
    (op,) = module.body.block.ops
    with pytest.raises(CompileError, match=r"'arith\.constant'.*no reference meaning"):
        evaluate_op(op, (), WeightTable())
