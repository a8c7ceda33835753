"""How a batch is split into parts: rules for each op, what it costs."""
