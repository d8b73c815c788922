"""Synonym groups: the shipped ones, files of one's own, and what is refused."""

from __future__ import annotations

import os

import pytest

from salva.lexicon import check_groups, load_groups, offensive_words, read_groups
from salva.lexicon.groups import GROUP_CHECKS

# One tiny bad file a code.
BAD = {
    "G1": 'words = ["film"]',
    "G2": 'words = ["film", "movie", "Film"]',
    "G3": 'words = ["good", "awful"]',
    "G4": 'words = ["hot", "cold"]',
    "G5": 'words = ["film", "movie"]\n[[group]]\nwords = ["film", "membrane"]',
}
# Word by word, the examples of spec 1 (`hybrid`).
EXAMPLES = [
    ("best", "finest"),
    ("movie", "film"),
    ("exceptional", "extraordinary"),
    ("story", "narrative"),
    ("film", "movie"),
    ("terrible", "awful"),
    ("movie", "picture"),
    ("acting", "performance"),
    ("excellent", "outstanding"),
    ("screenplay", "script"),
    ("amazing", "fantastic"),
    ("watch", "see"),
    ("like", "love"),
    ("very", "really"),
]


def written(folder, text):
    path = folder / "groups.toml"
    path.write_text(f"[[group]]\n{text}\n", "utf-8")
    return path


def test_the_shipped_groups_have_no_fault_and_six_kinds():
    groups = load_groups()
    assert check_groups(groups) == []
    assert {group.kind for group in groups} == {"film", "acting", "story", "quality", "verbs", "adverbs"}
    assert not {word for group in groups for word in group.words} & offensive_words()


@pytest.mark.parametrize(("word", "synonym"), EXAMPLES)
def test_the_examples_of_the_document_can_come_out(word, synonym):
    assert synonym in load_groups().synonyms(word)


@pytest.mark.parametrize("code", GROUP_CHECKS)
def test_every_check_finds_its_bad_file_and_nothing_else(tmp_path, code):
    findings = check_groups(read_groups(written(tmp_path, BAD[code])))
    assert [finding.code for finding in findings] == [code]
    assert findings[0].message.startswith(GROUP_CHECKS[code][1].__doc__.rstrip("."))


@pytest.mark.parametrize("words", ['"begins", "ends"', '"rises", "falls"', '"buying", "selling"'])
def test_inflected_antonyms_are_found(tmp_path, words):
    findings = check_groups(read_groups(written(tmp_path, f"words = [{words}]")))
    assert [finding.code for finding in findings] == ["G4"]


def test_a_finding_names_the_line_of_its_group(tmp_path):
    path = written(tmp_path, 'words = ["a", "b"]\n\n# x\n[[ group ]]\nwords = ["good", "bad"]')
    assert {finding.line for finding in check_groups(read_groups(path))} == {5}


@pytest.mark.parametrize("code", GROUP_CHECKS)
def test_the_command_exits_with_3_for_errors_and_0_for_warnings(salva, tmp_path, code):
    outcome = salva("lexicon", "check", written(tmp_path, BAD[code]))
    assert outcome.code == (3 if GROUP_CHECKS[code][0] == "error" else 0)
    assert f"{GROUP_CHECKS[code][0]} {code}: " in outcome.out
    assert len(outcome.err.splitlines()) == (outcome.code == 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('words = ["a"', "groups.toml:2: broken TOML"),
        ('words = ["a", 3]', "groups.toml:1: 3 is not a word"),
        ('words = ["a", " b"]', "groups.toml:1: ' b' is not a word"),
        ('words = "a"', "a group needs words"),
        ('word = ["a"]', "a group needs words"),
        ('words = ["a", "b"]\nknd = "x"', "key 'knd' is unknown"),
        ('words = ["a", "b"]\nkind = 3', "kind 3 must be a string"),
        ('words = ["a", "b"]\nwords = ["c"]', "broken TOML"),
    ],
)
def test_what_is_no_group_is_one_line(salva, tmp_path, text, message):
    outcome = salva("lexicon", "check", written(tmp_path, text))
    assert outcome.code == 3
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "no groups"), (b"x = 1", "key 'x' is unknown"), (b"\xff", "not UTF-8")]
)
def test_a_file_without_groups_is_refused(salva, tmp_path, content, message):
    (tmp_path / "g.toml").write_bytes(content)
    outcome = salva("lexicon", "check", "g.toml")
    assert (outcome.code, message in outcome.err) == (3, True)


@pytest.mark.parametrize("value", ["[" * 500 + "]" * 500, "1" * 5000, "0x" + "f" * 5000], ids=lambda v: v[:5])
def test_absurd_toml_is_one_line(salva, tmp_path, value):
    outcome = salva("lexicon", "check", written(tmp_path, f"words = {value}"))
    assert (outcome.code, len(outcome.err.splitlines())) == (3, 1)


def test_what_is_no_regular_file_is_refused(salva, tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    assert "is a pipe" in salva("lexicon", "check", "pipe.toml").err
    assert "not a regular file" in salva("lexicon", "check", "/dev/zero").err


def test_thousands_of_groups_are_checked(tmp_path):
    groups = "\n[[group]]\n".join(f'words = ["a{i}", "b{i}"]' for i in range(5000))
    assert check_groups(read_groups(written(tmp_path, groups))) == []


def test_a_missing_file_and_a_folder_are_refused(salva, tmp_path):
    assert salva("lexicon", "check", "nothing.toml").err == "salva: nothing.toml: no such file\n"
    assert salva("lexicon", "check", tmp_path).code == 3


def test_a_copied_file_passes_its_own_check(salva, tmp_path):
    (tmp_path / "mine.toml").write_text(salva("lexicon", "groups").out, "utf-8")
    assert salva("lexicon", "check", "mine.toml").code == 0
    assert read_groups(tmp_path / "mine.toml").groups == load_groups().groups


def test_a_word_in_two_groups_gets_the_union(tmp_path):
    assert read_groups(written(tmp_path, BAD["G5"])).synonyms("FILM") == ["membrane", "movie"]
