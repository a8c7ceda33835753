"""The commands of `devproc`, one file each."""
