"""Reports: placement, copies, memory, kernels and schedules as tables."""
