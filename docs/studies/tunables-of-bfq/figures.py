# SPDX-License-Identifier: MIT OR Apache-2.0
"""Prints those figures of README.md that are not in report.md, from the table of the sweep.

python docs/studies/tunables-of-bfq/figures.py tunables-of-bfq.sweep
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pyarrow.compute as pc
from bfq.sweeps.report.effects import COUNTS_RATIO, ratio
from bfq.sweeps.report.outcomes import Outcomes, Setup
from bfq.sweeps.report.verdicts import Change, changes
from bfq.sweeps.table import read_table

SSDS = ("ssd-sata", "ssd-nvme")
LOOKED_AT = ("", "max_budget=512", "max_budget=2048", "max_budget=8192", "timeout_sync=500")
NO_MATTER = ("back_seek_max", "back_seek_penalty", "fifo_expire_sync", "fifo_expire_async")


def longest_waits(folder: Path) -> Iterator[str]:
    """The longest read of the light group, a mean over the seeds."""
    table = read_table(folder)
    chosen = pc.and_(pc.equal(table["job"], "weights"), pc.equal(table["scheduler"], "bfq"))
    found: dict[tuple[str, str], list[float]] = {}
    for row in table.filter(chosen).to_pylist():
        light = next(job for job in row["jobs"] if job["name"] == "light")
        waits = found.setdefault((row["device"], row["tunables"]), [])
        waits.append(light["read_max_ns"] / 1e6)
    for device in SSDS:
        for tunables in LOOKED_AT:
            waits = found[device, tunables]
            yield f"longest wait of the light group, {device}, bfq:{tunables}: {mean(waits):.4g} ms"


def starts(outcomes: Outcomes) -> Iterator[str]:
    """How long a start takes: 150 reads, one after the other."""
    for job in ("start-up", "start-up-writers"):
        for device in outcomes.devices:
            waits = (
                150e-6 * mean(outcomes.of(job, device, setup).wait.values())
                for setup in outcomes.schedulers()
            )
            named = zip(outcomes.schedulers(), waits, strict=True)
            said = ", ".join(f"{scheduler} {ms:.4g}" for scheduler, ms in named)
            yield f"ms of a start, {job}, {device}: {said}"


def of_tunables(outcomes: Outcomes, wanted: set[str]) -> list[Change]:
    """What these settings change, each alone, in every job on every device."""
    setups = [setup for setup in outcomes.changed() if setup.tunables in wanted]
    return [c for s in setups for d in outcomes.devices for c in changes(outcomes, d, s)]


def that_make_no_difference(outcomes: Outcomes) -> Iterator[str]:
    """In how many comparisons a difference counts, of settings that are said to need no tuning."""
    alone = [s.tunables for s in outcomes.changed() if "," not in s.tunables]
    idle = {f"slice_idle={ms}" for ms in (2, 4, 16)}
    others = {name for name in alone if name.partition("=")[0] in NO_MATTER}
    for title, wanted in (
        ("slice_idle of 2 to 16 ms", idle),
        ("these, seeks and expiries", idle | others),
    ):
        found = of_tunables(outcomes, wanted)
        count = sum(change.gains() or change.harms() for change in found)
        yield f"{title}: {count} of {len(found)} comparisons differ"


def pairs(outcomes: Outcomes) -> Iterator[str]:
    """How often two settings together do what each does alone, one times the other."""
    for figure in ("wait", "throughput"):
        near = every = 0
        for setup in outcomes.changed():
            parts = setup.tunables.split(",")
            if len(parts) != 2:
                continue
            for device in outcomes.devices:
                for job in outcomes.jobs:
                    both, *alone = (
                        ratio(
                            getattr(outcomes.of(job, device, Setup("bfq", tunables)), figure),
                            getattr(outcomes.of(job, device, Setup("bfq")), figure),
                        )
                        for tunables in (setup.tunables, *parts)
                    )
                    off = both.value / (alone[0].value * alone[1].value)
                    near += 1 / COUNTS_RATIO <= off <= COUNTS_RATIO
                    every += 1
        yield f"pairs: {near} of {every} within 5 % of the product, {near / every:.0%}: {figure}"


def main() -> None:
    """Prints all of them."""
    folder = Path(sys.argv[1])
    outcomes = Outcomes(folder)
    for lines in (
        longest_waits(folder), starts(outcomes), that_make_no_difference(outcomes), pairs(outcomes),
    ):  # fmt: skip
        print("\n".join(lines))


main()
