"""What pytest must not import when it looks for doctests: a module that kills whoever imports it."""

collect_ignore = ["stillborn.py"]
