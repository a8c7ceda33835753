"""Models of text and of sound."""

# A configuration takes the fields of its base class as keywords too.
# pyright: reportCallIssue=false

from __future__ import annotations

import torch
import transformers as tr
from torch import nn

from tests.zoo.build import (
    ATTENTION,
    DECODER,
    ENCODER,
    TEXT,
    Call,
    Inputs,
    randomised,
    tokens,
)


def clip_text() -> tuple[nn.Module, Inputs]:
    config = tr.CLIPTextConfig(
        **ENCODER, **TEXT, projection_dim=13, bos_token_id=1, eos_token_id=2
    )
    model = tr.CLIPTextModelWithProjection(config)
    return tokens(model, "text_embeds", "last_hidden_state")


def bert() -> tuple[nn.Module, Inputs]:
    model = tr.BertModel(tr.BertConfig(**ENCODER, **TEXT))
    return tokens(model, "last_hidden_state", "pooler_output")


def distilbert() -> tuple[nn.Module, Inputs]:
    config = tr.DistilBertConfig(
        dim=30, n_heads=3, n_layers=2, hidden_dim=41, **TEXT, **ATTENTION
    )
    model = tr.DistilBertForSequenceClassification(config)
    return tokens(model, "logits")


def albert() -> tuple[nn.Module, Inputs]:
    """One group of weights for all layers."""
    model = tr.AlbertModel(tr.AlbertConfig(embedding_size=14, **ENCODER, **TEXT))
    return tokens(model, "last_hidden_state", "pooler_output")


def roberta() -> tuple[nn.Module, Inputs]:
    """Positions count the tokens that are not padding."""
    config = tr.RobertaConfig(**ENCODER, **{**TEXT, "pad_token_id": 1})
    model, (ids, keep) = tokens(tr.RobertaForTokenClassification(config), "logits")
    return model, (torch.where(keep > 0, ids, 1), keep)


def _t5() -> tr.T5Config:
    return tr.T5Config(
        vocab_size=61,
        d_model=30,
        d_kv=9,
        d_ff=41,
        num_layers=2,
        num_heads=3,
        relative_attention_num_buckets=8,
        feed_forward_proj="gated-gelu",
        decoder_start_token_id=0,
        use_cache=False,
    )


def t5_encoder() -> tuple[nn.Module, Inputs]:
    return tokens(tr.T5EncoderModel(_t5()), "last_hidden_state")


def t5() -> tuple[nn.Module, Inputs]:
    """Encoder and decoder."""
    model = tr.T5ForConditionalGeneration(_t5())
    names = ["input_ids", "attention_mask", "decoder_input_ids"]
    _, (ids, keep) = tokens(model, "logits")
    return Call(randomised(model), names, ["logits"]), (ids, keep, ids[:, :5].flip(0))


def bart() -> tuple[nn.Module, Inputs]:
    config = tr.BartConfig(
        **TEXT,
        d_model=30,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=3,
        decoder_attention_heads=3,
        encoder_ffn_dim=41,
        decoder_ffn_dim=37,
        use_cache=False,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
        **ATTENTION,
    )
    return tokens(tr.BartModel(config), "last_hidden_state")


def _whisper() -> tr.WhisperModel:
    config = tr.WhisperConfig(
        vocab_size=61,
        num_mel_bins=14,
        d_model=30,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=3,
        decoder_attention_heads=3,
        encoder_ffn_dim=41,
        decoder_ffn_dim=37,
        max_source_positions=15,
        max_target_positions=11,
        use_cache=False,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=3,
        **ATTENTION,
    )
    return tr.WhisperModel(config)


def whisper_encoder() -> tuple[nn.Module, Inputs]:
    model = randomised(_whisper().get_encoder())
    names, outputs = ["input_features"], ["last_hidden_state"]
    return Call(model, names, outputs), (torch.randn(2, 14, 30),)


def whisper() -> tuple[nn.Module, Inputs]:
    """Encoder and decoder."""
    names = ["input_features", "decoder_input_ids"]
    model = Call(randomised(_whisper()), names, ["last_hidden_state"])
    return model, (torch.randn(2, 14, 30), torch.randint(3, 61, (2, 7)))


