"""Measurements of kernels and runs, for developers; not part of the package."""
