"""The subcommands of `devproc`."""
