# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether an argument is of the type that is expected: if not, the error says which one it is."""

from __future__ import annotations

import math
import operator
import os
from datetime import timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, NoReturn, Optional, Union

from .errors import UsageError


def wrong(name: str, given: object, expected: str) -> NoReturn:
    """Raises the error of an argument that is not what it should be."""
    raise UsageError(f"{name} {given!r}: expected {expected}")


def text_in(name: str, given: Any) -> str:
    """A text, which the Rust half has as UTF-8."""
    if not isinstance(given, str):
        wrong(name, given, "a text")
    text = str.__str__(given)  # str() of a member of an enumeration is not always its value
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # Not the whole text, which may be long.
        wrong(name, text[error.start : error.end], "a text that can be written as UTF-8")
    return text


def path_in(name: str, given: Any) -> str:
    """A path, as a text."""
    path = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
    if not isinstance(path, str):
        wrong(name, given, "a path")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        wrong(name, given, "a path, as the system can name it")
    return str.__str__(path)


def flag_in(name: str, given: Any) -> bool:
    """True or false."""
    flag = _flag(given)
    if flag is None:
        wrong(name, given, "True or False")
    return flag


def _flag(given: Any) -> Optional[bool]:
    """What is true or false; numpy, whose truths are of a type of its own, need not be there."""
    if isinstance(given, bool):
        return given
    kind = getattr(getattr(given, "dtype", None), "kind", None)
    return bool(given) if kind == "b" and getattr(given, "shape", None) == () else None


def count_in(name: str, given: Any, most: int = 2**63 - 1) -> int:
    """A whole number from 0 on."""
    expected = f"a whole number from 0 to {most}"
    try:
        number = operator.index(given)
    except TypeError:
        wrong(name, given, expected)
    if not 0 <= number <= most:
        wrong(name, given, expected)
    return number


def seconds_in(name: str, given: Any) -> Optional[float]:
    """A number of seconds that is a time for the command, too; or none."""
    if given is None:
        return None
    seconds = _number(given)
    if seconds is None or not 0 < seconds < _MOST_SECONDS:
        wrong(name, given, "a number of seconds, more than 0 and less than 584 years")
    return seconds


_MOST_SECONDS = 2**64 / 10**9
"""Times are counted in ns."""


def _number(given: Any) -> Optional[float]:
    """A number that is finite, if it is one."""
    try:
        number = float(given) if isinstance(given, Real) else math.nan
    except OverflowError:  # it is whole, or a fraction, and very large
        return None
    return number if math.isfinite(number) else None


def value_text(name: str, value: Any) -> str:
    """A value of a setting or of an option, as the command has it."""
    if isinstance(value, timedelta):
        return microseconds(value)
    flag = _flag(value)
    if flag is not None:
        return str(int(flag))
    plain = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(plain, str):
        return text_in(name, plain)
    if not isinstance(plain, (Real, Decimal)):
        wrong(name, value, "a text, a number, a path, True, False or a timedelta")
    return str(plain)


def runtime_text(given: Union[int, float, str, timedelta, None]) -> Optional[str]:
    """A time to run, as the command has it."""
    if given is None:
        return None
    if isinstance(given, str):
        return text_in("runtime", given)
    if isinstance(given, timedelta):
        return microseconds(given)
    number = None if isinstance(given, bool) else _number(given)
    if number is None:
        wrong("runtime", given, "a number of seconds, a text such as '500ms', or a timedelta")
    return f"{int(number)}s" if number.is_integer() else f"{round(number * 1e6)}us"


def microseconds(time: timedelta) -> str:
    """A time in the unit that is exact for it."""
    return f"{time // timedelta(microseconds=1)}us"
