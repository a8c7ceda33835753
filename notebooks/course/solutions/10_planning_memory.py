"""Answers to `10_planning_memory.py`, and typical wrong ones with their hints."""

import runpy
import sys
from pathlib import Path


def lifetimes(steps):
    """Name -> (first, last) step that uses it."""
    spans = {}
    for number, (reads, writes) in enumerate(steps):
        for name in (*reads, *writes):
            first, _ = spans.get(name, (number, number))
            spans[name] = (first, number)
    return spans


def least_bytes(buffers):
    steps = range(1 + max(buffer.last for buffer in buffers))
    return max(sum(b.size for b in buffers if b.first <= s <= b.last) for s in steps)


def place(buffers):
    """Name -> offset; the largest buffer first, each in the smallest gap that holds it."""
    placed = {}
    for buffer in sorted(buffers, key=lambda b: (-b.size, b.first)):
        taken = sorted(
            (offset, offset + other.size)
            for other, offset in placed.items()
            if other.first <= buffer.last and buffer.first <= other.last
        )
        gaps, top = [], 0
        for start, end in taken:
            if start - top >= buffer.size:
                gaps.append((start - top, top))
            top = max(top, end)
        placed[buffer] = min(gaps)[1] if gaps else top
    return {buffer.name: offset for buffer, offset in placed.items()}


ANSWERS = {"lifetimes": lifetimes, "least_bytes": least_bytes, "place": place}


def reads_only(steps):
    """Forgets that the step that writes needs the buffer as well."""
    spans = {}
    for number, (reads, _) in enumerate(steps):
        for name in reads:
            first, _ = spans.get(name, (number, number))
            spans[name] = (first, number)
    return spans


def half_open(steps):
    """Ends one step late, as a Python range does."""
    return {name: (first, last + 1) for name, (first, last) in lifetimes(steps).items()}


def first_read(steps):
    """Stops at the first reader."""
    spans = {}
    for number, (reads, writes) in enumerate(steps):
        for name in writes:
            spans[name] = (number, number)
        for name in reads:
            first, last = spans[name]
            spans[name] = (first, number if first == last else last)
    return spans


def all_at_zero(buffers):
    return {buffer.name: 0 for buffer in buffers}


def gaps_between_steps(buffers):
    """Lets a buffer end in the step in which another one begins."""
    return place([b._replace(last=max(b.first, b.last - 1)) for b in buffers])


def in_order_of_steps(buffers):
    """The first gap that fits, in the order in which the program writes."""
    placed = {}
    for buffer in sorted(buffers, key=lambda b: b.first):
        top = 0
        for other, offset in sorted(placed.items(), key=lambda item: item[1]):
            if other.last < buffer.first:
                continue
            if offset - top >= buffer.size:
                break
            top = max(top, offset + other.size)
        placed[buffer] = top
    return {buffer.name: offset for buffer, offset in placed.items()}


def not_the_last(buffers):
    return place(buffers[:-1])


WRONG = [
    ("lifetimes", reads_only, "`b0` is written in step 0 and last read in step 9"),
    ("lifetimes", half_open, "last read in step"),
    ("lifetimes", first_read, "your lifetime goes from"),
    (
        "least_bytes",
        lambda buffers: sum(b.size for b in buffers),
        "for the U-Net you say",
    ),
    (
        "least_bytes",
        lambda buffers: max(
            sum(b.size for b in buffers if b.first <= s < b.last) for s in range(12)
        ),
        "for the U-Net you say",
    ),
    ("place", all_at_zero, "live together and overlap"),
    ("place", gaps_between_steps, "live together and overlap"),
    ("place", in_order_of_steps, "the first set is right, but takes"),
    ("place", not_the_last, "have no offset"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
