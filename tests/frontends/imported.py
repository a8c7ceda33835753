"""Runs imported programs through the reference interpreter, beside eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch import nn
from xdsl.dialects.builtin import ModuleOp

from devproc.driver import make_context, make_pass, module_text, parse_module
from devproc.frontends.torch_export.importer import (
    Argument,
    Constant,
    ImportedProgram,
    import_program,
)
from devproc.ir.verification.verify import verify_legal_dialects, verify_module
from devproc.reference.run.interpreter import evaluate


class Wrap(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def export(
    model: nn.Module | Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
) -> torch.export.ExportedProgram:
    """The exported program of a module or a function."""
    if not isinstance(model, nn.Module):
        model = Wrap(model)
    return torch.export.export(model.eval(), tuple(args), kwargs)


def run(
    program: ImportedProgram, args: Sequence[Any], kwargs: dict[str, Any] | None = None
) -> Any:
    """The program's outputs in the structure of the model, by its reference."""
    leaves, spec = pytree.tree_flatten((tuple(args), kwargs or {}))
    assert spec == program.in_spec
    inputs: dict[int, torch.Tensor] = {}
    for leaf, kind in zip(leaves, program.input_leaves, strict=True):
        if isinstance(kind, Constant):
            assert leaf == kind.value
        else:
            inputs[kind.index] = leaf
    ordered = [inputs[i] for i in range(len(inputs))]
    results = evaluate(program.function, ordered, program.weights)
    outputs = [
        kind.value
        if isinstance(kind, Constant)
        else ordered[kind.index]
        if isinstance(kind, Argument)
        else results[kind.index]
        for kind in program.output_leaves
    ]
    return pytree.tree_unflatten(outputs, program.out_spec)


def _copy(value: object) -> object:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _compare(found: Any, wanted: Any, tolerance: dict[str, Any]) -> None:
    wanted_leaves, wanted_spec = pytree.tree_flatten(wanted)
    found_leaves, found_spec = pytree.tree_flatten(found)
    assert wanted_spec == found_spec
    for w, f in zip(wanted_leaves, found_leaves, strict=True):
        if isinstance(w, torch.Tensor):
            torch.testing.assert_close(f, w, equal_nan=True, **tolerance)
        else:
            assert f == w


def check(
    model: nn.Module | Callable[..., Any],
    *args: Any,
    exact: bool = True,
    tolerance: dict[str, Any] | None = None,
    **kwargs: Any,
) -> ImportedProgram:
    """Imports a model and compares with PyTorch, bit for bit unless told otherwise; then,
    by a tolerance, what `decompose-nn` makes of it.

    The imported module must verify, hold only legal dialects, and survive its text.
    """
    exported = export(model, args, kwargs)
    program = import_program(exported)
    module = ModuleOp([program.function])
    verify_module(module)
    verify_legal_dialects(module, ("func", "nn"), "program")
    text = module_text(module)
    assert module_text(parse_module(text)) == text
    eager = model if isinstance(model, nn.Module) else Wrap(model)
    given = pytree.tree_map(_copy, (args, kwargs))
    with torch.no_grad():
        wanted = eager.eval()(*args, **kwargs)
    bounds = {"rtol": 0, "atol": 0} if exact else tolerance or {}
    _compare(run(program, *pytree.tree_map(_copy, given)), wanted, bounds)
    opened = replace(program, function=program.function.clone())
    module = ModuleOp([opened.function])
    make_pass("decompose-nn").apply(make_context(), module)
    verify_module(module)
    _compare(run(opened, *given), wanted, tolerance or {})
    return program


def check_all(
    cases: Iterable[tuple[Callable[..., Any], Sequence[Any]]], **options: Any
) -> None:
    """`check` of functions on arguments of their own, as one program: most of the time of
    a small one is that of the export.
    """
    functions, arguments = zip(*cases, strict=True)

    def together(*arguments: Sequence[Any]) -> list[Any]:
        return [
            function(*given)
            for function, given in zip(functions, arguments, strict=True)
        ]

    check(together, *map(tuple, arguments), **options)


def op_names(program: ImportedProgram) -> list[str]:
    """The names of the ops, without weights, constants and the return."""
    skipped = ("nn.weight", "nn.constant", "func.return")
    return [o.name for o in program.function.body.block.ops if o.name not in skipped]
