"""The pipeline: inputs, outputs, models, and the steps of all families."""

from __future__ import annotations

from collections.abc import Sequence
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
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.backend.installed import device_names
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.pipe.base.layout import bounded_axis, layout_of
from devproc.dialects.pipe.model import ModelOp, model_problem
from devproc.errors import BundleError
from devproc.frontends.dsl.arithmetic import ArithmeticSteps
from devproc.frontends.dsl.audio import AudioSteps, Tokens
from devproc.frontends.dsl.axes import AxesSteps
from devproc.frontends.dsl.boxes import BoxSteps
from devproc.frontends.dsl.color import ColorSteps
from devproc.frontends.dsl.crop import CropSteps
from devproc.frontends.dsl.detection import DetectionSteps
from devproc.frontends.dsl.geometry import GeometrySteps
from devproc.frontends.dsl.imported import ImportedSteps
from devproc.frontends.dsl.masks import MaskSteps
from devproc.frontends.dsl.scores import ScoreSteps
from devproc.frontends.dsl.spaces import SpaceSteps
from devproc.frontends.dsl.spectra import SpectraSteps
from devproc.frontends.dsl.states import StateSteps
from devproc.frontends.dsl.text import TextSteps
from devproc.frontends.dsl.values.detections import Detections
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.dsl.warp import WarpSteps
from devproc.frontends.user_input import choice, fail, text, user_location
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.program.repeat import set_repetition, verify_repetition
from devproc.ir.program.state import name_attributes, state_attributes
from devproc.ir.text.output_names import PART
from devproc.ir.types import tensor_of

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from devproc.frontends.torch_export.importer import ImportedProgram
    from devproc.ir.weights.table import WeightTable
    from devproc.runtime.calls.calling import Calling
    from devproc.runtime.calls.interface import Interface
    from devproc.runtime.calls.tokenizing import TextInput


