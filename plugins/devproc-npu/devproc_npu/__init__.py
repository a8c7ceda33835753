"""An example NPU: its machine, its instruction set, and a simulator that counts cycles."""
