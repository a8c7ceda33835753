"""Stage `host`: runs of CPU kernels become one native call."""
