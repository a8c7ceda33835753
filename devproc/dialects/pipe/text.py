"""Steps on tokens and embeddings."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.irdl import IRDLOperation

OPS: Sequence[type[IRDLOperation]] = ()
