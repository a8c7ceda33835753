"""Recurrent networks: a loop over the time steps for each direction of each layer.

The product of all inputs with the input weights depends on no step, so it is computed
before the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Operation, Region, SSAValue

from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.elementary import TanhOp
from devproc.dialects.nn.loop import LoopOp, YieldOp, loop_body
from devproc.dialects.nn.pointwise import AddOp, DivOp, ExpOp, MulOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.places.pieces import joined, part
from devproc.frontends.torch_export.sums.recurrent import (
    RELU_STEP,
    STATES,
    STEP_WEIGHTS,
    TANH_STEP,
    Layer,
    State,
    Step,
    gru_step,
    linear,
    lstm_step,
)


def _direction(
    b: GraphBuilder, x: SSAValue, state: State, layer: Layer, step: Step, back: bool
) -> tuple[SSAValue, State]:
    """One direction over (steps, batch, features): all hidden states and the last state."""
    count = shape_of(x)[0]
    given = linear(b, x, layer.of_input, layer.input_bias)
    if count == 1:
        state = step(b, b.reshape(given, shape_of(given)[1:]), state, layer)
        return b.reshape(state[0], [1, *shape_of(state[0])]), state
    kept = {name: v for name in STEP_WEIGHTS if (v := getattr(layer, name)) is not None}
    body = loop_body([given], (*state, *kept.values()))
    for argument, name in zip(body.args, ("now", *STATES[: len(state)], *kept)):
        argument.name_hint = name
    now, *others = body.args
    before, inside = others[: len(state)], others[len(state) :]
    with b.inside(body):
        after = step(b, now, before, replace(layer, **dict(zip(kept, inside))))
        b.insert(YieldOp(after, [after[0]]))
    loop = LoopOp(count, back, ([given], state, list(kept.values())), Region(body))
    b.insert(loop)
    return loop.stacked[0], loop.final


def _network(step: Step, states: int) -> ImportRule:
    """All layers; a bidirectional layer concatenates the features of its directions."""

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

    return ImportRule(build, (LoopOp, *_MAKES))


def _layer(weights: Sequence[SSAValue], has_biases: bool) -> Layer:
    of_input, of_hidden, *rest = weights
    biases = rest[:2] if has_biases else [None, None]
    projection = rest[2 * has_biases :]
    return Layer(of_input, of_hidden, *biases, *projection)


def _cell(step: Step) -> ImportRule:
    """A single step."""

    def build(
        b: GraphBuilder,
        x: SSAValue,
        given: SSAValue | Sequence[SSAValue],
        *weights: SSAValue | None,
    ) -> SSAValue | tuple[SSAValue, ...]:
        layer = Layer(*weights)  # pyright: ignore[reportArgumentType]
        from_input = linear(b, x, layer.of_input, layer.input_bias)
        if isinstance(given, SSAValue):
            return step(b, from_input, [given], layer)[0]
        return tuple(step(b, from_input, given, layer))

    return ImportRule(build, _MAKES)


_MAKES = (LinearOp, TanhOp, ExpOp, DivOp, MulOp, AddOp)

IMPORTS: dict[str, ImportRule] = {
    "aten.gru.input": _network(gru_step, 1),
    "aten.gru_cell.default": _cell(gru_step),
    "aten.lstm.input": _network(lstm_step, 2),
    "aten.lstm_cell.default": _cell(lstm_step),
    "aten.rnn_relu.input": _network(RELU_STEP, 1),
    "aten.rnn_relu_cell.default": _cell(RELU_STEP),
    "aten.rnn_tanh.input": _network(TANH_STEP, 1),
    "aten.rnn_tanh_cell.default": _cell(TANH_STEP),
}
"""ATen overload -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    YieldOp: "ends the body of nn.loop, whose row builds it"
}
"""op class -> why no ATen operator is imported as it."""
