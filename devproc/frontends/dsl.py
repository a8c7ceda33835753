"""The DSL: what a user writes to describe a whole inference program.

Each step adds one op of the `pipe` dialect and returns a handle. Nothing is computed, and
neither NumPy nor PyTorch is imported to build. A wrong step raises `BuildError` at the
user's call, naming the user's line, the step, what was found and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import DEVICES
from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.pipe.layout import (
    describe_value,
    layout_of,
    layout_problem,
    with_layout,
)
from devproc.dialects.pipe.model import ModelOp, model_problem
from devproc.dialects.pipe.ops import (
    ArgmaxOp,
    CastOp,
    LayoutOp,
    NormalizeOp,
    PipeOp,
    ResizeOp,
    SoftmaxOp,
)
from devproc.errors import BundleError
from devproc.frontends.user_input import (
    default_layout,
    fail,
    floats,
    integer,
    sizes_of,
    text,
    user_location,
)
from devproc.ir.types import DTYPES, dtype_name, format_shape, tensor, tensor_of

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from devproc.frontends.torch_export.importer import ImportedProgram
    from devproc.ir.weights import WeightTable


class Value:
    """A handle on a value of a pipeline: it has a type and no content."""

    def __init__(self, pipeline: Pipeline, ssa: SSAValue):
        self.pipeline = pipeline
        self.ssa = ssa

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return tensor_of(self.ssa).get_shape()

    @property
    def dtype(self) -> str:
        """The dtype name, such as `uint8`."""
        return dtype_name(tensor_of(self.ssa).element_type)

    @property
    def layout(self) -> str | None:
        """The meaning of the axes, such as `HWC`; None where they are plain."""
        return layout_of(self.ssa.type)

    def __repr__(self) -> str:
        return f"<Value {describe_value(tensor_of(self.ssa))}>"


class Pipeline:
    """An inference program under construction: `devproc.pipeline("classify")`."""

    def __init__(self, name: str):
        self._outputs: dict[str, SSAValue] = {}
        self._inputs: list[str] = []
        self._block = Block()
        self._steps: dict[str, int] = {}
        self._models: dict[str, ImportedProgram] = {}
        self._imports: dict[object, str] = {}
        self._overrides: list[tuple[str, str]] = []
        self._module: ModuleOp | None = None
        self.name = text("pipeline", "name", name)

    @cached_property
    def weights(self) -> WeightTable:
        """The weights of all models, by the name that their `nn.weight` ops use."""
        from devproc.ir.weights import WeightTable

        table = WeightTable()
        for function, imported in self._models.items():
            table.update(imported.weights, f"{function}.")
        return table

    # Inputs and outputs

    def input(
        self,
        name: str,
        dtype: str,
        shape: Sequence[int],
        layout: str | None = None,
    ) -> Value:
        """Declares an input of the program.

        `layout` names the axes (`"HWC"`); `""` says that they have no such meaning. By
        default (H, W) and (H, W, C) and (N, H, W, C) with 1, 3 or 4 channels are images.
        """
        step = f"input '{text('input', 'name', name)}'"
        self._require_open(step)
        if name in self._inputs:
            fail(step, "the pipeline has an input of this name", "choose another name")
        if dtype not in DTYPES:
            fail(step, f"unknown dtype {dtype!r}", f"use one of {', '.join(DTYPES)}")
        sizes = sizes_of(step, "shape", shape)
        layout = default_layout(sizes) if layout is None else layout
        problem = layout_problem(layout) if layout else None
        if problem is None and layout and len(layout) != len(sizes):
            problem = f"layout {layout!r} does not fit shape {format_shape(sizes)}"
        if problem is not None:
            fail(step, problem, "name each axis once, as in 'HWC', or give layout=''")
        type_ = with_layout(tensor(dtype, sizes), layout)
        argument = self._block.insert_arg(type_, len(self._block.args))
        argument.location = user_location(name)
        if argument.is_valid_name(name):
            argument.name_hint = name
        self._inputs.append(name)
        return Value(self, argument)

    def output(self, name: str, value: Value) -> None:
        """Declares an output of the program: an entry of the result's dict."""
        step = f"output '{text('output', 'name', name)}'"
        self._require_open(step)
        if name in self._outputs:
            fail(step, "the pipeline has an output of this name", "choose another name")
        self._outputs[name] = self._ssa(step, value)

    # Steps

    def resize(
        self,
        x: Value,
        size: Sequence[int],
        like: str = "pillow",
        mode: str = "bilinear",
    ) -> Value:
        """Resizes height and width to `size`, with the result of the named library."""
        sizes = sizes_of("resize", "size", size)
        if len(sizes) != 2:
            fail(
                "resize",
                f"size {format_shape(sizes)} of {x!r} has {len(sizes)} values",
                "give (height, width)",
            )
        properties = {
            "size": int_array(sizes),
            "mode": StringAttr(text("resize", "mode", mode)),
            "like": StringAttr(text("resize", "like", like)),
        }
        return self._step(
            ResizeOp, x, properties, "declare the input's layout, as 'HWC'"
        )

    def normalize(
        self,
        x: Value,
        mean: float | Sequence[float],
        std: float | Sequence[float],
    ) -> Value:
        """(x - mean) / std per channel, in float32; uint8 is divided by 255 first."""
        self._ssa("normalize", x)
        channels = x.shape[x.layout.index("C")] if x.layout and "C" in x.layout else 1
        properties = {
            name: floats("normalize", name, value, channels)
            for name, value in (("mean", mean), ("std", std))
        }
        remedy = "give one mean and one std per channel of a uint8 or float32 image"
        return self._step(NormalizeOp, x, properties, remedy)

    def layout(self, x: Value, change: str) -> Value:
        """Puts the axes in another order: `"HWC->NCHW"`."""
        parts = text("layout", "change", change).split("->")
        if len(parts) != 2:
            fail("layout", f"{change!r} is no change of layout", "write 'HWC->NCHW'")
        properties = {
            "source": StringAttr(parts[0].strip()),
            "target": StringAttr(parts[1].strip()),
        }
        remedy = "the left side must be the value's layout, as in 'HWC->NCHW'"
        return self._step(LayoutOp, x, properties, remedy)

    def softmax(self, x: Value, axis: int = -1) -> Value:
        """exp(x - max) / sum along an axis."""
        properties = {"axis": int_attr(integer("softmax", "axis", axis))}
        remedy = "softmax takes floating-point values and one of their axes"
        return self._step(SoftmaxOp, x, properties, remedy)

    def argmax(self, x: Value, axis: int = -1) -> Value:
        """The index (int64) of the largest element along an axis, which goes away."""
        properties = {"axis": int_attr(integer("argmax", "axis", axis))}
        return self._step(ArgmaxOp, x, properties, "give an axis that the value has")

    def cast(self, x: Value, dtype: str) -> Value:
        """Conversion to another dtype, with C's rules."""
        if dtype not in DTYPES:
            fail("cast", f"unknown dtype {dtype!r}", f"use one of {', '.join(DTYPES)}")
        return self._step(
            CastOp, x, {"dtype": DTYPES[dtype]}, "cast numbers to numbers"
        )

    def model(
        self, program: object, *inputs: Value, fallback: str | None = None
    ) -> Any:
        """Runs a `torch.export` program (or the `.pt2` file of one).

        Gives a Value, or what the exported program returns with Values for tensors.
        `fallback="torch"` runs operators that are not supported in PyTorch.
        """
        self._require_open("model")
        operands = [self._ssa("model", x) for x in inputs]
        name = self._import(program, fallback)
        imported = self._models[name]
        type_ = imported.function.function_type
        types = [tensor_of(v) for v in operands]
        problem = model_problem(type_, types, imported.input_names)
        if problem is not None:
            remedy = "cast, resize or change the layout of the value before this step"
            fail("model", problem, remedy)
        op = ModelOp(name, operands, type_.outputs.data)
        results = [Value(self, result) for result in self._add(op, "model")]
        return _as_returned(imported, inputs, results)

    def place(self, pattern: str, device: str) -> None:
        """Puts ops on a device, against the compiler's choice.

        `pattern` is the name of an op (`"nn.conv2d"`) or of a place in the program, a
        step or a module path, with `*` for any text (`"features.*"`).
        """
        pattern = text("place", "pattern", pattern)
        self._require_open("place")
        if device not in DEVICES:
            fail("place", f"unknown device {device!r}", f"use {' or '.join(DEVICES)}")
        self._overrides.append((pattern, device))

    # The result

    def module(self) -> ModuleOp:
        """The finished program; a new copy at each call."""
        if self._module is None:
            if not self._outputs:
                fail(
                    f"pipeline '{self.name}'",
                    "the pipeline has no output",
                    "end it with output(name, value)",
                )
            self._module = self._build()
        return self._module.clone()

    def _build(self) -> ModuleOp:
        results = list(self._outputs.values())
        self._block.add_op(ReturnOp(*results))
        main = FuncOp(
            "main",
            (self._block.arg_types, [v.type for v in results]),
            Region(self._block),
            arg_attrs=_names(self._inputs),
            res_attrs=_names(self._outputs),
        )
        functions = [imported.function for imported in self._models.values()]
        module = ModuleOp([main, *functions])
        module.attributes["devproc.name"] = StringAttr(self.name)
        if self._overrides:
            module.attributes["devproc.placement"] = ArrayAttr(
                ArrayAttr([StringAttr(pattern), StringAttr(device)])
                for pattern, device in self._overrides
            )
        return module

    def _step(
        self,
        op_class: type[PipeOp],
        x: Value,
        properties: Mapping[str, Attribute],
        remedy: str,
    ) -> Value:
        step = op_class.name.removeprefix("pipe.")
        self._require_open(step)
        operand = self._ssa(step, x)
        try:
            op = op_class.build_op([operand], properties)
        except VerifyException as error:
            fail(f"{step} of {x!r}", str(error), remedy)
        return Value(self, self._add(op, step)[0])

    def _add(self, op: Operation, step: str) -> Sequence[SSAValue]:
        count = self._steps[step] = self._steps.get(step, 0) + 1
        name = step if count == 1 else f"{step}_{count}"
        op.location = user_location(name)
        for result in op.results:
            result.name_hint = name
        self._block.add_op(op)
        return op.results

    def _import(self, program: object, fallback: str | None) -> str:
        """The name of the model's function; a program is imported once."""
        key = str(program) if isinstance(program, str | Path) else program
        if key in self._imports:
            return self._imports[key]
        if not isinstance(program, str | Path) and not hasattr(
            program, "graph_signature"
        ):
            fail(
                "model",
                f"{type(program).__name__} is no exported program",
                "give torch.export.export(module, args) or the path of a .pt2 file",
            )
        from devproc.frontends.torch_export.importer import import_program

        name = f"model_{len(self._models) + 1}" if self._models else "model"
        try:
            given = cast("ExportedProgram | str", program)
            imported = import_program(given, name, fallback)
        except BundleError as error:
            fail("model", str(error), "give the path of a whole .pt2 file")
        if imported.states:
            listed = ", ".join(imported.states)
            fail("model", f"it writes to its buffers {listed}", "compile it alone")
        # Two models may have weights of one name.
        for op in imported.function.walk():
            if isinstance(op, WeightOp):
                op.properties["key"] = SymbolRefAttr(f"{name}.{op.weight_name}")
        self._models[name] = imported
        self._imports[key] = name
        self.__dict__.pop("weights", None)
        return name

    def _require_open(self, step: str) -> None:
        if self._module is not None:
            fail(
                step,
                f"pipeline '{self.name}' is finished, its program was already built",
                "add all steps before compiling, or start another pipeline",
            )

    def _ssa(self, step: str, value: object) -> SSAValue:
        if not isinstance(value, Value):
            fail(
                step,
                f"takes a value of the pipeline, got {type(value).__name__}",
                "declare data with input() and give its result",
            )
        if value.pipeline is not self:
            fail(
                step,
                f"{value!r} belongs to pipeline '{value.pipeline.name}', "
                f"not to '{self.name}'",
                "build one program with one pipeline",
            )
        return value.ssa


def _names(names: Sequence[str] | Mapping[str, object]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr(DictionaryAttr({"dev.name": StringAttr(n)}) for n in names)


def _as_returned(
    imported: ImportedProgram, inputs: Sequence[Value], results: Sequence[Value]
) -> Any:
    """The results in the structure that the exported program returns."""
    from devproc.frontends.torch_export.importer import Argument, Constant

    leaves = [
        leaf.value
        if isinstance(leaf, Constant)
        else (inputs if isinstance(leaf, Argument) else results)[leaf.index]
        for leaf in imported.output_leaves
    ]
    return imported.out_spec.unflatten(leaves)
