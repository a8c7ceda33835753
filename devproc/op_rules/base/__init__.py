"""The types of rules of each facet, and rules that several families share."""
