"""Tokens and embeddings: steps as formulas of `nn` ops."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from devproc.transforms.tensor.pipe_to_nn.rule import Rule

LOWERINGS: Mapping[type[Operation], Rule] = {}
"""op class -> what it is made of."""
