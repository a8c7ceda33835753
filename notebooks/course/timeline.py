"""A picture of the steps of a program: copies, launches and waits between two devices."""

from __future__ import annotations

import re

import marimo as mo
from exercise import picture

STEP = re.compile(r"(plan\.copy|plan\.launch|dev\.sync) (.*)")
ROW = 26


def timeline(host: str, device: str) -> mo.Html:
    """The steps of `@main` in the text of the stage `host`, from top to bottom, in a column
    of the CPU and one of `device`."""
    main = host.partition(" @main(")[2].partition("func.return")[0]
    body = f'<text x="20" y="14">cpu</text><text x="270" y="14">{device}</text>'
    steps = STEP.findall(main)
    for row, (kind, rest) in enumerate(steps):
        y = ROW * (row + 1) + 8
        last_device = re.findall(r'#dev\.on<"(\w+)">', rest)[-1:]
        there = last_device == [device]
        if kind == "plan.copy":
            start, end, back = (80, 260, -8) if there else (260, 80, 8)
            head = f"M{end + back} {y - 4} L{end} {y} L{end + back} {y + 4}"
            body += f'<path d="M{start} {y} H{end} {head}" fill="none" stroke="currentColor" />'
        else:
            text, x = (
                ("wait", 20) if kind == "dev.sync" else ("run", 270 if there else 20)
            )
            body += f'<rect x="{x - 10}" y="{y - 10}" width="60" height="20" fill-opacity="0.15" />'
            body += f'<text x="{x}" y="{y + 5}">{text}</text>'
    title = f"Steps of the program between the CPU and the device {device}"
    return picture(330, ROW * (len(steps) + 1), body, title)
