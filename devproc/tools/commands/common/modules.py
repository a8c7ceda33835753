"""The IR of a source, for commands that look into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devproc.errors import CompileError, did_you_mean
from devproc.tools.commands.common.options import keywords
from devproc.tools.commands.common.source import read

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp


def first_module(source: str, target: str, options: dict[str, Any]) -> ModuleOp:
    """The program at its first stage, with its options: a saved one has them."""
    from devproc.runtime.bundles.files import SAVED, kind_of

    if kind_of(Path(source)) is SAVED:
        from devproc.driver import parse_module
        from devproc.program import load

        return parse_module(load(source).artifact.program_text)
    from devproc.options import set_options, target_options
    from devproc.runtime.cache.cache_key import keyed_options
    from devproc.source import read_source

    given = keywords(options)
    program = read_source(
        read(source, options),
        given.pop("fallback"),
        trust_pickle=given.pop("trust_pickle"),
    )
    placement, schedules = given.pop("placement"), given.pop("schedules")
    chosen = target_options(**keyed_options(target, **given))
    set_options(program.module, chosen, placement, schedules)
    return program.module


def scheduled_kernels(
    module: ModuleOp, pattern: str = "*"
) -> Mapping[str, Sequence[FuncOp]]:
    """Device -> its kernels with names of a pattern, of a module at its first stage.

    The module is used up. Raises CompileError if no kernel has such a name.
    """
    from devproc.driver import StageRun, stages_between
    from devproc.ir.program.kernel_modules import device_of_code, lowered_kernels
    from devproc.stages import STAGES

    run = StageRun(module, unverified=[stage.name for stage in STAGES])
    run.run(stages_between(None, "schedules"))
    run.join()
    found: dict[str, list[Any]] = {}
    kernels = list(lowered_kernels(module))
    for kernel in kernels:
        if fnmatchcase(kernel.sym_name.data, pattern):
            found.setdefault(device_of_code(kernel) or "", []).append(kernel)
    if not found:
        names = [kernel.sym_name.data for kernel in kernels]
        close = did_you_mean(pattern, names)
        raise CompileError(
            f"no kernel is called '{pattern}'; there are {', '.join(names)}{close}"
        )
    return found
