"""`python -m devproc`: the command line, as `devproc`."""

from devproc.tools.devproc import run

run()
