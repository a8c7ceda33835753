"""The loop over the stages: run the passes, verify, check what may remain, dump."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import (
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ShrinkException, VerifyException

from devproc import extension, plugins, registry
from devproc.backend.stage import Stage
from devproc.dialects.dev import TargetAttr, checks_bounds
from devproc.errors import CompileError, did_you_mean
from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import KernelModule, put_back, take_kernels
from devproc.ir.text.parser import parse_text
from devproc.ir.text.printer import DevProcPrinter
from devproc.ir.verification.verify import verify_legal_dialects, verify_module
from devproc.ir.verification.verify_kernels import verify_kernel_forms
from devproc.ir.verification.verify_ops import VerifiedForms
from devproc.settings import debug_level, verify_each_pass
from devproc.timings import StageRecord, announce

UPSTREAM_DIALECTS = "arith func linalg llvm math memref scf tensor vector".split()


def make_context() -> Context:
    """A context with our dialects and the upstream ones that the stages use."""
    from xdsl.dialects import get_all_dialects

    upstream = get_all_dialects()
    context = Context()
    context.load_dialect(Builtin)
    for name in UPSTREAM_DIALECTS:
        context.register_dialect(name, upstream[name])
    for name, path in registry.dialects().items():
        context.register_dialect(name, lambda path=path: registry.load(path))
    for name, dialect in extension.dialects().items():
        context.register_dialect(name, lambda dialect=dialect: dialect)
    return context


def stage_named(name: str) -> Stage:
    """The stage of this name; raises CompileError listing the known ones."""
    for stage in plugins.stages():
        if stage.name == name:
            return stage
    known = [stage.name for stage in plugins.stages()]
    close = did_you_mean(name, (*known, *registry.texts()))
    listed = ", ".join(known)
    raise CompileError(f"no stage named '{name}'; the stages are {listed}{close}")


def stages_between(after: str | None, to: str | None) -> Iterator[Stage]:
    """The stages after `after` (from the first if None) up to and including `to`."""
    names = [stage.name for stage in plugins.stages()]
    begin = 0 if after is None else names.index(stage_named(after).name) + 1
    end = len(names) if to is None else names.index(stage_named(to).name) + 1
    yield from plugins.stages()[begin:end]


def stages_before(pass_name: str) -> Iterator[Stage]:
    """The stages up to a pass, without it: the last one ends early."""
    for stage in plugins.stages():
        if pass_name in stage.passes:
            end = stage.passes.index(pass_name)
            yield replace(stage, passes=stage.passes[:end])
            return
        yield stage


@dataclass
class StageRun:
    """Runs stages on a module, in place, for compilations and dumps.

    From the first stage that works on one kernel at a time on, each CPU kernel is in its
    own module, on which stages are deferred: `kernels` runs them on one kernel after the
    other, `join` puts the kernels back. With `check_bounds`, accesses are numbered across
    all kernels, which then stay in the module.
    """

    module: ModuleOp
    context: Context = field(default_factory=make_context)
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of a pass -> spec with options that replaces it."""
    unverified: Container[str] = ()
    """Stages after which the module is not verified."""
    clock: Callable[[], float] = time.perf_counter
    before: Mapping[str, Callable[[ModuleOp], None]] = field(
        default_factory=dict[str, Callable[[ModuleOp], None]]
    )
    """Name of a pass -> observer that is called with the module before it."""
    records: dict[str, StageRecord] = field(default_factory=dict[str, StageRecord])

    def __post_init__(self) -> None:
        self._forms = VerifiedForms()
        self._parts: list[KernelModule] | None = None
        self._behind: list[Stage] = []

    def run(self, stages: Iterable[Stage]) -> None:
        """Runs stages on the module; on kernels in their own modules they are deferred."""
        for stage in stages:
            announce(f"stage {stage.name}")
            self.records.setdefault(stage.name, StageRecord(stage.name))
            if stage.by_kernel:
                self._split()
                self._behind.append(stage)
            self._run_stage(stage, self.module)

    def kernels(self) -> Iterator[KernelModule]:
        """The kernels in their own modules, one by one, each at the stage of the module."""
        parts, stages = self._parts or [], self._behind
        self._parts, self._behind = None, []
        for number, part in enumerate(parts, 1):
            announce(f"kernel {number} of {len(parts)}: {part.name}")
            for stage in stages:
                self._run_stage(stage, part.module)
            yield part

    def join(self) -> None:
        """Puts all kernels back into the module."""
        put_back(self.module, self.kernels())

    def _split(self) -> None:
        if self._parts is not None or checks_bounds(self.module):
            return
        try:
            self._parts = take_kernels(self.module)
        except VerifyException as error:
            raise CompileError(str(error)) from error

    def _run_stage(self, stage: Stage, module: ModuleOp) -> None:
        """Runs a stage on the module or that of one kernel, unless the target has none of it."""
        if not _has_work(stage, module):
            return
        debug, each_pass = debug_level(), verify_each_pass()
        record, verify = StageRecord(stage.name), stage.name not in self.unverified
        for name in stage.passes:
            if name in self.before:
                self.before[name](module)
            start = self.clock()
            run_pass(self.options.get(name, name), module, self.context, stage.name)
            record.seconds[name] = self.clock() - start
            if verify and each_pass:
                _verify(module, self._forms, f"pass '{name}'")
            if debug >= 3:
                print(f"// after {name}\n{module_text(module)}", file=sys.stderr)
        if verify:
            start = self.clock()
            _verify(module, self._forms, f"stage '{stage.name}'", stage)
            record.seconds["verify"] = self.clock() - start
        if debug >= 1:
            print(f"{stage.name}: {record.total_seconds:.3f} s", file=sys.stderr)
        if debug == 2:
            print(module_text(module), file=sys.stderr)
        self.records[stage.name].add(record)


