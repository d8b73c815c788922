"""A checked run as JUnit XML, which continuous integration shows as tests: one per condition."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from salva.asking.asker import TOTAL
from salva.evaluation.gate import Checked, CheckedRun
from salva.models.protocol import clip

_LONGEST = 200  # characters of a name


def junit_xml(checked: CheckedRun) -> bytes:
    """Return the test report: a condition fails if it breaks a limit, and is skipped if it has no number.

    A failure has the limits, the numbers and one flip. No text of the data can break the XML: characters that
    it cannot hold are escaped as in Python.
    """
    results = checked.run.results
    apart = checked.apart
    tests, failures = (str(len(some) + len(apart)) for some in (checked.cases, checked.broken))
    skipped = sum(map(_is_skipped, checked.cases))
    timings = checked.run.timings
    seconds = f"{timings.get(TOTAL, sum(timings.values())):.3f}"
    counts = {"tests": tests, "failures": failures, "errors": "0"}
    root = Element("testsuites", {"name": "salva", **counts, "time": seconds})
    name = f"{results.model.name} on {results.data.name}"
    about = {"name": clip(name, _LONGEST), **counts, "skipped": str(skipped), "time": seconds}
    suite = SubElement(root, "testsuite", about)
    properties = SubElement(suite, "properties")
    for key, value in (("signature", results.signature), ("model", results.model.digest)):
        SubElement(properties, "property", {"name": key, "value": clip(value, 2000)})
    for condition in checked.cases:
        _add_case(suite, condition)
    for group, problems in apart.items():
        case = SubElement(
            suite, "testcase", {"name": clip(group, _LONGEST), "classname": "salva", "time": "0"}
        )
        SubElement(case, "failure", {"message": "; ".join(problems), "type": "ThresholdError"})
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'.encode()


def _add_case(suite: Element, condition: Checked[Any]) -> None:
    names = {"name": condition.result.name, "classname": f"salva.{condition.result.group}"}
    about = {key: clip(value, _LONGEST) for key, value in names.items()}
    case = SubElement(suite, "testcase", {**about, "time": "0"})
    if condition.breaches:
        problems = [clip(problem, _LONGEST) for problem in condition.problems()]
        example = condition.show_example()
        failure = SubElement(case, "failure", {"message": "; ".join(problems), "type": "ThresholdError"})
        failure.text = "\n".join([*problems, condition.summary(), *example])
    elif _is_skipped(condition):
        SubElement(case, "skipped", {"message": "no pair of this condition has a label and two answers"})
    else:
        SubElement(case, "system-out").text = condition.summary()


def _is_skipped(condition: Checked[Any]) -> bool:
    return not condition.breaches and condition.result.score.n == 0
