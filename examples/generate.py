"""A small language model: trained, compiled, saved, and generating text.

    python examples/generate.py

The model is a Llama of 1.5 million parameters, and its text Python's own documentation.
What the program generates is compared with transformers' `generate`, token by token.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import torch
from rich.console import Console

import devproc

VOCABULARY, LENGTH = 800, 128
PROMPTS = ("The assert statement", "A class definition", "Exceptions are")


def train_tokenizer(text: str) -> Any:
    """A tokenizer of pairs of bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<end>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


SIZES: dict[str, Any] = {
    "hidden_size": 160,
    "intermediate_size": 432,
    "num_hidden_layers": 4,
    "num_attention_heads": 5,
    "num_key_value_heads": 1,
    "max_position_embeddings": 256,
    "tie_word_embeddings": True,
}


def train(ids: torch.Tensor, steps: int, **sizes: Any) -> torch.nn.Module:
    """A small Llama that has read the tokens."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY, bos_token_id=None, eos_token_id=0, **(SIZES | sizes)
    )
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, steps)
    for _ in range(steps):
        starts = torch.randint(0, len(ids) - LENGTH - 1, (16,)).tolist()
        batch = torch.stack([ids[start : start + LENGTH] for start in starts])
        loss = model(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model.eval()


def demo(console: Console, steps: int = 300) -> tuple[list[str], list[bool]]:
    """Generates a text for each prompt; the texts, and whether transformers agrees."""
    text = "\n".join(topics.values())
    tokenizer = train_tokenizer(text)
    ids = torch.tensor(tokenizer.encode(text).ids)
    model: Any = train(ids, steps)
    compiled: Any = devproc.from_transformers(
        model, capacity=192, prefill=(16,), tokenizer=tokenizer
    )
    with tempfile.TemporaryDirectory() as folder:
        compiled.save(Path(folder) / "python.devproc")
        program = devproc.LanguageModel.load(Path(folder) / "python.devproc")
    texts: list[str] = []
    same: list[bool] = []
    for prompt in PROMPTS:
        console.print(f"[bold]{prompt}[/bold]", end="")
        found = program.generate(
            prompt, 60, stream=lambda piece: console.print(piece, end="", markup=False)
        )
        given = torch.tensor([tokenizer.encode(prompt).ids])
        wanted: Any = model.generate(given, max_new_tokens=60, do_sample=False)
        same.append(list(found.ids) == wanted[0, given.shape[1] :].tolist())
        texts.append(found.text or "")
        console.print(f"\n({found.tokens_per_second:,.0f} tokens a second)\n")
    return texts, same


if __name__ == "__main__":
    demo(Console())
