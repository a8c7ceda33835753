"""Parsing of schedules that a user writes, alone or with a pattern on kernels."""

from __future__ import annotations

import re

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from devproc.dialects.dev import DEV
from devproc.dialects.sched import SCHED, SCHEDULES
from devproc.dialects.sched.base import Schedule
from devproc.errors import CompileError, did_you_mean

NAME = re.compile(r"\s*#sched\.(\w+)")


def parse_schedule(text: str) -> Schedule:
    """Parse a schedule such as `#sched.scatter<grain = 8, lanes = 1>`.

    Raises CompileError with the reason: an unknown name, an unknown, missing or
    repeated field, an invalid value, inconsistent values.
    """
    found = NAME.match(text)
    if found is None:
        raise CompileError(
            f"the schedule '{text}' must begin with #sched. and the name of an algorithm:"
            " '#sched.scatter<grain = 8, lanes = 1>'"
        )
    if found[1] not in SCHEDULES:
        known, close = ", ".join(SCHEDULES), did_you_mean(found[1], SCHEDULES)
        raise CompileError(
            f"unknown schedule '#sched.{found[1]}'; known schedules: {known}{close}"
        )
    context = Context()
    for dialect in (Builtin, DEV, SCHED):
        context.load_dialect(dialect)
    parser = Parser(context, text, "schedule")
    try:
        schedule = parser.parse_attribute()
        rest = text[parser.pos :].strip()
    except ParseError as error:
        raise CompileError(f"the schedule '{text}': {error.msg}") from error
    except VerifyException as error:
        raise CompileError(f"the schedule '{text}': {error}") from error
    if rest or not isinstance(schedule, Schedule):
        raise CompileError(f"the schedule '{text}' must end in '>', not '{rest}'")
    return schedule


def parse_override(text: str) -> tuple[str, Schedule]:
    """Parse `conv*=#sched...` into a pattern on kernels and a schedule.

    Raises CompileError as `parse_schedule` does, and if there is no pattern.
    """
    pattern, mark, schedule = text.partition("=#")
    if not mark or not pattern.strip():
        raise CompileError(
            f"'{text}' must be a pattern on kernels, '=' and a schedule:"
            " 'conv*=#sched.scatter<grain = 8, lanes = 1>'"
        )
    return pattern.strip(), parse_schedule(f"#{schedule}")
