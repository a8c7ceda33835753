"""What messages say of misspelt names."""

import pytest

from devproc.errors import did_you_mean

MODES = ("nearest", "bilinear", "bicubic")


@pytest.mark.parametrize("name", ["bilinaer", "Bilinear", "biliner"])
def test_names_the_close_one(name: str):
    assert did_you_mean(name, MODES) == "; did you mean 'bilinear'?"


@pytest.mark.parametrize("name", ["", "area", "xyz"])
def test_says_nothing_where_none_is_close(name: str):
    assert did_you_mean(name, MODES) == ""


def test_nothing_known():
    assert did_you_mean("bilinear", ()) == ""
