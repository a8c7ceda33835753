"""Reads assembly: the bodies of the innermost loops, what they multiply, what they spill."""

from __future__ import annotations

import re

LABEL = re.compile(r"^(\.L\w+):")
JUMP = re.compile(r"\s+(?:j\w+|b\.\w+|b|cbn?z|tbn?z)\s+(?:.*,\s*)?(\.L\w+)")
INSTRUCTION = re.compile(r"\s+[a-z]")

MULTIPLY = {
    "x86_64": re.compile(r"\s+(?:vfmadd\w+|v?mulps)\s"),
    "aarch64": re.compile(r"\s+(?:fmla|fmul)\s+v"),
}
STACK = {
    "x86_64": re.compile(r"\s-?\d*\(%rsp\)"),
    "aarch64": re.compile(r"\[sp(?:, #-?\d+)?\]"),
}
"""A place on the stack that is the same in each iteration: something was spilled."""

STORE = {
    "x86_64": re.compile(r"\s+v?mov[au]ps\s+%[xyz]mm\d+, .*\("),
    "aarch64": re.compile(r"\s+st[rp]\s+q"),
}


def inner_loops(assembly: str) -> list[list[str]]:
    """The instructions of each loop that has no other loop inside."""
    lines = assembly.splitlines()
    places = {m[1]: i for i, line in enumerate(lines) if (m := LABEL.match(line))}
    spans = {
        (places[m[1]], end)
        for end, line in enumerate(lines)
        if (m := JUMP.match(line)) and places.get(m[1], end) < end
    }
    inner = [
        span
        for span in spans
        if not any(o != span and span[0] <= o[0] and o[1] <= span[1] for o in spans)
    ]
    return [
        [line for line in lines[first : last + 1] if INSTRUCTION.match(line)]
        for first, last in sorted(inner)
    ]


def count(loop: list[str], pattern: re.Pattern[str]) -> int:
    """Instructions of a loop that match."""
    return sum(pattern.match(line) is not None for line in loop)


def multiplications(loop: list[str], architecture: str) -> int:
    """Vector products of a loop, with or without the sum."""
    return count(loop, MULTIPLY[architecture])


def stack_accesses(loop: list[str], architecture: str) -> list[str]:
    """What a loop keeps on the stack for want of registers."""
    return [line for line in loop if STACK[architecture].search(line)]


def stores(loop: list[str], architecture: str) -> list[str]:
    """Vectors that a loop writes to memory, what it spills aside."""
    found = [line for line in loop if STORE[architecture].match(line)]
    return [line for line in found if not STACK[architecture].search(line)]
