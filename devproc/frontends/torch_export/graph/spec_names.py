"""Names for the leaves of a nested structure: `out["a"][0]` is `a_0`."""

from __future__ import annotations

import re

from torch.utils._pytree import TreeSpec, keystr, tree_flatten_with_path, tree_unflatten


def leaf_names(spec: TreeSpec) -> list[str]:
    """One identifier for each leaf; `output` or `output_0`, ... where keys give none."""
    leaves = list(range(spec.num_leaves))
    try:
        paths, _ = tree_flatten_with_path(tree_unflatten(leaves, spec))
        keys = [keystr(path) for path, _ in paths]
    except MemoryError:
        raise
    except Exception:  # A node type without keys.
        keys = [f"[{i}]" for i in leaves]
    names = [re.sub(r"\W+", "_", key).strip("_") for key in keys]
    names = [n if n and not n[0].isdigit() else f"output_{n}".strip("_") for n in names]
    unique = len(set(names)) == len(names)
    return names if unique else [f"output_{i}" for i in leaves]
