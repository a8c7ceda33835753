"""Claims of the family `reduction`: sums, extremes, statistics, softmax, scans, norms."""

from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import ALL, COMPLEX, EVERY, FLOATS, NUMBERS

CLAIMED = {
    "sum": EVERY,
    "mean": (*FLOATS, *COMPLEX),
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
    "norm.fro": FLOATS,
    "linalg.vector_norm": FLOATS,
    "linalg.matrix_norm": FLOATS,
    **dict.fromkeys(("linalg.norm", "linalg.norm.subgradients_at_zero"), FLOATS),
    **dict.fromkeys(("cdist", "dist", "renorm", "nn.functional.pdist"), FLOATS),
    "nn.functional.normalize": FLOATS,
    "nn.functional.cosine_similarity": FLOATS,
    "nn.functional.pairwise_distance": NUMBERS,
    "nanmean": FLOATS,
    "sum_to_size": ALL,
    **dict.fromkeys(("trapezoid", "trapz", "cumulative_trapezoid"), NUMBERS),
    **dict.fromkeys(
        (
            f"nn.functional.{name}"
            for name in (
                *("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "kl_div"),
                *("binary_cross_entropy", "binary_cross_entropy_with_logits"),
                *("cross_entropy", "nll_loss", "poisson_nll_loss"),
                *("soft_margin_loss", "multi_margin_loss", "multilabel_margin_loss"),
                *("margin_ranking_loss", "triplet_margin_loss"),
                *("cosine_embedding_loss", "hinge_embedding_loss"),
            )
        ),
        ("float32", "float64"),
    ),
    **dict.fromkeys(
        (
            *(f"masked.{name}" for name in ("sum", "prod", "amax", "amin")),
            *(f"masked.{name}" for name in ("argmax", "argmin", "norm")),
        ),
        ("float32",),
    ),
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


def _singular_values(sample: SampleInput) -> str | None:
    order = sample.args[0] if sample.args else sample.kwargs.get("ord")
    if order == "nuc" or order in (2, -2):
        return "the singular values of a matrix, which need a factorization"
    return None


EXCUSES = {
    "nn.functional.instance_norm": _updates_statistics,
    "linalg.matrix_norm": _singular_values,
    "linalg.norm": _singular_values,
    "linalg.norm.subgradients_at_zero": _singular_values,
}
