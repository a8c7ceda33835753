"""The conformance kit: whether a device computes and runs as `Backend` says.

`devproc backend-test NAME` runs it. `op_matrix` compares each op in each dtype with its
reference, `chain_matrix` the composites of the device; `program_checks` and `code_checks` have
what concerns programs, queues, memory and saved code.
"""
