"""Programs in JSON for other tools: a versioned format, with weights in a separate file.

`docs/json.md` describes the format, `schema.json` is its JSON schema.
"""
