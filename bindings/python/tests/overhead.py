# SPDX-License-Identifier: MIT OR Apache-2.0
"""How many instructions Python adds to a simulation: `make python-overhead` (needs valgrind).

The same simulation is made by the command and by the package, with its JSON in either case, and
valgrind counts the instructions of both. Those by which Python starts and loads the package are
counted alone and told beside: they are the same however long the simulation is.
"""

import re
import subprocess
import sys

JOB, DEVICE = "@random-readers", "ssd-sata"
# About a second on a processor of 2020.
RUNTIME_S = 17


def instructions(*words: str) -> int:
    """What a program takes."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*valgrind, *words]
    run = subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    counted = re.search(r"Collected : (\d+)", run.stderr)
    assert counted is not None, run.stderr
    return int(counted[1])


def main() -> None:
    command = sys.argv[1]
    words = f"sim {JOB} --device {DEVICE} --scheduler bfq --runtime {RUNTIME_S}s --quiet"
    call = f"print(bfq.simulate({JOB!r}, device={DEVICE!r}, runtime={RUNTIME_S}).json_text)"
    native = instructions(command, *words.split(), "--output-format", "json")
    start = instructions(sys.executable, "-c", "import bfq")
    package = instructions(sys.executable, "-c", f"import bfq; {call}") - start
    print(f"the command:                          {native / 1e6:8.1f} million instructions")
    print(f"bfq.simulate(…).json_text:            {package / 1e6:8.1f} million")
    print(f"more than the command:                {100 * (package / native - 1):+8.2f} %")
    print(f"to start Python and load the package: {start / 1e6:8.1f} million")


if __name__ == "__main__":
    main()
