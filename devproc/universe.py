"""What DevProc adds to xDSL: found by `xdsl-opt` and every other xDSL tool.

The entry point `xdsl.universe` in pyproject.toml names `DEVPROC_UNIVERSE`. Nothing is
imported before its name is used: a factory resolves a line of the registry.
"""

from __future__ import annotations

from functools import partial

from xdsl.universe import Universe

from devproc.registry import dialects, load, passes, texts

DEVPROC_UNIVERSE = Universe(
    all_dialects={name: partial(load, path) for name, path in dialects().items()},
    all_passes={name: partial(load, path) for name, path in passes().items()},
    all_targets={name: partial(load, text.target) for name, text in texts().items()},
)
