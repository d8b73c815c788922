"""Engines: where the parts of a folder are worked on. Each gives a function that maps work over parts.

What is sent to a worker is one function of a module and plain data, so that any engine can run it.
"""

from salva.transforms.engines import local, ray, spark
from salva.transforms.engines.protocol import Map

__all__ = ["ENGINES", "Map"]

# A function that starts the engine, or joins the one at an address, and stops what it started.
ENGINES = {"local": local.start, "ray": ray.start, "spark": spark.start}
