"""The launches of a layer of common models on a GPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import transformers as tr
from torch import nn

from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.cost.program_kernels import program_kernels
from tests.zoo.build import ATTENTION, Call, Inputs

Model = tuple[nn.Module, Inputs]

SIZES = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96}
TEXT = {"vocab_size": 50, "pad_token_id": 0, "use_cache": False}


def bert(layers: int) -> Model:
    """An encoder of text with a mask."""
    config = tr.BertConfig(num_hidden_layers=layers, **SIZES, **TEXT, **ATTENTION)
    model = tr.BertModel(config, add_pooling_layer=False)
    names = ["input_ids", "attention_mask"]
    ids = torch.randint(50, (2, 9))
    return Call(model, names, ["last_hidden_state"]), (ids, torch.ones_like(ids))


def vit(layers: int) -> Model:
    """An encoder of images."""
    sizes = {"image_size": 32, "patch_size": 8}
    config = tr.ViTConfig(num_hidden_layers=layers, **SIZES, **sizes, **ATTENTION)
    model = tr.ViTModel(config, add_pooling_layer=False)
    call = Call(model, ["pixel_values"], ["last_hidden_state"])
    return call, (torch.randn(2, 3, 32, 32, dtype=torch.bfloat16),)


def llama(layers: int) -> Model:
    """A decoder with rotary embeddings, grouped queries and gated layers."""
    config = tr.LlamaConfig(
        num_hidden_layers=layers, num_key_value_heads=2, **SIZES, **TEXT, **ATTENTION
    )
    model = tr.LlamaForCausalLM(config)
    return Call(model, ["input_ids"], ["logits"]), (torch.randint(50, (2, 9)),)


def gpt2(layers: int) -> Model:
    """A decoder with norms before each part."""
    config = tr.GPT2Config(n_layer=layers, n_embd=64, n_head=4, **TEXT, **ATTENTION)
    model = tr.GPT2LMHeadModel(config)
    return Call(model, ["input_ids"], ["logits"]), (torch.randint(50, (2, 9)),)


def launches(model: Model) -> int:
    """The launches of one run in bfloat16."""
    module, inputs = model
    with torch.no_grad():
        program = torch.export.export(module.eval().to(torch.bfloat16), inputs)
    source = read_source(program)
    set_options(source.module, target_options("cuda:interpret"), None)
    return sum(kernel.launches for kernel in program_kernels(source.module))


@pytest.mark.parametrize(("make", "most"), [(bert, 7), (vit, 7), (llama, 8), (gpt2, 7)])
def test_launches_of_a_layer(make: Callable[[int], Model], most: int) -> None:
    """Without products whose sums are split, which the sizes here are too small for."""
    assert launches(make(3)) - launches(make(2)) <= most


def resnet() -> Model:
    """ResNet-50 with few channels, so that no sum is long enough to be split."""
    config = tr.ResNetConfig(embedding_size=16, hidden_sizes=[32, 48, 64, 96])
    model = tr.ResNetForImageClassification(config)
    call = Call(model, ["pixel_values"], ["logits"])
    return call, (torch.randn(8, 3, 96, 96, dtype=torch.bfloat16),)


def test_launches_of_a_resnet() -> None:
    """53 convolutions, of which four shortcuts are in the kernels of their sums, and the
    layout of the input, two pools and the classifier."""
    assert launches(resnet()) <= 54


def test_a_group_norm_is_in_one_kernel_with_its_activation() -> None:
    """The product before it stores bfloat16 alone, which each of seven kernels reads: two
    for each of the sums of the mean, its correction and the variance."""
    model = nn.Sequential(
        nn.Conv2d(64, 64, 3, padding=1), nn.GroupNorm(1, 64), nn.GELU(), nn.Flatten()
    )
    inputs = (torch.randn(1, 64, 80, 80, dtype=torch.bfloat16),)
    with torch.no_grad():
        program = torch.export.export(model.eval().to(torch.bfloat16), inputs)
    source = read_source(program)
    set_options(source.module, target_options("cuda:interpret"), None)
    kernels = list(program_kernels(source.module))
    (conv,) = (k for k in kernels if k.kernel.name.startswith("conv2d"))
    assert sum(a.is_store for a in conv.work.accesses) == 1
    norm = kernels[kernels.index(conv) + 1 :]
    assert sum(kernel.launches for kernel in norm) == 7
    assert [k.kernel.name for k in norm if "*bf16" not in k.kernel.arg_types] == [
        k.kernel.name for k in norm if k.kernel.name.startswith("reduce_sum")
    ]
