"""Known architectures with random weights and tiny, odd sizes; nothing is downloaded.

`devproc survey tests/zoo/models.py`, in the root of the repository, prints how far each
comes. A factory gives a module in eval mode and example inputs.
"""

from __future__ import annotations

from tests.zoo import language, vision
from tests.zoo.build import Factory

MODELS: dict[str, Factory] = {
    make.__name__: make
    for make in (
        vision.convnext,
        vision.swin,
        vision.deit,
        vision.vit,
        vision.segformer,
        vision.detr,
        vision.yolos,
        vision.regnet,
        vision.efficientnet,
        vision.mobilenet_v2,
        vision.mobilenet_v3,
        vision.unet,
        vision.resnet,
        vision.clip_vision,
        language.clip_text,
        language.bert,
        language.distilbert,
        language.albert,
        language.roberta,
        language.t5_encoder,
        language.t5,
        language.bart,
        language.whisper_encoder,
        language.whisper,
        language.gpt2,
        language.opt,
        language.qwen2,
        language.qwen3,
        language.gemma,
        language.mistral,
        language.phi,
        language.llama,
        language.mixtral,
        language.qwen3_moe,
        language.mamba,
        language.wav2vec2,
        language.tagger,
    )
}
"""Every architecture by name."""
