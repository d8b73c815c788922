"""Files of pairs: how a line is read, what the checks find, and how files are put together."""

from __future__ import annotations

import json

import pytest

from salva.errors import InputError
from salva.lexicon import CHECKS, check_file, check_pairs, offensive_words, read_pairs
from salva.lexicon.pair_checks import LINE_CHECKS, OPPOSITE, PAIR_CHECKS
from salva.lexicon.pair_forms import compare_polarity, inflect_pair
from salva.lexicon.pairs import PAIR_FILES, Condition, load_pairs, merge_pairs, parse_rule
from tests.conftest import ROOT

DATA = ROOT / "src/salva/lexicon/data"
CODES = {**LINE_CHECKS, **PAIR_CHECKS}
# One tiny bad file per code; where several lines are needed, only the last one is at fault.
BAD = {
    "P0": "n movie film",
    "P1": "x a lot > A lot",
    "P2": "a good > bad",
    "P3": "n movie > film | next! night; prev home\nn movie > film | prev home; next! night",
    "P4": "n movie > film | nexttag! NNX",
    "P5": "n movie > film | next! night\nn movie > flick | next! night,theater; tag NN",
    "P6": "n henchman > goon",
    "P7": "n movie > film | tag VB",
    "P8": "n movie > film | next Night",
    "P9": "a strong > powerful",
    "P10": "n movies > film",
}


def written(folder, text):
    path = folder / "mine.txt"
    path.write_text(f"{text}\n", "utf-8")
    return path


def codes(*lines):
    pairs = [pair for number, line in enumerate(lines, 1) for pair in parse_rule(line, number)]
    return [(finding.code, finding.line) for finding in check_pairs(pairs)]


@pytest.mark.parametrize("name", PAIR_FILES)
def test_the_shipped_pairs_have_no_error_and_no_warning(name):
    checked = check_file(DATA / f"{name}.txt")
    found = [finding for finding in checked.findings if finding.level != "hint"]
    # An antonym may turn praise into blame: that is what it is for.
    assert [one for one in found if (name, one.code) != ("antonyms", OPPOSITE)] == []
    assert (checked.kind, checked.size) == ("pair", len(load_pairs(name)))
    assert not {target for pair in load_pairs(name) for target in pair.targets} & offensive_words()


@pytest.mark.parametrize("code", CODES)
def test_every_check_finds_its_bad_line_and_nothing_else(tmp_path, code):
    findings = check_file(written(tmp_path, BAD[code])).findings
    assert [(own.code, own.level, own.line) for own in findings] == [
        (code, CHECKS[code][0], BAD[code].count("\n") + 1)
    ]
    assert findings[0].message.startswith(CHECKS[code][1].__doc__.rstrip("."))


@pytest.mark.parametrize("code", CODES)
def test_the_command_exits_with_3_for_errors_and_0_for_the_rest(salva, tmp_path, code):
    outcome = salva("lexicon", "check", written(tmp_path, BAD[code]))
    assert outcome.code == (3 if CODES[code][0] == "error" else 0)
    assert f"{CODES[code][0]} {code}: " in outcome.out
    assert len(outcome.err.splitlines()) == (outcome.code == 3)


