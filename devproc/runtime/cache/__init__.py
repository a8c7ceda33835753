"""The cache of compiled programs: its folder, its keys, and why a program is not in it."""
