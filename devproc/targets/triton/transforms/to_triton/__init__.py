"""Builds block programs; shared by the GPU algorithms.

`nest` holds the ops of a program, `walk` maps them to its dimensions, `flow` tracks the
values between them; none creates ops. `program` and `kernel` do, through `builder`.
"""
