"""Stage `placed`: a device for each op, copies and syncs between them."""
