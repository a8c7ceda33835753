"""Stage `host`: consecutive CPU kernels become one native call."""
