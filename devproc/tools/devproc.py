"""The `devproc` command: compile, run, verify and inspect programs.

A SOURCE is an exported model (`model.pt2`), a program as JSON (`model.json`), or a
Python file and a name in it (`app.py:pipe`): a pipeline, an `ExportedProgram`, or a
function that returns one.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import click
import numpy as np
from rich.console import Console

from devproc.errors import DevProcError
from devproc.ir.cpus import CPUS, NATIVE
from devproc.pipeline import STAGES

# A table folded to 80 columns is hard to read in a file or a pipe.
OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 140)

VIEWS = (
    *("placement", "fallbacks", "exactness"),
    *("copies", "memory", "kernels", "timings"),
)


def _options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


_compile_options = _options(
    click.argument("source"),
    click.option("--target", default="cpu", show_default=True, help="Devices."),
    click.option(
        "--arch", default="sm_90", show_default=True, help="GPU architecture."
    ),
    click.option(
        "--cpu",
        default=NATIVE,
        show_default=True,
        help=f"Processor to compile for: {NATIVE}, {', '.join(CPUS)}.",
    ),
    click.option("--threads", type=int, help="Threads of the CPU part."),
    click.option(
        "--precision",
        type=click.Choice(["strict", "default", "fast"]),
        default="default",
        show_default=True,
    ),
    click.option(
        "--place",
        multiple=True,
        metavar="PATTERN=DEVICE",
        help="Put ops on a device: by op (nn.conv2d) or module path (model.fc*).",
    ),
    click.option(
        "--fallback",
        type=click.Choice(["torch"]),
        help="Run operators that are not supported in PyTorch.",
    ),
    click.option(
        "--check-bounds",
        is_flag=True,
        help="Check each access to memory of the CPU's kernels.",
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


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="devproc")
def main() -> None:
    """Compile, run, verify and inspect inference programs."""


@main.command("compile")
@_compile_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Saved program.")
@click.option(
    "--dump",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for each stage's text, the LLVM IR, the Triton source and cubins.",
)
@click.option("--time-passes", is_flag=True, help="Print the seconds of each pass.")
def compile_command(
    source: str,
    target: str,
    output: Path | None,
    dump: Path | None,
    time_passes: bool,
    **options: Any,
) -> None:
    """Compile SOURCE; with a GPU target, also ahead of time for --arch."""
    ahead_of_time = target == "cuda" or target.endswith("+cuda")
    program = _compile(source, target, options)
    if output is not None:
        program.save(output)
        OUT.print(f"saved {output} ({output.stat().st_size:,} bytes)")
    if dump is not None:
        from devproc.compiler import dump_stages

        for path in dump_stages(program, dump):
            OUT.print(f"wrote {path}")
    if ahead_of_time:
        _compile_kernels(program, options["arch"], dump)
    if time_passes:
        OUT.print(program.report().timings)


@main.command("run")
@click.argument("program", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-i", "--input", "inputs", multiple=True, metavar="NAME=FILE.npy", help="Inputs."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write outputs as .npz."
)
@click.option(
    "--trace", type=click.Path(path_type=Path), help="Write a Chrome trace of the run."
)
def run_command(
    program: Path, inputs: tuple[str, ...], output: Path | None, trace: Path | None
) -> None:
    """Run a saved PROGRAM on arrays; prints each output."""
    from devproc.runtime.bundle import load
    from devproc.runtime.interface import check_names
    from devproc.runtime.trace import write_trace

    loaded = load(program)
    arrays = _read_inputs(inputs)
    check_names(loaded.interface, arrays, "--input")
    given = [arrays[spec.name] for spec in loaded.interface.inputs]
    if trace is None:
        outputs = loaded.run_flat(given)
    else:
        outputs = write_trace(trace, lambda observe: loaded.run_flat(given, observe))
    named = {
        spec.name: value
        for spec, value in zip(loaded.interface.outputs, outputs, strict=True)
    }
    for name, value in named.items():
        OUT.print(f"{name} = {np.array2string(value, threshold=32)}", markup=False)
    if output is not None:
        np.savez(output, allow_pickle=False, **named)


@main.command("verify")
@_compile_options
@click.option("--seed", default=0, show_default=True, help="Of the random inputs.")
@click.option("-i", "--input", "inputs", multiple=True, metavar="NAME=FILE.npy")
@click.option(
    "--exported",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="MODEL.pt2",
    help="Compare also with this model, run by PyTorch.",
)
def verify_command(
    source: str,
    target: str,
    seed: int,
    inputs: tuple[str, ...],
    exported: Path | None,
    **options: Any,
) -> None:
    """Compare each op of SOURCE with its meaning in PyTorch; exit 1 if one differs."""
    from devproc.compiler import verify

    result = verify(
        _take_source(source, options),
        target,
        inputs=_read_inputs(inputs),
        seed=seed,
        exported=exported,
        **_keywords(options),
    )
    OUT.print(result.table())
    OUT.print(result.summary(), markup=False)
    if not result.passed:
        sys.exit(1)


@main.command("inspect")
@_compile_options
@click.option(
    "--stage",
    type=click.Choice([*(s.name for s in STAGES), "llvm-ir", "triton-source"]),
    help="Print this stage's text.",
)
@click.option("--view", type=click.Choice(VIEWS), multiple=True, help="Print a table.")
def inspect_command(
    source: str, target: str, stage: str | None, view: tuple[str, ...], **options: Any
) -> None:
    """Print any stage of SOURCE, or its placement, memory plan and kernels."""
    program = _compile(source, target, options)
    if stage is not None:
        click.echo(program.ir(stage), nl=False)
        return
    report = program.report()
    for name in view or VIEWS:
        OUT.print(getattr(report, name))


@main.command("export-json")
@click.argument("source")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The JSON."
)
@click.option(
    "--weights", type=click.Path(path_type=Path), help="Write .safetensors here."
)
def export_json_command(source: str, output: Path, weights: Path | None) -> None:
    """Write SOURCE as JSON, one graph of tensor ops, for other tools (docs/json.md)."""
    from devproc.exchange.writer import export_json

    export_json(_read_source(source), output, weights=weights)
    for path in (output, weights):
        if path is not None:
            OUT.print(f"wrote {path} ({path.stat().st_size:,} bytes)")


@main.command("survey")
@click.argument("source")
@click.argument("names", nargs=-1)
@click.option("--target", default="cpu", show_default=True, help="Devices.")
@click.option("--threads", type=int, help="Threads of the CPU part.")
@click.option(
    "--precision",
    type=click.Choice(["strict", "default", "fast"]),
    default="default",
    show_default=True,
)
def survey_command(
    source: str,
    names: tuple[str, ...],
    target: str,
    threads: int | None,
    precision: str,
) -> None:
    """How far the models of SOURCE come, and what stops them first; exit 1 if one does.

    SOURCE is a Python file that defines MODELS: name -> function that returns a module
    and a tuple of example inputs. NAMES chooses some of them. Errors are relative, to a
    run of the model in float64.
    """
    from devproc.survey import survey

    if not Path(source).is_file():
        raise click.BadParameter(f"no file {source}")
    models = _names_of(source).get("MODELS")
    if not isinstance(models, dict):
        raise click.BadParameter(f"{source} defines no dict MODELS")
    factories = cast("dict[str, Any]", models)
    unknown = [name for name in names if name not in factories]
    if unknown:
        raise click.BadParameter(f"{source} has no model {', '.join(unknown)}")
    chosen = {name: factories[name] for name in names or factories}
    found = survey(chosen, target, threads=threads, precision=precision)
    click.echo(str(found))
    if not all(row.matched for row in found.rows):
        sys.exit(1)


def _compile(source: str, target: str, options: dict[str, Any]) -> Any:
    from devproc.entry import compile

    return compile(_take_source(source, options), target, **_keywords(options))


def _take_source(source: str, options: dict[str, Any]) -> Any:
    """The source, with the weights that the options name and that are taken out."""
    weights = options.pop("weights")
    allow_extra = options.pop("allow_extra_weights")
    if Path(source).suffix == ".json":
        from devproc.exchange.reader import load_json

        return load_json(source, weights, allow_extra_weights=allow_extra)
    if weights is not None:
        raise click.BadParameter("--weights are those of a JSON program")
    return _read_source(source)


def _keywords(options: dict[str, Any]) -> dict[str, Any]:
    options = dict(options)
    pairs: Iterable[str] = options.pop("place", ())
    placement: dict[str, str] = {}
    for pair in pairs:
        pattern, equals, device = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"'{pair}': write --place PATTERN=DEVICE")
        placement[pattern] = device
    return {**options, "placement": placement}


def _read_source(source: str) -> Any:
    """A path to a model, or the object that `file.py:name` names."""
    path, colon, name = source.rpartition(":")
    if not colon or not path.endswith(".py"):
        return Path(source)
    if not Path(path).is_file():
        raise click.BadParameter(f"no file {path}")
    names = _names_of(path)
    if name not in names:
        raise click.BadParameter(f"{path} defines no '{name}'")
    found = names[name]
    return found() if callable(found) and not hasattr(found, "module") else found


def _names_of(path: str) -> dict[str, Any]:
    """What a file defines; it may import from the working directory and from its own."""
    saved = list(sys.path)
    sys.path[:0] = [str(Path(path).resolve().parent), str(Path.cwd())]
    try:
        return runpy.run_path(path)
    finally:
        sys.path[:] = saved


def _read_inputs(pairs: tuple[str, ...]) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"'{pair}': write --input NAME=FILE.npy")
        arrays[name] = np.load(path, allow_pickle=False)
    return arrays


def _compile_kernels(program: Any, arch: str, folder: Path | None) -> None:
    from devproc.targets.triton.aot import compile_kernel

    for name, kernel in program.artifact.kernels.items():
        compiled = compile_kernel(kernel, arch)
        resources = compiled.resources()
        OUT.print(
            f"{name}: {arch}, {len(compiled.cubin):,} bytes, {resources.registers} "
            f"registers, {resources.spilled_bytes} bytes spilled, "
            f"{resources.shared_bytes} bytes shared"
        )
        if folder is not None:
            (folder / f"{name}.cubin").write_bytes(compiled.cubin)


def run() -> None:
    """Entry point: our errors are messages, not tracebacks."""
    try:
        main()
    except DevProcError as error:
        click.echo(f"devproc: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    run()
