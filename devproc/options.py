"""The options of a compilation: from the user's arguments to attributes of the module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from devproc import settings
from devproc.backend.arguments import with_defaults
from devproc.backend.installed import backends
from devproc.backend.placement import GivenPlacement, placement_of
from devproc.backend.target import parse_target
from devproc.dialects.dev import TargetAttr
from devproc.errors import CompileError, did_you_mean
from devproc.ir.devices import HOST
from devproc.ir.weight_format import ORIGINAL, parse_format

PRECISIONS = ("strict", "default", "fast")

Schedules = Mapping[str, object]
"""Glob on the names of kernels -> schedule: `{"conv2d*": "#sched.register_tile<...>"}`,
one of `devproc.dialects.sched` or its text."""


def target_options(
    target: str,
    threads: int | None = None,
    precision: str = "default",
    check_bounds: bool = False,
    check_values: bool = False,
    weights: str = ORIGINAL,
    **arguments: str,
) -> TargetAttr:
    """The attribute that holds the options; raises CompileError for invalid ones.

    `arguments` are those of single devices (`Backend.arguments`).
    """
    devices = parse_target(target)
    _check_name("precision", precision, PRECISIONS)
    threads = settings.num_threads(threads)
    stored = parse_format(weights)
    options = _device_options(devices, with_defaults(backends(), arguments))
    try:
        return TargetAttr.get(
            "+".join(devices),
            precision=precision,
            threads=threads,
            check_bounds=check_bounds,
            check_values=check_values,
            weights=weights if stored is None else str(stored),
            options=options,
        )
    except MemoryError:
        raise
    except Exception as error:
        raise CompileError(f"target '{target}': {error}") from error


def _device_options(
    devices: Mapping[str, str], arguments: Mapping[str, str]
) -> dict[str, Attribute]:
    """The options of the devices of a target and of the host; all arguments are checked."""
    found: dict[str, Attribute] = {}
    for name, device in backends().items():
        own = {a.name: arguments[a.name] for a in device.arguments}
        options = device.target_options(devices.get(name, ""), own)
        if options is not None and name in (HOST, *devices):
            found[name] = options
    return found


def _check_name(what: str, name: object, known: Sequence[str]) -> None:
    if name not in known:
        close = did_you_mean(str(name), known)
        raise CompileError(f"unknown {what} '{name}'; one of {', '.join(known)}{close}")


def set_options(
    module: ModuleOp,
    options: TargetAttr,
    placement: GivenPlacement,
    schedules: Schedules | None = None,
) -> None:
    """Writes the options on a module; the placement is appended to that of the module.

    Raises CompileError for an invalid schedule or placement.
    """
    module.attributes["devproc.target"] = options
    asked = placement_of(placement)
    _append(module, "devproc.placement", asked.devices)
    _append(module, "devproc.forbidden", asked.forbidden)
    _append(module, "devproc.memory", [(d, str(size)) for d, size in asked.memory])
    if schedules:
        from devproc.dialects.sched.overrides import set_overrides
        from devproc.dialects.sched.parsing import parse_schedule

        parsed = {p: parse_schedule(str(text)) for p, text in schedules.items()}
        set_overrides(module, parsed)


def _append(module: ModuleOp, name: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Appends pairs of strings to an attribute of the module."""
    recorded = cast(ArrayAttr[Attribute], module.attributes.get(name, ArrayAttr(())))
    rows = [
        ArrayAttr([StringAttr(first), StringAttr(second)]) for first, second in pairs
    ]
    if rows:
        module.attributes[name] = ArrayAttr([*recorded.data, *rows])


def set_checks(module: ModuleOp, option: str) -> None:
    """Turns on `check_bounds` or `check_values` of a module with or without options."""
    found = module.attributes.get("devproc.target")
    options = found if isinstance(found, TargetAttr) else TargetAttr.get()
    module.attributes["devproc.target"] = options.with_checks(option)
