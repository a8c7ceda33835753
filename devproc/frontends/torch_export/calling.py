"""The calling convention of an imported program: that of its exported module."""

from __future__ import annotations

from devproc.frontends.torch_export.importer import Argument, Constant, ImportedProgram
from devproc.runtime.calls.pytree_calling import Leaf, PytreeCalling
from devproc.runtime.calls.structure import structure_of
from devproc.runtime.execution.host_reader import interface_of


def pytree_calling(imported: ImportedProgram) -> PytreeCalling:
    """The calling convention of an imported program."""

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
