"""Indices and addresses in LLVM against Python's integers: sums, scopes, counted multiples."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import i64

from devproc.targets.cpu.jit import CompileOptions, compile_object
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.native_code import SegmentCode
from devproc.targets.cpu.transforms.to_llvm.linear_index import LinearIndex
from devproc.targets.cpu.transforms.to_llvm.lowering import (
    FunctionLowering,
    ModuleLowering,
)
from tests.cpu.native import NO_CACHE, call, lower
from tests.targets import target_attr


def lowering(arguments: int) -> FunctionLowering:
    return FunctionLowering("f", [i64] * arguments, {}, ModuleLowering(target_attr()))


def test_total_adds_like_terms_and_drops_those_that_cancel() -> None:
    a, b = lowering(2).entry.args
    one, two = LinearIndex({a: 3, b: 1}, 5), LinearIndex({b: 2}, -1)
    total = LinearIndex.total([(one, 2), (two, -1)])
    assert total == LinearIndex({a: 6}, 11)
    assert total.value is None
    assert LinearIndex({a: 1}).value is a
    assert LinearIndex({a: 1}, 1).value is None
    assert LinearIndex.total([(one, 0)]) == LinearIndex()


def test_same_sum_is_computed_once() -> None:
    fn = lowering(2)
    a, b = fn.entry.args
    index = LinearIndex({a: 3, b: 1}, 5)
    value = fn.sum(index)
    count = len(fn.entry.ops)
    assert fn.sum(LinearIndex({a: 3, b: 1}, 5)) is value
    assert len(fn.entry.ops) == count


class Program:
    """A nest of loops around a copy of one number, its place a random expression."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = itertools.count()
        self.loops = [
            (self.random.randint(-3, 4), self.random.randint(1, 5), step)
            for step in self.random.choices((1, 2, 3), k=self.random.randint(1, 3))
        ]

    def points(self) -> list[tuple[int, ...]]:
        ranges = [range(low, low + count * by, by) for low, count, by in self.loops]
        return list(itertools.product(*ranges))

    def emit(self, text: str) -> str:
        name = f"%v{next(self.names)}"
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value: int) -> str:
        return self.emit(f"arith.constant {value} : index")

    def expression(
        self, variables: Sequence[tuple[str, int]], depth: int
    ) -> tuple[str, int]:
        """The name of an index and, for the point that `variables` have, its value."""
        kind = (
            self.random.choice(("addi", "subi", "muli", "scale")) if depth else "leaf"
        )
        if kind == "leaf":
            if self.random.random() < 0.3:
                value = self.random.randint(-4, 4)
                return self.constant(value), value
            return self.random.choice(variables)
        a, x = self.expression(variables, depth - 1)
        if kind == "scale":
            factor = self.random.choice((-3, -1, 0, 1, 4, 7, 16))
            return self.emit(f"arith.muli {a}, {self.constant(factor)} : index"), (
                x * factor
            )
        b, y = self.expression(variables, depth - 1)
        value = {"addi": x + y, "subi": x - y, "muli": x * y}[kind]
        return self.emit(f"arith.{kind} {a}, {b} : index"), value


def evaluate(seed: int, point: Sequence[int]) -> tuple[int, int]:
    """Both coordinates that the program of a seed reads at a point of its loops."""
    program = Program(seed)
    variables = [(f"%i{n}", value) for n, value in enumerate(point)]
    (_, row), (_, column) = (program.expression(variables, 3) for _ in range(2))
    return row, column


def text_of(seed: int, rows: int, columns: int, shift: tuple[int, int]) -> str:
    """`out[n] = x[row + shift, column + shift]` for the n-th point of the loops.

    In each loop stands another one first: what follows it is in a block of its own.
    """
    program = Program(seed)
    count = len(program.points())
    loops = program.loops
    body_variables = [(f"%i{n}", 0) for n in range(len(loops))]
    (row, _), (column, _) = (program.expression(body_variables, 3) for _ in range(2))
    places = [
        program.emit(f"arith.addi {name}, {program.constant(by)} : index")
        for name, by in zip((row, column), shift, strict=True)
    ]
    body = "\n".join(program.lines)
    heads = [
        f"""%low{n} = arith.constant {low} : index
        %high{n} = arith.constant {low + trips * by} : index
        %by{n} = arith.constant {by} : index
        %c{n} = scf.for %i{n} = %low{n} to %high{n} step %by{n}
          iter_args(%n{n} = {f"%n{n - 1}" if n else "%zero"}) -> (index) {{
        scf.for %k = %zero to %two step %one {{
          memref.store %nought, %other[%k] : memref<2xf32>
        }}"""
        for n, (low, trips, by) in enumerate(loops)
    ]
    last = len(loops) - 1
    ends = [f"scf.yield %c{n} : index }}" for n in reversed(range(1, len(loops)))]
    return f"""
    func.func private @segment_0(%x: memref<{rows}x{columns}xf32>, %out: memref<{count}xf32>,
        %other: memref<2xf32>) {{
      %nought = arith.constant 0.0 : f32
      %two = arith.constant 2 : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      {"".join(heads)}
        {body}
        %value = memref.load %x[{places[0]}, {places[1]}] : memref<{rows}x{columns}xf32>
        memref.store %value, %out[%n{last}] : memref<{count}xf32>
        %more = arith.addi %n{last}, %one : index
        scf.yield %more : index
      }}
      {"".join(ends)}
      func.return
    }}
    """


def places(seed: int) -> NDArray[np.int64]:
    """What the program of a seed reads, point by point, before it is shifted."""
    points = Program(seed).points()
    return np.array([evaluate(seed, point) for point in points], np.int64)


def shape(seed: int) -> tuple[int, int]:
    """The smallest memory that has all places."""
    found = places(seed)
    rows, columns = found.max(axis=0) - found.min(axis=0) + 1
    return int(rows), int(columns)


SEEDS = [seed for seed in range(60) if prod(shape(seed)) <= 1 << 20]


@pytest.mark.parametrize("passes", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_places_are_those_of_the_source(seed: int, passes: bool) -> None:
    read = places(seed)
    read -= (low := read.min(axis=0))
    x = np.random.default_rng(seed).random(shape(seed), dtype=np.float32)
    out = np.zeros(len(read), np.float32)
    ir = print_module(lower(text_of(seed, *shape(seed), (int(-low[0]), int(-low[1])))))
    options = CompileOptions(passes=passes)
    code = compile_object(ir, options=options, cache=NO_CACHE)
    call(SegmentCode([code]), x, out, np.zeros(2, np.float32))
    np.testing.assert_array_equal(out, x[read[:, 0], read[:, 1]])


def test_seeds_cover_nests_of_all_depths() -> None:
    assert len(SEEDS) > 40
    assert {len(Program(seed).loops) for seed in SEEDS} == {1, 2, 3}
