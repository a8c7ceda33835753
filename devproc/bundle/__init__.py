"""Bundles: programs as C libraries, which need neither Python nor anything else installed.

A *saved program* (`program.save`) is one file that Python loads; a *bundle*
(`program.export_bundle`) is a folder with a library, its header, weights and golden cases.
"""
