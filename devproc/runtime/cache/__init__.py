"""The cache of compiled programs: its entries, its keys, and why a program is not in it."""
