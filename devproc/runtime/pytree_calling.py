"""Calls a program as the exported module was called: PyTorch's pytrees in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch.utils._pytree import (
    TreeSpec,
    tree_flatten,
    tree_unflatten,
    treespec_dumps,
    treespec_loads,
)

from devproc.errors import BundleError, InputError
from devproc.runtime.interface import Interface

if TYPE_CHECKING:
    from devproc.frontends.torch_export.importer import ImportedProgram

Leaf = tuple[str, Any]
"""("input", index), ("output", index) or ("constant", value)."""


@dataclass(frozen=True)
class PytreeCalling:
    """Flattens `(args, kwargs)` and rebuilds the result by the exported structure."""

    interface: Interface
    in_spec: TreeSpec
    out_spec: TreeSpec
    in_leaves: tuple[Leaf, ...]
    out_leaves: tuple[Leaf, ...]

    @staticmethod
    def of(imported: ImportedProgram) -> PytreeCalling:
        """The convention of an imported program."""
        from devproc.frontends.torch_export.importer import Argument, Constant

        def leaf(found: object) -> Leaf:
            if isinstance(found, Constant):
                return ("constant", found.value)
            kind = "input" if isinstance(found, Argument) else "output"
            return (kind, found.index)  # type: ignore[attr-defined]

        return PytreeCalling(
            Interface.of_function(imported.function),
            imported.in_spec,
            imported.out_spec,
            tuple(leaf(x) for x in imported.input_leaves),
            tuple(leaf(x) for x in imported.output_leaves),
        )

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The tensors of a call; raises InputError where the structure differs."""
        leaves, spec = tree_flatten((tuple(args), dict(kwargs)))
        if len(leaves) != len(self.in_leaves) or spec != self.in_spec:
            listed = "; ".join(str(s) for s in self.interface.inputs)
            raise InputError(
                f"the call has the structure {spec}, the model was exported with "
                f"{self.in_spec}. The inputs are {listed}"
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
        sources = {"input": given, "output": outputs}
        leaves = [
            value if kind == "constant" else sources[kind][value]
            for kind, value in self.out_leaves
        ]
        return tree_unflatten(leaves, self.out_spec)

    def as_json(self) -> dict[str, Any]:
        """The convention as plain data; raises BundleError for foreign containers."""
        try:
            specs = [treespec_dumps(s) for s in (self.in_spec, self.out_spec)]
        except NotImplementedError as error:
            raise BundleError(
                f"a container of the model's inputs or outputs cannot be saved: {error}"
            ) from error
        return {
            "kind": "pytree",
            "specs": specs,
            "in_leaves": self.in_leaves,
            "out_leaves": self.out_leaves,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any], interface: Interface) -> PytreeCalling:
        """The convention that `as_json` wrote."""
        in_spec, out_spec = (treespec_loads(text) for text in data["specs"])
        return PytreeCalling(
            interface,
            in_spec,
            out_spec,
            tuple((kind, value) for kind, value in data["in_leaves"]),
            tuple((kind, value) for kind, value in data["out_leaves"]),
        )
