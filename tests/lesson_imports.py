"""Imports what lessons of the course load while they run.

A process that has imported this module is forked once per lesson.
"""

from __future__ import annotations

import importlib

from devproc import registry

MODULES = (
    *("llvmlite.binding", "marimo._runtime.runtime", "networkx"),
    *("torch._dynamo", "torch.export._trace"),
    *("devproc.compiler", "devproc.frontends.torch_export.importer"),
)

for _name in MODULES:
    importlib.import_module(_name)
for _place in registry.passes().values():
    registry.load(_place)
