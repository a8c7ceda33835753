"""The architectures of `tests/zoo` in real widths, a few layers deep, random weights.

A factory gives a module and example inputs, as `bench/models.py` of `shared` does.
"""

# A configuration takes the fields of its base class as keywords too.
# pyright: reportCallIssue=false

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as tr
from torch import nn

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.zoo.build import ATTENTION, Call, Inputs, randomised
from tests.zoo.language import Tagger
from tests.zoo.vision import InvertedResidual, UNet

Model = tuple[nn.Module, Inputs]

LAYERS: dict[str, Any] = {"num_hidden_layers": 2, **ATTENTION}
VOCABULARY = 4096
TEXT: dict[str, Any] = {"vocab_size": VOCABULARY, "pad_token_id": 0}
DECODER: dict[str, Any] = {
    **LAYERS,
    **TEXT,
    "max_position_embeddings": 512,
    "use_cache": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
STACKS: dict[str, Any] = {
    "encoder_layers": 2,
    "decoder_layers": 2,
    "use_cache": False,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    **ATTENTION,
}


def pixels(model: nn.Module, output: str = "logits", *size: int) -> Model:
    """A model of images, and one of 224 x 224 unless said otherwise."""
    call = Call(randomised(model), ["pixel_values"], [output])
    return call, (torch.randn(1, 3, *(size or (224, 224))),)


def tokens(
    model: nn.Module, output: str = "logits", length: int = 128, mask: bool = True
) -> Model:
    """A model of text and one sentence, with a mask that hides its end."""
    ids = torch.randint(3, VOCABULARY, (1, length))
    if not mask:
        return Call(randomised(model), ["input_ids"], [output]), (ids,)
    keep = torch.ones_like(ids)
    keep[:, length - 10 :] = 0
    call = Call(randomised(model), ["input_ids", "attention_mask"], [output])
    return call, (ids, keep)


def convnext() -> Model:
    config = tr.ConvNextConfig(depths=[1, 1, 3, 1])
    return pixels(tr.ConvNextForImageClassification(config))


def swin() -> Model:
    config = tr.SwinConfig(depths=[2, 2, 2, 2], **ATTENTION)
    return pixels(tr.SwinForImageClassification(config))


def deit() -> Model:
    config = tr.DeiTConfig(hidden_size=384, num_attention_heads=6, **LAYERS)
    return pixels(tr.DeiTForImageClassificationWithTeacher(config))


def vit() -> Model:
    return pixels(tr.ViTForImageClassification(tr.ViTConfig(**LAYERS)))


def segformer() -> Model:
    model = tr.SegformerForSemanticSegmentation(tr.SegformerConfig())
    return pixels(model, "logits", 256, 256)


def detr() -> Model:
    backbone = tr.ResNetConfig(depths=[1, 1, 1, 1], out_features=["stage4"])
    config = tr.DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=backbone,
        encoder_layers=2,
        decoder_layers=2,
    )
    return pixels(tr.DetrForObjectDetection(config), "pred_boxes", 320, 384)


def yolos() -> Model:
    config = tr.YolosConfig(
        hidden_size=384, num_attention_heads=6, image_size=[224, 320], **LAYERS
    )
    return pixels(tr.YolosForObjectDetection(config), "pred_boxes", 256, 320)


def regnet() -> Model:
    config = tr.RegNetConfig(depths=[1, 2, 2, 1])
    return pixels(tr.RegNetForImageClassification(config))


def efficientnet() -> Model:
    """The B0 of the family."""
    config = tr.EfficientNetConfig(
        width_coefficient=1.0, depth_coefficient=1.0, image_size=224, hidden_dim=1280
    )
    return pixels(tr.EfficientNetForImageClassification(config))


def mobilenet_v2() -> Model:
    config = tr.MobileNetV2Config(tf_padding=True)
    return pixels(tr.MobileNetV2ForImageClassification(config))


