"""The `target` of a compilation: devices by name, each with its option."""

from __future__ import annotations

from devproc.backend.installed import backend, broken, device_names
from devproc.errors import CompileError, did_you_mean
from devproc.ir.devices import HOST


def parse_target(target: str) -> dict[str, str]:
    """Device -> option ("" for none) of a target such as `cpu+cuda:interpret+npu`.

    Raises CompileError for an unknown device or option, or one that is named twice.
    """
    found: dict[str, str] = {}
    for part in str(target).split("+"):
        name, _, option = part.partition(":")
        _check(target, name, option)
        if name in found:
            raise CompileError(f"target '{target}' names the device '{name}' twice")
        found[name] = option
    if len(found) > 1 and HOST not in found:
        raise CompileError(
            f"target '{target}' has several devices, but not '{HOST}', which the copies "
            f"between them go over; write '{HOST}+{target}'"
        )
    return found


def _check(target: str, name: str, option: str) -> None:
    if name not in device_names() or not backend(name).is_target:
        known = [d for d in device_names() if d in broken() or backend(d).is_target]
        raise CompileError(
            f"unknown target '{target}': there is no device '{name}'; the devices are "
            f"{', '.join(known)}, several are joined by '+'{did_you_mean(name, known)}"
        )
    if option and option not in backend(name).options:
        spelled = [f"{name}:{known}" for known in backend(name).options]
        options = ", ".join(f"'{text}'" for text in spelled) or "none"
        raise CompileError(
            f"unknown target '{target}': '{name}' has no option '{option}'; it has "
            f"{options}{did_you_mean(f'{name}:{option}', spelled)}"
        )


def shared_memories(target: str) -> frozenset[str]:
    """The devices whose memory a program may use; always includes the host."""
    return frozenset({HOST, *parse_target(target)})
