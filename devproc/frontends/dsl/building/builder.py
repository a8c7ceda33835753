"""The base of all families of steps: adds ops, and refuses invalid operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import RemediedException, problems_of
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.pipe.base.layout import layout_problem, with_layout
from devproc.dialects.pipe.base.step import PipeOp, count_of
from devproc.frontends.dsl.building.step_names import StepNames
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import (
    default_layout,
    dtype_of,
    fail,
    raise_refused,
    refuse,
    require_memory,
    sizes_of,
    text,
    user_location,
)
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.dtypes import format_shape
from devproc.ir.types import AnyTensor, tensor, tensor_of

if TYPE_CHECKING:
    from devproc.ir.weights.table import Array, WeightTable


class StepBuilder(StepNames):
    """A block of steps under construction."""

    def __init__(self, name: str):
        self.name = text("pipeline", "name", name)
        self.block = Block()
        self._counts: dict[str, int] = {}
        self._module: ModuleOp | None = None

    @lazy_property
    def constants(self) -> WeightTable:
        """The arrays given to steps: anchors, palettes, matrices."""
        from devproc.ir.weights.table import WeightTable

        return WeightTable()

    def constant(self, step: str, array: Array) -> Value:
        """A handle on an array given to a step."""
        name = f"{step}.{sum(key.startswith(f'{step}.') for key in self.constants)}"
        dtype = str(array.dtype)
        self.constants.add(name, array, dtype)
        op = WeightOp(name, self.constants.hash(name), tensor(dtype, array.shape))
        return Value(self, self.append(op, step)[0])

    def array(self, step: str, what: str, value: object, dtype: str) -> Value:
        """A handle on a user's array-like; refused unless the dtype can hold its numbers."""
        return self.constant(step, self.checked_array(step, what, value, dtype))

    def checked_array(self, step: str, what: str, value: object, dtype: str) -> Array:
        """A user's array-like; refused unless the dtype can hold its numbers."""
        import numpy as np

        try:
            given = np.asarray(value)
            if given.dtype.kind not in "biuf":
                raise TypeError
            array = np.asarray(given, dtype, order="C")
            fits = np.array_equal(array, given) or array.dtype.kind == "f"
        except (TypeError, ValueError):
            fail(step, f"{what} is {value!r}", f"give an array of {dtype}")
        if not fits:
            fail(step, f"{what} has numbers that are no {dtype}", "convert it before")
        return array

    def steps(
        self,
        op_class: type[PipeOp],
        operands: Sequence[Value],
        properties: Mapping[str, Attribute],
        remedy: str,
    ) -> tuple[Value, ...]:
        """Adds a step; returns the handles of its results.

        Raises BuildError with the verifier's message and `remedy` for invalid operands.
        """
        step = op_class.name.removeprefix("pipe.")
        for operand in operands:
            self._require_own(step, operand)
        self.require_open(step)
        values = [operand.ssa for operand in operands]
        if op_class.TAKES_COUNT:
            counts = filter(None, map(count_of, values))
            values += list(counts)[:1]
        try:
            op = op_class.build_op(values, properties)
        except VerifyException as error:
            what = f"{step} of {', '.join(map(repr, operands))}"
            found = problems_of(op_class.build_op, values, properties) or [error]
            for problem in found:
                is_remedied = isinstance(problem, RemediedException)
                refuse(what, str(problem), "" if is_remedied else remedy)
            raise_refused()
            raise
        for result in op.results:
            require_memory(step, tensor_of(result))
        return tuple(Value(self, result) for result in self.append(op, step))

    def step(
        self,
        op_class: type[PipeOp],
        operands: Sequence[Value],
        properties: Mapping[str, Attribute],
        remedy: str,
    ) -> Value:
        """Adds a step with one result."""
        return self.steps(op_class, operands, properties, remedy)[0]

    def append(self, op: Operation, step: str) -> Sequence[SSAValue]:
        """Appends an op at the user's line, named after the step."""
        count = self._counts[step] = self._counts.get(step, 0) + 1
        name = step if count == 1 else f"{step}_{count}"
        op.location = user_location(name)
        for result in op.results:
            result.name_hint = name
        self.block.add_op(op)
        return op.results

    def declared_type(
        self, step: str, dtype: object, shape: Sequence[int], layout: str | None
    ) -> AnyTensor:
        """The type of a value that the user declares; without a `layout`, the usual one
        of its shape.
        """
        name = dtype_of(step, dtype)
        sizes = sizes_of(step, "shape", shape)
        raise_refused()
        layout = default_layout(sizes) if layout is None else layout
        problem = layout_problem(layout) if layout else None
        if problem is None and layout and len(layout) != len(sizes):
            problem = f"layout {layout!r} does not fit shape {format_shape(sizes)}"
        if problem is not None:
            fail(step, problem, "name each axis once, as in 'HWC', or give layout=''")
        type_ = with_layout(tensor(name, sizes), layout)
        require_memory(step, type_)
        return type_

    def require_open(self, step: str) -> None:
        """Refuses a step after the program was built, or with refused arguments."""
        raise_refused()
        if self._module is not None:
            problem = (
                f"pipeline '{self.name}' is finished, its program was already built"
            )
            remedy = "add all steps before compiling, or start another pipeline"
            fail(step, problem, remedy)

    def ssa(self, step: str, value: Value) -> SSAValue:
        """The SSA value of a handle of this pipeline."""
        self._require_own(step, value)
        raise_refused()
        return value.ssa

    def _require_own(self, step: str, value: object) -> None:
        """Refuses what is not a handle of this pipeline."""
        if not isinstance(value, Value):
            problem = f"takes a value of the pipeline, got {type(value).__name__}"
            refuse(step, problem, "declare data with input() and give its result")
        elif value.pipeline is not self:
            other = value.pipeline.name
            problem = f"{value!r} belongs to pipeline '{other}', not to '{self.name}'"
            refuse(step, problem, "build one program with one pipeline")
