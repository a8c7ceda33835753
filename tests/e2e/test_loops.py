"""Loops over steps as programs: each form of `nn.loop`, beside its meaning in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import devproc
from devproc.compiler import Source
from devproc.driver import module_text, parse_module
from devproc.ir.weights.table import WeightTable
from devproc.runtime.calls.calling import NamedCalling
from devproc.runtime.execution.host_reader import find_function, interface_of
from devproc.stages import STAGES

Array = NDArray[Any]
TARGETS = ("cpu", "cuda:interpret", "cpu+cuda:interpret")

IN_PLACE = """
%e, %s = nn.loop steps 3 reverse 0 over (%x : tensor<3x5xf32>) carry (%h : tensor<5xf32>)
    with () -> (tensor<5xf32>) stack (tensor<3x5xf32>) {
^bb0(%now: tensor<5xf32>, %a: tensor<5xf32>):
  %b = nn.add %now, %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  nn.yield carry (%b : tensor<5xf32>) stack (%b : tensor<5xf32>)
}
func.return %e, %s : tensor<5xf32>, tensor<3x5xf32>
"""

REVERSE = """
%e, %s, %t = nn.loop steps 3 reverse 1 over (%x : tensor<3x5xf32>) carry (%h : tensor<5xf32>)
    with (%h : tensor<5xf32>) -> (tensor<5xf32>) stack (tensor<3x5xf32>, tensor<3x5xf32>) {
^bb0(%now: tensor<5xf32>, %a: tensor<5xf32>, %fixed: tensor<5xf32>):
  %b = nn.sub %now, %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  nn.yield carry (%b : tensor<5xf32>) stack (%a, %fixed : tensor<5xf32>, tensor<5xf32>)
}
func.return %e, %s, %t : tensor<5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
"""

EXCHANGE = """
%e, %f, %g = nn.loop steps 3 reverse 0 over (%x : tensor<3x5xf32>)
    carry (%h, %k, %h : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
    with () -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) stack () {
^bb0(%now: tensor<5xf32>, %a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>):
  %d = nn.add %now, %c : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  nn.yield carry (%b, %a, %d : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) stack ()
}
func.return %e, %f, %g : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
"""

READ_LATER = """
%e, %f = nn.loop steps 3 reverse 0 over () carry (%h, %k : tensor<5xf32>, tensor<5xf32>)
    with () -> (tensor<5xf32>, tensor<5xf32>) stack () {
^bb0(%a: tensor<5xf32>, %b: tensor<5xf32>):
  %s = nn.reduce_sum %a axes [0] keep 1 : (tensor<5xf32>) -> tensor<1xf32>
  %c = nn.add %b, %s : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  %t = nn.reduce_sum %c axes [0] keep 1 : (tensor<5xf32>) -> tensor<1xf32>
  %m = nn.mul %a, %t : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  nn.yield carry (%c, %m : tensor<5xf32>, tensor<5xf32>) stack ()
}
func.return %e, %f : tensor<5xf32>, tensor<5xf32>
"""

TRANSPOSED = """
%w = nn.reshape %h to [1, 5] : (tensor<5xf32>) -> tensor<1x5xf32>
%z = nn.concat %w, %w, %w, %w, %w axis 0 : (tensor<1x5xf32>, tensor<1x5xf32>,
    tensor<1x5xf32>, tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<5x5xf32>
%e = nn.loop steps 3 reverse 0 over (%x : tensor<3x5xf32>) carry (%z : tensor<5x5xf32>)
    with () -> (tensor<5x5xf32>) stack () {
^bb0(%now: tensor<5xf32>, %a: tensor<5x5xf32>):
  %t = nn.transpose %a by [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %b = nn.add %now, %t : (tensor<5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  nn.yield carry (%b : tensor<5x5xf32>) stack ()
}
func.return %e : tensor<5x5xf32>
"""

NOTHING = """
%y = nn.slice %x from [0, 0] size [0, 5] step [1, 1] : (tensor<3x5xf32>) -> tensor<0x5xf32>
%e, %s = nn.loop steps 0 reverse 1 over (%y : tensor<0x5xf32>) carry (%h : tensor<5xf32>)
    with () -> (tensor<5xf32>) stack (tensor<0x5xf32>) {
^bb0(%now: tensor<5xf32>, %a: tensor<5xf32>):
  %b = nn.add %now, %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  nn.yield carry (%b : tensor<5xf32>) stack (%b : tensor<5xf32>)
}
func.return %e, %s : tensor<5xf32>, tensor<0x5xf32>
"""

VIEWED = """
%w = nn.reshape %k to [5, 1] : (tensor<5xf32>) -> tensor<5x1xf32>
%z = nn.concat %w, %w, %w, %w, %w axis 1 : (tensor<5x1xf32>, tensor<5x1xf32>,
    tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
%e, %s = nn.loop steps 3 reverse 1 over (%x : tensor<3x5xf32>) carry (%h : tensor<5xf32>)
    with (%z : tensor<5x5xf32>) -> (tensor<5xf32>) stack (tensor<3x5xf32>) {
^bb0(%now: tensor<5xf32>, %a: tensor<5xf32>, %m: tensor<5x5xf32>):
  %row = nn.reshape %a to [1, 5] : (tensor<5xf32>) -> tensor<1x5xf32>
  %p = nn.matmul %row, %m : (tensor<1x5xf32>, tensor<5x5xf32>) -> tensor<1x5xf32>
  %b = nn.reduce_sum %p axes [0] keep 0 : (tensor<1x5xf32>) -> tensor<5xf32>
  %c = nn.add %now, %b : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  nn.yield carry (%c : tensor<5xf32>) stack (%c : tensor<5xf32>)
}
func.return %e, %s : tensor<5xf32>, tensor<3x5xf32>
"""

DTYPES = """
%n = nn.constant dense<250> : tensor<1xui8> : tensor<1xui8>
%f = nn.constant dense<false> : tensor<5xi1> : tensor<5xi1>
%e, %any, %s, %t = nn.loop steps 3 reverse 0 over (%x : tensor<3x5xf32>)
    carry (%n, %f : tensor<1xui8>, tensor<5xi1>) with (%h : tensor<5xf32>)
    -> (tensor<1xui8>, tensor<5xi1>) stack (tensor<3x5xi1>, tensor<3x1xui8>) {
^bb0(%now: tensor<5xf32>, %a: tensor<1xui8>, %seen: tensor<5xi1>, %limit: tensor<5xf32>):
  %three = nn.constant dense<3> : tensor<1xui8> : tensor<1xui8>
  %b = nn.add %a, %three : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  %less = nn.lt %now, %limit : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %or = nn.or %less, %seen : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  nn.yield carry (%b, %or : tensor<1xui8>, tensor<5xi1>)
    stack (%less, %b : tensor<5xi1>, tensor<1xui8>)
}
func.return %e, %any, %s, %t : tensor<1xui8>, tensor<5xi1>, tensor<3x5xi1>, tensor<3x1xui8>
"""

NESTED = """
%e, %s = nn.loop steps 3 reverse 1 over (%x : tensor<3x5xf32>) carry (%h : tensor<5xf32>)
    with (%k : tensor<5xf32>) -> (tensor<5xf32>) stack (tensor<3x5x1xf32>) {
^bb0(%now: tensor<5xf32>, %a: tensor<5xf32>, %v: tensor<5xf32>):
  %first = nn.slice %v from [0] size [1] step [1] : (tensor<5xf32>) -> tensor<1xf32>
  %last, %sums = nn.loop steps 5 reverse 0 over (%now : tensor<5xf32>)
      carry (%first : tensor<1xf32>) with () -> (tensor<1xf32>) stack (tensor<5x1xf32>) {
  ^bb1(%one: tensor<f32>, %sum: tensor<1xf32>):
    %more = nn.add %one, %sum : (tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    nn.yield carry (%more : tensor<1xf32>) stack (%more : tensor<1xf32>)
  }
  %b = nn.sub %a, %last : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  nn.yield carry (%b : tensor<5xf32>) stack (%sums : tensor<5x1xf32>)
}
func.return %e, %s : tensor<5xf32>, tensor<3x5x1xf32>
"""


def in_place(x: Array, h: Array, k: Array) -> list[Any]:
    sums = h + np.cumsum(x, 0)
    return [sums[-1], sums]


def reverse(x: Array, h: Array, k: Array) -> list[Any]:
    before = [h, x[2] - h, x[1] - (x[2] - h)]
    return [x[0] - before[2], np.stack(before[::-1]), np.stack([h] * 3)]


def exchange(x: Array, h: Array, k: Array) -> list[Any]:
    return [k, h, h + x.sum(0)]


def read_later(x: Array, h: Array, k: Array) -> list[Any]:
    a, b = h, k
    for _ in range(3):
        c = b + a.sum()
        a, b = c, a * c.sum()
    return [a, b]


def transposed(x: Array, h: Array, k: Array) -> list[Any]:
    a = np.stack([h] * 5)
    for now in x:
        a = now + a.T
    return [a]


def nothing(x: Array, h: Array, k: Array) -> list[Any]:
    return [h, x[:0]]


def viewed(x: Array, h: Array, k: Array) -> list[Any]:
    found = [h]
    for now in x[::-1]:
        found.append(now + (found[-1] * k).sum())
    return [found[-1], np.stack(found[:0:-1])]


def dtypes(x: Array, h: Array, k: Array) -> list[Any]:
    counts = np.array([[253], [0], [3]])
    return [counts[-1], (x < h).any(0), x < h, counts]


def nested(x: Array, h: Array, k: Array) -> list[Any]:
    sums = k[0] + np.cumsum(x, 1)
    return [h - sums[:, -1].sum(), sums[..., None]]


FORMS: dict[str, tuple[str, Callable[..., list[Any]]]] = {
    "in_place": (IN_PLACE, in_place),
    "reverse": (REVERSE, reverse),
    "exchange": (EXCHANGE, exchange),
    "read_later": (READ_LATER, read_later),
    "transposed": (TRANSPOSED, transposed),
    "nothing": (NOTHING, nothing),
    "viewed": (VIEWED, viewed),
    "dtypes": (DTYPES, dtypes),
    "nested": (NESTED, nested),
}


def program_of(body: str, target: str, **options: Any) -> devproc.Program:
    """The program of a body with the inputs x (3, 5), h (5) and k (5)."""
    types = body.rpartition("func.return")[2].partition(":")[2].strip()
    rows = [f'{t}> {{dev.name = "y{i}"}}' for i, t in enumerate(types.split(">")[:-1])]
    results = "".join(rows)
    text = f"""
    func.func private @main(
        %x: tensor<3x5xf32> {{dev.name = "x"}}, %h: tensor<5xf32> {{dev.name = "h"}},
        %k: tensor<5xf32> {{dev.name = "k"}}) -> ({results}) {{ {body} }}
    """
    module = parse_module(text)
    interface = interface_of(find_function(module, "main"))
    source = Source(module, WeightTable(), interface, NamedCalling(interface))
    return devproc.compile(source, target, cache=False, **options)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_loop(form: str, target: str) -> None:
    body, meaning = FORMS[form]
    rng = np.random.default_rng(0)
    x, h, k = (rng.standard_normal(s, "f4") for s in ((3, 5), (5,), (5,)))
    program = program_of(body, target, threads=1)
    for _ in range(2):
        found = program(x=x, h=h, k=k)
        wanted = meaning(*(v.astype("f8") for v in (x, h, k)))
        for value, expected in zip(found.values(), wanted, strict=True):
            np.testing.assert_allclose(value, expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS[:2])
def test_text_of_each_stage_parses_back(target: str) -> None:
    program = program_of(NESTED, target, threads=1)
    for stage in STAGES:
        text = program.ir(stage.name)
        assert module_text(parse_module(text)) == text


def test_kernels_count_the_rounds_of_their_loops() -> None:
    rows = program_of(NESTED, "cpu", threads=1).report().kernels.rows
    assert sorted(row.launches for row in rows if row.family == "loop") == [1, 3]
    inner = [
        row for row in rows if row.family == "pointwise" and "nn.add" in row.sources
    ]
    assert [row.launches for row in inner] == [15]
