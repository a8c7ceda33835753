"""The importer of exported PyTorch programs: node by node, through the tables."""
