"""Chats as texts, beside transformers' `apply_chat_template`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Unpack

import pytest
import torch
import transformers

import devproc
from devproc.errors import InputError
from devproc.frontends.transformers.tokenizer_files import tokenizer_files
from devproc.generation.chat import ChatOptions, chat_text
from tests.e2e.test_language_models import greedy, small, tokenizer

CHATML = """\
{%- if tools %}
    {{- '<|im_start|>system\\nTools:\\n' }}
    {%- for tool in tools %}
        {{- tool | tojson(indent=2) + '\\n' }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role not in ['system', 'user', 'assistant', 'tool'] %}
        {{- raise_exception('no such role: ' + message.role) }}
    {%- endif %}
    {{- '<|im_start|>' + message.role + '\\n' }}
    {%- if message.content is string %}
        {{- message.content }}
    {%- else %}
        {%- for part in message.content %}{{- part.text }}{% endfor %}
    {%- endif %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and not enable_thinking %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""
"""In the style of Qwen."""

LLAMA = """\
{{ bos_token }}
{% set ns = namespace(system='', count=0) %}
{% if messages[0]['role'] == 'system' %}
    {% set ns.system = messages[0]['content'] | trim %}
    {% set messages = messages[1:] %}
{% endif %}
{% for message in messages %}
    {% if ns.count >= 4 %}{% break %}{% endif %}
    {% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{ raise_exception('roles must alternate') }}
    {% endif %}
    {% if message['role'] == 'user' %}
        {% if loop.first and ns.system %}
<<SYS>>{{ strftime_now('%Y') }} {{ ns.system }}<</SYS>>
        {% endif %}
[INST] {{ message['content'] | trim }} [/INST]
    {% else %}
{% generation %} {{ message['content'] | trim }} {{ eos_token }}{% endgeneration %}
    {% endif %}
    {% set ns.count = ns.count + 1 %}
{% endfor %}
"""
"""In the style of Llama 2, with loop controls and a mark of what the assistant says."""

TEMPLATES = {"chatml": CHATML, "llama": LLAMA}
USER = {"role": "user", "content": "  Grüße <b>'s</b>? "}
ANSWER = {"role": "assistant", "content": "Yes, of course. ", "tool_calls": None}
SYSTEM = {"role": "system", "content": " Be brief."}
PARTS = {"role": "user", "content": [{"type": "text", "text": "one"}, {"text": "two"}]}
TOOL = {
    "name": "add",
    "description": "Adds é & <ü>",
    "parameters": {"x": [1, 2.5, None]},
}
CHATS = {
    "one": [USER],
    "several": [SYSTEM, USER, ANSWER, USER],
    "long": [USER, ANSWER] * 4 + [USER],
}


def tokenizer_of(template: Any) -> Any:
    """A tokenizer of bytes with a chat template."""
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(),
        chat_template=template,
        bos_token="<256>",
        eos_token="<257>",
    )


def ours(made: Any, messages: Any, **given: Unpack[ChatOptions]) -> str:
    """Our text of a chat."""
    files = tokenizer_files(made)
    return chat_text(files.templates, files.tokens, messages, **given)


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("chat", CHATS)
def test_texts_are_those_of_transformers(template: str, chat: str) -> None:
    made = tokenizer_of(TEMPLATES[template])
    wanted = made.apply_chat_template(
        CHATS[chat], tokenize=False, add_generation_prompt=True
    )
    assert ours(made, CHATS[chat]) == wanted != ""


def test_tools_variables_and_parts() -> None:
    made = tokenizer_of(CHATML)
    given = {"tools": [TOOL], "add_generation_prompt": True, "enable_thinking": False}
    wanted = made.apply_chat_template([SYSTEM, PARTS], tokenize=False, **given)
    variables = {"enable_thinking": False}
    found = ours(made, [SYSTEM, PARTS], tools=[TOOL], variables=variables)
    assert found == wanted
    assert "Adds é & <ü>" in found


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_last_message_is_continued(template: str) -> None:
    made = tokenizer_of(TEMPLATES[template])
    chats = [[USER, ANSWER], [USER, {"role": "assistant", "content": "Yes"}]]
    for chat in chats:
        wanted = made.apply_chat_template(
            chat, tokenize=False, continue_final_message=True
        )
        assert ours(made, chat, continue_final_message=True) == wanted


def test_templates_by_name_and_in_files(tmp_path: Path) -> None:
    made = tokenizer_of({"default": LLAMA, "tool_use": CHATML})
    for tools in (None, [TOOL]):
        wanted = made.apply_chat_template(
            [USER], tokenize=False, tools=tools, add_generation_prompt=True
        )
        assert ours(made, [USER], tools=tools) == wanted
    made.save_pretrained(tmp_path)
    found, wanted = tokenizer_files(tmp_path), tokenizer_files(made)
    assert (found.templates, found.tokens) == (wanted.templates, wanted.tokens)


def test_a_chat_is_answered(tmp_path: Path) -> None:
    model, made = small("Llama", num_hidden_layers=1), tokenizer_of(LLAMA)
    program = devproc.from_transformers(
        model, capacity=64, prefill=(16,), tokenizer=made, cache=False
    )
    program.save(tmp_path / "chat.devproc")
    program = devproc.LanguageModel.load(tmp_path / "chat.devproc")
    messages = [{"role": "user", "content": "Hi"}]
    ids = made.apply_chat_template(
        messages, add_generation_prompt=True, return_dict=False
    )
    found = program.chat(messages, 9)
    assert program.chat_text(messages).startswith("<256>")
    assert list(found.ids) == greedy(model, ids, 9)
    assert found.prompt_tokens == torch.tensor(ids).numel()
    pieces: list[str] = []
    program.chat(messages, 9, stream=pieces.append)
    assert "".join(pieces) == found.text


ESCAPE = "{{ messages.__class__.__mro__[1].__subclasses__() }}"


@pytest.mark.parametrize(
    ("template", "messages", "message"),
    [
        (None, [USER], "the program has no chat template"),
        (CHATML, [], "the chat is empty"),
        (CHATML, [{"role": "robot", "content": ""}], "refuses .* no such role: robot"),
        (LLAMA, [ANSWER], "refuses .* roles must alternate"),
        (CHATML, ["hello"], "a message is a mapping with a role and a content"),
        (CHATML, [{"role": "user", "content": object()}], "is no plain data"),
        ("{% if %}", [USER], "the chat template is invalid"),
        (ESCAPE, [USER], "refuses the chat: access to attribute '__class__'"),
        ({"other": CHATML}, [USER], "no template 'default'; there are other"),
    ],
)
def test_bad_chats(template: Any, messages: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ours(tokenizer_of(template), messages)


def test_the_end_that_a_template_drops() -> None:
    made = tokenizer_of("{% for m in messages %}{{ m.role }}{% endfor %}")
    with pytest.raises(InputError, match="changes the last message"):
        ours(made, [USER, ANSWER], continue_final_message=True)


def test_without_jinja() -> None:
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "from devproc.generation.chat import chat_text\n"
        "m = [{'role': 'user', 'content': ''}]\n"
        "chat_text({'default': ''}, {}, m)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "chat templates need the package jinja2" in run.stderr
