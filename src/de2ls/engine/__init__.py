"""Compiled building blocks of differential evolution.

Everything here is a Numba function without Python objects or globals; an algorithm module composes
them into its generation.
"""
