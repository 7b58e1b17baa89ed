"""Numba's options, the kernels' disk cache, and borrowed arrays: below everything compiled."""
