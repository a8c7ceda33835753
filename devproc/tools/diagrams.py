"""The pictures of the documentation, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from devproc.stages import STAGES

ROW, GAP, WIDTH = 34, 8, 720
"""Height of a row, distance between rows, and width of a picture, in pixels."""

BUFFERS = (
    ("image", 0, 2, 0),
    ("features", 1, 4, 1),
    ("sums", 2, 5, 0),
    ("scores", 4, 6, 1),
)
"""Name, first step, end and place of each buffer in the example of a plan."""


def _text(x: float, y: float, words: str, size: int = 13) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}">{escape(words)}</text>'


def _box(x: float, y: float, width: float, words: str, fill: str) -> str:
    """A filled box with a text in it."""
    box = f'<rect x="{x}" y="{y}" width="{width}" height="{ROW}" rx="4" fill="{fill}"/>'
    return box + _text(x + 10, y + 22, words)


def _picture(height: int, parts: Sequence[str]) -> str:
    """Dark text on white, so that it can be read on pages of any colour."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" font-family="sans-serif">',
            '<rect width="100%" height="100%" fill="white"/>',
            *parts,
            "</svg>\n",
        )
    )


def stages_picture() -> str:
    """A row for each stage: its name, and what the program is after it."""
    parts: list[str] = []
    for number, stage in enumerate(STAGES):
        y = GAP + number * (ROW + GAP)
        parts.append(_box(GAP, y, 100, stage.name, "#c5cae9"))
        parts.append(_text(GAP + 114, y + 22, stage.why, 12))
    return _picture(GAP + len(STAGES) * (ROW + GAP), parts)


def plan_picture() -> str:
    """Buffers as bars over time, in the row of their place."""
    step, left = 95, 90
    parts = [_text(GAP, 30 + place * (ROW + GAP), f"place {place}") for place in (0, 1)]
    for name, first, end, place in BUFFERS:
        y = GAP + place * (ROW + GAP)
        parts.append(
            _box(left + first * step, y, (end - first) * step - 4, name, "#b2dfdb")
        )
    y = GAP + 2 * (ROW + GAP) + 14
    parts += [_text(left + n * step, y, f"step {n}", 12) for n in range(6)]
    return _picture(y + GAP, parts)


def ratios_picture(title: str, ratios: Sequence[tuple[str, float]]) -> str:
    """A bar for each measurement: our time divided by that of the fastest other engine.

    The vertical line is at 1, where both take the same time.
    """
    row, bar, left, top = 22, 16, 390, 44
    unit = (WIDTH - left - GAP) / max(1.05, *(ratio for _, ratio in ratios))
    bottom = top + len(ratios) * row
    parts = [f"<title>{escape(title)}</title>", _text(GAP, 18, title)]
    for number, (name, ratio) in enumerate(ratios):
        y, width = top + number * row, round(ratio * unit, 1)
        fill = "#5c6bc0" if ratio <= 1 else "#ef6c00"
        parts += [
            _text(GAP, y + 13, name, 12),
            _text(left - 36, y + 13, f"{ratio:.2f}", 12),
            f'<rect x="{left}" y="{y}" width="{width}" height="{bar}" fill="{fill}"/>',
        ]
    line = left + round(unit, 1)
    parts.append(
        f'<line x1="{line}" y1="{top - 6}" x2="{line}" y2="{bottom}" stroke="black"/>'
    )
    parts.append(_text(line - 118, top - 12, "fastest other engine", 12))
    return _picture(bottom + GAP, parts)
