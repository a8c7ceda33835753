"""What block programs are made of, shared by the algorithms of the GPU.

`nest` is what one program computes, `walk` the place of each of its ops, `flow` what they
pass to each other; none of these makes ops. `program` and `kernel` do, by `builder`.
"""
