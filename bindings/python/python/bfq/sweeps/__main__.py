# SPDX-License-Identifier: MIT OR Apache-2.0
"""The command line: ``python -m bfq.sweeps``, which is ``bfq sweep``."""

import argparse
import sys
from pathlib import Path

from ..errors import BfqError, UsageError
from .limits import Limits
from .row import DONE
from .study_file import read_study

DEFAULTS = Limits()


def main() -> int:
    """Runs it, and gives the exit code."""
    try:
        words = sys.argv[1:]
        return _report(words[1:]) if words[:1] == ["report"] else _sweep(words)
    except BfqError as error:
        print(f"bfq: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except ImportError as error:
        extra = "ray" if error.name == "ray" else "sweep"
        print(f"bfq: {error}; it comes with the extra {extra} of the package", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bfq: interrupted; the same command goes on from there", file=sys.stderr)
        return 1


def _sweep(words: list[str]) -> int:
    parser = argparse.ArgumentParser("bfq sweep")
    parser.add_argument("study", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--ray", metavar="ADDRESS")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--time-limit", type=float, default=DEFAULTS.seconds)
    parser.add_argument("--memory-limit", type=int, default=DEFAULTS.memory_bytes >> 20)
    parser.add_argument("--retries", type=int, default=DEFAULTS.retries)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    given = parser.parse_args(words)
    study = read_study(given.study)
    from .sweep import sweep

    swept = sweep(
        study,
        given.out,
        backend="ray" if given.ray else "processes",
        address=given.ray,
        workers=given.workers,
        limits=Limits(given.time_limit, given.memory_limit << 20, given.retries),
        again=given.again,
        progress=False if given.quiet else None,
    )
    print(swept)
    return 0 if set(swept.outcomes) <= {DONE} else 1


def _report(words: list[str]) -> int:
    parser = argparse.ArgumentParser("bfq sweep report")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args(words)
    from .report import sweep_report

    print(sweep_report(given.folder, given.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
