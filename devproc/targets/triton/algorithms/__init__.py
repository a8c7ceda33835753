"""The algorithms of block programs, one package each; see `devproc.algorithms`."""