def gpt2() -> tuple[nn.Module, Inputs]:
    config = tr.GPT2Config(
        vocab_size=61,
        n_positions=23,
        n_embd=30,
        n_layer=2,
        n_head=3,
        use_cache=False,
        **ATTENTION,
    )
    return tokens(tr.GPT2LMHeadModel(config), "logits")


def opt() -> tuple[nn.Module, Inputs]:
    config = tr.OPTConfig(
        **TEXT,
        hidden_size=30,
        word_embed_proj_dim=30,
        ffn_dim=41,
        num_hidden_layers=2,
        num_attention_heads=3,
        use_cache=False,
        **ATTENTION,
    )
    return tokens(tr.OPTForCausalLM(config), "logits")


def qwen2() -> tuple[nn.Module, Inputs]:
    return tokens(tr.Qwen2ForCausalLM(tr.Qwen2Config(**DECODER)), "logits")


def qwen3() -> tuple[nn.Module, Inputs]:
    config = tr.Qwen3Config(**DECODER, head_dim=14)
    return tokens(tr.Qwen3ForCausalLM(config), "logits")


def gemma() -> tuple[nn.Module, Inputs]:
    config = tr.GemmaConfig(**DECODER, head_dim=14)
    return tokens(tr.GemmaForCausalLM(config), "logits")


def mistral() -> tuple[nn.Module, Inputs]:
    """A window of 4 tokens slides over 9."""
    config = tr.MistralConfig(**DECODER, sliding_window=4)
    return tokens(tr.MistralForCausalLM(config), "logits")


def phi() -> tuple[nn.Module, Inputs]:
    """Rotary embedding of a part of each head."""
    config = tr.PhiConfig(**{**DECODER, "hidden_size": 36, "num_key_value_heads": 3})
    return tokens(tr.PhiForCausalLM(config), "logits")


def llama() -> tuple[nn.Module, Inputs]:
    config = tr.LlamaConfig(**DECODER, tie_word_embeddings=True)
    return tokens(tr.LlamaForCausalLM(config), "logits")


def mixtral() -> tuple[nn.Module, Inputs]:
    """Each token takes 2 of 5 experts, whose weights it gathers."""
    config = tr.MixtralConfig(
        **DECODER,
        num_local_experts=5,
        num_experts_per_tok=2,
        experts_implementation="batched_mm",
    )
    return tokens(tr.MixtralForCausalLM(config), "logits")


def qwen3_moe() -> tuple[nn.Module, Inputs]:
    config = tr.Qwen3MoeConfig(
        **DECODER,
        head_dim=14,
        num_experts=6,
        num_experts_per_tok=3,
        moe_intermediate_size=22,
        norm_topk_prob=True,
        experts_implementation="batched_mm",
    )
    return tokens(tr.Qwen3MoeForCausalLM(config), "logits")


def mamba() -> tuple[nn.Module, Inputs]:
    """The scan over the state, one step of it per token."""
    config = tr.MambaConfig(
        vocab_size=61,
        hidden_size=14,
        state_size=5,
        num_hidden_layers=2,
        time_step_rank=3,
        use_cache=False,
    )
    return tokens(tr.MambaForCausalLM(config), "logits", mask=False)


def wav2vec2() -> tuple[nn.Module, Inputs]:
    config = tr.Wav2Vec2Config(
        **ENCODER,
        vocab_size=17,
        conv_dim=(11, 13, 13),
        conv_stride=(5, 3, 2),
        conv_kernel=(9, 4, 3),
        num_conv_pos_embeddings=6,
        num_conv_pos_embedding_groups=3,
    )
    model = Call(randomised(tr.Wav2Vec2ForCTC(config)), ["input_values"], ["logits"])
    return model, (torch.randn(2, 403),)


class Tagger(nn.Module):
    """A tag for each token, from both directions of an LSTM and a GRU on top."""

    def __init__(
        self, words: int = 61, width: int = 14, both: int = 11, last: int = 9
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(
            width, both, num_layers=2, batch_first=True, bidirectional=True
        )
        self.gru = nn.GRU(2 * both, last, batch_first=True)
        self.tags = nn.Linear(last, 5)

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden, _ = self.lstm(self.embedding(ids))
        hidden, last = self.gru(hidden)
        return torch.log_softmax(self.tags(hidden), -1), last


def tagger() -> tuple[nn.Module, Inputs]:
    return randomised(Tagger()), (torch.randint(3, 61, (3, 7)),)
