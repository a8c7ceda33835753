"""From LLVM IR text to machine code.

The IR is parsed and verified first: LLVM's errors become CompileErrors, while code that
LLVM cannot select would abort the process. Kernels are vectorised already, so the loop
vectoriser and unroller are off by default, which halves the time.
"""

# llvmlite has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import llvmlite
import llvmlite.binding as llvm

from devproc import settings
from devproc.errors import CompileError
from devproc.ir.object_cache import ObjectCache
from devproc.ir.source_digest import content_key
from devproc.targets.cpu.intrinsics import check_intrinsics
from devproc.targets.cpu.machine.cpu_target import LLVM, CPUTarget

Emitted = TypeVar("Emitted", str, bytes)
Result = TypeVar("Result")

_library_numbers = itertools.count()
_emissions = 0


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def _initialize_all() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@dataclass(frozen=True)
class CompileOptions:
    """The effort of LLVM.

    `level`, 0 to 3, is that of the optimiser and the code generator (for which 1 is the
    minimum: level 0 spills everything). `vectorize` enables LLVM's vectorisers and unroller,
    for scalar loops that no schedule vectorised. Without `passes` the code generator gets
    the IR as it is.
    """

    level: int = 2
    vectorize: bool = False
    passes: bool = True


def _target_machine(target: CPUTarget, level: int) -> Any:
    if target.triple == CPUTarget.host().triple:
        _initialize()
    else:
        _initialize_all()
    try:
        found = llvm.Target.from_triple(target.triple)
    except RuntimeError as error:
        raise CompileError(f"LLVM has no target '{target.triple}': {error}") from None
    # Position-independent code in the default code model addresses constants relative to
    # the instruction; the large model, the `jit` default, does not.
    return found.create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=max(1, level),
        reloc="pic",
        codemodel="default",
        jit=target.triple == CPUTarget.host().triple,
    )


def parse_ir(ir: str, target: CPUTarget, machine: Any) -> Any:
    """Parses and verifies; an error names the line of the IR."""
    check_intrinsics(ir, target)
    try:
        module = llvm.parse_assembly(ir)
        module.verify()
    except RuntimeError as error:
        raise CompileError(f"LLVM refuses the generated IR: {error}") from None
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    return module


def _optimize(module: Any, machine: Any, options: CompileOptions) -> None:
    if not options.passes:
        return
    tuning = llvm.create_pipeline_tuning_options(speed_level=options.level)
    tuning.loop_vectorization = options.vectorize
    tuning.slp_vectorization = options.vectorize
    tuning.loop_unrolling = options.vectorize
    tuning.loop_interleaving = options.vectorize
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


def _emit(emit: Callable[[Any], Emitted], module: Any) -> Emitted:
    """The result of `emit`, without LLVM's loop strength reduction.

    That pass takes a third of the time of code generation and does not improve our loops:
    `convert-to-llvm` has already hoisted invariants and folded constants into the accesses.
    Its switch is global to the process and restored for other users of llvmlite.
    """
    global _emissions
    # Counted, since a signal handler may compile between two of these lines.
    _emissions += 1
    llvm.set_option("devproc", "-disable-lsr=true")
    try:
        return emit(module)
    finally:
        _emissions -= 1
        if not _emissions:
            llvm.set_option("devproc", "-disable-lsr=false")


def _object_of(machine: Any, module: Any) -> bytes:
    return _emit(machine.emit_object, module)


def _assembly_of(machine: Any, module: Any) -> str:
    return _emit(machine.emit_assembly, module)


def _text_of(machine: Any, module: Any) -> str:
    return str(module)


def _optimized(
    ir: str,
    target: CPUTarget,
    options: CompileOptions,
    finish: Callable[[Any, Any], Emitted],
) -> Emitted:
    machine = _target_machine(target, options.level)
    module = parse_ir(ir, target, machine)
    _optimize(module, machine, options)
    return finish(machine, module)


def _with_llvm(function: Callable[..., Result], *args: Any) -> Result:
    """Calls `function`; its LLVM objects are freed before a fork may happen."""
    with LLVM:
        return function(*args)


def compile_object(
    ir: str,
    target: CPUTarget | None = None,
    options: CompileOptions = CompileOptions(),
    cache: ObjectCache | None = None,
) -> bytes:
    """The object file of some LLVM IR, from the cache if it is there."""
    target = target or CPUTarget.host()
    if cache is None:
        cache = ObjectCache(settings.cache_dir())
    version = f"llvmlite {llvmlite.__version__}"
    key = content_key(
        (ir, target.triple, target.cpu, target.features, str(options), version)
    )

    def create() -> bytes:
        return _with_llvm(_optimized, ir, target, options, _object_of)

    return cache.get_or_create(key, create)


