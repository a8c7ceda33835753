"""Running compiled programs: devices, memory, traces, bundles."""
