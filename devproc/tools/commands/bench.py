"""`devproc bench`: the latency of a model compared with other engines."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import click

from devproc.errors import counted
from devproc.tools.bench.engines import OTHERS, OURS
from devproc.tools.commands.common.console import progress, show
from devproc.tools.commands.common.options import Name, target_options, trust_option

if TYPE_CHECKING:
    from rich.table import Table

    from devproc.tools.bench.measure import Row


def _engines(
    ctx: click.Context, option: click.Parameter, value: str
) -> tuple[str, ...]:
    """The engines of a list with commas; fails for an unknown one, with a suggestion."""
    known = Name(OTHERS)
    names = [name.strip() for name in value.split(",") if name.strip()]
    return tuple(dict.fromkeys(known.convert(name, option, ctx) for name in names))


@click.command("bench")
@click.argument("source")
@target_options
@trust_option
@click.option(
    "--against",
    callback=_engines,
    default=",".join(OTHERS),
    show_default=True,
    metavar="ENGINES",
    help="The others, separated by commas.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Turns: in each, every engine runs for --seconds.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=0.6,
    show_default=True,
    help="Length of one turn of one engine.",
)
def bench_command(
    source: str,
    target: str,
    threads: int | None,
    precision: str,
    trust_pickle: bool,
    against: tuple[str, ...],
    rounds: int,
    seconds: float,
) -> None:
    """Time SOURCE and other engines in one run; exit 1 if it does not compile.

    SOURCE is an exported model, model.pt2 or app.py:NAME. Engines run one after another
    in turns, each in a process of its own, on the example inputs of the export. A ratio
    is the median over the turns of our time by theirs: below 1 we are faster. Errors are
    relative, to a run in float64.
    """
    from devproc import settings
    from devproc.tools.bench.engines import why_missing
    from devproc.tools.bench.measure import Task, measure

    count = settings.num_threads() if threads is None else threads
    options = {
        "target": target,
        "threads": count,
        "precision": precision,
        "trust_pickle": trust_pickle,
    }
    missing = {name: why for name in against if (why := why_missing(name))}
    engines = [OURS, *(name for name in against if name not in missing)]
    tasks = [Task(source, engine, options=options) for engine in engines]
    with progress("measuring"):
        rows = dict(zip(engines, measure(tasks, rounds, seconds), strict=True))
    _refuse_source(rows)
    turns = f"{counted(rounds, 'turn')} of {seconds:g} s"
    threads_used = counted(count, "thread")
    click.echo(f"{source}: {target}, {precision}, {threads_used}, {turns}")
    timed = {name: row for name, row in rows.items() if "failed" not in row}
    if timed:
        show(_table(timed))
    for name, row in rows.items():
        if "failed" in row:
            click.echo(f"{name} failed: {row['failed']}")
    for name, why in missing.items():
        click.echo(f"{name} is {why}")
    if OURS not in timed:
        raise click.exceptions.Exit(1)


def _refuse_source(rows: dict[str, Row]) -> None:
    """Raises an error that all engines have in common."""
    reasons = {row.get("failed") for row in rows.values()}
    if len(reasons) == 1 and None not in reasons:
        raise click.ClickException(str(*reasons))


def _table(rows: dict[str, Row]) -> Table:
    """A row for each engine that ran, ours first."""
    from devproc.report.rich_tables import make_table
    from devproc.tools.bench.measure import ratio

    columns = (">median ms", ">least ms", ">devproc / it", ">build s", ">error")
    table = make_table("", "engine", *columns)
    ours = rows.get(OURS)
    for name, row in rows.items():
        compared = f"{ratio(ours, row):.2f}" if ours and name != OURS else ""
        error = "" if isnan(row["error"]) else f"{row['error']:.1e}"
        median, least = f"{row['median'] * 1e3:.3f}", f"{row['least'] * 1e3:.3f}"
        table.add_row(name, median, least, compared, f"{row['build_s']:.2f}", error)
    return table
