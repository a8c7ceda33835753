"""Tables of signal processing: no operands, computed in float64 at compile time."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, gcd

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    flag_of,
    floats,
    positive,
    require,
    text_of,
)
from devproc.ir.directives import Floats, Int, Text
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor

WINDOWS = ("hann", "hamming", "blackman", "bartlett", "rectangular")
"""Kinds of window functions."""

MEL_LIKES = ("librosa", "torchaudio", "whisper")
"""Libraries whose mel filters are known."""

DFT_PARTS = ("cos", "sin")

SINC_ZEROS, SINC_ROLLOFF = 6, 0.99
"""torchaudio's `lowpass_filter_width` and `rolloff`."""


def range_of(attribute: Attribute) -> tuple[float, float]:
    """The two ends, in Hz, of a band of frequencies."""
    ends = floats(attribute)
    require(
        len(ends) == 2 and 0 <= ends[0] < ends[1],
        f"a range of frequencies is [lowest, highest] in Hz, got {list(ends)}",
    )
    return ends[0], ends[1]


class TableOp(NNOp):
    """A table that is a function of its properties."""

    result = result_def(TensorType)

    traits = traits_def(Pure())


@op_definition
class WindowFunctionOp(TableOp):
    """A window function, as `torch.hann_window` and its siblings give it: periodic, as
    for a spectrum, or symmetric.

    ```mlir
    %w = nn.window_function "hann" size 400 periodic 1 : tensor<400xf64>
    ```
    """

    name = "nn.window_function"

    kind = prop_def(StringAttr)
    size = prop_def(IntegerAttr)
    periodic = prop_def(IntegerAttr)

    assembly_format = (
        "custom<Text>($kind) `size` custom<Int>($size)"
        " `periodic` custom<Int>($periodic) attr-dict `:` type($result)"
    )

    custom_directives = (Int, Text)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        text_of("window", properties["kind"], WINDOWS)
        flag_of("periodic", properties["periodic"])
        return [tensor("float64", [positive("size", properties["size"])])]


@op_definition
class DftBasisOp(TableOp):
    """Cosines or sines of a real discrete Fourier transform: the element (n, k) is that
    of 2 pi n k / size, for n < size and k <= size / 2.

    ```mlir
    %c = nn.dft_basis "cos" size 400 : tensor<400x201xf64>
    ```
    """

    name = "nn.dft_basis"

    part = prop_def(StringAttr)
    size = prop_def(IntegerAttr)

    assembly_format = (
        "custom<Text>($part) `size` custom<Int>($size) attr-dict `:` type($result)"
    )

    custom_directives = (Int, Text)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        text_of("part", properties["part"], DFT_PARTS)
        size = positive("size", properties["size"])
        return [tensor("float64", [size, size // 2 + 1])]


@op_definition
class DctBasisOp(TableOp):
    """The first `count` rows of the orthonormal discrete cosine transform of type II:
    the element (k, n) is sqrt(2 / size) cos(pi k (2 n + 1) / (2 size)), the first row
    divided by sqrt(2).

    ```mlir
    %d = nn.dct_basis 13 size 80 : tensor<13x80xf64>
    ```
    """

    name = "nn.dct_basis"

    count = prop_def(IntegerAttr)
    size = prop_def(IntegerAttr)

    assembly_format = (
        "custom<Int>($count) `size` custom<Int>($size) attr-dict `:` type($result)"
    )

    custom_directives = (Int,)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        count, size = (positive(k, properties[k]) for k in ("count", "size"))
        require(count <= size, f"{count} coefficients of {size} values")
        return [tensor("float64", [count, size])]


@op_definition
class MelFiltersOp(TableOp):
    """Triangular filters on the mel scale, one row for each, as in the named library:
    librosa and whisper on Slaney's scale, with filters of area 1; torchaudio on HTK's
    scale, with filters of height 1.

    ```mlir
    %m = nn.mel_filters 80 bins 201 sample_rate 16000 range [0.0, 8000.0] like "whisper"
       : tensor<80x201xf64>
    ```
    """

    name = "nn.mel_filters"

    count = prop_def(IntegerAttr)
    bins = prop_def(IntegerAttr)
    sample_rate = prop_def(IntegerAttr)
    range = prop_def(DenseArrayBase)
    like = prop_def(StringAttr)

    assembly_format = (
        "custom<Int>($count) `bins` custom<Int>($bins)"
        " `sample_rate` custom<Int>($sample_rate) `range` custom<Floats>($range)"
        " `like` custom<Text>($like) attr-dict `:` type($result)"
    )

    custom_directives = (Floats, Int, Text)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        text_of("reference", properties["like"], MEL_LIKES)
        count, bins = (positive(k, properties[k]) for k in ("count", "bins"))
        require(bins >= 2, f"mel filters need two bins and more, got {bins}")
        rate = positive("sample_rate", properties["sample_rate"])
        highest = range_of(properties["range"])[1]
        require(
            highest <= rate / 2,
            f"the highest frequency {highest} Hz is above half the sample rate {rate} Hz",
        )
        return [tensor("float64", [count, bins])]


@op_definition
class SincFiltersOp(TableOp):
    """The filters that resample by `to / from`, a column for each phase: cosine-windowed
    sinc, as `torchaudio.functional.resample` computes its kernel by default.

    `from` and `to` have no common factor.

    ```mlir
    %k = nn.sinc_filters from 3 to 2 : tensor<23x2xf64>
    ```
    """

    name = "nn.sinc_filters"

    source = prop_def(IntegerAttr)
    target = prop_def(IntegerAttr)

    assembly_format = (
        "`from` custom<Int>($source) `to` custom<Int>($target) attr-dict"
        " `:` type($result)"
    )

    custom_directives = (Int,)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        source = positive("from", properties["source"])
        target = positive("to", properties["target"])
        require(gcd(source, target) == 1, f"{source} and {target} have a common factor")
        return [tensor("float64", [2 * sinc_reach(source, target) + source, target])]


def sinc_reach(source: int, target: int) -> int:
    """The reach of a filter to each side, in samples."""
    return ceil(SINC_ZEROS * source / (min(source, target) * SINC_ROLLOFF))


OPS: Sequence[type[IRDLOperation]] = (
    DctBasisOp,
    DftBasisOp,
    MelFiltersOp,
    SincFiltersOp,
    WindowFunctionOp,
)
