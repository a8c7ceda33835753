"""A bundle on the card: its golden cases, and its time beside the program's in Python."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import devproc
from devproc.bundle.interface.library import Library, read_aligned
from gpu.card import Card
from gpu.forms import export, make


def bundle(name: str, card: Card) -> list[dict[str, Any]]:
    """Calls with inputs and outputs on the host, by the C host and by Python."""
    exported, (_, inputs) = export(name, "float32"), make(name, "float32")
    program = devproc.compile(exported, target="cuda", arch=card.arch, cache=False)
    with TemporaryDirectory() as folder:
        written = program.export_bundle(folder, name="program", reference=exported)
        row: dict[str, Any] = {"bundle": name, "bytes": sum(written.sizes.values())}
        if card.dry:
            return [row]
        library = Library(Path(folder))
        golden = read_aligned(Path(folder, "program.golden"))
        row["difference"] = library.selftest(golden).worst
        arrays = [tensor.numpy() for tensor in inputs]
        row["C"] = card.seconds(partial(library.run, arrays))
        row["Python"] = card.seconds(partial(program, *inputs))
        library.close()
    return [row]
