"""The page of benchmarks: its plots have the figures of the results, its commands exist."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from devproc.tools import results
from devproc.tools.benchmarks_page import COMMANDS, PLOTS, Plot
from devproc.tools.markdown import markdown_table, read_tables
from tests.repository import ROOT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.file)
def test_a_bar_is_as_long_as_its_ratio(plot: Plot) -> None:
    text = (ROOT / "docs" / "assets" / plot.file).read_text()
    picture = ElementTree.fromstring(text)
    ratios = [
        float(found.text or "")
        for found in picture.iter(f"{SVG}text")
        if re.fullmatch(r"\d\.\d\d", found.text or "")
    ]
    bars = [float(b.attrib["width"]) for b in picture.iter(f"{SVG}rect") if b.get("x")]
    (line,) = picture.iter(f"{SVG}line")
    (left,) = {b.attrib["x"] for b in picture.iter(f"{SVG}rect") if b.get("x")}
    unit = float(line.attrib["x1"]) - float(left)
    assert len(ratios) > 5
    assert [bar / unit for bar in bars] == pytest.approx(ratios, abs=2e-3)
    assert all(f"| {ratio:.2f} |" in results.section(plot.section) for ratio in ratios)


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.file)
def test_a_plot_says_when_and_where_it_was_measured(plot: Plot) -> None:
    origin = results.origin(plot.section)
    assert re.search(r"\d{4}-\d\d-\d\d, .*cores, Python .*openvino", origin)


def test_commands_exist() -> None:
    files = [ROOT / "benchmarks" / command.split()[0] for command in COMMANDS]
    assert all(file.is_file() for file in files)


def test_missing_section() -> None:
    with pytest.raises(LookupError, match="no section 'Nothing'"):
        results.section("Nothing")


def test_a_table_is_read_as_it_was_written() -> None:
    rows = [("a", "1"), ("b", "**2**")]
    text = f"before\n\n{markdown_table(('name', 'size'), rows)}\n\nafter | it\n"
    assert [*read_tables(text)] == [
        [{"name": "a", "size": "1"}, {"name": "b", "size": "2"}]
    ]
