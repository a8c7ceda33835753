"""Losses, which some models compute along with their results; rows of `reduction`."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from devproc.frontends.torch_export.elementwise.value_checks import check_unit
from devproc.frontends.torch_export.graph.builder import GraphBuilder, ImportRule
from devproc.frontends.torch_export.graph.composites import (
    composed_of,
    overload,
    traced,
)

_OF_PROBABILITIES = "aten.binary_cross_entropy.default"


def _composed_of_checked(
    b: GraphBuilder, x: SSAValue, target: SSAValue, *more: Any
) -> SSAValue:
    """PyTorch's decomposition, which lacks the operator's own checks."""
    check_unit(b, x, "input")
    check_unit(b, target, "target")
    return composed_of(overload(_OF_PROBABILITIES)).build(b, x, target, *more)


LOSSES: dict[str, ImportRule] = traced(
    "binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy_loss "
    "hinge_embedding_loss huber_loss kl_div l1_loss margin_ranking_loss "
    "mse_loss multi_margin_loss multilabel_margin_loss_forward "
    "multilabel_margin_loss nll_loss nll_loss2d nll_loss2d_forward "
    "nll_loss_forward nll_loss_nd poisson_nll_loss smooth_l1_loss "
    "soft_margin_loss triplet_margin_loss",
) | {_OF_PROBABILITIES: ImportRule(_composed_of_checked)}
"""ATen overload -> import rule."""
