"""A process of `machine_codes`: kernels on stdin, their machine code on stdout."""

import os
import pickle
import sys

from devproc.targets.triton.cost.assess import machine_codes_here

if __name__ == "__main__":
    kernels, arch = pickle.load(sys.stdin.buffer)
    # Whatever Triton prints must not mix with the answer.
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with answer:
        pickle.dump(machine_codes_here(kernels, arch), answer)
