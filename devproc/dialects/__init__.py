"""The dialects: op classes, verifiers and textual form, independent of any target."""
