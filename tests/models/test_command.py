"""`command:PROGRAM ARGS`: JSON lines, with a program that may do anything; items 85, 86, 106, 109 and 110."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from salva.asking.pipeline import query
from salva.errors import UsageError
from salva.models import ModelOptions, open_model

ECHO = "say(id=asked['id'], label=asked['text'])"


def test_a_program_answers_and_stays_alive(program):
    model = program("say(id=asked['id'], label=os.getpid())")
    assert len({*query(model, ["a", "b"]).labels, *query(model, ["c"]).labels}) == 1


def test_106_answers_are_matched_by_id_whatever_their_order(program):
    say = "[say(id=one['id'], label=one['text']) for one in held[::-1]]"
    body = f"held.append(asked)\nif len(held) == 3:\n    {say}"
    assert query(program(body, "held = []"), ["a", "b", "c"]).labels == ["a", "b", "c"]


def test_pairs_probabilities_errors_and_cuts(program):
    body = """
say(id=asked['id'], **{
    'a': {'label': 1}, 'b': {'probabilities': {'pos': 0.9, 'neg': 0.1}, 'cut': True},
    'c': {'error': 'too\\nlong'}, 'd': {'label': None}, 'e': {'probabilities': {'pos': 2.0, 'neg': 1.0}},
    'f': {'label': asked.get('text_b')},
}[asked['text']])
"""
    answers = query(program(body), ["a", "b", "c", "d", "e", ("f", "second")])
    assert answers.labels == ["1", "pos", None, None, None, "second"]
    assert answers.probabilities[1] == 0.9
    assert answers.cut == [False, True, False, False, False, False]
    assert answers.statuses == ["answered", "answered", "failed", "failed", "failed", "answered"]
    assert answers.errors[2:4] == ["too long", "the model gave no answer"]
    assert answers.errors[4].startswith("probabilities sum to 3, not 1")


@pytest.mark.parametrize("field", ["label", "output"])
def test_a_program_may_say_what_became_of_its_answers(program, field):
    body = f"""
say(id=asked['id'], **{{
    'a': {{'{field}': 'x', 'status': 'answered'}}, 'b': {{'{field}': 'x', 'status': 'truncated'}},
    'c': {{'status': 'refused'}}, 'd': {{'{field}': 'No way', 'status': 'refused'}},
    'e': {{'error': 'by law', 'status': 'refused'}},
    'f': {{'{field}': 'x', 'error': 'bad', 'status': 'failed'}},
    'g': {{'{field}': None, 'status': 'answered'}}, 'h': {{'status': 'failed'}},
    'i': {{'{field}': 'x', 'status': None}},
}}[asked['text']])
"""
    answers = query(program(body, writes=field == "output"), list("abcdefghi"))
    assert answers.labels == ["x", "x", *[None] * 6, "x"]
    assert answers.statuses == [
        *("answered", "truncated", "refused", "refused", "refused"),
        *("failed", "failed", "failed", "answered"),
    ]
    assert answers.errors == [
        *(
            None,
            None,
            "the model refused to answer",
            "the model refused to answer: 'No way'",
            "by law",
            "bad",
        ),
        *("the model gave no answer", "the model gave no answer", None),
    ]


@pytest.mark.parametrize("status", ["done", 1, ["answered"], {}])
def test_a_status_that_is_unknown_fails_the_batch(program, status):
    answers = query(program(f"say(id=asked['id'], label='x', status={status!r})"), ["a"])
    problem = f"the program's answer has the status {status!r}; it must be one of "
    assert answers.errors == [f"{problem}answered, truncated, refused, failed"]


@pytest.mark.parametrize("text", ['"quoted"', "two\nlines", "\0", "ünï 🙂", "\u2028", "{}", "$(reboot)"])
def test_any_text_arrives_as_it_is(program, text):
    assert query(program(ECHO), [f"x{text}x"]).labels == [f"x{text}x"]


def test_large_texts_do_not_block(program):
    """Neither side waits for the other: the program writes much before it has read all."""
    texts = [str(i) * 40_000 for i in range(10, 90)]
    model = program("say(id=asked['id'], label=asked['text'][:2], more='x' * 50_000)")
    assert query(model, texts, timeout=300).labels == [text[:2] for text in texts]


def test_85_a_program_that_dies_is_started_again(program, tmp_path):
    body = f"""
if asked['text'] == 'kill' and not os.path.exists({str(tmp_path / "once")!r}):
    open({str(tmp_path / "once")!r}, 'w').close()
    os.kill(os.getpid(), 9)
{ECHO}
"""
    assert query(program(body), ["a", "kill", "b"]).labels == ["a", "kill", "b"]


def test_86_a_text_that_kills_the_program_is_found(program):
    body = f"if asked['text'] == 'kill':\n    os.kill(os.getpid(), 9)\n{ECHO}"
    answers = query(program(body), ["a", "kill", "b", "c"])
    assert answers.labels == ["a", None, "b", "c"]
    assert answers.errors[1] == "ProgramError: the program died (signal 9)"


def test_a_program_that_ends_says_why(program, capfd):
    answers = query(program("sys.exit('no\\nweights')"), ["a"])
    assert answers.errors == ["ProgramError: the program ended (exit code 1); its last output: no / weights"]
    assert "no\nweights" in capfd.readouterr().err


def test_the_end_of_what_a_program_wrote_is_shown_not_the_beginning(program):
    raising = "def answer(text):\n    raise ValueError('too long: ' + 'x' * 150)\nanswer(asked['text'])"
    (error,) = query(program(raising), ["a"]).errors
    assert "its last output: " in error
    assert "ValueError: too long: xxx" in error
    assert error.endswith("x")


@pytest.mark.slow
def test_a_program_that_closes_its_output_is_dead(program):
    answers = query(program("os.close(1)\ntime.sleep(600)"), ["a"])
    assert answers.errors == ["ProgramError: the program closed its output"]


@pytest.mark.slow
def test_110_a_program_that_hangs_is_ended_with_its_children(program, tmp_path):
    body = f"""
