# SPDX-License-Identifier: MIT OR Apache-2.0
"""How much processor time Python adds to a simulation of about a second: `make python-overhead`.

The same simulation is made by the command and by the package, in turns. Of each, the least of the
rounds counts, which is least disturbed. What is compared is `bfq.simulate` with its JSON in a
Python that runs already; that Python starts and loads the package is told beside.
"""

import resource
import subprocess
import sys
import time

import bfq

ROUNDS = 9
JOB = "@random-readers"
RUNTIME_S = 2000


def seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def of_command(*words: str) -> float:
    before = seconds_of_children()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return seconds_of_children() - before


def of_package() -> float:
    before = time.process_time()
    bfq.simulate(JOB, device="ssd-sata", runtime=RUNTIME_S).json_text
    return time.process_time() - before


def main() -> None:
    command = sys.argv[1]
    words = f"sim {JOB} --device ssd-sata --scheduler bfq --runtime {RUNTIME_S}s --quiet"
    rounds = [
        (of_package(), of_command(command, *words.split(), "--output-format", "json"))
        for _ in range(ROUNDS)
    ]
    package, native = (min(times) for times in zip(*rounds))
    start = min(of_command(sys.executable, "-c", "import bfq") for _ in range(ROUNDS))
    print(f"command: {native:.3f} s of processor time, least of {ROUNDS} rounds")
    print(f"package: {package:.3f} s, {100 * (package / native - 1):+.1f} %")
    print(f"to start Python and load the package: {start:.3f} s")


if __name__ == "__main__":
    main()
