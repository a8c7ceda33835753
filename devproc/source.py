"""The input of the compiler: a program at its first stage, read from the user's source."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import TypeIs
from xdsl.dialects.builtin import ModuleOp

from devproc.errors import BundleError, CompileError
from devproc.ir.weights.table import KnownHashes, WeightTable
from devproc.runtime.calls.calling import Calling, NamedCalling
from devproc.runtime.calls.interface import Interface
from devproc.runtime.execution.host_reader import find_function, interface_of

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from devproc.frontends.dsl import Pipeline


FIRST_TO_REWRITE = "fold-batch-norm"
"""The first pass that changes what the model and the steps say: JSON has what is before."""


@dataclass(frozen=True, repr=False)
class Source:
    """A program at its first stage, with its weights and its calling convention."""

    module: ModuleOp
    weights: WeightTable
    interface: Interface
    calling: Calling
    borrowed: bool = False
    """Whether the weights share memory with the user, who may change it later."""
    prepared: bool = False
    """Whether the weights include the results of `@prepare`."""
    has_checks: bool = True
    """Whether the module marks the values to be checked with `check_values`."""

    def __repr__(self) -> str:
        return f"<Source {self.interface.line()}; {self.weights!r}>"

    def require_checks(self) -> None:
        """Raises CompileError if `check_values` has no effect on the source."""
        if not self.has_checks:
            raise CompileError(
                "check_values: a program in JSON does not say which values to look at; "
                "compile the pipeline or the exported program that it was written from"
            )


def read_source(
    source: Pipeline | ExportedProgram | Source | str | Path,
    fallback: str | None = None,
    hashes: KnownHashes | None = None,
    borrow: bool = False,
    trust_pickle: bool = False,
) -> Source:
    """The first stage of a program; raises CompileError for a source of another kind.

    With `borrow` the weights may lie in the memory of the source, whose content hashes
    are `hashes`.
    """
    if isinstance(source, Source):
        return replace(source, module=source.module.clone())
    if _is_pipeline(source):
        module = source.module()
        interface = interface_of(find_function(module, "main"))
        return Source(module, source.weights, interface, source.calling(interface))
    if isinstance(source, str | Path) and Path(source).suffix == ".json":
        return load_json(source)
    from devproc.frontends.torch_export.calling import pytree_calling
    from devproc.frontends.torch_export.importer import import_program

    imported = import_program(source, "main", fallback, borrow, hashes, trust_pickle)
    calling = pytree_calling(imported)
    module = ModuleOp([imported.function])
    return Source(module, imported.weights, calling.interface, calling, borrow)


def _is_pipeline(source: object) -> TypeIs[Pipeline]:
    """Checks without importing the DSL, which is loaded if there is a pipeline."""
    dsl = sys.modules.get("devproc.frontends.dsl")
    return dsl is not None and isinstance(source, dsl.Pipeline)


def named_source(module: ModuleOp, weights: WeightTable) -> Source:
    """A source with a copy of a module, called by names."""
    interface = interface_of(find_function(module, "main"))
    return Source(module.clone(), weights, interface, NamedCalling(interface))


def load_json(
    path: str | Path,
    weights: str | Path | None = None,
    *,
    allow_extra_weights: bool = False,
) -> Source:
    """The program of a file that `export_json` or another tool wrote.

    `weights`: a `.safetensors` file, or a `.pt` with a dict of tensors; the file that
    the program names where none is given. They must be all of the program's, with its
    dtypes and shapes, and no others unless `allow_extra_weights`. Their content may
    differ from that at the export. The result is for `devproc.compile`.

    Raises BundleError with all problems of the program, or all of the weights.
    """
    from devproc.exchange.reader import read_json

    module, table, calling = read_json(Path(path), weights, allow_extra_weights)
    interface = interface_of(find_function(module, "main"))
    return Source(module, table, interface, calling, has_checks=False)


def export_json(
    source: Pipeline | ExportedProgram | Source | str | Path,
    path: str | Path,
    *,
    weights: str | Path | None = None,
    trust_pickle: bool = False,
) -> None:
    """Writes a pipeline or exported model, as one graph of `nn` ops, to `path`.

    Its ops are those that the model and the steps name, as the softmax and the layer norm:
    the graph is that before any is taken apart.

    `weights`: a `.safetensors` file for the weights. The program names it if it lies in
    the same folder; then `load_json` and `devproc.compile` find it by themselves. Raises
    BundleError where one of the files cannot be written, CompileError for a source of
    another kind, and UnsupportedError with everything that is not supported.
    """
    from devproc.driver import make_context, run_stages, stages_before
    from devproc.exchange.writer import write_json

    file = None if weights is None else Path(weights)
    if file is not None and file.suffix != ".safetensors":
        raise BundleError(f"weights are written as .safetensors, not as {file.name}")
    program = read_source(source, trust_pickle=trust_pickle)
    module = program.module.clone()
    run_stages(module, make_context(), stages_before(FIRST_TO_REWRITE))
    write_json(module, program.weights, program.calling, Path(path), file)
