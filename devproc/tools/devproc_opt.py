"""`devproc-opt`: xDSL's `xdsl-opt` with DevProc's dialects, passes, targets and stages.

It works on text and never imports torch, triton or llvmlite.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import Universe
from xdsl.utils.arg_spec import parse_pipeline, parse_spec
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    ParseError,
    ShrinkException,
    VerifyException,
)
from xdsl.xdsl_opt_main import xDSLOptMain

from devproc import driver, extension, options, plugins, registry
from devproc.errors import CompileError
from devproc.ir.text.parser import parse_text
from devproc.ir.verification.verify import verify_legal_dialects, verify_module
from devproc.tools.opt_errors import (
    REFUSALS,
    is_defect,
    make_pass,
    message_of,
    shows_traces,
)
from devproc.tools.stage_table import ListStages
from devproc.tools.text_target import TextTarget
from devproc.universe import DEVPROC_UNIVERSE

Made = TypeVar("Made")


class DevProcOpt(xDSLOptMain):
    """Adds DevProc's universe, which xDSL finds by entry points only if it is installed."""

    version_format = "devproc-opt (xdsl {xdsl_version})"

    failed = False
    """Whether a chunk of the input was refused."""
    passed = False
    """Whether the passes succeeded on the current chunk."""
    running = ""
    """The pass of `-p` that is running."""

    def register_all_dialects(self) -> None:
        found = Universe.get_multiverse().all_dialects
        everything = found | DEVPROC_UNIVERSE.all_dialects
        for name, factory in everything.items():
            self.ctx.register_dialect(name, factory)
        for name, dialect in extension.dialects().items():
            self.ctx.register_dialect(name, lambda dialect=dialect: dialect)

    def register_all_frontends(self) -> None:
        def parse(stream: IO[bytes]) -> ModuleOp:
            implicit = not self.args.no_implicit_module
            return parse_text(stream.read(), self.ctx, self.get_input_name(), implicit)

        self.available_frontends["mlir"] = parse

    def register_all_passes(self) -> None:
        super().register_all_passes()
        self.available_passes.update(DEVPROC_UNIVERSE.all_passes)
        for name, plugin in plugins.pass_plugins().items():
            self.available_passes[name] = lambda plugin=plugin: plugin.pass_class

    def register_all_targets(self) -> None:
        super().register_all_targets()
        self.available_targets.update(DEVPROC_UNIVERSE.all_targets)
        self.available_targets["mlir"] = lambda: TextTarget

    def register_all_arguments(self, arg_parser: ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        names = [stage.name for stage in plugins.stages()]
        add = arg_parser.add_argument_group("stages of the pipeline").add_argument
        add("--list-stages", action=ListStages, nargs=0, help="print the stages")
        add("--to-stage", choices=names, help="run the stages up to this one")
        add("--from-stage", choices=names, help="the input is this stage's dump")
        add("--check-bounds", action="store_true", help="check accesses of CPU kernels")
        add("--check-values", action="store_true", help="look for refused values")
        add("--dump-dir", type=Path, help="write one NN-stage.mlir per stage run here")

    def setup_pipeline(self) -> None:
        """Sets up the passes of `-p`, and records the running one."""
        try:
            specs = list(parse_pipeline(self.args.passes))
        # xDSL's error is not derived from `Exception`.
        except ArgSpecParseError as error:
            raise CompileError(f"-p {self.args.passes}: {error}") from None
        passes = tuple(make_pass(spec, self.available_passes) for spec in specs)
        spelled, self.args.passes = self.args.passes, ""
        super().setup_pipeline()
        self.args.passes = spelled
        between = self.pipeline.callback

        def callback(
            before: ModulePass | None, module: ModuleOp, after: ModulePass | None
        ) -> None:
            if between is not None:
                between(before, module, after)
            self.running = "" if after is None else after.name

        self.pipeline = PassPipeline(passes, callback)

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        """A file, or standard input for `-` and by default."""
        if self.args.input_file == "-":
            self.args.input_file = None
        return super().get_input_stream()

    def parse_chunk(
        self, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        """The module of a chunk; None if it is invalid and others continue."""

        def parse() -> ModuleOp | None:
            return super(DevProcOpt, self).parse_chunk(chunk, file_extension)

        return self._or_note(parse, start_offset)

    def apply_passes(self, prog: ModuleOp) -> None:
        """Runs the passes and checks the stage for the target; see `_or_note`."""

        def apply() -> bool:
            self._run_passes(prog)
            self._require_stage(prog)
            return True

        self.passed = self._or_note(apply) is not None

    def output_resulting_program(self, prog: ModuleOp) -> str:
        """The text of a chunk, empty if it was invalid."""

        def output() -> str:
            return super(DevProcOpt, self).output_resulting_program(prog)

        return self._or_note(output) or "" if self.passed else ""

    def _run_passes(self, prog: ModuleOp) -> None:
        """Runs the passes of `-p`, then the requested stages."""
        if not self.args.disable_verify:
            prog.verify()
        for check in ("check_bounds", "check_values"):
            if getattr(self.args, check):
                options.set_checks(prog, check)
        try:
            super().apply_passes(prog)
            self._run_stages(prog)
        except ShrinkException:
            if self.args.shrink:
                raise
            raise CompileError("a pass has found what --shrink looks for") from None
        except REFUSALS as error:
            if self.args.shrink and is_defect(error):
                raise ShrinkException from error
            raise
        except Exception as error:
            if self.args.shrink:
                raise ShrinkException from error
            if shows_traces():
                raise
            where = f"pass '{self.running}': " if self.running else ""
            raise CompileError(f"{where}{message_of(error)}") from error
        if not self.args.disable_verify:
            verify_module(prog)

    def _run_stages(self, prog: ModuleOp) -> None:
        start, stop = self.args.from_stage, self.args.to_stage
        if start or stop:
            stages = driver.stages_between(start, stop)
            driver.run_stages(prog, self.ctx, stages, dump_dir=self.args.dump_dir)

    def _require_stage(self, prog: ModuleOp) -> None:
        """Raises CompileError if the target needs stages that have not run."""
        target = parse_spec(self.args.target).name
        printed = registry.texts().get(target)
        if printed is None:
            return
        needed = printed.stage
        try:
            later = [s.legal_anywhere for s in driver.stages_between(needed, None)]
            legal = driver.stage_named(needed).legal_anywhere.union(*later)
            verify_legal_dialects(prog, extension.with_dialects(legal), needed)
        except VerifyException as error:
            raise CompileError(
                f"-t {target} prints a module of the stage '{needed}', which this is "
                f"not; add --to-stage {needed}, and --from-stage with the stage of a "
                f"dump ({error})"
            ) from None

    def _or_note(self, make: Callable[[], Made], offset: int = 0) -> Made | None:
        """The result of `make`; prints the error of an invalid chunk if there are several."""
        try:
            return make()
        except REFUSALS as error:
            if not self.args.split_input_file or self._is_wanted(error):
                raise
            if isinstance(error, ParseError):
                error.span = replace(error.span, line_offset=offset)
            print(f"devproc-opt: {message_of(error)}", file=sys.stderr)
            self.failed = True
            return None

    def _is_wanted(self, error: Exception) -> bool:
        """Whether xDSL prints the error as the expected result."""
        if isinstance(error, ParseError):
            return self.args.parsing_diagnostics
        return self.args.verify_diagnostics


def main(args: Sequence[str] | None = None) -> int:
    """Entry point: 0, or 1 with the diagnostic on stderr."""
    try:
        tool = DevProcOpt("DevProc's modular optimizer driver", args)
        tool.run()
    except Exception as error:
        if shows_traces() and not isinstance(error, (*REFUSALS, ValueError)):
            raise
        print(f"devproc-opt: {message_of(error)}", file=sys.stderr)
        return 1
    return int(tool.failed)


if __name__ == "__main__":
    sys.exit(main())
