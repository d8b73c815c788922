"""Frozen suites: items, twins and right answers with digests, to share, verify and evaluate."""

from salva.suites.exporting import export
from salva.suites.folder import FrozenRow, Suite, is_suite, open_suite, writing_suite
from salva.suites.items import Asked, FrozenEdit, Item, Twin
from salva.suites.manifest import SuiteCondition, SuiteManifest, SuitePreset
from salva.suites.verifying import Fault, open_whole, verify

__all__ = [
    "Asked",
    "Fault",
    "FrozenEdit",
    "FrozenRow",
    "Item",
    "Suite",
    "SuiteCondition",
    "SuiteManifest",
    "SuitePreset",
    "Twin",
    "export",
    "is_suite",
    "open_suite",
    "open_whole",
    "verify",
    "writing_suite",
]
