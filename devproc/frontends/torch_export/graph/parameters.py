"""Parameters, buffers and lifted constants: the program's state as weights."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec
from typing_extensions import TypeIs

from devproc.errors import Problem
from devproc.frontends.torch_export.graph.builder import INLINE_LIMIT
from devproc.frontends.torch_export.graph.problems import (
    foreign_device,
    sparse_tensor,
    unsupported_dtype,
)
from devproc.reference.conversion.arrays import copy_of, memory_of, name_of


class Pending:
    """A parameter that no node has used so far."""

    def __init__(self, name: str, value: torch.Tensor):
        self.name = name
        self.value = value
        # Numbers of the forward pass are printed inline; state is named.
        self.in_text = (
            name.startswith("lifted_tensor_") and value.numel() <= INLINE_LIMIT
        )


class Parameters:
    """The tensors of a program, each under one name.

    Tied weights (the same memory under two names) are one weight with the first name.
    """

    def __init__(
        self, program: ExportedProgram, problems: list[Problem], copy: bool
    ) -> None:
        self._tensors: dict[str, Any] = {**program.constants, **program.state_dict}
        self._problems = problems
        self._copy = copy
        self._names: dict[object, str] = {}
        for spec in program.graph_signature.input_specs:
            tensor = self._tensors.get(str(spec.target))
            if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided:
                self._names.setdefault(memory_of(tensor), str(spec.target))

    def find(self, spec: InputSpec) -> tuple[str, torch.Tensor] | None:
        """Name and value of a parameter, buffer or constant; None if it was refused."""
        target = str(spec.target)
        return self.check(target, self._tensors.get(target), spec.kind)

    def pending(self, spec: InputSpec) -> Pending | None:
        """The result of `find`, for the first node that uses it; also for a complex
        tensor, whose parts become weights.
        """
        value = self._tensors.get(str(spec.target))
        if _is_dense_complex(value):
            return Pending(str(spec.target), value)
        found = self.find(spec)
        return None if found is None else Pending(*found)

    def check(
        self, name: str, value: Any, kind: InputKind = InputKind.CONSTANT_TENSOR
    ) -> tuple[str, torch.Tensor] | None:
        """The tensor, detached from the user's model, and the name of the first tensor
        that shares its memory; None, and a problem, if it cannot be a weight.
        """
        what = f"{kind.name.lower().replace('_tensor', '')} '{name}'"
        problem = _problem_of(what, value)
        if problem is not None:
            self._problems.append(problem)
            return None
        value = value.detach()
        name = self._names.setdefault(memory_of(value), name)
        # Later training of the user's model must not affect the compiled program.
        return name, copy_of(value) if self._copy else value


def _is_dense_complex(value: object) -> TypeIs[torch.Tensor]:
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return False
    return value.dtype in (torch.complex64, torch.complex128) and value.is_cpu


def _problem_of(what: str, value: Any) -> Problem | None:
    where = "state of the exported program"
    if not isinstance(value, torch.Tensor):
        remedy = "save the program with its weights"
        return Problem(what, where, "its data is missing", remedy)
    if value.layout != torch.strided:
        return sparse_tensor(what, where, value.layout)
    if value.device.type != "cpu":
        return foreign_device(what, where, value.device)
    if name_of(value.dtype) is None:
        return unsupported_dtype(what, where, value.dtype)
    if type(value) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        why = f"the tensor subclass {type(value).__name__} is not supported"
        return Problem(what, where, why, "replace it by a plain tensor")
    return None
