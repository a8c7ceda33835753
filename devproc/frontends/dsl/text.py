"""Steps on tokens and embeddings."""

from __future__ import annotations

from devproc.frontends.dsl.builder import StepBuilder


class TextSteps(StepBuilder):
    """Steps on tokens and embeddings."""
