"""Fusion changes no value, makes no cycle, and leaves each kernel in its form."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from devproc.driver import make_context, make_pass, parse_module
from devproc.ir.types import tensor_of
from devproc.ir.verification.verify import verify_module
from tests.kernel_forms import Kernel, kernels_of
from tests.linalg_evaluator import NUMPY, evaluate


def inputs_of(module: ModuleOp, seed: int = 0) -> list[Any]:
    """Random arrays for the arguments of `@main` (small integers, some NaN)."""
    generator = np.random.default_rng(seed)
    main = next(op for op in module.ops if "main" in str(op.properties["sym_name"]))
    arrays: list[Any] = []
    for argument in main.regions[0].block.args:
        type_ = tensor_of(argument)
        values = generator.standard_normal(type_.get_shape()) * 3
        dtype = NUMPY[str(type_.element_type)]
        if np.issubdtype(dtype, np.floating) and values.size > 6:
            values.flat[generator.integers(values.size)] = np.nan
        arrays.append(np.asarray(values).astype(dtype))
    return arrays


def fuse(text: str) -> tuple[ModuleOp, list[Kernel]]:
    """The fused module and its kernels; values and text are checked on the way."""
    context = make_context()
    module = parse_module(text)
    make_pass("convert-nn-to-linalg").apply(context, module)
    verify_module(module)
    arrays = inputs_of(module)
    before = evaluate(module, arrays)
    make_pass("fuse-pointwise").apply(context, module)
    verify_module(module)
    for have, want in zip(evaluate(module, arrays), before, strict=True):
        np.testing.assert_array_equal(have, want)
    again = parse_module(str(module))
    assert str(again) == str(module)
    return module, kernels_of(module)


def families(text: str) -> list[str]:
    """The families of the kernels, in order."""
    return [kernel.family for kernel in fuse(text)[1]]


T = "tensor<2x3xf32>"


def test_a_chain_is_one_loop() -> None:
    _, (kernel,) = fuse(f"""
    func.func @main(%x: {T}, %b: tensor<3xf32>) -> {T} {{
      %0 = nn.exp %x : ({T}) -> {T}
      %1 = nn.add %0, %b : ({T}, tensor<3xf32>) -> {T}
      %2 = nn.mul %1, %0 : ({T}, {T}) -> {T}
      %3 = nn.relu %2 : ({T}) -> {T}
      func.return %3 : {T}
    }}""")
    assert kernel.family == "pointwise"
    assert kernel.sources == ["nn.exp", "nn.add", "nn.mul", "nn.relu"]
    (generic,) = kernel.generics
    assert len(generic.inputs) == 2
    assert len(generic.outputs) == 1


def test_a_value_with_other_uses_is_a_second_result() -> None:
    module, (kernel,) = fuse(f"""
    func.func @main(%x: {T}) -> ({T}, {T}) {{
      %0 = nn.exp %x : ({T}) -> {T}
      %1 = nn.relu %0 : ({T}) -> {T}
      func.return %0, %1 : {T}, {T}
    }}""")
    assert len(kernel.generics[0].outputs) == 2
    assert str(module).count("math.exp") == 1


def test_a_transposed_read_composes_its_map() -> None:
    module, kernels = fuse("""
    func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {
      %0 = nn.exp %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      %1 = nn.transpose %0 by [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
      %2 = nn.add %1, %y : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
      func.return %2 : tensor<4x2x3xf32>
    }""")
    assert len(kernels) == 1
    assert "(d0, d1, d2) -> (d1, d2, d0)" in str(module)


def test_linear_takes_bias_relu_and_residual() -> None:
    _, (kernel,) = fuse("""
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>,
                    %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = nn.linear %x, %w bias %b : (tensor<2x5xf32>, tensor<3x5xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      %1 = nn.add %y, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      %2 = nn.relu %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %2 : tensor<2x3xf32>
    }""")
    assert kernel.family == "contraction"
    assert kernel.sources == ["nn.linear", "nn.add", "nn.relu"]


def test_an_escaping_accumulator_passes_through_the_epilogue() -> None:
    _, (kernel,) = fuse("""
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<3x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
      %0 = nn.linear %x, %w : (tensor<2x5xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
      %1 = nn.relu %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
    }""")
    assert len(kernel.generics[1].outputs) == 2


def test_a_transpose_behind_a_contraction_is_another_kernel() -> None:
    assert families("""
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<3x5xf32>) -> tensor<3x2xf32> {
      %0 = nn.linear %x, %w : (tensor<2x5xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
      %1 = nn.relu %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %2 = nn.transpose %1 by [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %3 = nn.exp %2 : (tensor<3x2xf32>) -> tensor<3x2xf32>
      func.return %3 : tensor<3x2xf32>
    }""") == ["contraction", "pointwise"]


def test_a_broadcast_read_is_not_an_epilogue() -> None:
    assert families("""
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<1x5xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = nn.linear %x, %w : (tensor<2x5xf32>, tensor<1x5xf32>) -> tensor<2x1xf32>
      %1 = nn.add %0, %y : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %1 : tensor<2x3xf32>
    }""") == ["contraction", "pointwise"]


def test_a_join_that_would_make_a_cycle_is_not_made() -> None:
    """The sum reads %0 and the product of it with the sum of all."""
    kernels = families("""
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<3x5xf32>, %v: tensor<3x3xf32>) -> tensor<2x3xf32> {
      %0 = nn.linear %x, %w : (tensor<2x5xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
      %1 = nn.relu %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %2 = nn.linear %1, %v : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
      %3 = nn.add %1, %2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %3 : tensor<2x3xf32>
    }""")
    assert kernels == ["contraction", "contraction"]


def test_a_group_around_another_can_make_a_cycle_with_it() -> None:
    """The group of %a and %b lies around %t and needs it. %s comes before %t, and needs
    that group: their sum cannot be part of the kernel of %t.
    """
    _, kernels = fuse("""
    func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x5xf32>, %w: tensor<9x6xf32>, %u: tensor<9x5xf32>)
        -> (tensor<4x6xf32>, tensor<4x9xf32>) {
      %a = nn.relu %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %s = nn.linear %a, %w : (tensor<4x6xf32>, tensor<9x6xf32>) -> tensor<4x9xf32>
      %t = nn.linear %y, %u : (tensor<4x5xf32>, tensor<9x5xf32>) -> tensor<4x9xf32>
      %c = nn.slice %t from [0, 1] size [4, 6] step [1, 1] : (tensor<4x9xf32>) -> tensor<4x6xf32>
      %b = nn.mul %a, %c : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %o = nn.add %t, %s : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
      func.return %b, %o : tensor<4x6xf32>, tensor<4x9xf32>
    }""")
    assert [k.sources for k in kernels] == [
        ["nn.linear"],
        ["nn.relu", "nn.slice", "nn.mul"],
        ["nn.linear", "nn.add"],
    ]


def test_two_anchors_that_need_nothing_of_each_other() -> None:
    """The sum goes to the later one; the earlier one is an operand."""
    _, kernels = fuse("""
    func.func @main(%x: tensor<2x5xf32>, %w: tensor<3x5xf32>, %v: tensor<3x5xf32>) -> tensor<2x3xf32> {
      %0 = nn.linear %x, %w : (tensor<2x5xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
      %1 = nn.linear %x, %v : (tensor<2x5xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
      %2 = nn.add %0, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %2 : tensor<2x3xf32>
    }""")
    assert [k.sources for k in kernels] == [["nn.linear"], ["nn.linear", "nn.add"]]


SOFTMAX = """
      %m = nn.reduce_max %x axes [{axis}] keep 1 : ({t}) -> {r}
      %s = nn.sub %x, %m : ({t}, {r}) -> {t}
      %e = nn.exp %s : ({t}) -> {t}
      %d = nn.reduce_sum %e axes [{axis}] keep 1 : ({t}) -> {r}
      %p = nn.div %e, %d : ({t}, {r}) -> {t}"""


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((2, 5), 1), ((3, 2, 4), 1), ((1, 4), 1), ((4, 1), 1), ((5,), 0)],
)
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_softmax_is_one_kernel(shape: tuple[int, ...], axis: int, dtype: str) -> None:
    def spell(sizes: Sequence[int]) -> str:
        return f"tensor<{''.join(f'{s}x' for s in sizes)}{dtype}>"

    t = spell(shape)
    r = spell([1 if d == axis else s for d, s in enumerate(shape)])
    body = SOFTMAX.format(axis=axis, t=t, r=r)
    module, (kernel,) = fuse(
        f"func.func @main(%x: {t}) -> {t} {{{body}\nfunc.return %p : {t}\n}}"
    )
    assert kernel.family == "reduction"
    x = inputs_of(module)[0]
    wanted = torch.softmax(torch.from_numpy(x), axis).numpy()
    bound = 1e-6 if dtype == "f32" else 2e-3
    np.testing.assert_allclose(evaluate(module, [x])[0], wanted, rtol=bound, atol=bound)


def test_pointwise_ops_join_the_reduction_that_reads_them() -> None:
    assert families("""
    func.func @main(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3x4xf32>) {
      %0 = nn.exp %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
      %1 = nn.reduce_sum %0 axes [1] keep 0 : (tensor<3x4xf32>) -> tensor<3xf32>
      %2 = nn.exp %1 : (tensor<3xf32>) -> tensor<3xf32>
      func.return %2, %0 : tensor<3xf32>, tensor<3x4xf32>
    }""") == ["reduction"]


def test_reductions_over_other_axes_are_another_kernel() -> None:
    assert families("""
    func.func @main(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<4xf32>) {
      %0 = nn.exp %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
      %1 = nn.reduce_sum %0 axes [1] keep 0 : (tensor<3x4xf32>) -> tensor<3xf32>
      %2 = nn.reduce_sum %0 axes [0] keep 0 : (tensor<3x4xf32>) -> tensor<4xf32>
      func.return %1, %2 : tensor<3xf32>, tensor<4xf32>
    }""") == ["reduction", "reduction"]


def test_what_joins_tensors_is_no_part_of_a_reduction() -> None:
    """Split where its operands meet, it copies; a reduction would choose each element."""
    kernels = families("""
    func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x9xf32>) -> tensor<4xf32> {
      %a = nn.concat %x, %y axis 1 : (tensor<4x6xf32>, tensor<4x9xf32>) -> tensor<4x15xf32>
      %r = nn.reduce_sum %a axes [1] keep 0 : (tensor<4x15xf32>) -> tensor<4xf32>
      func.return %r : tensor<4xf32>
    }""")
    assert kernels == ["gather", "reduction"]


def test_a_row_too_long_for_the_cache_stays_alone() -> None:
    text = """
    func.func @main(%x: tensor<2x70000xf32>) -> tensor<2xf32> {
      %0 = nn.exp %x : (tensor<2x70000xf32>) -> tensor<2x70000xf32>
      %1 = nn.reduce_sum %0 axes [1] keep 0 : (tensor<2x70000xf32>) -> tensor<2xf32>
      func.return %1 : tensor<2xf32>
    }"""
    module = parse_module(text)
    for name in ("convert-nn-to-linalg", "fuse-pointwise"):
        make_pass(name).apply(make_context(), module)
    assert [k.family for k in kernels_of(module)] == ["pointwise", "reduction"]


def test_argmax_of_a_softmax() -> None:
    body = SOFTMAX.format(axis=1, t="tensor<2x5xf32>", r="tensor<2x1xf32>")
    assert families(f"""
    func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2xi64>) {{{body}
      %a = nn.argmax %p axis 1 keep 0 : (tensor<2x5xf32>) -> tensor<2xi64>
      func.return %p, %a : tensor<2x5xf32>, tensor<2xi64>
    }}""") == ["reduction"]


def test_convolution_with_pad_bias_relu_and_pool() -> None:
    _, (conv, pool) = fuse("""
    func.func @main(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3x2x2xf32> {
      %0 = nn.conv2d %x, %w bias %b stride [1, 1] padding [1, 1] dilation [1, 1] groups 1
        : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
      %1 = nn.relu %0 : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
      %2 = nn.max_pool2d %1 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0
        : (tensor<1x3x4x4xf32>) -> tensor<1x3x2x2xf32>
      func.return %2 : tensor<1x3x2x2xf32>
    }""")
    assert (conv.family, conv.sources) == ("window", ["nn.conv2d", "nn.relu"])
    assert (pool.family, pool.sources) == ("window", ["nn.max_pool2d"])


def test_resample_takes_normalization_and_layout() -> None:
    _, kernels = fuse("""
    func.func @main(%x: tensor<4x5x3xi8>, %t: tensor<2x3xi32>, %m: tensor<3xf32>) -> tensor<3x2x5xf32> {
      %f = nn.constant dense<1> : tensor<2xi32> : tensor<2xi32>
      %u = nn.cast %x to ui8 : (tensor<4x5x3xi8>) -> tensor<4x5x3xui8>
      %0 = nn.resample %u, %f, %t axis 0 : (tensor<4x5x3xui8>, tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x5x3xui8>
      %1 = nn.cast %0 to f32 : (tensor<2x5x3xui8>) -> tensor<2x5x3xf32>
      %2 = nn.sub %1, %m : (tensor<2x5x3xf32>, tensor<3xf32>) -> tensor<2x5x3xf32>
      %3 = nn.transpose %2 by [2, 0, 1] : (tensor<2x5x3xf32>) -> tensor<3x2x5xf32>
      func.return %3 : tensor<3x2x5xf32>
    }""")
    assert kernels[-1].family == "gather"
    assert kernels[-1].sources == ["nn.resample", "nn.cast", "nn.sub", "nn.transpose"]


def test_a_view_moves_behind_the_op_that_reads_it() -> None:
    """The result of a grouped convolution is a view; relu and residual still join."""
    module, (kernel,) = fuse("""
    func.func @main(%x: tensor<1x4x3x3xf32>, %w: tensor<6x2x1x1xf32>, %y: tensor<1x6x3x3xf32>) -> tensor<1x6x3x3xf32> {
      %0 = nn.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 2
        : (tensor<1x4x3x3xf32>, tensor<6x2x1x1xf32>) -> tensor<1x6x3x3xf32>
      %1 = nn.relu %0 : (tensor<1x6x3x3xf32>) -> tensor<1x6x3x3xf32>
      %2 = nn.add %y, %1 : (tensor<1x6x3x3xf32>, tensor<1x6x3x3xf32>) -> tensor<1x6x3x3xf32>
      func.return %2 : tensor<1x6x3x3xf32>
    }""")
    assert kernel.sources == ["nn.conv2d", "nn.relu", "nn.add"]
    assert str(module).count("plan.view") == 4  # x, w, y, and the result


class RandomProgram:
    """Programs of random ops that fit together, on few small shapes."""

    def __init__(self, seed: int, more: Sequence[str] = ()):
        self.random = random.Random(seed)
        self.more = more
        self.values: list[tuple[str, tuple[int, ...]]] = []
        self.lines: list[str] = []
        self.arguments: list[tuple[str, tuple[int, ...]]] = []
        for shape in ((2, 3), (3, 2), (2, 2), (3, 3), (3,), (2, 1)):
            name = f"%a{len(self.arguments)}"
            self.arguments.append((name, shape))
            self.values.append((name, shape))

    @staticmethod
    def type(shape: Sequence[int]) -> str:
        return f"tensor<{''.join(f'{s}x' for s in shape)}f32>"

    def pick(self, rank: int | None = None) -> tuple[str, tuple[int, ...]]:
        """A value, recent ones more often."""
        fitting = [v for v in self.values if rank is None or len(v[1]) == rank]
        return self.random.choice(fitting[-8:])

    def emit(
        self,
        op: str,
        operands: Sequence[tuple[str, tuple[int, ...]]],
        shape: Sequence[int],
        tail: str = "",
    ) -> None:
        name = f"%v{len(self.lines)}"
        names = ", ".join(n for n, _ in operands)
        types = ", ".join(self.type(s) for _, s in operands)
        self.lines.append(
            f"{name} = {op} {names}{tail} : ({types}) -> {self.type(shape)}"
        )
        self.values.append((name, tuple(shape)))

    def step(self) -> None:
        kind = self.random.choice(
            ["binary"] * 4 + ["unary"] * 3 + ["reduce"] * 2
            + ["transpose", "matmul", "reshape", "softmax", *self.more]
        )  # fmt: skip
        a = self.pick()
        if kind == "unary":
            self.emit(self.random.choice(["nn.relu", "nn.exp"]), [a], a[1])
        elif kind == "binary":
            b = self.pick()
            try:
                shape = np.broadcast_shapes(a[1], b[1])
            except ValueError:
                return
            self.emit(self.random.choice(["nn.add", "nn.sub"]), [a, b], shape)
        elif kind == "transpose":
            a = self.pick(2)
            self.emit("nn.transpose", [a], a[1][::-1], " by [1, 0]")
        elif kind == "reshape":
            a = self.pick(2)
            self.emit("nn.reshape", [a], a[1][::-1], f" to {list(a[1][::-1])}")
        elif kind == "pad":
            low, high = ([self.random.randrange(2) for _ in a[1]] for _ in range(2))
            shape = [sum(n) for n in zip(low, a[1], high, strict=True)]
            self.emit("nn.pad", [a], shape, f" low {low} high {high}")
        elif kind == "slice":
            start = [self.random.randrange(s) for s in a[1]]
            step = [self.random.randint(1, 2) for _ in a[1]]
            parts = zip(start, a[1], step, strict=True)
            size = [self.random.randint(1, -(-(s - b) // t)) for b, s, t in parts]
            self.emit("nn.slice", [a], size, f" from {start} size {size} step {step}")
        elif kind == "matmul":
            a, b = self.pick(2), self.pick(2)
            if a[1][1] == b[1][0]:
                self.emit("nn.matmul", [a, b], (a[1][0], b[1][1]))
        else:
            a = self.pick(2)
            axis, keep = self.random.randrange(2), self.random.randrange(2)
            shape = tuple(
                1 if d == axis else s for d, s in enumerate(a[1]) if keep or d != axis
            )
            op = self.random.choice(["nn.reduce_sum", "nn.reduce_max"])
            self.emit(op, [a], shape, f" axes [{axis}] keep {keep}")
            if keep:
                self.emit("nn.sub", [a, self.values[-1]], a[1])

    def text(self, steps: int) -> str:
        while len(self.lines) < steps:
            self.step()
        arguments = ", ".join(f"{n}: {self.type(s)}" for n, s in self.arguments)
        results = self.random.sample(self.values[len(self.arguments) :], 3)
        types = ", ".join(self.type(s) for _, s in results)
        return (
            f"func.func @main({arguments}) -> ({types}) {{\n"
            + "\n".join(self.lines)
            + f"\nfunc.return {', '.join(n for n, _ in results)} : {types}\n}}"
        )


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_keep_their_values(seed: int) -> None:
    text = RandomProgram(seed).text(4 + seed % 17)
    fuse(text)


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_of_the_cpu(seed: int) -> None:
    """Where slices are read in place, and borders are written behind."""
    program = RandomProgram(seed, ["pad", "pad", "slice", "slice"])
    text = program.text(4 + seed % 17)
    fuse(text.replace("f32>", 'f32, #dev.on<"cpu">>'))
