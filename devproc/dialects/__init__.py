"""The dialects: classes, verifiers and textual form. They know nothing of targets."""
