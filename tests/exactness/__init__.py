"""Each bound of `devproc/exactness`, measured against the library it names."""
