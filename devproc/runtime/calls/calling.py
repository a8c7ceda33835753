"""Calling conventions: by input name (a pipeline), or as the exported module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from devproc.errors import InputError
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.text.output_names import PART
from devproc.runtime.calls.interface import Interface
from devproc.runtime.calls.named_inputs import check_names


class Calling(Protocol):
    """A calling convention: binds arguments to inputs, and outputs to the result."""

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The tensors of a call, in the order of the interface's inputs."""
        ...

    def result(self, given: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The return value of a call, from inputs and outputs in the interface's order."""
        ...

    def as_json(self) -> dict[str, Any]:
        """The convention as plain data."""
        ...


@dataclass(frozen=True)
class NamedCalling:
    """Inputs by name or in order; the result is a dict by output name.

    Outputs `found.boxes` and `found.count` are one entry `found`, a dict of both.
    """

    interface: Interface

    @lazy_property
    def _input_names(self) -> list[str]:
        return [spec.name for spec in self.interface.inputs]

    @lazy_property
    def _output_names(self) -> list[tuple[int, str]]:
        return [
            (i, spec.name)
            for i, spec in enumerate(self.interface.outputs)
            if PART not in spec.name
        ]

    @lazy_property
    def _part_names(self) -> list[tuple[int, str, str]]:
        split = (spec.name.partition(PART) for spec in self.interface.outputs)
        return [(i, name, part) for i, (name, dot, part) in enumerate(split) if dot]

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The tensors of a call; raises InputError for missing or unknown names."""
        names = self._input_names
        if not args and len(kwargs) == len(names):
            try:
                return [kwargs[name] for name in names]
            except KeyError:
                pass
        if len(args) > len(names):
            raise InputError(
                f"{len(args)} inputs given, the program has {len(names)}: "
                + "; ".join(str(spec) for spec in self.interface.inputs)
            )
        given = dict(zip(names, args, strict=False))
        twice = [name for name in kwargs if name in given]
        if twice:
            listed = ", ".join(f"input '{name}'" for name in twice)
            raise InputError(f"{listed}: given by position and by name")
        given.update(kwargs)
        check_names(self.interface, given, "this call")
        return [given[name] for name in names]

    def result(self, given: Sequence[Any], outputs: Sequence[Any]) -> dict[str, Any]:
        """A dict by output name."""
        result = {name: outputs[number] for number, name in self._output_names}
        for number, name, part in self._part_names:
            result.setdefault(name, {})[part] = outputs[number]
        return result

    def as_json(self) -> dict[str, Any]:
        """The convention as plain data."""
        return {"kind": "named"}
