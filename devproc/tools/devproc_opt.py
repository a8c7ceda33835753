"""`devproc-opt`: xDSL's `xdsl-opt` with DevProc's dialects, passes, targets and stages.

It works on text alone: it never imports torch, triton or llvmlite.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import Universe
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.xdsl_opt_main import xDSLOptMain

from devproc import driver, extension, options
from devproc.errors import DevProcError
from devproc.ir.parser import DevProcParser
from devproc.ir.verify import verify_module
from devproc.pipeline import STAGES
from devproc.registry import EXTENDED_DIALECTS, load
from devproc.tools.stage_table import ListStages
from devproc.universe import DEVPROC_UNIVERSE

# What is wrong with the input or the options; anything else is a bug and shows a trace.
REFUSALS = (DevProcError, DiagnosticException, ParseError, OSError, ValueError)


class DevProcOpt(xDSLOptMain):
    """Adds to what xDSL finds by entry points, where ours may or may not be."""

    version_format = "devproc-opt (xdsl {xdsl_version})"

    def register_all_dialects(self) -> None:
        found = Universe.get_multiverse().all_dialects
        extended = {n: partial(load, path) for n, path in EXTENDED_DIALECTS.items()}
        everything = found | DEVPROC_UNIVERSE.all_dialects | extended
        for name, factory in everything.items():
            self.ctx.register_dialect(name, factory)
        for name, dialect in extension.dialects().items():
            self.ctx.register_dialect(name, lambda dialect=dialect: dialect)

    def register_all_frontends(self) -> None:
        def parse(stream: IO[bytes]) -> ModuleOp:
            text, implicit = stream.read().decode(), not self.args.no_implicit_module
            parser = DevProcParser(self.ctx, text, self.get_input_name())
            return parser.parse_module(implicit)

        self.available_frontends["mlir"] = parse

    def register_all_passes(self) -> None:
        super().register_all_passes()
        self.available_passes.update(DEVPROC_UNIVERSE.all_passes)

    def register_all_targets(self) -> None:
        super().register_all_targets()
        self.available_targets.update(DEVPROC_UNIVERSE.all_targets)

    def register_all_arguments(self, arg_parser: ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        names = [stage.name for stage in STAGES]
        add = arg_parser.add_argument_group("stages of the pipeline").add_argument
        add("--list-stages", action=ListStages, nargs=0, help="print the stages")
        add("--to-stage", choices=names, help="run the stages up to this one")
        add("--from-stage", choices=names, help="the input is this stage's dump")
        add("--check-bounds", action="store_true", help="check accesses of CPU kernels")
        add("--check-values", action="store_true", help="look for refused values")
        add("--dump-dir", type=Path, help="write one NN-stage.mlir per stage run here")

    def apply_passes(self, prog: ModuleOp) -> None:
        """The passes of `-p`, then the stages asked for."""
        if self.args.check_bounds:
            options.set_check_bounds(prog)
        if self.args.check_values:
            options.set_check_values(prog)
        super().apply_passes(prog)
        start, stop = self.args.from_stage, self.args.to_stage
        if start or stop:
            stages = driver.stages_between(start, stop)
            driver.run_stages(prog, self.ctx, stages, dump_dir=self.args.dump_dir)
        if not self.args.disable_verify:
            verify_module(prog)


def main(args: Sequence[str] | None = None) -> int:
    """Entry point: 0, or 1 with the diagnostic on stderr."""
    try:
        DevProcOpt("DevProc's modular optimizer driver", args).run()
    except REFUSALS as error:
        print(f"devproc-opt: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
