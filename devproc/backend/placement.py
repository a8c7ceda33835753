"""What the user asks of the placement: in Python a dict, or a TOML file with more.

```toml
[devices]    # the last pattern that matches an op holds
"nn.conv2d" = "npu"
"head.*" = "cpu"

[forbidden]
"nn.softmax" = ["npu", "cuda"]

[memory]     # bytes, KB, MB or GB, in powers of 1024
npu = "256 KB"
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from devproc.backend.installed import device_names
from devproc.errors import CompileError, did_you_mean
from devproc.ir.devices import HOST

SECTIONS = ("devices", "forbidden", "memory")
UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


@dataclass(frozen=True)
class Placement:
    """Requests of a user; each row is a pattern of ops and a device."""

    devices: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    memory: tuple[tuple[str, int], ...] = ()
    """Devices, and the bytes of their memory that a program may use."""

    def with_devices(self, more: Mapping[str, str]) -> Placement:
        """The same with more devices, which have precedence."""
        return replace(self, devices=(*self.devices, *more.items()))


GivenPlacement = Placement | Mapping[str, str] | str | Path | None
"""Pattern (an op such as "nn.conv2d", or a glob on module paths) -> device; or a file."""


def placement_of(given: object) -> Placement:
    """The placement that a user gives: a dict, the path of a file, or None.

    Raises CompileError for another type, and with all problems of a file, with their lines.
    """
    if given is None or isinstance(given, Placement):
        return given or Placement()
    if isinstance(given, Mapping):
        return Placement().with_devices(cast(Mapping[str, str], given))
    if isinstance(given, str | Path):
        return _PlacementFile(Path(given)).read()
    raise CompileError(
        "placement must be a dict, pattern of ops -> device ({'nn.conv2d': "
        f"'{HOST}'}}), or the path of a TOML file, got a {type(given).__name__}"
    )


class _PlacementFile:
    """One file, with the problems found in it."""

    def __init__(self, path: Path):
        self.path = path
        self.problems: list[str] = []

    def read(self) -> Placement:
        import tomllib

        try:
            self.text = self.path.read_text()
            content = tomllib.loads(self.text)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise CompileError(
                f"the placement file {self.path} cannot be read: {error}"
            ) from error
        for name in content.keys() - {*SECTIONS}:
            known = f"the sections are {', '.join(SECTIONS)}"
            close = did_you_mean(name, SECTIONS)
            self._problem("", name, f"unknown section '{name}'; {known}{close}")
        rows = {name: list(self._rows(content, name)) for name in SECTIONS}
        devices = [
            (pattern, device)
            for pattern, value in rows["devices"]
            for device in self._devices("devices", pattern, value)
        ]
        forbidden = [
            (pattern, device)
            for pattern, value in rows["forbidden"]
            for item in _items(value)
            for device in self._devices("forbidden", pattern, item)
        ]
        memory = [
            (name, size)
            for name, value in rows["memory"]
            for _ in self._devices("memory", name, name)
            for size in self._size(name, value)
        ]
        if self.problems:
            lines = "\n".join(f"  {text}" for text in self.problems)
            raise CompileError(f"the placement file is not valid:\n{lines}")
        return Placement(tuple(devices), tuple(forbidden), tuple(memory))

    def _rows(
        self, content: Mapping[str, Any], section: str
    ) -> Iterator[tuple[str, Any]]:
        rows: object = content.get(section, {})
        if not isinstance(rows, dict):
            self._problem("", section, f"'{section}' must be a section: [{section}]")
            return
        yield from cast(dict[str, Any], rows).items()

    def _devices(self, section: str, key: str, value: object) -> Iterator[str]:
        """The device that is named, if it is one."""
        if not isinstance(value, str):
            hint = "; quote patterns with dots" if isinstance(value, dict) else ""
            self._problem(
                section, key, f"'{key}' needs the name of a device, got {value}{hint}"
            )
        elif value not in device_names():
            known = f"there are {', '.join(device_names())}"
            close = did_you_mean(value, device_names())
            self._problem(
                section, key, f"no device is called '{value}'; {known}{close}"
            )
        else:
            yield value

    def _size(self, key: str, value: object) -> Iterator[int]:
        """The bytes of a size such as 4096 or "256 KB", if it is one."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?) *([KMG]?B|)", str(value).strip())
        if found is None or isinstance(value, bool):
            self._problem(
                "memory", key, f"'{key}' needs a size such as '256 KB', got {value!r}"
            )
        else:
            yield int(float(found[1]) * UNITS[found[2]])

    def _problem(self, section: str, key: str, text: str) -> None:
        line = _line_of(self.text, section, key)
        self.problems.append(f"{self.path}:{line}: {text}")


def _items(value: object) -> list[object]:
    return cast(list[object], value) if isinstance(value, list) else [value]


def _line_of(text: str, section: str, key: str) -> int:
    """The number of the line of a key in a section, or of a section."""
    inside = not section
    for number, line in enumerate(text.splitlines(), 1):
        start = line.partition("=")[0].strip()
        name = start.strip("[] ").strip("'\"")
        if section and start.startswith("["):
            inside = name == section
        elif inside and (name == key or name.startswith(f"{key}.")):
            return number
    return 1
