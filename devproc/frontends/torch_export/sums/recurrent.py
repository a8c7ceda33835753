"""The cells of recurrent networks: one step as a formula of `nn` ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.elementary import TanhOp
from devproc.dialects.nn.pointwise import (
    AddOp,
    DivOp,
    ExpOp,
    MaximumOp,
    MulOp,
    SubOp,
)
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import GraphBuilder, shape_of
from devproc.frontends.torch_export.places.pieces import part
from devproc.ir.types import tensor_of

State = Sequence[SSAValue]
"""(hidden,) or, of an LSTM, (hidden, cell)."""


@dataclass(frozen=True)
class Layer:
    """The weights of one direction of one layer."""

    of_input: SSAValue
    of_hidden: SSAValue
    input_bias: SSAValue | None = None
    hidden_bias: SSAValue | None = None
    projection: SSAValue | None = None


Step = Callable[[GraphBuilder, SSAValue, State, Layer], State]
"""The state after a step, from the product of its input with the input weights, the state
before, and the layer."""

STATES = ("hidden", "cell")
"""The parts of a state."""

STEP_WEIGHTS = ("of_hidden", "hidden_bias", "projection")
"""The weights of a layer that each step reads."""


def linear(
    b: GraphBuilder, x: SSAValue, weight: SSAValue, bias: SSAValue | None
) -> SSAValue:
    """`nn.linear`, with or without a bias."""
    return b.emit(LinearOp.build_op([x, weight, *([] if bias is None else [bias])]))


def _sigmoid(f: Formula, x: SSAValue) -> SSAValue:
    return f(DivOp, 1, f(AddOp, 1, f(ExpOp, f(MulOp, x, -1))))


def _gate(f: Formula, gates: SSAValue, number: int, size: int) -> SSAValue:
    """One of the concatenated gates, each of `size` features."""
    return part(f.b, gates, len(shape_of(gates)) - 1, number * size, size)


def lstm_step(b: GraphBuilder, given: SSAValue, state: State, layer: Layer) -> State:
    """Gates in the order input, forget, cell, output."""
    hidden, cell = state
    size = shape_of(cell)[-1]
    element = tensor_of(hidden).element_type
    f = Formula(b, compute_type(element))
    gates = f(AddOp, given, linear(b, hidden, layer.of_hidden, layer.hidden_bias))
    enter, forget, new, leave = (_gate(f, gates, i, size) for i in range(4))
    new = f(MulOp, _sigmoid(f, enter), f(TanhOp, new))
    cell = f(AddOp, f(MulOp, _sigmoid(f, forget), cell), new)
    hidden = b.cast(f(MulOp, _sigmoid(f, leave), f(TanhOp, cell)), element)
    if layer.projection is not None:
        hidden = linear(b, hidden, layer.projection, None)
    return hidden, b.cast(cell, element)


def gru_step(b: GraphBuilder, given: SSAValue, state: State, layer: Layer) -> State:
    """Gates in the order reset, update, new."""
    (hidden,) = state
    element, size = tensor_of(hidden).element_type, shape_of(hidden)[-1]
    f = Formula(b, compute_type(element))
    own = linear(b, hidden, layer.of_hidden, layer.hidden_bias)
    theirs, ours = ([_gate(f, v, i, size) for i in range(3)] for v in (given, own))
    reset, update = (_sigmoid(f, f(AddOp, theirs[i], ours[i])) for i in (0, 1))
    new = f(TanhOp, f(AddOp, theirs[2], f(MulOp, reset, ours[2])))
    return (b.cast(f(AddOp, f(MulOp, f(SubOp, hidden, new), update), new), element),)


def _plain_step(activation: Callable[[Formula, SSAValue], SSAValue]) -> Step:
    def step(b: GraphBuilder, given: SSAValue, state: State, layer: Layer) -> State:
        (hidden,) = state
        element = tensor_of(hidden).element_type
        f = Formula(b, compute_type(element))
        own = linear(b, hidden, layer.of_hidden, layer.hidden_bias)
        return (b.cast(activation(f, f(AddOp, given, own)), element),)

    return step


TANH_STEP = _plain_step(lambda f, x: f(TanhOp, x))
RELU_STEP = _plain_step(lambda f, x: f(MaximumOp, x, 0))
