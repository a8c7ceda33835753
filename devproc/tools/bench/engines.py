"""The engines that a model is timed on: each provides a function that calls it once."""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from devproc.ir.concurrency.lazy_property import lazy_property

OURS = "devproc"
OTHERS = ("onnxruntime", "openvino", "inductor", "eager")
"""The other engines, for `--against`."""

_NEEDED = {
    "onnxruntime": ("onnxruntime", "onnx", "onnxscript"),
    "openvino": ("openvino",),
}
"""Engine -> the packages that it needs."""

Call = Callable[[], Any]
"""One inference; returns the outputs, nested as by the engine."""


@dataclass(frozen=True)
class Model:
    """A module in eval mode with example inputs; `args` may be nested."""

    module: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    given: Any = None
    """The `ExportedProgram`, if the model was given as one."""

    @lazy_property
    def exported(self) -> Any:
        """The exported program."""
        import torch

        if self.given is not None:
            return self.given
        return torch.export.export(self.module, self.args, dict(self.kwargs))

    @lazy_property
    def leaves(self) -> list[Any]:
        """The tensors among the inputs, in order."""
        import torch
        from torch.utils import _pytree as pytree

        leaves = pytree.tree_leaves((self.args, dict(self.kwargs)))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def why_missing(engine: str) -> str | None:
    """What an engine lacks here, and how to install it; None if it can run."""
    lacking = [name for name in _NEEDED.get(engine, ()) if find_spec(name) is None]
    if lacking:
        return f"not installed: pip install {' '.join(lacking)}"
    if engine == "inductor" and not any(map(which, ("g++", "clang++", "c++"))):
        return "no C++ compiler: install g++ or clang++"
    return None


def prepare(
    engine: str, model: Model, options: Mapping[str, Any]
) -> Callable[[], Call]:
    """A function that builds a model on an engine; conversions of format are done before.

    `devproc` takes `options` of `devproc.compile`; `devproc-fast` sets that precision.
    """
    name, _, precision = engine.partition("-")
    if name == OURS:
        chosen = {**options, "precision": precision} if precision else options
        return _devproc(model, chosen)
    return _BUILDERS[name](model, options["threads"])


def _eager(model: Model, threads: int) -> Callable[[], Call]:
    return lambda: lambda: model.module(*model.args, **model.kwargs)


def _inductor(model: Model, threads: int) -> Callable[[], Call]:
    def build() -> Call:
        import torch
        import torch._inductor.config as config

        config.freezing = True
        compiled = torch.compile(model.module)
        return lambda: compiled(*model.args, **model.kwargs)

    return build


def _onnxruntime(model: Model, threads: int) -> Callable[[], Call]:
    import onnxruntime
    import torch

    path = Path(tempfile.mkdtemp()) / "model.onnx"
    torch.onnx.export(
        model.exported, f=path, dynamo=True, external_data=True, verbose=False
    )

    def build() -> Call:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        names = [value.name for value in session.get_inputs()]
        arrays = [leaf.numpy() for leaf in model.leaves]
        feed = dict(zip(names, arrays, strict=True))
        return lambda: session.run(None, feed)

    return build


def _openvino(model: Model, threads: int) -> Callable[[], Call]:
    import openvino

    exported = model.exported

    def build() -> Call:
        converted = openvino.convert_model(exported, example_input=tuple(model.leaves))
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
        }
        compiled = openvino.Core().compile_model(converted, "CPU", settings)
        request = compiled.create_infer_request()
        arrays = [leaf.numpy() for leaf in model.leaves]
        return lambda: list(request.infer(arrays).values())

    return build


def _devproc(model: Model, options: Mapping[str, Any]) -> Callable[[], Call]:
    exported = model.exported

    def build() -> Call:
        import torch
        from torch.utils import _pytree as pytree

        import devproc

        def array(value: Any) -> Any:
            # NumPy has no bfloat16.
            plain = isinstance(value, torch.Tensor) and value.dtype != torch.bfloat16
            return value.numpy() if plain else value

        program = devproc.compile(exported, **options)
        args, kwargs = pytree.tree_map(array, (model.args, dict(model.kwargs)))
        return lambda: program(*args, **kwargs)

    return build


_BUILDERS: Mapping[str, Callable[[Model, int], Callable[[], Call]]] = {
    "eager": _eager,
    "inductor": _inductor,
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
}
