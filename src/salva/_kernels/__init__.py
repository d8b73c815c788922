"""Compiled loops that take arrays and fill `out`, the last argument; no strings, no checks, no Arrow.

What a user can get wrong is checked once, in the layer above. Every kernel has a slow twin in
`tests/reference/`. Importing this package imports numba.
"""
