"""Models of known architectures, small and with random weights: nothing is downloaded.

Each is exported as a function of its pixels or features, returning plain tensors. With
weights of your own, only the line that makes the model changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_sample_image
from torch import nn
from torch.export import ExportedProgram, export

Images = NDArray[np.uint8]


def photograph(name: str = "china") -> Images:
    """A real photograph, uint8 (427, 640, 3): scikit-learn's "china" or "flower"."""
    return np.ascontiguousarray(load_sample_image(f"{name}.jpg"))


class Fields(nn.Module):
    """A model of transformers that returns some fields of its output, as a tuple."""

    def __init__(self, model: nn.Module, *fields: str):
        super().__init__()
        self.model = model.eval()
        self.fields = fields

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The fields of what the model says of `x`."""
        output: Any = self.model(x)
        return tuple(output[field] for field in self.fields)


def exported(model: nn.Module, *fields: str, x: torch.Tensor) -> ExportedProgram:
    """The exported model, as a function of one tensor like `x`."""
    with torch.no_grad():
        return export(Fields(model, *fields), (x,), strict=False)


def resnet(classes: int) -> nn.Module:
    """A ResNet with two stages."""
    from transformers import ResNetConfig, ResNetForImageClassification

    torch.manual_seed(0)
    config = ResNetConfig(
        embedding_size=16,
        hidden_sizes=[16, 32],
        depths=[1, 1],
        layer_type="basic",
    )
    config.num_labels = classes
    return ResNetForImageClassification(config).eval()


def yolos(size: tuple[int, int], classes: int) -> nn.Module:
    """A YOLOS with two layers and twelve detection tokens."""
    from transformers import YolosConfig, YolosForObjectDetection

    torch.manual_seed(0)
    config = YolosConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        image_size=list(size),
        num_detection_tokens=12,
        initializer_range=0.2,
    )
    config.num_labels = classes
    model = YolosForObjectDetection(config).eval()
    # They begin as zeros, and would all find the same.
    nn.init.normal_(model.vit.embeddings.detection_tokens, std=2.0)
    return model


def segformer(classes: int) -> nn.Module:
    """A SegFormer with two stages."""
    from transformers import SegformerConfig, SegformerForSemanticSegmentation

    torch.manual_seed(0)
    config = SegformerConfig(
        num_encoder_blocks=2,
        depths=[1, 1],
        sr_ratios=[4, 2],
        hidden_sizes=[16, 32],
        patch_sizes=[7, 3],
        strides=[4, 2],
        num_attention_heads=[1, 2],
        mlp_ratios=[2, 2],
        decoder_hidden_size=32,
        initializer_range=0.3,
    )
    config.num_labels = classes
    return SegformerForSemanticSegmentation(config).eval()


def whisper_encoder(frames: int) -> nn.Module:
    """Whisper's encoder with two layers, for `frames` frames of 80 bands."""
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    torch.manual_seed(0)
    config = WhisperConfig(
        d_model=32,
        encoder_layers=2,
        encoder_attention_heads=2,
        encoder_ffn_dim=64,
        max_source_positions=frames // 2,
    )
    return WhisperEncoder(config).eval()
