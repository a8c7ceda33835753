"""Claims of the family `reduction`: sums, extremes, statistics, softmax, scans, norms."""

from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import ALL, FLOATS, NUMBERS

CLAIMED = {
    "sum": ALL,
    "mean": FLOATS,
    "nansum": ALL,
    "prod": ALL,
    "amax": ALL,
    "amin": ALL,
    "aminmax": ALL,
    "max.reduction_no_dim": ALL,
    "max.reduction_with_dim": ALL,
    "min.reduction_no_dim": ALL,
    "min.reduction_with_dim": ALL,
    "argmax": NUMBERS,
    "argmin": NUMBERS,
    "any": ALL,
    "all": ALL,
    "count_nonzero": ALL,
    "var": FLOATS,
    "var.unbiased": FLOATS,
    "var_mean": FLOATS,
    "var_mean.unbiased": FLOATS,
    "std": FLOATS,
    "std.unbiased": FLOATS,
    "std_mean": FLOATS,
    "std_mean.unbiased": FLOATS,
    "norm": FLOATS,
    "norm.inf": FLOATS,
    "linalg.vector_norm": FLOATS,
    "logsumexp": ALL,
    "softmax": FLOATS,
    "softmax.with_dtype": ALL,
    "nn.functional.softmin": FLOATS,
    "log_softmax": FLOATS,
    "log_softmax.with_dtype": ALL,
    "torch.ops.aten._safe_softmax.default": ALL,
    "cumsum": NUMBERS,
    "cumprod": NUMBERS,
    "nn.functional.layer_norm": FLOATS,
    "native_layer_norm": FLOATS,
    "nn.functional.group_norm": FLOATS,
    "nn.functional.rms_norm": FLOATS,
    "nn.functional.instance_norm": FLOATS,
}

INTERPRETED = ("sum", "var", "log_softmax", "nn.functional.layer_norm")


def _updates_statistics(sample: SampleInput) -> str | None:
    updates = sample.kwargs.get("use_input_stats", True)
    if updates and sample.kwargs.get("running_mean") is not None:
        return "a compiled program has no state to update"
    return None


EXCUSES = {"nn.functional.instance_norm": _updates_statistics}
