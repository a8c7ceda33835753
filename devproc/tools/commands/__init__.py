"""The commands of `devproc`, one file each; `options` and `source` are shared."""
