"""Losses, which some models compute beside their results; rows of `reduction`."""

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
    """PyTorch's composition, which leaves out what the operator refuses."""
    check_unit(b, x, "input")
    check_unit(b, target, "target")
    return composed_of(overload(_OF_PROBABILITIES)).build(b, x, target, *more)


LOSSES: dict[str, ImportRule] = traced(
    "aten.binary_cross_entropy_with_logits.default",
    "aten.cosine_embedding_loss.default",
    "aten.cross_entropy_loss.default",
    "aten.hinge_embedding_loss.default",
    "aten.huber_loss.default",
    "aten.kl_div.default",
    "aten.l1_loss.default",
    "aten.margin_ranking_loss.default",
    "aten.mse_loss.default",
    "aten.multi_margin_loss.default",
    "aten.multilabel_margin_loss_forward.default",
    "aten.multilabel_margin_loss.default",
    "aten.nll_loss.default",
    "aten.nll_loss2d.default",
    "aten.nll_loss2d_forward.default",
    "aten.nll_loss_forward.default",
    "aten.nll_loss_nd.default",
    "aten.poisson_nll_loss.default",
    "aten.smooth_l1_loss.default",
    "aten.soft_margin_loss.default",
    "aten.triplet_margin_loss.default",
) | {_OF_PROBABILITIES: ImportRule(_composed_of_checked)}
"""ATen overload -> how to build it."""