def mobilenet_v3() -> Model:
    blocks = (
        *((16, 64, 24, 3, 2), (24, 72, 24, 3, 1), (24, 72, 40, 5, 2)),
        *((40, 120, 40, 5, 1), (40, 240, 80, 3, 2), (80, 200, 80, 3, 1)),
        *((80, 480, 112, 3, 1), (112, 672, 160, 5, 2), (160, 960, 160, 5, 1)),
    )
    stem = (nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.Hardswish())
    pool = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(160, 1000))
    model = nn.Sequential(*stem, *(InvertedResidual(*b) for b in blocks), *pool)
    return randomised(model), (torch.randn(1, 3, 224, 224),)


def unet() -> Model:
    return randomised(UNet(32, 64, 128)), (torch.randn(1, 3, 160, 160),)


def resnet() -> Model:
    config = tr.ResNetConfig(depths=[1, 2, 2, 1])
    return pixels(tr.ResNetForImageClassification(config))


def clip_vision() -> Model:
    config = tr.CLIPVisionConfig(**LAYERS)
    return pixels(tr.CLIPVisionModelWithProjection(config), "image_embeds")


def clip_text() -> Model:
    config = tr.CLIPTextConfig(**LAYERS, **TEXT, bos_token_id=1, eos_token_id=2)
    return tokens(tr.CLIPTextModelWithProjection(config), "last_hidden_state", 77)


def bert() -> Model:
    return tokens(tr.BertModel(tr.BertConfig(**LAYERS, **TEXT)), "last_hidden_state")


def distilbert() -> Model:
    config = tr.DistilBertConfig(n_layers=2, **TEXT, **ATTENTION)
    return tokens(tr.DistilBertForSequenceClassification(config))


def albert() -> Model:
    config = tr.AlbertConfig(
        **LAYERS,
        **TEXT,
        hidden_size=768,
        num_attention_heads=12,
        intermediate_size=3072,
    )
    return tokens(tr.AlbertModel(config), "last_hidden_state")


def roberta() -> Model:
    config = tr.RobertaConfig(**LAYERS, **{**TEXT, "pad_token_id": 1})
    return tokens(tr.RobertaForTokenClassification(config))


def _t5() -> tr.T5Config:
    return tr.T5Config(
        **TEXT,
        d_ff=1024,
        num_layers=2,
        feed_forward_proj="gated-gelu",
        decoder_start_token_id=0,
        use_cache=False,
    )


def t5_encoder() -> Model:
    return tokens(tr.T5EncoderModel(_t5()), "last_hidden_state")


def t5() -> Model:
    """Encoder and decoder."""
    model = tr.T5ForConditionalGeneration(_t5())
    names = ["input_ids", "attention_mask", "decoder_input_ids"]
    _, (ids, keep) = tokens(model)
    return Call(randomised(model), names, ["logits"]), (ids, keep, ids[:, :64])


def bart() -> Model:
    config = tr.BartConfig(
        **STACKS,
        vocab_size=VOCABULARY,
        d_model=768,
        encoder_attention_heads=12,
        decoder_attention_heads=12,
        encoder_ffn_dim=3072,
        decoder_ffn_dim=3072,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
    )
    return tokens(tr.BartModel(config), "last_hidden_state")


def _whisper() -> tr.WhisperModel:
    config = tr.WhisperConfig(
        **STACKS, vocab_size=VOCABULARY, max_source_positions=500, d_model=384
    )
    return tr.WhisperModel(config)


def whisper_encoder() -> Model:
    """10 seconds of sound."""
    model = randomised(_whisper().get_encoder())
    call = Call(model, ["input_features"], ["last_hidden_state"])
    return call, (torch.randn(1, 80, 1000),)


def whisper() -> Model:
    """Encoder and decoder."""
    names = ["input_features", "decoder_input_ids"]
    model = Call(randomised(_whisper()), names, ["last_hidden_state"])
    return model, (torch.randn(1, 80, 1000), torch.randint(3, VOCABULARY, (1, 32)))


def gpt2() -> Model:
    config = tr.GPT2Config(
        vocab_size=VOCABULARY, n_layer=2, use_cache=False, **ATTENTION
    )
    return tokens(tr.GPT2LMHeadModel(config))


def opt() -> Model:
    return tokens(tr.OPTForCausalLM(tr.OPTConfig(**DECODER)))


