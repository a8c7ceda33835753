"""What the checks compute: a few ops that the device takes, and programs of them."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from xdsl.utils.exceptions import VerifyException

from devproc.backend.conformance.cases import OPS, cases_of, op_of
from devproc.backend.conformance.device import (
    Device,
    computed,
    require_launches,
    table_of,
)
from devproc.backend.conformance.forms import (
    BINARY,
    PREFERRED,
    PRODUCTS,
    SHAPE,
    UNARY,
    Form,
    types_of,
)
from devproc.driver import parse_module
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.devices import HOST
from devproc.ir.dtypes import DTYPE_NAMES
from devproc.ir.program.state import forget_states
from devproc.ir.types import tensor
from devproc.program import Program
from devproc.reference.conversion.arrays import TORCH_DTYPES
from devproc.reference.run.interpreter import evaluate
from devproc.runtime.execution.host_reader import find_function
from devproc.verification import difference


class NotRunError(Exception):
    """Why a check does not concern the device."""


@dataclass(frozen=True)
class Subject:
    """A device with the ops of the checks."""

    device: Device

    @lazy_property
    def _found(self) -> tuple[str, Form, Form]:
        for dtype in PREFERRED:
            pair = [self._first(forms, dtype) for forms in (BINARY, UNARY)]
            if pair[0] is not None and pair[1] is not None:
                return dtype, pair[0], pair[1]
        raise NotRunError(
            f"it takes none of {_names(BINARY)} with one of {_names(UNARY)}"
        )

    def _first(self, forms: Sequence[Form], dtype: str, rhs: str = "") -> Form | None:
        """The first form that the device takes; `rhs`: how its right operand is made."""
        return next((form for form in forms if self._takes(form, dtype, rhs)), None)

    def _takes(self, form: Form, dtype: str, rhs: str) -> bool:
        if dtype not in form.dtypes:
            return False
        kinds = types_of(form, dtype)
        line = form.lines.format(result="z", lhs="x", rhs="y", **kinds)
        given = [f"%x: {kinds['kind']}", f"%y: {kinds['weight']}"]
        if rhs:
            line = f"%y = {rhs.format(kinds['weight'])}\n{line}"
            given.pop()
        module = parse_module(
            f"func.func @main({', '.join(given)}) -> {kinds['kind']} {{\n{line}\n"
            f"func.return %z : {kinds['kind']}\n}}"
        )
        try:
            module.verify()
        except VerifyException:
            return False
        return not self.device.backend.legal(computed(find_function(module, "main")))

    def _with(self, rhs: str, what: str) -> Form:
        forms = (*BINARY, *PRODUCTS)
        found = self._first(forms, self.dtype, rhs)
        if found is None:
            raise NotRunError(f"it takes none of {_names(forms)} with {what}")
        return found

    @lazy_property
    def _weighted(self) -> Form:
        return self._with('nn.weight @y hash "0" : {}', "a weight")

    @lazy_property
    def _scaled(self) -> Form:
        return self._with("nn.constant dense<3> : {0} : {0}", "a constant")

    @lazy_property
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
        return "nn.abs" if "nn.abs" not in self._found[2].ops else "nn.relu"

    def binary(self, result: str, lhs: str, rhs: str) -> str:
        """Lines of a program."""
        return self._lines(self._found[1], result=result, lhs=lhs, rhs=rhs)

    def unary(self, result: str, operand: str) -> str:
        """Lines of a program."""
        return self._lines(self._found[2], result=result, lhs=operand)

    def on_host(self, result: str, operand: str) -> str:
        """A line of a program: the op `other`."""
        return f"%{result} = {self.other} %{operand} : ({self.type}) -> {self.type}"

    def weighted(self, result: str, operand: str, weight: str) -> str:
        """Lines of a program: a binary op or a product, whose right operand is a weight."""
        return self._lines(self._weighted, result=result, lhs=operand, rhs=weight)

    def scaled(self, result: str, operand: str) -> str:
        """Lines of a program: a binary op or a product with a constant."""
        form, name = self._scaled, f"{result}_k"
        kind = types_of(form, self.dtype)["weight"]
        number = "3.0" if TORCH_DTYPES[self.dtype].is_floating_point else "3"
        line = f"%{name} = nn.constant dense<{number}> : {kind} : {kind}"
        lines = self._lines(form, result=result, lhs=operand, rhs=name)
        return f"{line}\n{lines}"

    def _lines(self, form: Form, **names: str) -> str:
        return form.lines.format(**names, **types_of(form, self.dtype))

    def weight(self, name: str, value: torch.Tensor) -> str:
        """A line of a program that reads a weight."""
        text = table_of({name: value}).hash(name)
        return (
            f'%{name} = nn.weight @{name} hash "{text}" : '
            f"{tensor(self.dtype, value.shape)}"
        )

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
        ours = (*self._found[1].ops, *self._found[2].ops)
        return {self.other: HOST} | dict.fromkeys(ours, self.device.name)

    def value(self, seed: int) -> torch.Tensor:
        """A random value."""
        return self._random(seed, SHAPE)

    def weight_value(self, seed: int) -> torch.Tensor:
        """A random weight for `weighted`: whole numbers, so that sums of products hardly
        round."""
        return self._random(seed, self._weighted.weight_shape).round()

    def _random(self, seed: int, shape: Sequence[int]) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        found = 5 * torch.randn(tuple(shape), generator=generator)
        return found.to(TORCH_DTYPES[self.dtype])

    def compile(
        self,
        text: str,
        weights: dict[str, torch.Tensor] | None = None,
        placement: dict[str, str] | None = None,
    ) -> Program:
        """Compiles a program; raises AssertionError if the device runs none of it."""
        program = self.device.compile(text, weights, placement)
        require_launches(self.device, program)
        return program

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
        program = self.compile(text, weights, placement)
        found = program.run_flat(list(inputs))
        agree(found, self.reference(text, inputs, weights))
        return program


def _names(forms: Sequence[Form]) -> str:
    return ", ".join(map(str, forms))


def agree(
    found: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor], what: str = "result"
) -> None:
    """Raises AssertionError for the first that is beyond the tolerance of a few ops."""
    assert len(found) == len(wanted), f"{len(found)} results instead of {len(wanted)}"
    for number, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        gap = difference(torch.as_tensor(ours), theirs, factor=4)
        assert gap.tolerable, f"{what} {number} differs by {gap.max_absolute:.3g}"
