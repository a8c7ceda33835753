"""Slices move up and change no value; what is not used is not computed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ModuleOp, TensorType, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

import devproc
from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.pointwise import AddOp, MaximumOp, MulOp, ReluOp
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceSumOp
from devproc.dialects.nn.shape import (
    ConcatOp,
    ExpandOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.driver import make_context, make_pass
from devproc.ir.subset import Span, hull, sizes_of
from devproc.ir.types import tensor_of
from devproc.ir.verification.verify import verify_module
from devproc.ir.weights.table import WeightTable
from devproc.reference.run.interpreter import evaluate
from tests.repository import parse


class Graph:
    """A random graph of ops that have rules, of which only slices are returned."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        shapes = [(3, 4), (2, 3, 4), (4, 6), (1, 5, 1, 4)]
        self.block = Block(arg_types=[TensorType(f64, shape) for shape in shapes])
        self.values: list[SSAValue] = list(self.block.args)
        for _ in range(20):
            self.step()
        self.cut()

    def add(self, op: NNOp) -> SSAValue:
        """Appends an op; its result."""
        self.block.add_op(op)
        self.values.append(op.results[0])
        return op.results[0]

    def pick(self, condition: Callable[[tuple[int, ...]], bool]) -> SSAValue | None:
        """A value whose shape meets the condition, the later ones rather."""
        found = [v for v in self.values if condition(tensor_of(v).get_shape())]
        return self.rng.choice(found[-6:]) if found else None

    def step(self) -> None:
        """Appends one op on values so far."""
        x = self.pick(lambda shape: len(shape) > 0)
        assert x is not None
        shape = tensor_of(x).get_shape()
        rank, axis = len(shape), self.rng.randrange(len(shape))
        kind = self.rng.choice(
            "relu add concat expand reduce transpose reshape linear matmul slice".split()
        )
        if kind == "relu":
            self.add(ReluOp.build_op([x]))
        elif kind == "add":
            other = self.pick(lambda s: s == shape[len(shape) - len(s) :])
            op = self.rng.choice([AddOp, MaximumOp, MulOp])
            self.add(op.build_op([x, other or x]))
        elif kind == "concat":
            self.add(ConcatOp.along([x, x, x][: self.rng.randint(2, 3)], axis))
        elif kind == "expand":
            self.add(ExpandOp.to(x, [2, *shape]))
        elif kind == "reduce":
            axes = self.rng.sample(range(rank), self.rng.randint(0, min(2, rank - 1)))
            op = self.rng.choice([ReduceSumOp, ReduceMaxOp])
            result = op.over(x, axes, self.rng.random() < 0.5)
            assert isinstance(result, NNOp)
            self.add(result)
        elif kind == "transpose":
            self.add(TransposeOp.by(x, self.rng.sample(range(rank), rank)))
        elif kind == "reshape":
            self.reshape(x, shape)
        elif kind == "slice":
            self.slice(x)
        else:
            self.product(kind, x, shape)

    def reshape(self, x: SSAValue, shape: tuple[int, ...]) -> None:
        """Two neighbouring dimensions joined, one split, or a 1 put in."""
        axis = self.rng.randrange(len(shape))
        split = [shape[axis] // 2, 2] if shape[axis] % 2 == 0 else [1, shape[axis]]
        joined = [*shape[:axis], *split, *shape[axis + 1 :]]
        if axis + 1 < len(shape) and self.rng.random() < 0.5:
            both = shape[axis] * shape[axis + 1]
            joined = [*shape[:axis], both, *shape[axis + 2 :]]
        self.add(ReshapeOp.to(x, joined))

    def product(self, kind: str, x: SSAValue, shape: tuple[int, ...]) -> None:
        """A matrix product with another value that fits, if there is one."""
        features = shape[-1]
        if kind == "linear":
            weight = self.pick(lambda s: len(s) == 2 and s[1] == features)
            if weight is not None:
                self.add(LinearOp.build_op([x, weight]))
        elif len(shape) == 2:
            transposed = self.add(TransposeOp.by(x, [1, 0]))
            rhs = self.pick(lambda s: len(s) >= 2 and s[-2] == shape[0])
            if rhs is not None:
                self.add(MatmulOp.build_op([transposed, rhs]))

    def slice(self, x: SSAValue) -> SSAValue:
        """A random part of a value, steps and backwards among them."""
        starts, sizes, steps = list[int](), list[int](), list[int]()
        for whole in tensor_of(x).get_shape():
            places = range(whole)
            if self.rng.random() < 0.6:
                first = self.rng.randrange(whole)
                places = range(first, whole, self.rng.choice([1, 1, 2]))
                places = places[: self.rng.randint(1, len(places))]
                places = places[::-1] if self.rng.random() < 0.2 else places
            starts.append(places[0])
            sizes.append(len(places))
            steps.append(places.step)
        return self.add(SliceOp.of(x, starts, sizes, steps))

    def cut(self) -> None:
        """Returns slices of what nothing reads, one or two of each."""
        results = [
            self.slice(v)
            for v in list(self.values)
            if v.first_use is None and tensor_of(v).get_num_dims()
            for _ in range(self.rng.randint(1, 2))
        ]
        results += [v for v in self.values if v.first_use is None]
        results = list(dict.fromkeys(results))
        self.block.add_op(ReturnOp(*results))
        types = (
            [a.type for a in self.block.args],
            [v.type for v in results],
        )
        self.main = FuncOp("main", types, Region(self.block))
        self.module = ModuleOp([self.main])


def computed(module: ModuleOp) -> int:
    """How many elements the ops of a program make, slices not counted."""
    return sum(
        tensor_of(op.results[0]).element_count()
        for op in module.walk()
        if isinstance(op, NNOp) and not isinstance(op, SliceOp)
    )


@pytest.mark.parametrize("seed", range(150))
def test_random_graphs_keep_every_value(seed: int) -> None:
    """Whole numbers, so that sums are exact in any order."""
    graph = Graph(seed)
    verify_module(graph.module)
    torch.manual_seed(seed)
    inputs = [
        torch.randint(-2, 3, tensor_of(arg).get_shape()).double()
        for arg in graph.main.args
    ]
    wanted = evaluate(graph.main, inputs, WeightTable())
    before = computed(graph.module)
    make_pass("bubble-up-slices").apply(make_context(), graph.module)
    verify_module(graph.module)
    for have, want in zip(
        evaluate(graph.main, inputs, WeightTable()), wanted, strict=True
    ):
        assert torch.equal(have, want)
    assert computed(graph.module) <= before


def test_the_random_graphs_have_work_for_the_pass() -> None:
    saved = 0
    for seed in range(30):
        graph = Graph(seed)
        before = computed(graph.module)
        make_pass("bubble-up-slices").apply(make_context(), graph.module)
        saved += computed(graph.module) < before
    assert saved > 20


def through_reshape(old: Sequence[int], part: str, new: Sequence[int]) -> str:
    """The shape of what is read before a reshape, of which a part is read."""
    starts, sizes, steps = zip(*(map(int, p.split(":")) for p in part.split(",")))
    x = Block(arg_types=[TensorType(f64, old)])
    reshaped = ReshapeOp.to(x.args[0], new)
    cut = SliceOp.of(reshaped.result, starts, sizes, steps)
    x.add_ops([reshaped, cut, ReturnOp(cut.result)])
    main = FuncOp("main", ([TensorType(f64, old)], [cut.result.type]), Region(x))
    make_pass("bubble-up-slices").apply(make_context(), ModuleOp([main]))
    first = main.body.block.first_op
    assert first is not None
    if isinstance(first, ReshapeOp):
        return "whole"
    assert isinstance(first, SliceOp)
    values = torch.arange(int(np.prod(old))).reshape(*old).double()
    (have,) = evaluate(main, [values], WeightTable())
    places = [
        range(start, start + size * step, step)
        for start, size, step in zip(starts, sizes, steps, strict=True)
    ]
    want = values.reshape(*new)[np.ix_(*places)]
    assert torch.equal(have, want)
    return "x".join(map(str, tensor_of(first.result).get_shape()))


@pytest.mark.parametrize(
    ("old", "part", "new", "read"),
    [
        # The dimensions that stay; ones come and go.
        ((2, 5, 12), "0:2:1,3:1:1,0:3:1,0:4:1", (2, 5, 3, 4), "2x1x12"),
        ((1, 5, 1, 8), "2:2:2,0:8:1", (5, 8), "1x2x1x8"),
        # A dimension split: rows of it; a part of one row; not a part of many rows.
        ((5, 12), "0:5:1,1:2:1,0:4:1", (5, 3, 4), "5x8"),
        ((5, 12), "0:5:1,2:1:1,1:2:2", (5, 3, 4), "5x2"),
        ((5, 12), "0:5:1,0:2:1,1:2:1", (5, 3, 4), "whole"),
        ((5, 12), "0:5:1,0:2:2,0:4:1", (5, 3, 4), "whole"),
        # Dimensions joined: whole rows, a part of one, not parts of two.
        ((5, 3, 4), "0:5:1,4:8:1", (5, 12), "5x2x4"),
        ((5, 3, 4), "0:5:1,5:2:2", (5, 12), "5x1x2"),
        ((5, 3, 4), "0:5:1,3:2:1", (5, 12), "whole"),
        ((2, 3, 4), "17:3:1", (24,), "1x1x3"),
    ],
)
def test_reshape(old: Sequence[int], part: str, new: Sequence[int], read: str) -> None:
    assert through_reshape(old, part, new) == read


def test_hull_is_the_smallest_run_around_all() -> None:
    """Beside sets of places."""
    rng = random.Random(0)
    for _ in range(200):
        spans = [
            Span(20 + rng.randrange(9), rng.randint(1, 5), rng.choice([-2, -1, 1, 3]))
            for _ in range(rng.randint(1, 3))
        ]
        (around,) = hull([(span,) for span in spans])
        places = {s.start + i * s.step for s in spans for i in range(s.size)}
        if len(set(spans)) > 1:
            assert around == Span(min(places), max(places) + 1 - min(places))
        for span in spans:
            inside = span.within(around).of(around)
            assert sizes_of((inside,)) == sizes_of((span,))
            assert inside.start == span.start


class LastLayer(nn.Module):
    """One layer of a transformer, of which a caller takes some tokens."""

    def __init__(self, take: Callable[[torch.Tensor], tuple[torch.Tensor, ...]]):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            24, 3, 40, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.head = nn.Linear(24, 11)
        self.take = take

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        causal = torch.ones(x.shape[1], x.shape[1]).tril() == 0
        y = self.layer(x, src_mask=causal)
        return tuple(self.head(part) for part in self.take(y))


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize(
    ("take", "rows", "queries"),
    [
        (lambda y: (y[:, 0],), 1, 1),
        (lambda y: (y[:, -1:],), 1, 1),
        (lambda y: (y[:, 0], y[:, 1]), 2, 2),
        # PyTorch's layer joins tokens and batch behind its attention: no run of rows.
        (lambda y: (y[:, 2::3], y[:, 2::3] * 2), 2, 7),
    ],
    ids=["first", "last", "two", "each third"],
)
def test_last_layer(
    take: Callable[[torch.Tensor], tuple[torch.Tensor, ...]],
    rows: int,
    queries: int,
    target: str,
) -> None:
    """Only the tokens that are used are computed behind the keys and values."""
    torch.manual_seed(rows)
    model, x = LastLayer(take).eval(), torch.randn(2, 7, 24)
    program = devproc.compile(torch.export.export(model, (x,)), target=target)
    with torch.no_grad():
        wanted = model.double()(x.double())
    results = program(x)
    for have, want in zip(
        results if isinstance(results, tuple) else [results], wanted, strict=True
    ):
        np.testing.assert_allclose(np.asarray(have), want.numpy(), rtol=2e-5, atol=2e-6)
    module = parse(program.ir("tensor"))
    hidden = [
        tensor_of(op.result).get_shape()
        for op in module.walk()
        if isinstance(op, LinearOp) and tensor_of(op.result).get_shape()[-1] == 40
    ]
    assert [int(np.prod(shape[:-1])) for shape in hidden] == [2 * rows]
    for op in module.walk():
        if isinstance(op, AttentionOp):
            assert tensor_of(op.query).get_shape()[-2] == queries
