"""The form of a malformed program: an op in a function, and the message it must give."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bad:
    """One op whose verifier must refuse it.

    `text` uses `%0`, `%1`, ... for operands of the given types; types are written
    without the `tensor<...>` around them where they are tensors.
    """

    text: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    message: str

    @property
    def module(self) -> str:
        """The complete program."""
        types = [expand(t) for t in self.operands]
        arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
        results = ", ".join(expand(t) for t in self.results)
        names = "%r"
        if len(self.results) != 1:
            names, results = f"%r:{len(self.results)}", f"({results})"
        return (
            f"func.func @main({arguments}) {{\n"
            f"  {names} = {self.text} : ({', '.join(types)}) -> {results}\n"
            "  func.return\n}"
        )


def expand(type_: str) -> str:
    """`2x3xf32` -> `tensor<2x3xf32>`; `!index` -> `index` (not a tensor)."""
    return type_[1:] if type_.startswith("!") else f"tensor<{type_}>"


Program = tuple[str, str]
"""The text of a whole program, and the message it must give."""


def main(body: str, arguments: str = "%x: tensor<2xf32>") -> str:
    """A function around a body."""
    return f"func.func @main({arguments}) {{\n{body}\n  func.return\n}}"
