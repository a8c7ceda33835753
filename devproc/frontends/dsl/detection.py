"""Steps on boxes, masks and keypoints."""

from __future__ import annotations

from devproc.frontends.dsl.builder import StepBuilder


class DetectionSteps(StepBuilder):
    """Steps on boxes, masks and keypoints."""
