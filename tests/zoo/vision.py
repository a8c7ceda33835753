"""Models of images."""

# A configuration takes the fields of its base class as keywords too.
# pyright: reportCallIssue=false

from __future__ import annotations

import torch
import transformers as tr
from torch import nn

from tests.zoo.build import ATTENTION, IMAGE, Inputs, pixels, randomised


def convnext() -> tuple[nn.Module, Inputs]:
    config = tr.ConvNextConfig(
        hidden_sizes=[10, 14, 18, 22], depths=[1, 1, 2, 1], num_labels=7
    )
    return pixels(tr.ConvNextForImageClassification(config), "logits", size=(45, 67))


def swin() -> tuple[nn.Module, Inputs]:
    """Windows of 3 x 3 tokens on 10 x 14: padded, shifted and masked."""
    config = tr.SwinConfig(
        image_size=(28, 42),
        patch_size=3,
        embed_dim=12,
        depths=[2, 2],
        num_heads=[2, 3],
        window_size=3,
        num_labels=5,
        **ATTENTION,
    )
    return pixels(tr.SwinForImageClassification(config), "logits", size=(28, 42))


def deit() -> tuple[nn.Module, Inputs]:
    model = tr.DeiTForImageClassificationWithTeacher(tr.DeiTConfig(**IMAGE))
    return pixels(model, "logits", "distillation_logits")


def vit() -> tuple[nn.Module, Inputs]:
    model = tr.ViTForImageClassification(tr.ViTConfig(num_labels=11, **IMAGE))
    return pixels(model, "logits")


def segformer() -> tuple[nn.Module, Inputs]:
    config = tr.SegformerConfig(
        depths=[1, 1, 1, 1],
        hidden_sizes=[8, 12, 20, 28],
        num_attention_heads=[1, 2, 2, 4],
        mlp_ratios=[2, 2, 2, 2],
        sr_ratios=[4, 2, 2, 1],
        decoder_hidden_size=18,
        num_labels=5,
    )
    model = tr.SegformerForSemanticSegmentation(config)
    return pixels(model, "logits", size=(65, 97))


def detr() -> tuple[nn.Module, Inputs]:
    backbone = tr.ResNetConfig(
        embedding_size=9,
        hidden_sizes=[9, 14, 20, 26],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage4"],
    )
    config = tr.DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=backbone,
        d_model=24,
        num_queries=7,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=3,
        decoder_attention_heads=3,
        encoder_ffn_dim=31,
        decoder_ffn_dim=31,
        num_labels=5,
    )
    model = tr.DetrForObjectDetection(config)
    return pixels(model, "logits", "pred_boxes", size=(65, 99))


def yolos() -> tuple[nn.Module, Inputs]:
    """Position embeddings are resized to the image."""
    config = tr.YolosConfig(
        **{**IMAGE, "image_size": [35, 28]}, num_detection_tokens=5, num_labels=4
    )
    model = tr.YolosForObjectDetection(config)
    return pixels(model, "logits", "pred_boxes")


def regnet() -> tuple[nn.Module, Inputs]:
    config = tr.RegNetConfig(
        embedding_size=10,
        hidden_sizes=[12, 18, 24, 30],
        depths=[1, 2, 1, 1],
        groups_width=6,
        num_labels=7,
    )
    model = tr.RegNetForImageClassification(config)
    return pixels(model, "logits", size=(63, 45))


def efficientnet() -> tuple[nn.Module, Inputs]:
    config = tr.EfficientNetConfig(
        width_coefficient=0.25,
        depth_coefficient=0.3,
        image_size=47,
        hidden_dim=320,
        num_labels=6,
    )
    model = tr.EfficientNetForImageClassification(config)
    return pixels(model, "logits", size=(47, 61))


def mobilenet_v2() -> tuple[nn.Module, Inputs]:
    """Padded as TensorFlow does it."""
    config = tr.MobileNetV2Config(
        depth_multiplier=0.25, image_size=45, num_labels=7, tf_padding=True
    )
    model = tr.MobileNetV2ForImageClassification(config)
    return pixels(model, "logits", size=(45, 61))