def qwen2() -> Model:
    config = tr.Qwen2Config(
        **DECODER,
        hidden_size=896,
        intermediate_size=4864,
        num_attention_heads=14,
        num_key_value_heads=2,
    )
    return tokens(tr.Qwen2ForCausalLM(config), length=64)


def qwen3() -> Model:
    config = tr.Qwen3Config(
        **DECODER,
        hidden_size=1024,
        intermediate_size=3072,
        num_attention_heads=16,
        num_key_value_heads=8,
        head_dim=128,
    )
    return tokens(tr.Qwen3ForCausalLM(config), length=64)


def gemma() -> Model:
    config = tr.GemmaConfig(
        **DECODER,
        hidden_size=1024,
        intermediate_size=4096,
        num_attention_heads=4,
        num_key_value_heads=1,
        head_dim=256,
    )
    return tokens(tr.GemmaForCausalLM(config), length=64)


def mistral() -> Model:
    """A window of 32 tokens slides over 128."""
    config = tr.MistralConfig(
        **DECODER,
        hidden_size=1024,
        intermediate_size=3584,
        num_attention_heads=16,
        num_key_value_heads=4,
        sliding_window=32,
    )
    return tokens(tr.MistralForCausalLM(config))


def phi() -> Model:
    config = tr.PhiConfig(
        **DECODER, hidden_size=1024, intermediate_size=4096, num_attention_heads=16
    )
    return tokens(tr.PhiForCausalLM(config))


def llama() -> Model:
    config = tr.LlamaConfig(
        **DECODER,
        hidden_size=512,
        intermediate_size=1376,
        num_attention_heads=8,
        num_key_value_heads=4,
    )
    return tokens(tr.LlamaForCausalLM(config))


def mixtral() -> Model:
    """Each token takes 2 of 8 experts, whose weights it gathers."""
    config = tr.MixtralConfig(
        **DECODER,
        hidden_size=512,
        intermediate_size=1024,
        num_attention_heads=8,
        num_key_value_heads=4,
        num_local_experts=8,
        experts_implementation="batched_mm",
    )
    return tokens(tr.MixtralForCausalLM(config), length=8, mask=False)


def qwen3_moe() -> Model:
    config = tr.Qwen3MoeConfig(
        **DECODER,
        hidden_size=512,
        num_attention_heads=8,
        num_key_value_heads=4,
        head_dim=64,
        num_experts=16,
        num_experts_per_tok=4,
        moe_intermediate_size=384,
        norm_topk_prob=True,
        experts_implementation="batched_mm",
    )
    return tokens(tr.Qwen3MoeForCausalLM(config), length=8, mask=False)


def mamba() -> Model:
    config = tr.MambaConfig(
        vocab_size=VOCABULARY, hidden_size=768, num_hidden_layers=2, use_cache=False
    )
    return tokens(tr.MambaForCausalLM(config), length=32, mask=False)


def wav2vec2() -> Model:
    """One second of sound."""
    model = tr.Wav2Vec2ForCTC(tr.Wav2Vec2Config(**LAYERS))
    call = Call(randomised(model), ["input_values"], ["logits"])
    return call, (torch.randn(1, 16000),)


def tagger() -> Model:
    model = Tagger(VOCABULARY, 256, 256, 128)
    return randomised(model), (torch.randint(3, VOCABULARY, (4, 32)),)


MODELS: dict[str, Callable[[], Model]] = {
    make.__name__: make
    for make in (
        *(convnext, swin, deit, vit, segformer, detr, yolos, regnet, efficientnet),
        *(mobilenet_v2, mobilenet_v3, unet, resnet, clip_vision, clip_text, bert),
        *(distilbert, albert, roberta, t5_encoder, t5, bart, whisper_encoder, whisper),
        *(gpt2, opt, qwen2, qwen3, gemma, mistral, phi, llama, mixtral, qwen3_moe),
        *(mamba, wav2vec2, tagger),
    )
}
"""Every architecture by name."""


class First(nn.Module):
    """A model with the first of its outputs alone."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        found = self.model(*inputs)
        return found if isinstance(found, torch.Tensor) else found[0]


def build(name: str) -> Model:
    """A model of this name, the same in each process."""
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    return First(module).eval(), inputs
