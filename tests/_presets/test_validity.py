"""Validity is data: shares come from counts, and no measurement changes what a transform is."""

from __future__ import annotations

import dataclasses

import pytest

import salva
from salva._presets import BUNDLES, FAMILIES, PRESETS, validity
from salva._presets.validity import Reading, describe_validity, validity_of
from salva.numbers import wilson


def reading(version: str = "1", twins: int = 0, kept: int = 0, **verdicts: int) -> Reading:
    return Reading(version, "a.jsonl", "reviews", "2026-11-16", "one reader", verdicts, twins, kept)


@pytest.fixture
def read(monkeypatch):
    """Take some readings for those that are shipped."""

    def put(**readings: tuple[Reading, ...]) -> None:
        monkeypatch.setattr(validity, "load_readings", lambda: readings)

    return put


def test_every_preset_has_a_family_and_the_documents_are_corruptions():
    assert {preset.family for preset in PRESETS.values()} <= {*FAMILIES}
    assert {name for name, preset in PRESETS.items() if preset.family == "corruption"} == {
        *BUNDLES["documents"]
    }


def test_what_was_not_read_is_not_measured(read):
    read(typos=(reading(),))
    assert validity_of("natural", "1") is validity_of("typos", "1") is None
    assert describe_validity(None) == "not measured"


def test_readings_of_one_version_are_counted_together(read):
    read(natural=(reading(a=90, c=10), reading(a=7, b=2, f=1, twins=20, kept=19)))
    found = validity_of("natural", "1")
    assert (found.edits.kept, found.edits.n, found.edits.rate) == (97, 110, wilson(97, 110))
    assert (found.label.kept, found.label.n) == (19, 20)
    assert describe_validity(found, "1") == "88 % of 110 edits keep the meaning [81, 93]"


def test_the_newest_version_that_was_read_counts_and_is_named(read):
    read(natural=(reading("1", a=10, twins=5, kept=5), reading("9", a=1, c=1), reading("12", a=9)))
    found = validity_of("natural", "11")
    assert (found.edits.kept, found.edits.n, found.edits.version, found.label.version) == (1, 2, "9", "1")
    assert describe_validity(found, "11").endswith(", in version 9")
    assert validity_of("natural", "12").edits.n == 9


def test_a_composition_is_read_by_itself(read):
    read(**{"natural": (reading(a=9),), "natural+typos": (reading("1+2", a=1, c=1),)})
    assert validity_of("natural+typos", "1+2").edits.n == 2
    assert validity_of("natural+corrupt", "1+2") is None


def test_a_reading_without_a_valid_edit_is_a_measurement(read):
    read(corrupt=(reading(c=30),))
    assert validity_of("corrupt", "1").edits.rate == wilson(0, 30)


def test_a_measurement_changes_neither_the_settings_nor_the_digest(read):
    before = salva.preset("natural")
    digest, plain = before.digest, before.as_dict()
    read(natural=(reading(a=1),))
    after = salva.preset("natural")
    assert (after.digest, after.as_dict(), after == before) == (digest, plain, True)
    assert after.validity.edits.n == 1


def test_validity_holds_only_for_the_settings_that_were_read(read):
    read(hybrid=(reading("2", a=1),))
    assert salva.preset("hybrid", render="splice", protect_words=["film"]).validity is not None
    assert salva.preset("hybrid", p_typo=0.9).validity is None
    assert salva.preset("hybrid").family == "corruption"


def test_a_preset_of_another_name_has_not_been_read(read):
    read(natural=(reading(a=1),))
    assert dataclasses.replace(PRESETS["natural"], name="natural+typos").validity is None
