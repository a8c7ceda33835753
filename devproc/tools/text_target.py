"""The target `mlir` of `devproc-opt`: text that xDSL's tools read, see `ir/text/printer.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.targets.mlir import MLIRTarget

from devproc.ir.text.printer import DevProcPrinter


@dataclass(frozen=True)
class TextTarget(MLIRTarget):
    """xDSL's target, with our printer unless the output is coloured."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """The text of a module."""
        if self.syntax_highlight:
            super().emit(ctx, module, output)
            return
        printer = DevProcPrinter(
            output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_op(module)
        printer.print_metadata(ctx.loaded_dialects)
        print("\n", file=output)
