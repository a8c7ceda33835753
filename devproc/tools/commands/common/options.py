"""Options shared by several commands, and their conversion to Python arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from devproc.backend.arguments import device_arguments
from devproc.backend.placement import placement_of
from devproc.errors import did_you_mean
from devproc.ir import weight_format
from devproc.ir.devices import HOST
from devproc.tools.commands.common.inputs import HELP as INPUT_HELP

Decorator = Callable[[Any], Any]


class Name(click.Choice[str]):
    """One of several names; for a misspelt one the closest is suggested."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """The list of the names, and a suggestion."""
        names = list(self.choices)
        return f"{value!r} is not one of {', '.join(names)}{did_you_mean(value, names)}"


class OutputFile(click.Path):
    """A file to write in an existing folder, which is checked before the work begins."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """The path; fails where its folder is missing."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"no folder {path.parent}; make it first", param, ctx)
        return path


def options(*decorators: Decorator) -> Decorator:
    """Several decorators as one."""

    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


target_options = options(
    click.option(
        "--target",
        default=HOST,
        show_default=True,
        help="Devices joined by '+', each with an option after ':'; `devproc targets` "
        "lists them.",
    ),
    click.option(
        "--threads",
        type=int,
        help="Threads of the CPU part [DEVPROC_NUM_THREADS, else the machine's cores].",
    ),
    click.option(
        "--precision",
        type=Name(["strict", "default", "fast"]),
        default="default",
        show_default=True,
        help="strict: no algorithm with a larger error than PyTorch's own; fast: more of "
        "them than by default.",
    ),
)

trust_option = click.option(
    "--trust-pickle",
    is_flag=True,
    help="Load a .pt2 file that may run code as it is loaded.",
)

check_values_option = click.option(
    "--check-values",
    is_flag=True,
    help="Calls fail for indices out of range and integer division by zero.",
)

compile_options = options(
    click.argument("source"),
    target_options,
    *(
        click.option(
            f"--{argument.name}",
            metavar="NAME",
            default=argument.default,
            show_default=True,
            help=argument.help,
        )
        for argument in device_arguments()
    ),
    click.option(
        "--place",
        multiple=True,
        metavar="PATTERN=DEVICE",
        help="Put ops on a device: by op (nn.conv2d) or module path (fc*).",
    ),
    click.option(
        "--placement",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Devices, forbidden devices and limits of memory, as TOML (docs/placement.md).",
    ),
    click.option(
        "--fallback",
        type=Name(["torch"]),
        help="torch: operators that are not supported run in PyTorch.",
    ),
    click.option(
        "--check-bounds",
        is_flag=True,
        help="Check each access to memory of the CPU's kernels: about half as fast.",
    ),
    trust_option,
    click.option(
        "--weight-format",
        type=Name(weight_format.options()),
        default=weight_format.ORIGINAL,
        show_default=True,
        help="How constant matrices of products are stored (docs/weights.md).",
    ),
    click.option(
        "--weights",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Weights of a JSON program: .safetensors, or .pt with a dict of tensors.",
    ),
    click.option(
        "--allow-extra-weights",
        is_flag=True,
        help="Accept weights that the JSON program does not name.",
    ),
)
"""SOURCE and the arguments of `devproc.compile`; see `source.read` and `keywords`."""


schedule_option = click.option(
    "--schedule",
    multiple=True,
    metavar="PATTERN=SCHEDULE",
    help="Compute kernels so, by name: 'conv2d*=#sched.register_tile<...>'; "
    "`devproc inspect --view schedules` shows names and schedules.",
)

program_options = options(compile_options, schedule_option, check_values_option)
"""The options of commands that compile the program as the user runs it."""

input_option = click.option(
    "-i",
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=FILE",
    help=INPUT_HELP,
)


def pairs(texts: Sequence[str], form: str) -> dict[str, str]:
    """The pairs NAME=VALUE of a repeated option; `form` is how to write one."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"'{text}': write {form}")
        found[name] = value
    return found


def keywords(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `devproc.compile` from `compile_options`, except SOURCE and target."""
    apart = (*SOURCE_OPTIONS, "place", "placement", "schedule", "weight_format")
    rest = {name: value for name, value in given.items() if name not in apart}
    devices = pairs(given.get("place", ()), "--place PATTERN=DEVICE")
    placement = placement_of(given.get("placement")).with_devices(devices)
    if "weight_format" in given:
        rest["weights"] = given["weight_format"]
    if "schedule" in given:
        form = "--schedule PATTERN=SCHEDULE"
        rest["schedules"] = pairs(given["schedule"], form)
    return {**rest, "placement": placement}


SOURCE_OPTIONS = ("weights", "allow_extra_weights")
"""Options for reading SOURCE."""


def _read_key(
    _context: click.Context, _option: click.Parameter, path: Path | None
) -> bytes | None:
    return None if path is None else path.read_bytes()


key_option = click.option(
    "--key-file",
    "key",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    callback=_read_key,
    help="A file with the secret bytes that saved programs are signed with.",
)
"""The key that signs a saved program or checks its signature, as bytes."""
