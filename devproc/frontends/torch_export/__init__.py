"""The importer of exported PyTorch programs: one table of operators per family."""
