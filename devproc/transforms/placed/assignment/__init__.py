"""The device of each op: times, copies and wishes as numbers, and the cheapest choice."""
