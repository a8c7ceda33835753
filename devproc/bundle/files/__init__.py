"""The files of a bundle that C and C++ programs include, and those that explain it."""
