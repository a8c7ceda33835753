"""The calling convention of the exported module: nested containers in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from devproc.errors import BundleError, InputError
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.runtime.calls.interface import Interface
from devproc.runtime.calls.structure import Structure, loads_structure
from devproc.runtime.reading.typed_json import read_as, shown

Leaf = tuple[str, Any]
"""("input", index), ("output", index) or ("constant", value)."""


@dataclass(frozen=True)
class _Row:
    """The JSON form of the convention."""

    kind: str
    specs: tuple[str, str]
    in_leaves: tuple[tuple[str, object], ...]
    out_leaves: tuple[tuple[str, object], ...]


@dataclass(frozen=True, repr=False)
class PytreeCalling:
    """Flattens `(args, kwargs)` and rebuilds the result, both by the exported structure."""

    interface: Interface
    in_spec: Structure
    out_spec: Structure
    in_leaves: tuple[Leaf, ...]
    out_leaves: tuple[Leaf, ...]

    def __repr__(self) -> str:
        return f"<PytreeCalling {self.interface.line()}>"

    @lazy_property
    def _positional(self) -> bool:
        """Whether the arguments are exactly the inputs: `program(x, y)`."""
        count = len(self.interface.inputs)
        flat = f"(({', '.join('*' * count)}), {{}})"
        in_order = tuple(("input", index) for index in range(count))
        return str(self.in_spec) == flat and self.in_leaves == in_order

    @lazy_property
    def _returns_one(self) -> bool:
        """Whether the module returns its only output without a container."""
        return str(self.out_spec) == "*" and self.out_leaves == (("output", 0),)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The tensors of a call; raises InputError where the structure differs."""
        if self._positional and not kwargs and len(args) == len(self.in_leaves):
            return args
        leaves = self.in_spec.flatten((tuple(args), dict(kwargs)))
        if leaves is None:
            listed = "; ".join(str(s) for s in self.interface.inputs)
            if self._positional and len(args) > len(self.in_leaves) and not kwargs:
                raise InputError(
                    f"{len(args)} inputs given, the model has {len(self.in_leaves)}: "
                    + listed
                )
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
        """The return value of the exported module; a returned input is passed through."""
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
    def from_json(data: object, interface: Interface) -> PytreeCalling:
        """The convention that `as_json` wrote; raises BundleError for another."""
        row = read_as(_Row, data, "the calling convention")
        in_spec, out_spec = map(loads_structure, row.specs)
        found = PytreeCalling(
            interface, in_spec, out_spec, row.in_leaves, row.out_leaves
        )
        problem = found._problem()
        if problem is not None:
            raise BundleError(f"the calling convention is damaged: {problem}")
        return found

    def _problem(self) -> str | None:
        """The inconsistency of the leaves with the structures and the interface; None if none."""
        counts = {
            "input": len(self.interface.inputs),
            "output": len(self.interface.outputs),
        }
        for name, spec, leaves, kinds in (
            ("in_leaves", self.in_spec, self.in_leaves, ("input",)),
            ("out_leaves", self.out_spec, self.out_leaves, ("input", "output")),
        ):
            if spec.num_leaves != len(leaves):
                return f"a structure has {spec.num_leaves} leaves, not {len(leaves)}"
            for kind, value in leaves:
                if kind == "constant":
                    continue
                if kind not in kinds:
                    return f"{name} holds a leaf of kind '{kind}'"
                if type(value) is not int or not 0 <= value < counts[kind]:
                    return f"{name} names {kind} {shown(value)} of {counts[kind]}"
        given = {index for kind, index in self.in_leaves if kind == "input"}
        missing = set(range(counts["input"])) - given
        return f"no leaf gives the inputs {sorted(missing)}" if missing else None


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
