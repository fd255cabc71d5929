# SPDX-License-Identifier: MIT OR Apache-2.0
"""On which line of a TOML file a key stands, which Python's reader of TOML does not tell."""

import re

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]")
_KEY = re.compile(r"""\s*(["']?)([\w\-]+)\1\s*=""")
_DELIMITERS = ("'''", '"""')


def line_of(text: str, key: str) -> int:
    """The line of a key as messages have it: ``grids[0].tunables.slice_idle``.

    What stands within a line, as in ``tunables = { … }``, has that line; what is missing has the
    line of the table that lacks it. 0: the file as a whole.

    >>> line_of("name = 'a'\\n[[jobs]]\\n[[jobs]]\\nfile = 'a.fio'\\n", "jobs[1].file")
    4
    >>> line_of("name = 'a'\\n[[jobs]]\\n", "jobs[0].file")
    2
    """
    lines = _lines_of_keys(text)
    while key:
        if key in lines:
            return lines[key]
        key = key.rpartition(".")[0]
    return 0


def _lines_of_keys(text: str) -> dict[str, int]:
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    within = ""  # what ends the text of several lines in which we are
    for number, line in enumerate(text.splitlines(), start=1):
        if not within:
            if header := _HEADER.match(line):
                table = _table(counts, header[2], header[1] == "[[")
                lines.setdefault(table, number)
            elif found := _KEY.match(line):
                lines.setdefault(f"{table}.{found[2]}" if table else found[2], number)
        within = _still_within(line, within)
    return lines


def _table(counts: dict[str, int], name: str, is_list: bool) -> str:
    """The name of a table, with the places of it and of those that it is in."""
    if is_list:
        counts[name] = counts.get(name, -1) + 1
    parts = name.split(".")
    paths = (".".join(parts[: end + 1]) for end in range(len(parts)))
    return ".".join(
        f"{part}[{counts[path]}]" if path in counts else part
        for part, path in zip(parts, paths, strict=True)
    )


def _still_within(line: str, within: str) -> str:
    """The delimiter of the text that goes on after this line."""
    while line:
        if within:
            _, found, line = line.partition(within)
            within = "" if found else within
            continue
        places = [(line.find(mark), mark) for mark in _DELIMITERS if mark in line]
        if not places:
            return ""
        place, within = min(places)
        line = line[place + 3 :]
    return within
