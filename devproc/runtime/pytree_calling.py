"""Calls a program as the exported module was called: nested containers in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from devproc.errors import InputError
from devproc.ir.lazy_property import lazy_property
from devproc.runtime.interface import Interface
from devproc.runtime.structure import Structure, loads_structure, structure_of

if TYPE_CHECKING:
    from devproc.frontends.torch_export.importer import ImportedProgram

Leaf = tuple[str, Any]
"""("input", index), ("output", index) or ("constant", value)."""


@dataclass(frozen=True)
class PytreeCalling:
    """Flattens `(args, kwargs)` and rebuilds the result by the exported structure."""

    interface: Interface
    in_spec: Structure
    out_spec: Structure
    in_leaves: tuple[Leaf, ...]
    out_leaves: tuple[Leaf, ...]

    @staticmethod
    def of(imported: ImportedProgram) -> PytreeCalling:
        """The convention of an imported program."""
        from devproc.frontends.torch_export.importer import Argument, Constant
        from devproc.runtime.host_reader import interface_of

        def leaf(found: object) -> Leaf:
            if isinstance(found, Constant):
                return ("constant", found.value)
            kind = "input" if isinstance(found, Argument) else "output"
            return (kind, found.index)  # type: ignore[attr-defined]

        return PytreeCalling(
            interface_of(imported.function),
            structure_of(imported.in_spec),
            structure_of(imported.out_spec),
            tuple(leaf(x) for x in imported.input_leaves),
            tuple(leaf(x) for x in imported.output_leaves),
        )

    @lazy_property
    def _positional(self) -> bool:
        """Whether the call is its inputs one by one: `program(x, y)`."""
        count = len(self.interface.inputs)
        flat = f"(({', '.join('*' * count)}), {{}})"
        in_order = tuple(("input", index) for index in range(count))
        return str(self.in_spec) == flat and self.in_leaves == in_order

    @lazy_property
    def _returns_one(self) -> bool:
        """Whether the module returns its one output as it is."""
        return str(self.out_spec) == "*" and self.out_leaves == (("output", 0),)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The tensors of a call; raises InputError where the structure differs."""
        if self._positional and not kwargs and len(args) == len(self.in_leaves):
            return args
        leaves = self.in_spec.flatten((tuple(args), dict(kwargs)))
        if leaves is None:
            listed = "; ".join(str(s) for s in self.interface.inputs)
            raise InputError(
                "the call has the structure (arguments, keyword arguments) "
                f"{_described((tuple(args), dict(kwargs)))}, the model was exported "
                f"with {self.in_spec}. The inputs are {listed}"
            )
        given: list[Any] = [None] * len(self.interface.inputs)
        for value, (kind, expected) in zip(leaves, self.in_leaves, strict=True):
            if kind == "input":
                given[expected] = value
            elif value != expected:
                raise InputError(
                    f"the model was exported with the constant {expected!r} here, "
                    f"got {value!r}; export it again for another value"
                )
        return given

    def result(self, given: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The return value of the exported module; an input it returns is that input."""
        if self._returns_one:
            return outputs[0]
        sources = {"input": given, "output": outputs}
        leaves = [
            value if kind == "constant" else sources[kind][value]
            for kind, value in self.out_leaves
        ]
        return self.out_spec.unflatten(leaves)

    def as_json(self) -> dict[str, Any]:
        """The convention as plain data; raises BundleError for foreign containers."""
        return {
            "kind": "pytree",
            "specs": [self.in_spec.dumps(), self.out_spec.dumps()],
            "in_leaves": self.in_leaves,
            "out_leaves": self.out_leaves,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any], interface: Interface) -> PytreeCalling:
        """The convention that `as_json` wrote."""
        in_spec, out_spec = (loads_structure(text) for text in data["specs"])
        return PytreeCalling(
            interface,
            in_spec,
            out_spec,
            tuple((kind, value) for kind, value in data["in_leaves"]),
            tuple((kind, value) for kind, value in data["out_leaves"]),
        )


def _described(value: object) -> str:
    """The containers of a value, with the types of its leaves."""
    if isinstance(value, dict):
        given = cast(Mapping[object, object], value)
        pairs = (f"{key!r}: {_described(part)}" for key, part in given.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, tuple | list):
        parts = ", ".join(map(_described, cast(Sequence[object], value)))
        return f"[{parts}]" if isinstance(value, list) else f"({parts})"
    return type(value).__name__
