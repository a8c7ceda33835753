"""The passes of the tensor stage change no value: compared by the reference."""

from __future__ import annotations

import random

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.driver import make_context, make_pass
from devproc.ir.types import tensor_of
from devproc.ir.verification.verify import verify_module
from devproc.ir.weights.table import WeightTable
from devproc.reference.conversion.arrays import to_numpy
from devproc.reference.conversion.tensors import torch_dtype
from devproc.reference.run.interpreter import evaluate
from devproc.reference.run.preparation import prepared
from tests.repository import parse

SPECIAL = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0, -1.0, 1e-45]
SHAPES = ("", "1x", "3x", "2x3x", "2x1x", "1x3x1x")
FLOATS = ("f32", "f64", "f16")
INTS = ("i32", "ui8", "i8", "i64")


class Program:
    """A random chain of simple ops, as text: much for `canonicalize` to find."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.values: list[tuple[str, str, str]] = []  # name, shape, dtype
        self.arguments = [self.new_name() for _ in range(3)]
        for name in self.arguments:
            shape, dtype = self.rng.choice(SHAPES), self.rng.choice(FLOATS + INTS)
            self.values.append((name, shape, dtype))
        inputs = ", ".join(f"{n}: tensor<{s}{d}>" for n, s, d in self.values)
        for _ in range(30):
            self.step()
        results = self.values[3:]
        types = ", ".join(f"tensor<{s}{d}>" for _, s, d in results)
        names = ", ".join(n for n, _, _ in results)
        self.text = (
            f"func.func @main({inputs}) -> ({types}) {{\n"
            + "\n".join(self.lines)
            + f"\nfunc.return {names} : {types}\n}}"
        )

    def new_name(self) -> str:
        """A fresh SSA name."""
        self.count = getattr(self, "count", 0) + 1
        return f"%v{self.count}"

    def emit(
        self, text: str, operands: list[tuple[str, str]], shape: str, dtype: str
    ) -> None:
        """Adds `text : (operand types) -> tensor<shape x dtype>`."""
        name = self.new_name()
        types = ", ".join(f"tensor<{s}{d}>" for s, d in operands)
        self.lines.append(f"{name} = {text} : ({types}) -> tensor<{shape}{dtype}>")
        self.values.append((name, shape, dtype))

    def constant(self, shape: str, dtype: str) -> str:
        """A constant of one number that canonicalization may care for."""
        numbers = (0.0, -0.0, 1.0, 2.0) if dtype in FLOATS else (0, 1, 2)
        name, type_ = self.new_name(), f"tensor<{shape}{dtype}>"
        number = self.rng.choice(numbers)
        self.lines.append(f"{name} = nn.constant dense<{number}> : {type_} : {type_}")
        return name

    def step(self) -> None:
        """Adds one op, on any value so far."""
        name, shape, dtype = self.rng.choice(self.values)
        rank, sizes = shape.count("x"), [int(s) for s in shape.split("x")[:-1]]
        kind = self.rng.choice(
            ["constant", "relu", "cast", "reshape", "transpose", "pad", "max"]
        )
        if kind == "constant":
            op = self.rng.choice(
                ("add", "sub", "mul") + (("div",) if dtype in FLOATS else ())
            )
            # Of rank 0, or of the operand's own shape: the result has that too.
            other = self.rng.choice(("", shape))
            number = self.constant(other, dtype)
            pair = [(name, shape), (number, other)]
            self.rng.shuffle(pair)
            self.emit(
                f"nn.{op} {pair[0][0]}, {pair[1][0]}",
                [(s, dtype) for _, s in pair],
                shape,
                dtype,
            )
        elif kind == "relu":
            self.emit(f"nn.relu {name}", [(shape, dtype)], shape, dtype)
        elif kind == "cast":
            # Floats stay floats: out of an integer's range the result is undefined.
            to = self.rng.choice(FLOATS if dtype in FLOATS else FLOATS + INTS)
            self.emit(f"nn.cast {name} to {to}", [(shape, dtype)], shape, to)
        elif kind == "reshape":
            new = self.rng.choice(
                [sizes, [*sizes, 1], [1, *sizes], list(reversed(sizes))]
            )
            text = "".join(f"{s}x" for s in new)
            self.emit(f"nn.reshape {name} to {new}", [(shape, dtype)], text, dtype)
        elif kind == "transpose":
            order = self.rng.sample(range(rank), rank)
            text = "".join(f"{sizes[d]}x" for d in order)
            self.emit(f"nn.transpose {name} by {order}", [(shape, dtype)], text, dtype)
        elif kind == "pad":
            low, high = ([self.rng.choice((0, 0, 1)) for _ in sizes] for _ in range(2))
            text = "".join(
                f"{a + s + b}x" for a, s, b in zip(low, sizes, high, strict=True)
            )
            self.emit(
                f"nn.pad {name} low {low} high {high}", [(shape, dtype)], text, dtype
            )
        else:
            axes = sorted(self.rng.sample(range(rank), self.rng.randint(0, rank)))
            text = "".join(f"{1 if d in axes else s}x" for d, s in enumerate(sizes))
            op = self.rng.choice(("reduce_max", "reduce_sum"))
            self.emit(
                f"nn.{op} {name} axes {axes} keep 1", [(shape, dtype)], text, dtype
            )


def main_of(module: ModuleOp) -> FuncOp:
    """The program's function."""
    main = module.body.block.first_op
    assert isinstance(main, FuncOp)
    return main


def random_input(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """Random numbers, special ones among them."""
    if not dtype.is_floating_point:
        return torch.randint(0, 127, shape).to(dtype)
    values = torch.randn(shape, dtype=torch.float64).flatten()
    for i in range(0, values.numel(), 2):
        values[i] = random.choice(SPECIAL)
    return values.reshape(shape).to(dtype)


def bits(value: torch.Tensor) -> bytes:
    """The bytes of a tensor; all NaN are one."""
    if value.is_floating_point():
        value = torch.where(value.isnan(), torch.full_like(value, torch.nan), value)
    return to_numpy(value).tobytes()


def run(module: ModuleOp, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """The program's results, `@prepare` included."""
    return evaluate(main_of(module), inputs, prepared(module, WeightTable()))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_keep_every_bit(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    module = parse(Program(seed).text)
    verify_module(module)
    inputs = [
        random_input(type_.get_shape(), torch_dtype(type_.element_type))
        for type_ in map(tensor_of, main_of(module).args)
    ]
    wanted = [bits(v) for v in run(module, inputs)]
    before = sum(1 for _ in module.walk())
    for name in ("canonicalize", "cse", "dce", "hoist-constants"):
        make_pass(name).apply(make_context(), module)
        verify_module(module)
        assert [bits(v) for v in run(module, inputs)] == wanted, name
    assert sum(1 for _ in module.walk()) <= before + 30


def test_canonicalize_is_done_after_one_run() -> None:
    for seed in range(20):
        module = parse(Program(seed).text)
        make_pass("canonicalize").apply(make_context(), module)
        once = str(module)
        make_pass("canonicalize").apply(make_context(), module)
        assert str(module) == once
