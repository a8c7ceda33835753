"""Names of entries and tensors in languages other than C."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def camel_case(name: str) -> str:
    """`found_boxes` as `FoundBoxes`; a name that begins with a digit gets an X."""
    word = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return word if word[:1].isalpha() or not name else f"X{word}"


def distinct(names: Iterable[str], form: Callable[[str], str]) -> list[str]:
    """The forms of all names, with underscores behind those that are equal."""
    found: list[str] = []
    for name in names:
        word = form(name)
        while word in found:
            word += "_"
        found.append(word)
    return found
