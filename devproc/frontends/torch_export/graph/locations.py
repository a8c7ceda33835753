"""Locations and names of ops and values from exported nodes."""

from __future__ import annotations

from torch.fx import Node
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue

from devproc.frontends.torch_export.graph.node_source import module_path, source_line
from devproc.ir.text.location import make_location


def node_location(node: Node) -> LocationAttr:
    """The location of a node, named by its module path or else by the node."""
    file, line = source_line(node.meta.get("stack_trace"))
    return make_location(module_path(node) or node.name, file, line)


def value_name(name: str) -> str:
    """The SSA name of the value of a node or weight."""
    # It must not begin with a digit, as names of `nn.Sequential` do.
    name = name.replace(".", "_")
    name = f"w{name}" if name[:1].isdigit() else name
    return SSAValue.extract_valid_name(name)