def link_modules(
    codes: Sequence[tuple[str, CPUTarget, CompileOptions]],
    plain: Sequence[str],
    target: CPUTarget,
    exported: Container[str],
    small: bool = False,
) -> tuple[bytes, list[str]]:
    """One object file of several LLVM modules, and the functions that it may import.

    Each of `codes` is optimised on its own for a processor, as `compile_object` does, so that
    the result has the same bits. Code for another processor than that of `target` needs it in
    the attributes of its functions (`with_processor`). `plain` IR, which brings its own
    attributes, is optimised for size as a whole. Only the functions in `exported` are visible
    outside. With `small` LLVM prefers short code for all.
    """

    def link() -> tuple[bytes, list[str]]:
        llvm.initialize_native_asmparser()  # for CPUID
        machine = _target_machine(target, 2)
        whole = _parsed_together(plain, target, machine)
        _optimize(whole, machine, CompileOptions(1))
        for ir, own, options in codes:
            tuned = _target_machine(own, 2)
            module = parse_ir(ir, own, tuned)
            if small:
                _prefer_size(module)
            _optimize(module, tuned, options)
            whole.link_in(module)
        for value in (*whole.functions, *whole.global_variables):
            if not value.is_declaration and value.name not in exported:
                value.visibility = "default"
                value.linkage = "internal"
        whole.verify()
        declared = [f.name for f in whole.functions if f.is_declaration]
        imports = [name for name in declared if not name.startswith("llvm.")]
        return _object_of(machine, whole), imports

    return _with_llvm(link)


def with_processor(ir: str, target: CPUTarget) -> str:
    """The IR with a processor in the attributes of all functions that it defines."""
    own = f'"target-cpu"="{target.cpu}" "target-features"="{target.features}"'
    return re.sub(r"^(define .*) \{$", rf"\1 {own} {{", ir, flags=re.M)


def _prefer_size(module: Any) -> None:
    for function in module.functions:
        if not function.is_declaration:
            function.add_function_attribute("minsize")
            function.add_function_attribute("optsize")


def _parsed_together(texts: Sequence[str], target: CPUTarget, machine: Any) -> Any:
    first, *others = (parse_ir(text, target, machine) for text in texts)
    for module in others:
        first.link_in(module)
    return first


def optimized_ir(
    ir: str,
    target: CPUTarget | None = None,
    options: CompileOptions = CompileOptions(),
) -> str:
    """The IR after LLVM's optimiser, for inspection."""
    target = target or CPUTarget.host()
    return _with_llvm(_optimized, ir, target, options, _text_of)


def assembly(
    ir: str,
    target: CPUTarget | None = None,
    options: CompileOptions = CompileOptions(),
) -> str:
    """The assembly text of some IR, for inspection."""
    target = target or CPUTarget.host()
    return _with_llvm(_optimized, ir, target, options, _assembly_of)


@cache
def _lljit() -> Any:
    """The linker of the process; each library has its own namespace."""
    machine = _target_machine(CPUTarget.host(), 2)
    return llvm.create_lljit_compiler(machine, use_jit_link=True)


class JITLibrary:
    """Object code in this process, linked by LLVM; it is unloaded with the object.

    Used on processors that `object_linker` does not support.
    """

    def __init__(self, files: Sequence[bytes], symbols: Mapping[str, int]):
        self._name = f"devproc{next(_library_numbers)}"
        builder = llvm.JITLibraryBuilder().add_current_process()
        for code in files:
            builder.add_object_img(code)
        for name, address in symbols.items():
            builder.import_symbol(name, address)
        with LLVM:
            try:
                self._tracker = builder.link(_lljit(), self._name)
            except RuntimeError as error:
                raise CompileError(f"cannot link the object code: {error}") from None
        # Each lookup returns a tracker, and freeing any of them unloads the code.
        self._found: dict[str, Any] = {}

    def address(self, name: str) -> int:
        """The address of an external function of the code."""
        # One lookup for all threads: freeing the tracker of a second one would unload the
        # code while the first thread runs it.
        with LLVM:
            if name not in self._found:
                try:
                    self._found[name] = _lljit().lookup(self._name, name)
                except RuntimeError as error:
                    raise CompileError(
                        f"the object code has no function '{name}': {error}"
                    ) from None
            return int(self._found[name][name])