if asked['text'] == 'begin':
    import subprocess
    child = subprocess.Popen(['sleep', '600'])
    open({str(tmp_path / "pids")!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')
else:
    time.sleep(600)
{ECHO}
"""
    model = program(body)
    assert query(model, ["begin"], timeout=300).labels == ["begin"]
    assert query(model, ["hang"], timeout=2).errors == ["no answer within 2 seconds"]
    for pid in (tmp_path / "pids").read_text().split():
        assert not alive(int(pid))


def test_a_program_does_not_outlive_a_salva_that_is_killed(tmp_path):
    (tmp_path / "hang.py").write_text(
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "print(os.getpid(), child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(600)\n"
    )
    spec = f"command:{sys.executable} {tmp_path / 'hang.py'}"
    code = f"from salva.models import open_model; open_model({spec!r}).predict(['a'])"
    asking = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    pids = asking.stderr.readline().split()
    asking.kill()
    asking.communicate()
    assert len(pids) == 2
    assert not any(alive(int(pid)) for pid in pids)


@pytest.mark.slow
def test_110_after_a_hang_the_program_is_started_anew(program):
    model = program(f"if asked['text'] == 'hang':\n    time.sleep(600)\n{ECHO}")
    assert query(model, ["a", "hang"], timeout=2).labels == [None, None]
    assert query(model, ["b"], timeout=300).labels == ["b"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (
            "print('loading…')",
            r"the program wrote 'loading…', not a JSON object; print everything else to stderr",
        ),
        ("print('[1]')", "the program wrote '[1]', not a JSON object"),
        ("print('[' * 100_000)", "the program wrote '[[["),
        ("say(id=asked['id'])", "the program's answer has no label, probabilities or error: "),
        ("say(id=7, label='a')", "the program answered id 7, which is unknown or already answered"),
        ("say(id='0', label='a')", "the program answered id '0', which is unknown"),
        ("say(label='a')", "the program answered id None, which is unknown"),
        ("[say(id=0, label='a') for _ in range(2)]", "the program answered id 0, which is unknown or"),
        ("print('x' * 2_000_000)", "the program wrote a line of over 1 MB"),
        (
            "say(id=asked['id'], probabilities={'a': 'b'})",
            "model returned {'a': 'b'}, not {class: probability}",
        ),
    ],
)
def test_116_lines_that_are_no_answers_fail_the_batch(program, body, error):
    answers = query(program(body), ["a", "b"])
    assert answers.labels == [None, None]
    assert all(said.startswith(error) for said in answers.errors), answers.errors


def test_a_program_that_failed_its_batch_is_asked_anew(program):
    model = program(f"if asked['text'] == 'odd':\n    print('odd')\n{ECHO}")
    assert query(model, ["odd"]).labels == [None]
    assert query(model, ["a"]).labels == ["a"]


def test_109_blank_lines_and_standard_error_do_not_matter(program, capfd):
    body = f"print()\nprint('working', file=sys.stderr, flush=True)\n{ECHO}"
    model = program(body)
    assert query(model, ["a"]).labels == ["a"]
    model.close()
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "working\n")


def test_closing_ends_the_program(program):
    model = program("say(id=asked['id'], label=os.getpid())")
    pid = int(query(model, ["a"]).labels[0])
    model.close()
    model.close()
    assert not alive(pid)


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("command:", "does not name a program"),
        ("command:no-such-program x", "there is no program 'no-such-program'"),
        ("command:cat 'x", "cannot be split into words"),
    ],
)
def test_a_program_that_is_not_there_is_one_line(spec, error):
    with pytest.raises(UsageError, match=error):
        open_model(spec)


def test_no_shell_reads_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = open_model("command:cat - ; touch owned")
    query(model, ["a"], timeout=300)
    model.close()
    assert not (tmp_path / "owned").exists()


def test_120_the_digest_knows_words_and_files(program, tmp_path):
    first = program(ECHO).digest
    assert program(ECHO).digest == first
    assert program("pass").digest != first
    assert program(ECHO, model_id="2").digest != first


def test_118_what_looks_like_a_secret_is_not_in_the_name():
    model = open_model("command:cat --api-key abc --token=abc -v 'two words'", ModelOptions())
    assert model.name == "command:cat --api-key *** --token=*** -v 'two words'"


def alive(pid: int) -> bool:
    for _ in range(600):
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        if not state.stdout.strip() or state.stdout.startswith("Z"):
            return False
        time.sleep(0.1)
    os.kill(pid, 9)
    return True