def test_every_line_that_cannot_be_read_is_reported(salva, tmp_path):
    written(tmp_path, "n movie\n# fine\nn a > b | nxt c\nn a > b | next ,\n- n a > b | next c")
    outcome = salva("lexicon", "check", "mine.txt", "--json")
    found = json.loads(outcome.out)
    assert [(own["code"], own["line"]) for own in found["findings"]] == [("P0", n) for n in (1, 3, 4, 5)]
    assert (found["pairs"], outcome.code) == (0, 3)
    assert outcome.err == "salva: mine.txt: 4 errors in 0 pairs; see above\n"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.toml", '[[group]]\nwords = ["film", "movie"]', "group"),
        ("a.conf", '\n# x\n[[group]]\nwords = ["film", "movie"]', "group"),
        ("a.txt", "# x\nn film > movie", "pair"),
        ("a", "", "pair"),
    ],
)
def test_a_file_is_recognised_by_its_suffix_or_its_first_line(tmp_path, name, content, kind):
    (tmp_path / name).write_text(content)
    assert check_file(tmp_path / name).kind == kind


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["n a > b | prev c", "n a > d"], []),  # the second applies elsewhere too
        (["n a > b", "n a > d | prev c"], [("P5", 2)]),
        (["n a > b", "v a > d"], []),
        (["n a > b | next c,d", "n a > e | next c"], [("P5", 2)]),
        (["n a > b | next c", "n a > e | next c,d"], []),
        (["n a > b | next! c", "n a > e | next d"], [("P5", 2)]),
        (["n a > b | near! c", "n a > e | near d"], []),  # both c and d may be near
        (["n a > b | prev! .", "n a > e | prev ^"], []),  # a sentence begins after a full stop
        (["n a > b | next c", "n a > e | prev c"], []),
    ],
)
def test_a_pair_is_hidden_only_if_an_earlier_one_always_applies(lines, found):
    assert codes(*lines) == found


@pytest.mark.parametrize("token", ["don't", "it's", "you'd", "cannot", "Film"])
def test_what_is_never_a_token_is_found_in_sources_and_conditions(token):
    assert codes(f"x {token} > picture") == [("P8", 1)]
    assert codes(f"n movie > film | prev! {token}") == [("P8", 1)]


@pytest.mark.parametrize("token", ["n't", "'s", "o'clock", "^", "COMMA", "``"])
def test_tokens_of_marks_are_allowed(token):
    assert codes(f"n movie > film | prev! {token}") == []


def test_a_pair_of_forms_of_which_one_praises_and_one_blames_is_opposite():
    assert compare_polarity(parse_rule("v love > hate")[0], "hate") == "opposite"
    assert codes("v love > hate")[0][0] == "P2"


def test_a_strong_verb_does_not_replace_a_weak_one_whose_past_is_ambiguous():
    forms = {form.tag: form.targets for form in inflect_pair(parse_rule("v tell > give")[0])}
    assert forms["VBZ"] == ("gives",)
    assert "VBD" not in forms


def test_a_line_has_conditions_phrases_and_marks():
    (pair,) = parse_rule("x but > however , | prev ^,COMMA; nexttag! NN  # why", 7)
    assert (pair.source, pair.targets, pair.line) == ("but", ("however,",), 7)
    assert pair.conditions == (Condition("prev", False, ("^", ",")), Condition("nexttag", True, ("NN",)))


def test_reading_stops_at_the_first_bad_line(tmp_path):
    with pytest.raises(InputError, match=r"mine.txt:2: 'y' must be a part of speech"):
        read_pairs(written(tmp_path, "n a > b\ny\nz"))


def merged(*texts):
    files = [
        (f"f{n}", [p for k, line in enumerate(text, 1) for p in parse_rule(line, k)])
        for n, text in enumerate(texts)
    ]
    return [(pair.source, pair.targets) for pair in merge_pairs(files)]


def test_files_are_tried_in_order_and_remove_from_those_that_follow():
    mine, shipped = ["- n film > movie", "n cat > dog"], ["n film > movie flick", "n cat > kitten"]
    assert merged(mine, shipped) == [("cat", ("dog",)), ("film", ("flick",)), ("cat", ("kitten",))]
    assert merged(["- n film = movie"], ["n film > movie", "n movie > film"]) == []


@pytest.mark.parametrize("files", [(["", "- n a > b"],), (["n a > b"], ["", "- n a > b"])])
def test_a_line_that_removes_nothing_is_refused(files):
    with pytest.raises(InputError, match=r"f\d:2: no file after this one has n a > b"):
        merged(*files)
