"""Functions of whole regions: they work on tensors through all common stages.

`outline-regions` creates them, for the devices that do not lower their ops to kernels. Like
`@prepare` they hold `nn` ops and host calls that no common pass lowers; only their launches
in `@main` become launches on memory.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import is_region_function
from devproc.ir.functions import functions_of


def region_functions(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions of regions of a module, by name."""
    return {f.sym_name.data: f for f in functions_of(module) if is_region_function(f)}
