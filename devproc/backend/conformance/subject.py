"""What the checks compute: two ops that the device takes, and texts of programs of them."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from devproc.backend.conformance.cases import OPS, Case, cases_of, op_of
from devproc.backend.conformance.device import Device, table_of
from devproc.driver import parse_module
from devproc.ir.devices import HOST
from devproc.ir.dtypes import DTYPE_NAMES
from devproc.ir.program.state import forget_states
from devproc.ir.types import tensor
from devproc.program import Program
from devproc.reference.conversion.arrays import TORCH_DTYPES
from devproc.reference.run.interpreter import evaluate
from devproc.runtime.execution.host_reader import find_function
from devproc.verification import difference

BINARY = ("nn.sub", "nn.add", "nn.maximum", "nn.mul")
UNARY = ("nn.relu", "nn.abs", "nn.exp", "nn.floor")
PREFERRED = ("float32", "bfloat16", "float16", "int8", "int32", "float64", "int64")
SHAPE = (5, 7)


class NotRunError(Exception):
    """Why a check does not concern the device."""


@dataclass(frozen=True)
class Subject:
    """A device with the ops of the checks."""

    device: Device

    @cached_property
    def _found(self) -> tuple[str, str, str]:
        for dtype in PREFERRED:
            pair = [self._first(names, dtype) for names in (BINARY, UNARY)]
            if all(pair):
                return dtype, str(pair[0]), str(pair[1])
        raise NotRunError(
            f"it takes none of {', '.join(BINARY)} with one of {', '.join(UNARY)}"
        )

    def _first(self, names: Sequence[str], dtype: str) -> str | None:
        return next((name for name in names if self._takes(name, dtype)), None)

    def _takes(self, name: str, dtype: str) -> bool:
        value = torch.zeros(SHAPE, dtype=TORCH_DTYPES[dtype])
        count = 2 if name in BINARY else 1
        case = Case(name, dtype, "odd", {}, (value,) * count)
        return next(cases_of(name, [dtype]), None) is not None and not (
            self.device.backend.legal([op_of(case)])
        )

    @cached_property
    def dtypes(self) -> list[str]:
        """The dtypes in which the device takes any op."""
        legal = self.device.backend.legal
        return [
            dtype
            for dtype in DTYPE_NAMES
            if any(
                not legal([op_of(case)])
                for name in OPS
                for case in cases_of(name, [dtype])
            )
        ]

    @property
    def dtype(self) -> str:
        """The dtype of the values of the checks."""
        return self._found[0]

    @property
    def type(self) -> str:
        """The type of all values."""
        return str(tensor(self.dtype, SHAPE))

    @property
    def other(self) -> str:
        """A unary op for the host, of another name than the device's."""
        return "nn.abs" if self._found[2] != "nn.abs" else "nn.relu"

    def binary(self, result: str, lhs: str, rhs: str) -> str:
        """A line of a program."""
        kind = self.type
        return (
            f"%{result} = {self._found[1]} %{lhs}, %{rhs} : ({kind}, {kind}) -> {kind}"
        )

    def unary(self, result: str, operand: str, name: str = "") -> str:
        """A line of a program."""
        op = name or self._found[2]
        return f"%{result} = {op} %{operand} : ({self.type}) -> {self.type}"

    def weight(self, name: str, value: torch.Tensor) -> str:
        """A line of a program that reads a weight."""
        text = table_of({name: value}).hash(name)
        return f'%{name} = nn.weight @{name} hash "{text}" : {self.type}'

    def text(
        self, lines: Sequence[str], returned: Sequence[str], arguments: str = "x"
    ) -> str:
        """A program; arguments and results are named like the values."""
        given = ", ".join(
            f'%{name}: {self.type} {{dev.name = "{name}"}}' for name in arguments
        )
        types = ", ".join([self.type] * len(returned))
        values = ", ".join(f"%{name}" for name in returned)
        body = "\n".join([*lines, f"func.return {values} : {types}"])
        return f"func.func @main({given}) -> ({types}) {{\n{body}\n}}"

    def placement(self) -> dict[str, str]:
        """The ops of the checks on the device, all others on the host."""
        name = self.device.name
        return {self.other: HOST, self._found[1]: name, self._found[2]: name}

    def value(self, seed: int) -> torch.Tensor:
        """A random value."""
        generator = torch.Generator().manual_seed(seed)
        return (5 * torch.randn(SHAPE, generator=generator)).to(
            TORCH_DTYPES[self.dtype]
        )

    def reference(
        self,
        text: str,
        inputs: Sequence[torch.Tensor],
        weights: dict[str, torch.Tensor] | None = None,
    ) -> list[torch.Tensor]:
        """The results of PyTorch; states are inputs and outputs."""
        main = find_function(parse_module(text), "main")
        forget_states(main)
        return evaluate(main, inputs, table_of(weights or {}))

    def check(
        self,
        text: str,
        *inputs: torch.Tensor,
        weights: dict[str, torch.Tensor] | None = None,
        placement: dict[str, str] | None = None,
    ) -> Program:
        """Compiles a program and compares its results; raises AssertionError."""
        program = self.device.compile(text, weights, placement)
        found = program.run_flat(list(inputs))
        agree(found, self.reference(text, inputs, weights))
        return program


def agree(
    found: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor], what: str = "result"
) -> None:
    """Raises AssertionError for the first that is beyond the tolerance of a few ops."""
    assert len(found) == len(wanted), f"{len(found)} results instead of {len(wanted)}"
    for number, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        gap = difference(torch.as_tensor(ours), theirs, factor=4)
        assert gap.tolerable, f"{what} {number} differs by {gap.max_absolute:.3g}"
