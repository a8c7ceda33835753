"""Malformed tables of signal processing."""

from __future__ import annotations

from tests.malformed.cases import Program, main

WINDOW = 'nn.window_function "hann" size 4 periodic 1'
MEL = "nn.mel_filters 2 bins 5 sample_rate 16 range [0.0, 8.0]"


def table(text: str, type_: str, message: str) -> Program:
    """A program with one table."""
    return main(f"%t = {text} : tensor<{type_}>"), message


GROUPS = "nn.quantize_groups %w bits 4 group 32"


def groups(text: str, message: str) -> Program:
    """A program that quantizes a weight in groups."""
    weight = '%w = nn.weight @w hash "0123456789abcdef" : tensor<3x64xf32>'
    types = "(tensor<3x64xf32>) -> (tensor<3x2x32xi8>, tensor<3x2x1xf16>)"
    return main(f"{weight}\n%q, %s = {text} : {types}"), message


SIGNAL: dict[str, Program] = {
    "groups of 5 bits": groups(GROUPS.replace("bits 4", "bits 5"), "bits"),
    "groups that do not divide": groups(
        GROUPS.replace("group 32", "group 33"), "group"
    ),
    "unknown window": table(
        WINDOW.replace("hann", "hanning"), "4xf64", "unknown window 'hanning'; one of"
    ),
    "window of no size": table(
        WINDOW.replace("4", "0"), "0xf64", "size must be positive, got 0"
    ),
    "window half periodic": table(
        WINDOW.replace("1", "2"), "4xf64", "periodic must be 0 or 1, got 2"
    ),
    "window of float32": table(WINDOW, "4xf32", "must be float64 (4), got float32 (4)"),
    "unknown part of a transform": table(
        'nn.dft_basis "tan" size 4', "4x3xf64", "unknown part 'tan'; one of cos, sin"
    ),
    "transform of no size": table(
        'nn.dft_basis "cos" size 0', "0x1xf64", "size must be positive, got 0"
    ),
    "transform with all bins": table(
        'nn.dft_basis "cos" size 4', "4x4xf64", "must be float64 (4, 3)"
    ),
    "more coefficients than values": table(
        "nn.dct_basis 5 size 4", "5x4xf64", "5 coefficients of 4 values"
    ),
    "mel like an unknown library": table(
        f'{MEL} like "kaldi"', "2x5xf64", "unknown reference 'kaldi'; one of librosa"
    ),
    "mel of one bin": table(
        f'{MEL} like "whisper"'.replace("bins 5", "bins 1"),
        "2x1xf64",
        "mel filters need two bins and more, got 1",
    ),
    "mel above half the rate": table(
        f'{MEL} like "whisper"'.replace("8.0", "8.5"),
        "2x5xf64",
        "the highest frequency 8.5 Hz is above half the sample rate 16 Hz",
    ),
    "mel of an empty range": table(
        f'{MEL} like "whisper"'.replace("0.0, 8.0", "8.0, 8.0"),
        "2x5xf64",
        "a range of frequencies is [lowest, highest] in Hz, got [8.0, 8.0]",
    ),
    "rates with a common factor": table(
        "nn.sinc_filters from 4 to 2", "30x2xf64", "4 and 2 have a common factor"
    ),
    "filters of a wrong count": table(
        "nn.sinc_filters from 3 to 2", "22x2xf64", "must be float64 (23, 2)"
    ),
}