class SqueezeExcite(nn.Module):
    """A factor per channel, from the means of all channels."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.down = nn.Conv2d(channels, channels // 4, 1)
        self.up = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = nn.functional.adaptive_avg_pool2d(x, 1)
        return x * nn.functional.hardsigmoid(self.up(self.down(mean).relu()))


class InvertedResidual(nn.Module):
    """MobileNetV3's block: expand, depthwise, squeeze and excite, project."""

    def __init__(self, inside: int, wide: int, out: int, kernel: int, stride: int):
        super().__init__()
        self.residual = stride == 1 and inside == out
        self.body = nn.Sequential(
            nn.Conv2d(inside, wide, 1, bias=False),
            nn.BatchNorm2d(wide, eps=1e-3),
            nn.Hardswish(inplace=True),
            nn.Conv2d(wide, wide, kernel, stride, kernel // 2, groups=wide, bias=False),
            nn.BatchNorm2d(wide, eps=1e-3),
            SqueezeExcite(wide),
            nn.Hardswish(inplace=True),
            nn.Conv2d(wide, out, 1, bias=False),
            nn.BatchNorm2d(out, eps=1e-3),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.body(x)
        return x + y if self.residual else y


def mobilenet_v3() -> tuple[nn.Module, Inputs]:
    model = nn.Sequential(
        nn.Conv2d(3, 10, 3, 2, 1, bias=False),
        nn.BatchNorm2d(10),
        nn.Hardswish(),
        InvertedResidual(10, 28, 10, 3, 1),
        InvertedResidual(10, 36, 17, 5, 2),
        InvertedResidual(17, 44, 17, 5, 1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(17, 31),
        nn.Hardswish(),
        nn.Dropout(0.2),
        nn.Linear(31, 9),
    )
    return randomised(model), (torch.randn(3, 3, 37, 29),)


class UNet(nn.Module):
    """Down by pools, up by a transposed convolution and by interpolation."""

    def __init__(self, top: int = 9, middle: int = 14, bottom: int = 22) -> None:
        super().__init__()
        self.first, self.second = self._double(3, top), self._double(top, middle)
        self.bottom = self._double(middle, bottom)
        up = nn.ConvTranspose2d(bottom, middle, 3, stride=2, padding=1, bias=False)
        self.up = up
        self.third = self._double(2 * middle, middle - 1)
        self.fourth = self._double(top + middle - 1, top)
        self.head = nn.Conv2d(top, 4, 1)

    @staticmethod
    def _double(inside: int, out: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(inside, out, 3, padding=1),
            nn.GroupNorm(1, out),
            nn.SiLU(),
            nn.Conv2d(out, out, 3, padding=1),
            nn.BatchNorm2d(out),
            nn.LeakyReLU(0.1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pool, resize = nn.functional.max_pool2d, nn.functional.interpolate
        first = self.first(x)
        second = self.second(pool(first, 2))
        y = self.up(self.bottom(pool(second, 2, ceil_mode=True)))
        y = resize(y, second.shape[-2:], mode="nearest")
        y = self.third(torch.cat([second, y], 1))
        y = resize(y, first.shape[-2:], mode="bilinear", align_corners=True)
        return self.head(self.fourth(torch.cat([first, y], 1)))


def unet() -> tuple[nn.Module, Inputs]:
    return randomised(UNet()), (torch.randn(2, 3, 23, 31),)


def resnet() -> tuple[nn.Module, Inputs]:
    config = tr.ResNetConfig(
        embedding_size=9,
        hidden_sizes=[12, 20, 28, 36],
        depths=[1, 2, 1, 1],
        num_labels=7,
    )
    model = tr.ResNetForImageClassification(config)
    return pixels(model, "logits", size=(61, 47))


def clip_vision() -> tuple[nn.Module, Inputs]:
    config = tr.CLIPVisionConfig(**{**IMAGE, "image_size": 21}, projection_dim=13)
    model = tr.CLIPVisionModelWithProjection(config)
    return pixels(model, "image_embeds", "last_hidden_state", size=(21, 21))
