"""The problems of a file, collected for one message."""

from __future__ import annotations

from devproc.errors import BundleError, counted

_SHOWN = 50
_LONGEST = 200


class Problems:
    """The problems of a program or its weights, collected for one message."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.found: list[str] = []

    def add(self, where: str, message: str) -> None:
        """Notes a problem at a JSON path or file."""
        if len(message) > _LONGEST:
            message = f"{message[:_LONGEST]}..."
        self.found.append(f"{where}: {message}")

    def check(self) -> None:
        """Raises BundleError with all problems, if there are any."""
        if not self.found:
            return
        count = len(self.found)
        lines = [f"  {i}. {text}" for i, text in enumerate(self.found[:_SHOWN], 1)]
        if count > _SHOWN:
            lines.append(f"  and {count - _SHOWN} more")
        head = f"{self.what} has {counted(count, 'problem')}:"
        raise BundleError("\n".join([head, *lines]))
