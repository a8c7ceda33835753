"""Recurrent networks, unrolled over their steps; rows of `contraction`.

The product of all inputs with the input weights does not wait for any step, so it is one
layer before the first. A step picks its part at an index that is data to the kernels:
they are the same for all steps, and compiled once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.elementary import TanhOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import (
    AddOp,
    DivOp,
    ExpOp,
    MaximumOp,
    MulOp,
    SubOp,
)
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    shape_of,
)
from devproc.frontends.torch_export.formula import Formula, compute_type
from devproc.frontends.torch_export.pieces import joined, part
from devproc.frontends.torch_export.problems import Refusal
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


def _linear(
    b: GraphBuilder, x: SSAValue, weight: SSAValue, bias: SSAValue | None
) -> SSAValue:
    return b.emit(LinearOp.build_op([x, weight, *([] if bias is None else [bias])]))


def _sigmoid(f: Formula, x: SSAValue) -> SSAValue:
    return f(DivOp, 1, f(AddOp, 1, f(ExpOp, f(MulOp, x, -1))))


def _gates(f: Formula, gates: SSAValue, start: int, stop: int, size: int) -> SSAValue:
    """Some gates that lie side by side, each of `size` features."""
    axis = len(shape_of(gates)) - 1
    return f.value(part(f.b, gates, axis, start * size, (stop - start) * size))


def _lstm_step(b: GraphBuilder, given: SSAValue, state: State, layer: Layer) -> State:
    """Gates in the order input, forget, cell, output. One logistic function of all of
    them, the third for nothing, is less to do than three.
    """
    hidden, cell = state
    size = shape_of(cell)[-1]
    element = tensor_of(hidden).element_type
    f = Formula(b, compute_type(element))
    gates = f(AddOp, given, _linear(b, hidden, layer.of_hidden, layer.hidden_bias))
    opened = _sigmoid(f, gates)
    enter, forget, leave = (_gates(f, opened, i, i + 1, size) for i in (0, 1, 3))
    new = f(MulOp, enter, f(TanhOp, _gates(f, gates, 2, 3, size)))
    cell = f(AddOp, f(MulOp, forget, cell), new)
    hidden = b.cast(f(MulOp, leave, f(TanhOp, cell)), element)
    if layer.projection is not None:
        hidden = _linear(b, hidden, layer.projection, None)
    return hidden, b.cast(cell, element)


def _gru_step(b: GraphBuilder, given: SSAValue, state: State, layer: Layer) -> State:
    """Gates in the order reset, update, new."""
    (hidden,) = state
    element, size = tensor_of(hidden).element_type, shape_of(hidden)[-1]
    f = Formula(b, compute_type(element))
    own = _linear(b, hidden, layer.of_hidden, layer.hidden_bias)
    sums = [_gates(f, v, 0, 2, size) for v in (given, own)]
    opened = _sigmoid(f, f(AddOp, *sums))
    reset, update = (_gates(f, opened, i, i + 1, size) for i in (0, 1))
    from_given, new = (_gates(f, v, 2, 3, size) for v in (given, own))
    new = f(TanhOp, f(AddOp, from_given, f(MulOp, reset, new)))
    return (b.cast(f(AddOp, f(MulOp, f(SubOp, hidden, new), update), new), element),)


def _plain_step(activation: Callable[[Formula, SSAValue], SSAValue]) -> Any:
    def step(b: GraphBuilder, given: SSAValue, state: State, layer: Layer) -> State:
        (hidden,) = state
        element = tensor_of(hidden).element_type
        f = Formula(b, compute_type(element))
        own = _linear(b, hidden, layer.of_hidden, layer.hidden_bias)
        return (b.cast(activation(f, f(AddOp, given, own)), element),)

    return step


def _tanh(f: Formula, x: SSAValue) -> SSAValue:
    return f(TanhOp, x)


def _relu(f: Formula, x: SSAValue) -> SSAValue:
    return f(MaximumOp, x, 0)


Step = Callable[[GraphBuilder, SSAValue, State, Layer], State]


def _direction(
    b: GraphBuilder, x: SSAValue, state: State, layer: Layer, step: Step, back: bool
) -> tuple[SSAValue, State]:
    """One direction over (steps, batch, features): all hidden states and the last state."""
    count = shape_of(x)[0]
    given = _linear(b, x, layer.of_input, layer.input_bias)
    found: list[SSAValue] = []
    for i in reversed(range(count)) if back else range(count):
        here = given
        if count > 1:
            index = b.weight(
                torch.full((1, 1, 1), i), f"constant.{b.node_name}.step.{i}"
            )
            here = b.emit(GatherOp.at(given, [index], [0]))
        state = step(b, b.reshape(here, shape_of(given)[1:]), state, layer)
        found.append(b.reshape(state[0], [1, *shape_of(state[0])]))
    return joined(b, found[::-1] if back else found, 0), state


def _network(step: Step, states: int) -> Callable[..., tuple[SSAValue, ...]]:
    """All layers; a bidirectional one joins the features of its directions."""

    def build(
        b: GraphBuilder,
        x: SSAValue,
        given: SSAValue | Sequence[SSAValue],
        weights: Sequence[SSAValue],
        has_biases: bool,
        layers: int,
        dropout: Number,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[SSAValue, ...]:
        if train and dropout:
            raise Refusal("dropout draws random numbers", "call model.eval()")
        start = [given] if isinstance(given, SSAValue) else given
        directions = 1 + bidirectional
        each = len(weights) // (layers * directions)
        swap = [1, 0, 2] if batch_first else [0, 1, 2]
        x = b.transpose(x, swap)
        ends: list[list[SSAValue]] = [[] for _ in range(states)]
        for number in range(layers):
            outputs: list[SSAValue] = []
            for direction in range(directions):
                i = number * directions + direction
                layer = _layer(weights[i * each : (i + 1) * each], has_biases)
                state = [b.reshape(part(b, v, 0, i, 1), shape_of(v)[1:]) for v in start]
                output, last = _direction(b, x, state, layer, step, direction == 1)
                outputs.append(output)
                for end, value in zip(ends, last, strict=True):
                    end.append(b.reshape(value, [1, *shape_of(value)]))
            x = joined(b, outputs, 2)
        return b.transpose(x, swap), *(joined(b, end, 0) for end in ends)

    return build


def _layer(weights: Sequence[SSAValue], has_biases: bool) -> Layer:
    of_input, of_hidden, *rest = weights
    biases = rest[:2] if has_biases else [None, None]
    projection = rest[2 * has_biases :]
    return Layer(of_input, of_hidden, *biases, *projection)


def _cell(step: Step) -> Callable[..., SSAValue | tuple[SSAValue, ...]]:
    """One step by itself."""

    def build(
        b: GraphBuilder,
        x: SSAValue,
        given: SSAValue | Sequence[SSAValue],
        *weights: SSAValue | None,
    ) -> SSAValue | tuple[SSAValue, ...]:
        layer = Layer(*weights)  # pyright: ignore[reportArgumentType]
        from_input = _linear(b, x, layer.of_input, layer.input_bias)
        if isinstance(given, SSAValue):
            return step(b, from_input, [given], layer)[0]
        return tuple(step(b, from_input, given, layer))

    return build


_MAKES = (LinearOp, GatherOp, TanhOp, ExpOp, DivOp, MulOp, AddOp)
_TANH, _RELU = _plain_step(_tanh), _plain_step(_relu)


def _networks(step: Step, states: int) -> ImportRule:
    return ImportRule(_network(step, states), _MAKES)


def _cells(step: Step) -> ImportRule:
    return ImportRule(_cell(step), _MAKES)


RECURRENT: dict[str, ImportRule] = {
    "aten.gru.input": _networks(_gru_step, 1),
    "aten.gru_cell.default": _cells(_gru_step),
    "aten.lstm.input": _networks(_lstm_step, 2),
    "aten.lstm_cell.default": _cells(_lstm_step),
    "aten.rnn_relu.input": _networks(_RELU, 1),
    "aten.rnn_relu_cell.default": _cells(_RELU),
    "aten.rnn_tanh.input": _networks(_TANH, 1),
    "aten.rnn_tanh_cell.default": _cells(_TANH),
}
"""ATen overload -> how to build it."""
