"""The control block between a native loop over calls and its caller: three 64-bit numbers.

They are the most calls, how many are made, and the address of a function, 0 for none:
`int64_t (*)(int64_t *control)`, called after each call, which returns 0 to end the loop.
"""

LIMIT, MADE, FOLLOW = range(3)
"""The places of the fields."""

FIELDS = 3
