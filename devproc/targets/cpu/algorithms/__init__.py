"""The algorithms of the CPU, one package each; `devproc.algorithms` says what one is."""
