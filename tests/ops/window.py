"""Claims of the family `window`: convolutions and pools."""

from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import FLOATS

CLAIMED = {
    "nn.functional.conv1d": FLOATS,
    "nn.functional.conv2d": FLOATS,
    "nn.functional.conv_transpose1d": FLOATS,
    "nn.functional.conv_transpose2d": FLOATS,
    "nn.functional.avg_pool1d": FLOATS,
    "nn.functional.avg_pool2d": FLOATS,
    "nn.functional.max_pool1d": FLOATS,
    "nn.functional.max_pool2d": FLOATS,
    "nn.functional.adaptive_avg_pool1d": FLOATS,
    "nn.functional.adaptive_avg_pool2d": FLOATS,
    "nn.functional.adaptive_max_pool1d": FLOATS,
    "nn.functional.adaptive_max_pool2d": FLOATS,
}

INTERPRETED = ("nn.functional.avg_pool2d", "nn.functional.conv_transpose2d")


def _indices(sample: SampleInput) -> str | None:
    wanted = sample.kwargs.get("return_indices") or True in sample.args
    return "the indices of pools are not computed" if wanted else None


EXCUSES = {
    f"nn.functional.{kind}max_pool{rank}d": _indices
    for kind in ("", "adaptive_")
    for rank in (1, 2)
}
