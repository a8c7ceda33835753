"""Steps on sound."""

from __future__ import annotations

from devproc.frontends.dsl.builder import StepBuilder


class AudioSteps(StepBuilder):
    """Steps on sound."""
