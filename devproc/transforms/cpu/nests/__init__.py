"""Nests of loops: what one covers, its vectors, and how its body becomes vector code."""
