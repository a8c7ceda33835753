"""The inputs that a tokenizer on the host makes of texts."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from devproc.report.rendering import Rendered, make_table


@dataclass(frozen=True)
class TokenizedInput:
    """An input of the program, and the hash of the tokenizer it comes from."""

    name: str
    tokenizer: str


@dataclass(frozen=True, repr=False)
class TokenizerTable(Rendered):
    """What the package `tokenizers` does before each run."""

    rows: tuple[TokenizedInput, ...]

    def __rich__(self) -> Table:
        title = f"on the host: {len(self.rows)} inputs are tokens of texts"
        table = make_table(title, "input", "tokenizer")
        for row in self.rows:
            table.add_row(row.name, row.tokenizer)
        return table


def read_tokenizers(module: ModuleOp) -> TokenizerTable:
    """The tokenized inputs of a program at any stage that has arguments' attributes."""
    rows: list[TokenizedInput] = []
    for op in module.ops:
        for attributes in (isinstance(op, FuncOp) and op.arg_attrs) or ():
            name = attributes.data.get("dev.name")
            tokenizer = attributes.data.get("dev.tokenizer")
            if isinstance(name, StringAttr) and isinstance(tokenizer, StringAttr):
                rows.append(TokenizedInput(name.data, tokenizer.data))
    return TokenizerTable(tuple(rows))
