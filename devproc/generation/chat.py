"""Chats as texts, by the template of a tokenizer: that of `transformers`.

A template is code in Jinja that came with a model, so it runs in Jinja's sandbox, and sees
plain data alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, Unpack, cast

from devproc.errors import CompileError, InputError

if TYPE_CHECKING:
    from jinja2 import Environment, Template, nodes
    from jinja2.parser import Parser

Message = Mapping[str, Any]
"""A message of a chat: its "role", "content", and what else the template knows."""

DEFAULT, WITH_TOOLS = "default", "tool_use"
"""Names of templates: the one of most tokenizers, and one for chats with tools."""

END = "CONTINUE_FINAL_MESSAGE_TAG "
"""Marks where the last message ends, to be continued."""


class ChatOptions(TypedDict, total=False):
    """How a chat becomes a text."""

    tools: Sequence[Mapping[str, Any]] | None
    """JSON schemas of functions that the assistant may call."""
    variables: Mapping[str, Any]
    """What else the template reads."""
    continue_final_message: bool
    """The text ends where the last message does, instead of where an answer begins."""


def chat_text(
    templates: Mapping[str, str],
    tokens: Mapping[str, str],
    messages: Sequence[Message],
    **options: Unpack[ChatOptions],
) -> str:
    """The text of a chat, up to where the assistant answers, or continues its last message.

    `templates` by name; `tokens`: special tokens by name, such as `bos_token`. Raises
    InputError for a chat that the template refuses.
    """
    tools = options.get("tools")
    variables = options.get("variables", {})
    continued = options.get("continue_final_message", False)
    if not templates:
        raise InputError(
            "the program has no chat template: compile with the tokenizer of a chat model"
        )
    if not messages:
        raise InputError("the chat is empty: give one message at least")
    given = [_without_none(_plain(message, "a message")) for message in messages]
    before = _mark_end(given[-1]) if continued else ""
    name = WITH_TOOLS if tools is not None and WITH_TOOLS in templates else DEFAULT
    if name not in templates:
        raise InputError(f"no template '{name}'; there are {', '.join(templates)}")
    values = {**tokens, **cast(dict[str, Any], _plain(variables, "variables"))}
    template = _template(templates[name])
    from jinja2.exceptions import TemplateError

    try:
        text = template.render(
            messages=given,
            tools=None if tools is None else _plain(list(tools), "tools"),
            documents=values.pop("documents", None),
            add_generation_prompt=not continued,
            **values,
        )
    # A template may fail as any code does.
    except (TemplateError, TypeError, ValueError, KeyError, ArithmeticError) as error:
        raise InputError(f"the chat template refuses the chat: {error}") from error
    return _cut(text, before) if continued else text


def _plain(value: object, what: str) -> Any:
    """A copy of plain data: texts, numbers, lists and mappings by name."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError) as error:
        raise InputError(f"chat: {what} is no plain data: {error}") from error


def _without_none(message: object) -> dict[str, Any]:
    if not isinstance(message, dict) or "role" not in message:
        raise InputError(
            f"chat: a message is a mapping with a role and a content, got {message!r}"
        )
    found = cast(dict[str, Any], message)
    return {key: value for key, value in found.items() if value is not None}


def _mark_end(message: dict[str, Any]) -> str:
    """Marks the end of the text of a message; that text."""
    content = message.get("content")
    if isinstance(content, str):
        message["content"] = content + END
        return content
    for part in reversed(cast(list[dict[str, Any]], content or [])):
        if "text" in part:
            text = str(part["text"])
            part["text"] = text + END
            return text
    raise InputError("chat: the last message has no text to continue")


def _cut(text: str, last: str) -> str:
    """The text up to the mark, where the last message ends."""
    if last.strip() not in text or END.strip() not in text:
        raise InputError(
            "chat: the template changes the last message, so it cannot be continued"
        )
    at = text.rindex(END.strip())
    # Without the space, the template has trimmed the message.
    return text[:at] if text[at : at + len(END)] == END else text[:at].rstrip()


@lru_cache(8)
def _template(text: str) -> Template:
    """The compiled template; raises CompileError without Jinja, InputError for an invalid
    one."""
    try:
        from jinja2.exceptions import TemplateSyntaxError
    except ModuleNotFoundError as error:
        raise CompileError(
            "chat templates need the package jinja2: pip install 'jinja2>=3.1.6'"
        ) from error
    try:
        return _environment().from_string(text)
    except TemplateSyntaxError as error:
        raise InputError(f"the chat template is invalid: {error}") from error


def _environment() -> Environment:
    """Jinja's sandbox, with what templates of transformers use."""
    from jinja2.exceptions import TemplateError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}`, around what the assistant says: just that."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Parser) -> list[nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def fail(message: str) -> NoReturn:
        raise TemplateError(message)

    def now(format: str) -> str:
        return datetime.now().strftime(format)

    made: Any = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    made.filters["tojson"] = _to_json
    made.globals |= {"raise_exception": fail, "strftime_now": now}
    return made


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Jinja's own filter would escape the characters of HTML."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )
