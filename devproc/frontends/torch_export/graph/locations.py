"""Locations and names of what comes from an exported node."""

from __future__ import annotations

from torch.fx import Node
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue

from devproc.frontends.torch_export.graph.node_source import module_path, source_line
from devproc.ir.text.location import make_location


def node_location(node: Node) -> LocationAttr:
    """The location of a node; its name is the module's path, else the node's name."""
    file, line = source_line(node.meta.get("stack_trace"))
    return make_location(module_path(node) or node.name, file, line)


def value_name(name: str) -> str:
    """The name in the text of the value of a node or weight."""
    # It must not begin with a digit; `nn.Sequential` gives such names.
    name = name.replace(".", "_")
    name = f"w{name}" if name[:1].isdigit() else name
    return SSAValue.extract_valid_name(name)
