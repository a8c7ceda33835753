"""Names of steps and of their options: misspelt ones are refused with a suggestion."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

from devproc.errors import did_you_mean
from devproc.frontends.user_input import fail, in_one_step


class StepNames:
    """Checks how the public methods of its subclasses, the steps, are called."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Helpers shared by the families are not steps.
        if StepNames in cls.__bases__:
            return
        for name, member in list(vars(cls).items()):
            if inspect.isfunction(member) and not name.startswith("_"):
                setattr(cls, name, _checked(name, member))

    # Hidden from type checkers, which would take any name for one that exists.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raises AttributeError, as `hasattr` requires, with a suggestion."""
            known = [n for n in dir(type(self)) if not n.startswith("_")]
            raise AttributeError(
                f"a pipeline has no step {name!r}; docs/steps.md has them all"
                + did_you_mean(name, known)
            )


def _checked(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, raising BuildError at the user's line for wrong arguments."""

    @wraps(method)
    def step(*args: Any, **kwargs: Any) -> Any:
        try:
            return in_one_step(lambda: method(*args, **kwargs))
        except TypeError:
            signature = inspect.signature(method)
            try:
                signature.bind(*args, **kwargs)
            except TypeError as mismatch:
                known = list(signature.parameters)[1:]
                unknown = [option for option in kwargs if option not in known]
                meant = "".join(did_you_mean(option, known) for option in unknown)
                fail(name, str(mismatch), f"it takes {', '.join(known)}{meant}")
            raise

    return step
