"""Simplifications of `nn` ops that change no value, by family.

The `canonicalize` pass finds them through the trait that every `nn` op has.
"""
