"""`devproc generate`: text from a saved language model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devproc.tools.commands.common.options import key_option

if TYPE_CHECKING:
    from devproc.generation.language_model import LanguageModel
    from devproc.generation.properties import Generation


@click.command("generate")
@click.argument("program", type=click.Path(path_type=Path))
@click.argument("prompt")
@click.option(
    "-n",
    "--max-tokens",
    type=click.IntRange(1),
    help="Most tokens to generate [until the model stops, or its capacity].",
)
@click.option("--stop", multiple=True, metavar="TEXT", help="End before this text.")
@click.option("--seed", type=int, help="Of the random numbers, where tokens are drawn.")
@click.option(
    "--ids",
    is_flag=True,
    help="PROMPT is token ids, separated by commas; so is the output.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the text.")
@key_option
def generate_command(
    program: Path,
    prompt: str,
    max_tokens: int | None,
    stop: tuple[str, ...],
    seed: int | None,
    ids: bool,
    quiet: bool,
    key: bytes | None,
) -> None:
    """Continue PROMPT with PROGRAM, a saved `devproc.LanguageModel`; Ctrl-C ends it.

    An encoder-decoder reads PROMPT as its source.

    The text is printed as it is generated; then, on stderr, the tokens per second, the
    bytes of weights read per second, and the share of what this machine reads at most.
    """
    from devproc.generation.language_model import LanguageModel

    model = LanguageModel.load(program, key=key)
    given = _parse_ids(prompt) if ids else prompt

    def show(piece: str) -> None:
        click.echo(piece, nl=False)
        sys.stdout.flush()

    def show_progress(_: object) -> None:
        if not quiet and sys.stderr.isatty():
            click.echo(".", nl=False, err=True)

    is_source = model.is_encoder_decoder
    found = model.generate(
        None if is_source else given,
        max_tokens,
        source=given if is_source else None,
        stop=stop,
        seed=seed,
        stream=show_progress if ids else show,
    )
    click.echo(",".join(map(str, found.ids)) if ids else "")
    if not quiet:
        click.echo(_speed(model, found), err=True)


def _parse_ids(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise click.BadParameter(
            f"--ids: write numbers and commas, not {text!r}"
        ) from error


def _speed(model: LanguageModel, found: Generation) -> str:
    """One line: why it ended, the tokens per second, and what that is in bytes."""
    from devproc.runtime.read_rate import read_rate

    decode = model.entries["decode"]
    read = decode.artifact.host.bytes_read * found.tokens_per_second
    prompt = found.prompt_tokens / max(found.prompt_seconds, 1e-9)
    share = read / read_rate(decode.artifact.threads)
    return (
        f"{len(found.ids)} tokens ({found.reason}), {found.tokens_per_second:.1f} a second: "
        f"{read / 1e9:.1f} GB/s of weights, {share:.0%} of a bare read; prompt of "
        f"{found.prompt_tokens}: {prompt:.0f} a second"
    )
