"""`devproc targets`: the devices that are installed, and whether they can run here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from devproc.ir.devices import HOST

if TYPE_CHECKING:
    from devproc.dialects.dev import TargetAttr


@click.command(
    "targets",
    help="List the installed devices: package, options, memories, rates, link, and "
    "whether they can run here. The numbers are those that the placement uses.",
)
def targets_command() -> None:
    """The command; its help is in the decorator."""
    from devproc.backend.installed import broken, device_names, package
    from devproc.options import target_options

    options = target_options(HOST)
    for number, name in enumerate(device_names()):
        click.echo(("\n" if number else "") + f"{name} ({package(name)})")
        found = broken().get(name)
        rows = [("broken", found)] if found is not None else _rows(name, options)
        for label, text in rows:
            click.echo(f"  {label:11}" + text.replace("\n", "\n" + " " * 11))


def _rows(name: str, options: TargetAttr) -> Iterator[tuple[str, str]]:
    """Label and text of each line about a device."""
    from devproc.backend.installed import backend
    from devproc.transforms.placed.assignment.cost_model import si

    device = backend(name)
    described = device.describe(options)
    yield "summary", device.summary
    if not device.is_target:
        yield "target", "not of its own: added where it is needed"
    if device.options:
        yield "options", ", ".join(f"{name}:{option}" for option in device.options)
    for memory in described.memories:
        size = f"{si(memory.byte_count)}B, " if memory.byte_count is not None else ""
        rate = f"{si(memory.bytes_per_second)}B/s"
        yield "memory", f"{memory.name}: {size}{rate}, aligned to {memory.alignment} B"
    rates = (
        f"{si(rate)}FLOP/s{f' in {dtype}' if dtype else ''}"
        for dtype, rate in sorted(described.operations.items())
    )
    yield "rates", ", ".join(rates)
    launch = f"{1e6 * described.launch_seconds:.3g} us to launch"
    yield "queues", f"{described.queues}, {launch}"
    if described.link is not None:
        latency = f"{1e6 * described.link.seconds:.3g} us"
        yield "link", f"{latency} and {si(described.link.bytes_per_second)}B/s"
    missing = device.missing()
    yield "here", "can run" if missing is None else f"cannot run: {missing}"
