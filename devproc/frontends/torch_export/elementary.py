"""stub"""
from __future__ import annotations
from xdsl.ir import Operation
from devproc.frontends.torch_export.builder import ImportRule
IMPORTS: dict[str, ImportRule] = {}
NO_IMPORT: dict[type[Operation], str] = {}
