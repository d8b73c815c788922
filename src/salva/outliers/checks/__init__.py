"""Checks of sets against the guidelines: `check` runs the table `CHECKS`."""

from salva.outliers.checks.table import CHECKS, PROFILES, Finding, check, tally

__all__ = ["CHECKS", "PROFILES", "Finding", "check", "tally"]