def run_stages(
    module: ModuleOp,
    context: Context,
    stages: Iterable[Stage] | None = None,
    *,
    verify: bool = True,
    dump_dir: Path | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[StageRecord]:
    """Runs the passes of `stages` on `module`, in place.

    Stages for a device that the target lacks are skipped. After any other, the module is
    verified (with `DEVPROC_VERIFY=pass` also after each pass) and its dialects are checked
    against those that may remain; `dump_dir` receives one `NN-<stage>.mlir` per stage.
    `clock` gives the seconds of the records. Raises CompileError naming the stage and the
    pass. `DEVPROC_DEBUG` prints times and text to stderr on the way.
    """
    names = [stage.name for stage in plugins.stages()]
    run = StageRun(module, context, unverified=() if verify else names, clock=clock)
    for stage in plugins.stages() if stages is None else stages:
        run.run([stage])
        if dump_dir is not None:
            run.join()
            dump_dir.mkdir(parents=True, exist_ok=True)
            path = dump_dir / f"{names.index(stage.name):02d}-{stage.name}.mlir"
            path.write_text(module_text(module))
    run.join()
    return list(run.records.values())


def _has_work(stage: Stage, module: ModuleOp) -> bool:
    target = module.attributes.get("devproc.target")
    if stage.device is None or not isinstance(target, TargetAttr):
        return True
    return stage.device in (HOST, *target.device_names)


def _verify(
    module: ModuleOp, forms: VerifiedForms, where: str, stage: Stage | None = None
) -> None:
    """Verifies a module after a pass; after a stage also its dialects and kernels."""
    try:
        verify_module(module, forms)
        if stage is not None:
            legal = extension.with_dialects(stage.legal_after)
            verify_legal_dialects(module, legal, stage.name, stage.legal_of)
            if stage.normal_forms:
                verify_kernel_forms(module)
    except VerifyException as error:
        raise CompileError(f"after {where}: {error}") from error


def run_pass(name: str, module: ModuleOp, context: Context, stage: str) -> None:
    """Runs one pass (a name, or a spec with options) on the module."""
    try:
        make_pass(name).apply(context, module)
    except (CompileError, ShrinkException, MemoryError):
        raise
    except Exception as error:
        why = str(error) or type(error).__name__
        raise CompileError(f"stage '{stage}', pass '{name}': {why}") from error


def make_pass(spec: str) -> ModulePass:
    """The pass of a spec such as `place-ops{target=cpu}`: ours, xDSL's or of a plugin.

    Passes are stateless, so an instance of ours is cached and reused for each kernel.
    """
    plugin = plugins.pass_plugins().get(parse_spec(spec).name)
    if plugin is None:
        return _known_pass(spec)
    return plugin.pass_class.from_pass_spec(parse_spec(spec))


@cache
def _known_pass(spec: str) -> ModulePass:
    """A pass of ours or xDSL's, which does not change while the process runs."""
    parsed = parse_spec(spec)
    path = registry.passes().get(parsed.name)
    known = registry.load(path) if path else get_all_passes()[parsed.name]()
    return known.from_pass_spec(parsed)


def module_text(module: ModuleOp, locations: bool = True) -> str:
    """The module as text, with its source locations; parses back to the same module."""
    stream = io.StringIO()
    printer = DevProcPrinter(stream, print_debuginfo=locations)
    printer.print_op(module)
    stream.write("\n")
    return stream.getvalue()


def parse_module(
    text: str, context: Context | None = None, name: str = "<text>"
) -> ModuleOp:
    """The module of the text of a stage."""
    return parse_text(text, context or make_context(), name)


def stage_text(program_text: str, stage: str) -> str:
    """The text of a stage, or of a device ("llvm-ir", say), from that of the first stage."""
    module, context = parse_module(program_text), make_context()
    printed = registry.texts().get(stage)
    last = stage_named(printed.stage if printed else stage).name
    run_stages(module, context, stages_between(None, last), verify=False)
    return _emit(module, context, stage)


def dump_stages(program_text: str, folder: Path) -> Sequence[Path]:
    """Writes each stage, and the texts of its devices; returns the paths."""
    module, context = parse_module(program_text), make_context()
    run_stages(module, context, verify=False, dump_dir=folder)
    for name, text in registry.texts().items():
        (folder / text.file).write_text(_emit(module, context, name))
    return sorted(folder.iterdir())


def _emit(module: ModuleOp, context: Context, target: str) -> str:
    """The module as printed by a target, or else as IR text."""
    printed = registry.texts().get(target)
    if printed is None:
        return module_text(module)
    stream = io.StringIO()
    registry.load(printed.target)().emit(context, module, stream)
    return stream.getvalue()
