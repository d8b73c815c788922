"""Run one command with a fault at one of its steps, and list the steps.

`python -m tests.faults.run_with_fault --kill-at 7 -- transform in.csv -o out.csv --preset typos`
Without a fault, the steps are only listed. What happens below the current folder counts.
"""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from pathlib import Path

import salva.__main__
from tests.faults.tracing import Fault, Tracer, be_traced

FAULTS = {
    "kill-at": lambda step: Fault(step, signal=signal.SIGKILL),
    "terminate-at": lambda step: Fault(step, signal=signal.SIGTERM),
    "interrupt-at": lambda step: Fault(step, signal=signal.SIGINT),
    "full-from": lambda step: Fault(step, error=errno.ENOSPC, lasting=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in FAULTS:
        parser.add_argument(f"--{name}", type=int, metavar="STEP")
    parser.add_argument("arguments", nargs="+")
    chosen = parser.parse_args()
    given = {name: getattr(chosen, name.replace("-", "_")) for name in FAULTS}
    fault = next((FAULTS[name](step) for name, step in given.items() if step is not None), None)
    child = os.fork()
    if child == 0:
        be_traced()
        sys.argv = ["salva", *chosen.arguments]
        salva.__main__.run()
    tracer = Tracer(child, Path.cwd(), fault, wait=lambda: None)
    code = os.waitstatus_to_exitcode(tracer.follow())
    for number, step in enumerate(tracer.steps, 1):
        print(number, step.call, step.path, file=sys.stderr)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
