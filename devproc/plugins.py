"""Plugins: passes of other packages, placed in the pipeline by entry points.

`docs/custom_ops.md` shows one. An installed package takes part without being imported by
the user, so that every tool sees the same pipeline. Neither xDSL nor such a package is
imported before a stage runs; keys of compiled programs use a digest of their sources.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from devproc import registry
from devproc.backend import Backend
from devproc.backend.installed import backends, refusal
from devproc.backend.stage import Stage, with_devices
from devproc.errors import did_you_mean
from devproc.ir.entry_points import (
    PASSES,
    found_entry_points,
    load_entry_point,
    point_refusal,
    require_one_package,
)
from devproc.stages import COMMON, STAGES
from devproc.targets import BACKENDS, device_stages

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from xdsl.passes import ModulePass

WHAT = "pass"
"""What an entry point of the group is, in messages."""


@dataclass(frozen=True)
class PassPlugin:
    """A pass and its place in the pipeline: what an entry point refers to.

    It runs in `stage`, directly after or before another pass of that stage, or as the last
    one. In stages that work on one kernel at a time (`Stage.by_kernel`) it gets modules with
    one kernel each.
    """

    pass_class: type[ModulePass]
    stage: str
    after: str | None = None
    before: str | None = None


def stages() -> tuple[Stage, ...]:
    """`STAGES` with the passes of other packages in their places.

    Raises RegistrationError for a package whose pass cannot take part.
    """
    return _stages_on(tuple(sys.path))


def pass_plugins() -> Mapping[str, PassPlugin]:
    """The passes of other packages by name; raises RegistrationError as `stages` does."""
    return _plugins_on(tuple(sys.path))


def found_passes(folders: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """The entry points of passes, each of the name of its pass, for a value of `sys.path`."""
    return found_entry_points(PASSES, folders)


@cache
def _plugins_on(folders: tuple[str, ...]) -> Mapping[str, PassPlugin]:
    points = found_passes(folders)
    require_one_package(WHAT, points)
    return {point.name: _load(point) for point in points}


def _load(point: EntryPoint) -> PassPlugin:
    """What an entry point refers to, checked; raises RegistrationError."""
    from xdsl.passes import ModulePass
    from xdsl.transforms import get_all_passes

    plugin = load_entry_point(WHAT, point)
    if not isinstance(plugin, PassPlugin):
        raise point_refusal(
            WHAT,
            point,
            f"'{point.value}' is a {type(plugin).__name__}; give a devproc.plugins."
            "PassPlugin, which says in which stage the pass runs",
        )
    class_ = plugin.pass_class
    if not (isinstance(class_, type) and issubclass(class_, ModulePass)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise point_refusal(
            WHAT, point, f"{class_} is not a subclass of xdsl.passes.ModulePass"
        )
    if class_.name != point.name:
        raise point_refusal(
            WHAT,
            point,
            f"the class {class_.__name__} has the name '{class_.name}'; the entry point "
            "must have the same",
        )
    if point.name in registry.passes() or point.name in get_all_passes():
        raise point_refusal(
            WHAT, point, "the name is that of a pass of DevProc or xDSL; rename it"
        )
    return plugin


@cache
def _stages_on(folders: tuple[str, ...]) -> tuple[Stage, ...]:
    waiting, stages = dict(_plugins_on(folders)), with_plugins()
    if not waiting:
        return stages
    points = {point.name: point for point in found_passes(folders)}
    passes = {stage.name: list(stage.passes) for stage in stages}
    # A pass may be placed next to another plugin, which then has to be placed first.
    while placed := [name for name, p in waiting.items() if _place(name, p, passes)]:
        for name in placed:
            del waiting[name]
    for name, plugin in waiting.items():
        raise point_refusal(WHAT, points[name], _why_without_place(plugin, passes))
    return tuple(replace(s, passes=tuple(passes[s.name])) for s in stages)


def with_plugins() -> tuple[Stage, ...]:
    """`STAGES` with those of the devices of other packages.

    Raises RegistrationError for a device whose stage cannot take part.
    """
    others = [device for name, device in backends().items() if name not in BACKENDS]
    found = [stage for device in others for stage in _checked_stages(device)]
    return with_devices(COMMON, [*device_stages(), *found]) if found else STAGES


def _checked_stages(device: Backend) -> Sequence[Stage]:
    """The stages of a device, which run its own passes or those of DevProc."""
    known = {*registry.passes(), *registry.UPSTREAM_PASSES}
    for stage in device.stages:
        unknown = [name for name in stage.passes if name not in known]
        if stage.device != device.name:
            problem = f"it is for '{stage.device}'; give device='{device.name}'"
        elif unknown:
            close = did_you_mean(unknown[0], known)
            problem = f"no pass is called '{unknown[0]}'; list it in `passes`{close}"
        else:
            continue
        raise refusal(device.name, f"its stage '{stage.name}': {problem}")
    return device.stages


def _place(name: str, plugin: PassPlugin, passes: Mapping[str, list[str]]) -> bool:
    """Inserts a pass into its stage; returns whether that has a place for it."""
    there = passes.get(plugin.stage)
    neighbours = [n for n in (plugin.after, plugin.before) if n is not None]
    if there is None or len(neighbours) > 1 or any(n not in there for n in neighbours):
        return False
    place = there.index(neighbours[0]) if neighbours else len(there)
    there.insert(place + (plugin.after is not None), name)
    return True


def _why_without_place(plugin: PassPlugin, passes: Mapping[str, list[str]]) -> str:
    if plugin.stage not in passes:
        hint = did_you_mean(plugin.stage, passes)
        return f"no stage named '{plugin.stage}'; there are {', '.join(passes)}{hint}"
    if plugin.after is not None and plugin.before is not None:
        return "both `after` and `before` are given; one says where it runs"
    neighbour, there = plugin.after or plugin.before or "", passes[plugin.stage]
    return (
        f"no pass named '{neighbour}' in the stage '{plugin.stage}'; it has "
        f"{', '.join(there) or 'none'}{did_you_mean(neighbour, there)}"
    )
