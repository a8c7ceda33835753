"""`Stage`: one level of the compiler, and how those of devices find their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from devproc.errors import RegistrationError, did_you_mean


@dataclass(frozen=True)
class Stage:
    """One level of the compiler: the passes that lead to it and what may remain."""

    name: str
    why: str = ""
    passes: tuple[str, ...] = ()
    legal_after: frozenset[str] = frozenset()
    """The dialects that may remain; none given for a stage of a device: as before it."""
    device: str | None = None
    """The device it is for: for a target without it, its passes find no work."""
    after: str | None = None
    """Of a stage of a device: the stage that it follows."""
    by_kernel: bool = False
    """Whether its passes look at one kernel of the CPU at a time: a compilation lets LLVM
    work on one while it lowers the next."""
    normal_forms: bool = False
    """Whether each kernel is in its normal form then; see `ir/verification`."""
    legal_in_kernels: frozenset[str] | None = None
    """What may remain in kernels from then on, where that is not `legal_after`: in those of
    its device, or, for a stage of all devices, of all."""
    legal_of: Mapping[str, frozenset[str]] = field(
        default_factory=dict[str, frozenset[str]], hash=False
    )
    """Device -> what may remain in its kernels, where that is not `legal_after`; set by
    `with_devices`."""

    @property
    def legal_anywhere(self) -> frozenset[str]:
        """What may remain in any part of the module."""
        return self.legal_after.union(*self.legal_of.values())


def pass_paths(package: str, names: Iterable[str]) -> dict[str, str]:
    """Each pass in a file of its name: `a-b` -> `<package>.a_b:ABPass`."""
    return {
        name: f"{package}.{name.replace('-', '_')}:{name.title().replace('-', '')}Pass"
        for name in names
    }


def with_devices(
    stages: Iterable[Stage], of_devices: Sequence[Stage]
) -> tuple[Stage, ...]:
    """The stages with those of devices, each after the one that it names.

    Of a stage that has the name of another, only the passes count: they run first in
    that one. Raises RegistrationError for a stage that names none of them.
    """
    found, follow = list(stages), dict[str, str]()
    for stage in of_devices:
        names = [other.name for other in found]
        if stage.name in names:
            place = names.index(stage.name)
            passes = stage.passes + found[place].passes
            found[place] = replace(found[place], passes=passes)
            continue
        if stage.after not in names:
            close = did_you_mean(stage.after or "", names)
            raise RegistrationError(
                f"the stage '{stage.name}' of the device '{stage.device}'",
                [
                    f"`after` is '{stage.after}'; the stages are {', '.join(names)}{close}"
                ],
                "docs/backends.md",
            )
        # Stages that follow the same one keep the order of their devices.
        last = follow.get(stage.after, stage.after)
        found.insert(names.index(last) + 1, stage)
        follow[stage.after] = stage.name
    return tuple(_with_legality(found))


def _with_legality(stages: Sequence[Stage]) -> Iterable[Stage]:
    """Kernels of a device keep what was legal in them until a stage is about them."""
    devices = dict.fromkeys(stage.device for stage in stages if stage.device)
    legal: dict[str, frozenset[str]] = {}
    legal_after = frozenset[str]()
    for stage in stages:
        legal_after = stage.legal_after or legal_after
        about = [stage.device] if stage.device else list(devices)
        if stage.device or stage.legal_in_kernels:
            kernels = stage.legal_in_kernels or stage.legal_after
            legal |= dict.fromkeys((name for name in about if name), kernels)
        yield replace(stage, legal_after=legal_after, legal_of=dict(legal))