class Pipeline(
    GeometrySteps,
    CropSteps,
    WarpSteps,
    ArithmeticSteps,
    ColorSteps,
    SpaceSteps,
    ScoreSteps,
    DetectionSteps,
    BoxSteps,
    StateSteps,
    AxesSteps,
    MaskSteps,
    AudioSteps,
    SpectraSteps,
    TextSteps,
    ImportedSteps,
):
    """An inference program under construction: `devproc.pipeline("classify")`.

    Its steps take and return values, which have a dtype, a shape and perhaps a layout, and
    no content. A step that is wrong raises BuildError, with the file and line of the call,
    before it is added.
    """

    def __init__(self, name: str):
        super().__init__(name)
        self._outputs: dict[str, SSAValue] = {}
        self._inputs: list[str] = []
        self._models: dict[str, ImportedProgram] = {}
        self._imports: dict[object, str] = {}
        self._overrides: list[tuple[str, str]] = []
        self._texts: list[TextInput] = []

    @lazy_property
    def weights(self) -> WeightTable:
        """The weights of all models and the constants of the steps, by the names that
        `nn.weight` ops use.
        """
        from devproc.ir.weights.table import WeightTable

        table = WeightTable()
        table.update(self.constants, "")
        for function, imported in self._models.items():
            table.update(imported.weights, f"{function}.")
        return table

    def __repr__(self) -> str:
        ins, outs = ", ".join(self._inputs), ", ".join(self._outputs)
        return f"<Pipeline '{self.name}': {ins or 'no input'} -> {outs or 'no output'}>"

    # Inputs and outputs

    def input(
        self,
        name: str,
        dtype: object,
        shape: Sequence[int],
        layout: str | None = None,
    ) -> Value:
        """Declares an input of the program.

        `dtype` is a name such as `"uint8"`, or NumPy's or PyTorch's object: `np.uint8`.
        `layout` names the axes (`"HWC"`); `""` means that there is no layout. By default
        `(H, W)`, `(H, W, C)` and `(N, H, W, C)` with 1, 3 or 4 channels are images. A value
        has at most 4 GiB.
        """
        step = f"input '{text('input', 'name', name)}'"
        self.require_open(step)
        if name in self._inputs:
            fail(step, "the pipeline has an input of this name", "choose another name")
        type_ = self.declared_type(step, dtype, shape, layout)
        argument = self.block.insert_arg(type_, len(self._inputs))
        argument.location = user_location(name)
        if argument.is_valid_name(name):
            argument.name_hint = name
        self._inputs.append(name)
        return Value(self, argument)

    def tokenize(
        self,
        name: str,
        tokenizer: str | Path,
        count: int,
        length: int,
        truncation: bool = True,
        pad_id: int | None = None,
    ) -> tuple[Value, Value]:
        """Declares an input of `count` texts; returns their tokens and mask, int64
        `(count, length)`; `length` counts tokens.

        `tokenizer` is a `tokenizer.json` of Hugging Face, or its folder; it becomes part
        of the saved program. The package `tokenizers` encodes the texts on the host before
        the program runs. Texts longer than `length` tokens are truncated, or refused
        without `truncation`; shorter ones are padded with `pad_id`, by default the
        tokenizer's own.
        """
        from devproc.frontends.dsl.values.texts import text_input

        self.require_open(f"tokenize '{text('tokenize', 'name', name)}'")
        if name in self._inputs or name in [t.name for t in self._texts]:
            remedy = "choose another name"
            fail(f"tokenize '{name}'", "the pipeline has an input of this name", remedy)
        found = text_input(name, tokenizer, count, length, truncation, pad_id)
        self._texts.append(found)
        shape = (found.count, found.length)
        ids, mask = (
            self.input(f"{name}{PART}{part}", "int64", shape, layout="")
            for part in ("ids", "mask")
        )
        return ids, mask

    def calling(self, interface: Interface) -> Calling:
        """How the finished program is called."""
        if not self._texts:
            from devproc.runtime.calls.calling import NamedCalling

            return NamedCalling(interface)
        from devproc.runtime.calls.tokenizing import TextCalling

        return TextCalling(interface, tuple(self._texts))

    def output(self, name: str, value: Value | Detections | Tokens) -> None:
        """Declares an output of the program: an entry of the result's dict, of the shape and
        dtype of the value.

        For detections and tokens, the entry is a dict of their parts, with the count.
        """
        step = f"output '{text('output', 'name', name)}'"
        self.require_open(step)
        if PART in name:
            fail(step, f"{PART!r} parts an entry from its parts", "leave it out")
        if isinstance(value, Detections | Tokens):
            for part, handle in value.parts.items():
                self._output(f"{name}{PART}{part}", step, handle)
            return
        self._output(name, step, value)

    def _output(self, name: str, step: str, value: Value) -> None:
        if name in self._outputs:
            fail(step, "the pipeline has an output of this name", "choose another name")
        ssa = self.ssa(step, value)
        if bounded_axis(ssa.type) is not None and PART not in name:
            problem = f"{value!r} has rows that are padding, and no count beside it"
            remedy = "give the detections as a whole, or fill_padding(value) before"
            fail(step, problem, remedy)
        self._outputs[name] = ssa

    # Models and placement

    def model(
        self,
        program: object,
        *inputs: Value,
        fallback: str | None = None,
        trust_pickle: bool = False,
    ) -> Any:
        """Runs a `torch.export` program (or the `.pt2` file of one).

        The inputs have the shapes and dtypes of the export. Returns a Value, or the structure
        that the exported program returns, with Values for tensors. `fallback="torch"` runs
        unsupported operators in PyTorch. `trust_pickle` allows a file that could run code
        while it is loaded. Raises UnsupportedError with everything that is not supported.
        """
        self.require_open("model")
        for x in inputs:
            self._require_own("model", x)
        operands = [self.ssa("model", x) for x in inputs]
        name = self._import(program, fallback, trust_pickle)
        imported = self._models[name]
        states = [f"{name}.{state}" for state in imported.states]
        operands += [self.states[state] for state in states]
        type_ = imported.function.function_type
        types = [tensor_of(v) for v in operands]
        names = (*imported.input_names, *states)
        problem = model_problem(type_, types, names)
        if problem is not None:
            remedy = "cast, resize or change the layout of the value before this step"
            fail("model", problem, remedy)
        op = ModelOp(name, operands, type_.outputs.data)
        results = self.append(op, "model")
        own = len(results) - len(states)
        self.states.update(zip(states, results[own:], strict=True))
        return _as_returned(imported, inputs, [Value(self, r) for r in results[:own]])

    def place(self, pattern: str, device: str) -> None:
        """Places ops on a device, overriding the compiler's choice.

        `pattern` is the name of an op (`"nn.conv2d"`), of a step or of a module path, with
        `*` for any text (`"features.*"`).
        """
        pattern = text("place", "pattern", pattern)
        choice("place", "device", device, device_names())
        self.require_open("place")
        self._overrides.append((pattern, device))

    # The result

    def module(self) -> ModuleOp:
        """The finished program; a new copy for each call."""
        if self._module is None:
            if not self._outputs:
                what, problem = f"pipeline '{self.name}'", "the pipeline has no output"
                fail(what, problem, "end it with output(name, value)")
            self._module = self._build()
        return self._module.clone()

    def _build(self) -> ModuleOp:
        results = [*self._outputs.values(), *self.states.values()]
        self.block.add_op(ReturnOp(*results))
        states = [state_attributes(name) for name in self.states]
        main = FuncOp(
            "main",
            (self.block.arg_types, [v.type for v in results]),
            Region(self.block),
            arg_attrs=ArrayAttr([*map(self._input_attributes, self._inputs), *states]),
            res_attrs=ArrayAttr([*map(name_attributes, self._outputs), *states]),
        )
        functions = [imported.function for imported in self._models.values()]
        module = ModuleOp([main, *functions])
        module.attributes["devproc.name"] = StringAttr(self.name)
        if self.repetition is not None:
            set_repetition(module, self.repetition)
            try:
                verify_repetition(module)
            except VerifyException as error:
                remedy = "give one that it has, and only states"
                fail("repeat", str(error), remedy)
        if self._overrides:
            module.attributes["devproc.placement"] = ArrayAttr(
                ArrayAttr([StringAttr(pattern), StringAttr(device)])
                for pattern, device in self._overrides
            )
        return module

    def _input_attributes(self, name: str) -> DictionaryAttr:
        """The attributes of an input: its name, its layout, and the tokenizer that
        produces it.
        """
        known: dict[str, Attribute] = dict(name_attributes(name).data)
        layout = layout_of(self.block.args[self._inputs.index(name)].type)
        if layout is not None:
            known["dev.layout"] = StringAttr(layout)
        for found in self._texts:
            if name.rpartition(PART)[0] == found.name:
                known["dev.tokenizer"] = StringAttr(found.digest)
        return DictionaryAttr(known)

    def _import(self, program: object, fallback: str | None, trust_pickle: bool) -> str:
        """The name of the model's function; a program is imported once."""
        key = str(program) if isinstance(program, str | Path) else program
        if key in self._imports:
            return self._imports[key]
        is_path = isinstance(program, str | Path)
        if not is_path and not hasattr(program, "graph_signature"):
            problem = f"{type(program).__name__} is no exported program"
            remedy = "give torch.export.export(module, args) or the path of a .pt2 file"
            fail("model", problem, remedy)
        from devproc.frontends.torch_export.importer import import_program

        name = f"model_{len(self._models) + 1}" if self._models else "model"
        try:
            given = cast("ExportedProgram | str", program)
            imported = import_program(given, name, fallback, trust_pickle=trust_pickle)
        except BundleError as error:
            fail("model", str(error), "give the path of a whole .pt2 file")
        for state, type_ in imported.state_types.items():
            self._add_state("model", f"{name}.{state}", type_)
        # Weights of several models may have the same name.
        for op in imported.function.walk():
            if isinstance(op, WeightOp):
                op.properties["key"] = SymbolRefAttr(f"{name}.{op.weight_name}")
        self._models[name] = imported
        self._imports[key] = name
        self.__dict__.pop("weights", None)
        return name


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
