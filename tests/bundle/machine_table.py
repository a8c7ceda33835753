"""What is known to hold for the machines of bundles: `machines.json`, and the table of it.

A test that is marked `machine(name, "ran" or "inspected", what)` states that for a machine. With
`--update-golden` the statements of tests that pass are written, and the table in
`docs/bundle.md`; else a test whose statement is not in the file fails.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from devproc.bundle.code.machines import MACHINES, Machine
from tests.repository import ROOT

RECORD = Path(__file__).with_name("machines.json")
PAGE = ROOT / "docs" / "bundle.md"
TABLE = re.compile(r"\| machine \| gets \|.*?\n\n", re.DOTALL)

Record = dict[str, dict[str, list[str]]]
"""Machine -> "ran" and "inspected" -> what."""


def read_record() -> Record:
    """The content of `machines.json`."""
    return json.loads(RECORD.read_text())


def add_to_record(machine: str, kind: str, what: str) -> None:
    """Writes a statement, and the table."""
    record = read_record()
    known = record.setdefault(machine, {"ran": [], "inspected": []})[kind]
    if what in known:
        return
    known.append(what)
    known.sort()
    RECORD.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
    PAGE.write_text(TABLE.sub(lambda _: table() + "\n", PAGE.read_text()))


def table() -> str:
    """The table of all machines."""
    record = read_record()
    rows = [
        f"| `{machine.name}` | {_files(machine)} | {'; '.join(known['ran'])} "
        f"| {'; '.join(known['inspected'])} |"
        for machine in MACHINES
        for known in [record[machine.name]]
    ]
    head = ["| machine | gets | tests run | inspected |", "| --- | --- | --- | --- |"]
    return "".join(f"{line}\n" for line in (*head, *rows))


def _files(machine: Machine) -> str:
    files = [".o", *([".a"] * machine.has_elf), *([".so"] * bool(machine.libc))]
    return " ".join(files) + ("" if machine.has_pool else "; no pool")
