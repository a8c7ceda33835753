"""The pipeline: inputs, outputs, models, and the steps of all families."""

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
from xdsl.ir import Region, SSAValue

from devproc.dialects.dev import DEVICES
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.pipe.layout import layout_problem, with_layout
from devproc.dialects.pipe.model import ModelOp, model_problem
from devproc.errors import BundleError
from devproc.frontends.dsl.audio import AudioSteps
from devproc.frontends.dsl.color import ColorSteps
from devproc.frontends.dsl.detection import DetectionSteps
from devproc.frontends.dsl.geometry import GeometrySteps
from devproc.frontends.dsl.scores import ScoreSteps
from devproc.frontends.dsl.text import TextSteps
from devproc.frontends.dsl.user_input import (
    default_layout,
    fail,
    sizes_of,
    text,
    user_location,
)
from devproc.frontends.dsl.value import Value
from devproc.ir.types import DTYPES, format_shape, tensor, tensor_of

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from devproc.frontends.torch_export.importer import ImportedProgram
    from devproc.ir.weights import WeightTable


class Pipeline(
    GeometrySteps, ColorSteps, ScoreSteps, DetectionSteps, AudioSteps, TextSteps
):
    """An inference program under construction: `devproc.pipeline("classify")`."""

    def __init__(self, name: str):
        super().__init__(name)
        self._outputs: dict[str, SSAValue] = {}
        self._inputs: list[str] = []
        self._models: dict[str, ImportedProgram] = {}
        self._imports: dict[object, str] = {}
        self._overrides: list[tuple[str, str]] = []

    @cached_property
    def weights(self) -> WeightTable:
        """The weights of all models and the constants of the steps, by the name that
        their `nn.weight` ops use.
        """
        from devproc.ir.weights import WeightTable

        table = WeightTable()
        table.update(self.constants, "")
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
        self.require_open(step)
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
        argument = self.block.insert_arg(type_, len(self.block.args))
        argument.location = user_location(name)
        if argument.is_valid_name(name):
            argument.name_hint = name
        self._inputs.append(name)
        return Value(self, argument)

    def output(self, name: str, value: Value) -> None:
        """Declares an output of the program: an entry of the result's dict."""
        step = f"output '{text('output', 'name', name)}'"
        self.require_open(step)
        if name in self._outputs:
            fail(step, "the pipeline has an output of this name", "choose another name")
        self._outputs[name] = self.ssa(step, value)

    # Models and places

    def model(
        self, program: object, *inputs: Value, fallback: str | None = None
    ) -> Any:
        """Runs a `torch.export` program (or the `.pt2` file of one).

        Gives a Value, or what the exported program returns with Values for tensors.
        `fallback="torch"` runs operators that are not supported in PyTorch.
        """
        self.require_open("model")
        operands = [self.ssa("model", x) for x in inputs]
        name = self._import(program, fallback)
        imported = self._models[name]
        type_ = imported.function.function_type
        types = [tensor_of(v) for v in operands]
        problem = model_problem(type_, types, imported.input_names)
        if problem is not None:
            remedy = "cast, resize or change the layout of the value before this step"
            fail("model", problem, remedy)
        op = ModelOp(name, operands, type_.outputs.data)
        results = [Value(self, result) for result in self.add(op, "model")]
        return _as_returned(imported, inputs, results)

    def place(self, pattern: str, device: str) -> None:
        """Puts ops on a device, against the compiler's choice.

        `pattern` is the name of an op (`"nn.conv2d"`) or of a place in the program, a
        step or a module path, with `*` for any text (`"features.*"`).
        """
        pattern = text("place", "pattern", pattern)
        self.require_open("place")
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
        self.block.add_op(ReturnOp(*results))
        main = FuncOp(
            "main",
            (self.block.arg_types, [v.type for v in results]),
            Region(self.block),
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
