"""Programs for tools that know no MLIR: a versioned JSON with weights beside it.

`docs/json.md` describes the format, `schema.json` is its JSON schema.
"""
