"""States of a pipeline: values that are kept from one call to the next."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, SSAValue

from devproc.dialects.pipe.base.layout import describe_value
from devproc.frontends.dsl.axes import AxesSteps
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import fail, integer, text, user_location
from devproc.ir.dtypes import format_shape
from devproc.ir.program.repeat import Repetition
from devproc.ir.types import AnyTensor, dtype_name, tensor_of


class StateSteps(AxesSteps):
    """States of a pipeline: values that are kept from one call to the next.

    The states of a model, the buffers that it writes to, are states of the pipeline, named
    after the model and the buffer (`model.count`).
    """

    def __init__(self, name: str):
        super().__init__(name)
        self.states: dict[str, SSAValue] = {}
        """The value of each state after the steps so far."""
        self.repetition: Repetition | None = None
        """That of a pipeline that `program.repeat` calls again and again."""

    def state(
        self,
        name: str,
        dtype: object,
        shape: Sequence[int],
        initial: object = 0,
        layout: str | None = None,
    ) -> Value:
        """Declares a state and returns its value before the call.

        `dtype`, `shape` and `layout` are as in `input`. `initial` is a number or an array
        that broadcasts to `shape`: the value before the first call and after
        `program.reset()`. A call leaves the state as it is without an `update`.
        """
        import numpy as np

        step = f"state '{text('state', 'name', name)}'"
        self.require_open(step)
        type_ = self.declared_type(step, dtype, shape, layout)
        argument = self._add_state(step, name, type_)
        sizes, dtype = type_.get_shape(), dtype_name(type_.element_type)
        # NumPy has no bfloat16.
        held = "float32" if dtype == "bfloat16" else dtype
        array = self.checked_array(step, "initial", initial, held)
        try:
            first = np.ascontiguousarray(np.broadcast_to(array, sizes))
        except ValueError:
            problem = f"initial has the shape {format_shape(array.shape)}"
            fail(step, problem, f"give what broadcasts to {format_shape(sizes)}")
        if held != dtype:
            import torch

            from devproc.reference.conversion.arrays import to_numpy

            first = to_numpy(torch.from_numpy(first).to(torch.bfloat16))  # pyright: ignore[reportUnknownMemberType]
        self.constants.add(name, first, dtype)
        return Value(self, argument)

    def update(self, name: str, value: Value) -> None:
        """Gives a state its value after the call, of the state's shape, dtype and layout; of
        several updates the last one counts.
        """
        step = f"update '{text('update', 'name', name)}'"
        self.require_open(step)
        if name not in self.states:
            listed = ", ".join(map(repr, self.states)) or "none"
            fail(step, f"the states are: {listed}", "declare it with state()")
        new = self.ssa(step, value)
        if new.type != self.states[name].type:
            old = describe_value(tensor_of(self.states[name]))
            problem = f"the state is {old}, the value {describe_value(tensor_of(new))}"
            fail(
                step,
                problem,
                "cast it, or change its shape or layout, before this step",
            )
        self.states[name] = new

    def repeat(self, at_most: int, until: str) -> None:
        """Lets one call, `program.repeat(count)`, be up to `at_most` calls in a row.

        The pipeline takes nothing but states. `until` names an output, a bool of one
        element: the call for which it is true is the last one.
        """
        step = "repeat"
        self.require_open(step)
        at_most, until = integer(step, "at_most", at_most), text(step, "until", until)
        if at_most < 1:
            fail(step, f"at_most is {at_most}", "give 1 or more")
        self.repetition = Repetition(at_most, until)

    def with_past(
        self, x: Value, count: int, axis: int = 0, name: str = "past"
    ) -> Value:
        """`x`, of any dtype, after the `count` elements that came before it along an axis, in
        earlier calls; zeros at first. The axis of the shape grows by `count`. Frames of sound
        that overlap, for example, or the past that a causal convolution sees. `name` is that
        of the state.
        """
        step = "with_past"
        self.ssa(step, x)
        count, axis = integer(step, "count", count), integer(step, "axis", axis)
        if count < 1 or not -len(x.shape) <= axis < len(x.shape):
            problem = f"count is {count}, axis {axis} of {x!r}"
            fail(step, problem, "give a count of 1 or more and an axis of the value")
        shape = list(x.shape)
        shape[axis] = count
        past = self.state(name, x.dtype, shape, layout=x.layout or "")
        whole = self.concat([past, x], axis)
        self.update(name, self.slice(whole, axis, -count))
        return whole

    def _add_state(self, step: str, name: str, type_: AnyTensor) -> BlockArgument:
        """Adds the argument of a state, after all inputs."""
        if name in self.states:
            fail(step, f"there is a state '{name}'", "choose another name")
        argument = self.block.insert_arg(type_, len(self.block.args))
        argument.location = user_location(name)
        self.states[name] = argument
        return argument
