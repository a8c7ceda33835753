"""The loop over the stages: run the passes, verify, check what may remain, dump."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ShrinkException, VerifyException

from devproc import extension, registry
from devproc.dialects.dev import TargetAttr
from devproc.errors import CompileError, did_you_mean
from devproc.ir.text.parser import parse_text
from devproc.ir.text.printer import DevProcPrinter
from devproc.ir.verification.verify import verify_legal_dialects, verify_module
from devproc.ir.verification.verify_ops import VerifiedForms
from devproc.settings import debug_level, verify_each_pass
from devproc.stages import STAGES, Stage
from devproc.timings import StageRecord

UPSTREAM_DIALECTS = (
    "arith",
    "func",
    "math",
    "memref",
    "scf",
    "tensor",
    "vector",
)


def make_context() -> Context:
    """A context with our dialects and the upstream ones that the stages use."""
    from xdsl.dialects import get_all_dialects

    upstream = get_all_dialects()
    context = Context()
    context.load_dialect(Builtin)
    for name in UPSTREAM_DIALECTS:
        context.register_dialect(name, upstream[name])
    for name, path in (registry.DIALECTS | registry.EXTENDED_DIALECTS).items():
        context.register_dialect(name, lambda path=path: registry.load(path))
    for name, dialect in extension.dialects().items():
        context.register_dialect(name, lambda dialect=dialect: dialect)
    return context


def stage_named(name: str) -> Stage:
    """The stage of this name; raises CompileError listing the known ones."""
    for stage in STAGES:
        if stage.name == name:
            return stage
    known = [stage.name for stage in STAGES]
    listed, close = (
        ", ".join(known),
        did_you_mean(name, (*known, "llvm-ir", "triton-source")),
    )
    raise CompileError(f"no stage named '{name}'; the stages are {listed}{close}")


def stages_between(after: str | None, to: str | None) -> Iterator[Stage]:
    """The stages behind `after` (from the first if None) up to and with `to`."""
    names = [stage.name for stage in STAGES]
    begin = 0 if after is None else names.index(stage_named(after).name) + 1
    end = len(names) if to is None else names.index(stage_named(to).name) + 1
    yield from STAGES[begin:end]


def run_stages(
    module: ModuleOp,
    context: Context,
    stages: Iterable[Stage] = STAGES,
    *,
    verify: bool = True,
    dump_dir: Path | None = None,
    options: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.perf_counter,
    forms: VerifiedForms | None = None,
) -> list[StageRecord]:
    """Runs the passes of `stages` on `module`, in place.

    A stage that the target has no work for is left out. After any other, the module is
    verified (with `DEVPROC_VERIFY=pass` also after each pass) and its dialects are checked
    against `legal_after`; `dump_dir` receives one `NN-<stage>.mlir` per stage. `options`
    replaces a pass by a spec with options, by name; `clock` gives the seconds of the
    records; `forms` are those that earlier stages of the same compilation have verified.
    Raises CompileError naming the stage and the pass. `DEVPROC_DEBUG` prints times and
    text to stderr on the way.
    """
    debug, each_pass = debug_level(), verify and verify_each_pass()
    records: list[StageRecord] = []
    forms = VerifiedForms() if forms is None else forms
    for stage in stages:
        record = StageRecord(stage.name)
        has_work = _has_work(stage, module)
        for name in stage.passes if has_work else ():
            start = clock()
            run_pass((options or {}).get(name, name), module, context, stage.name)
            record.seconds[name] = clock() - start
            if each_pass:
                _verify(module, forms, f"pass '{name}'")
            if debug >= 3:
                print(f"// after {name}\n{module_text(module)}", file=sys.stderr)
        if verify and has_work:
            start = clock()
            _verify(module, forms, f"stage '{stage.name}'", stage)
            record.seconds["verify"] = clock() - start
        if debug >= 1:
            print(f"{stage.name}: {record.total_seconds:.3f} s", file=sys.stderr)
        if debug == 2:
            print(module_text(module), file=sys.stderr)
        if dump_dir is not None:
            dump_dir.mkdir(parents=True, exist_ok=True)
            number = [s.name for s in STAGES].index(stage.name)
            path = dump_dir / f"{number:02d}-{stage.name}.mlir"
            path.write_text(module_text(module))
        records.append(record)
    return records


def _has_work(stage: Stage, module: ModuleOp) -> bool:
    target = module.attributes.get("devproc.target")
    if stage.device is None or not isinstance(target, TargetAttr):
        return True
    return stage.device in target.device_names


def _verify(
    module: ModuleOp, forms: VerifiedForms, where: str, stage: Stage | None = None
) -> None:
    """Verify a module after a pass, or after a stage: also its dialects."""
    try:
        verify_module(module, forms)
        if stage is not None:
            legal = extension.with_dialects(stage.legal_after)
            verify_legal_dialects(module, legal, stage.name)
    except VerifyException as error:
        raise CompileError(f"after {where}: {error}") from error


def run_pass(name: str, module: ModuleOp, context: Context, stage: str) -> None:
    """Runs one pass (a name, or a spec with options) on the module."""
    try:
        make_pass(name).apply(context, module)
    except (CompileError, ShrinkException):
        raise
    except Exception as error:
        why = str(error) or type(error).__name__
        raise CompileError(f"stage '{stage}', pass '{name}': {why}") from error


@cache
def make_pass(spec: str) -> ModulePass:
    """The pass of a spec such as `place-ops{target=cpu}`: ours first, then xDSL's.

    A pass has no state: one serves all kernels, which take most of them one by one.
    """
    upstream = get_all_passes()
    available = {
        name: (lambda path=path: registry.load(path))
        for name, path in registry.PASSES.items()
    }
    parsed = parse_spec(spec)
    factory = available.get(parsed.name) or upstream[parsed.name]
    return factory().from_pass_spec(parsed)


def module_text(module: ModuleOp) -> str:
    """The module as text with its source locations; parses back to the same module."""
    stream = io.StringIO()
    printer = DevProcPrinter(stream, print_debuginfo=True)
    printer.print_op(module)
    stream.write("\n")
    return stream.getvalue()


def parse_module(
    text: str, context: Context | None = None, name: str = "<text>"
) -> ModuleOp:
    """The module of a stage's text."""
    return parse_text(text, context or make_context(), name)


def stage_text(program_text: str, stage: str) -> str:
    """The text of a stage, or of "llvm-ir" or "triton-source", from the first stage's."""
    if stage == "llvm-ir":
        from devproc.targets.cpu.llvm_ir import print_module as emit
    elif stage == "triton-source":
        from devproc.targets.triton.printer import print_module as emit
    else:
        stage_named(stage)
        emit = module_text
    context = make_context()
    module = parse_module(program_text, context)
    last = stage if emit is module_text else None
    run_stages(module, context, stages_between("program", last), verify=False)
    return emit(module)
