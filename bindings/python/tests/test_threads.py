# SPDX-License-Identifier: MIT OR Apache-2.0
"""Python goes on while Rust is at work: other threads run, and Ctrl-C ends it."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import bfq

# Longer than anybody would wait: only an interrupt ends it.
ENDLESS = "[reader]\nrw=randread\nbs=4k\nsize=1g\ntime_based\nruntime=1000000\n"

SCRIPT = """
import bfq, signal, sys, threading
class Told(Exception): pass
def handler(*_): raise Told
# A shell has its jobs in the background ignore the signal, and Python leaves it so.
own = sys.argv[1] == "own"
signal.signal(signal.SIGINT, handler if own else signal.default_int_handler)
try:
    print("ready", flush=True)
    {call}
except KeyboardInterrupt: print("interrupted")
except Told: print("told")
"""


def interrupted(call: str, way: str = "usual") -> str:
    """What a process says that is interrupted in the middle of a call."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.replace("{call}", call), way],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        # It may not be in Rust yet: then Python itself raises, to the same effect.
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, err
    return out


def test_ctrl_c_ends_a_simulation():
    assert interrupted(f"bfq.simulate({ENDLESS!r})") == "interrupted\n"
    assert interrupted(f"bfq.explain({ENDLESS!r}, 'reader')") == "interrupted\n"


def test_a_handler_of_ones_own_is_obeyed():
    assert interrupted(f"bfq.simulate({ENDLESS!r})", "own") == "told\n"


def test_ctrl_c_reaches_a_simulation_that_is_under_way():
    # The signal comes from a thread that runs only because the simulation lets it.
    call = "\n    ".join(
        [
            "threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()",
            f"bfq.simulate({ENDLESS!r})",
        ]
    )
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT.replace("{call}", call), "usual"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert process.stdout == "ready\ninterrupted\n", process.stderr


def test_other_threads_run_meanwhile():
    # The simulation ends only because another thread ran to end it: by a signal to this one.
    class Ended(Exception):
        pass

    def end(*_):
        raise Ended

    before = signal.signal(signal.SIGUSR1, end)
    main = threading.get_ident()
    other = threading.Thread(target=lambda: signal.pthread_kill(main, signal.SIGUSR1))
    try:
        other.start()
        bfq.simulate(ENDLESS)
    except Ended:
        pass
    else:
        raise AssertionError("nothing ended it")
    finally:
        other.join()
        signal.signal(signal.SIGUSR1, before)


def test_simulations_in_threads_do_not_mix():
    def run(seed: int) -> bfq.Result:
        return bfq.simulate("@random-readers", seed=seed, runtime=0.5)

    with ThreadPoolExecutor(4) as pool:
        beside = list(pool.map(run, [1, 2, 3, 1]))
    assert beside == [run(seed) for seed in (1, 2, 3, 1)]
    assert beside[0] == beside[3] != beside[1]
