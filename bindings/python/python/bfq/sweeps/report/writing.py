# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the report of a sweep: Markdown, with its drawings beside it."""

import os
from pathlib import Path

from ..mistakes import FolderError, SweepError
from .drawings import draw_fronts, draw_settings
from .markdown import FRONT, name_of_drawing, text_of
from .outcomes import Outcomes


def sweep_report(
    folder: str | os.PathLike[str], output: str | os.PathLike[str] | None = None
) -> Path:
    """Writes what came out of the sweep in ``folder`` to ``output`` (``folder/report.md``).

    The drawings go beside it, as SVG.
    """
    folder = Path(folder)
    path = folder / "report.md"
    command = f"bfq sweep report {folder.name}"
    if output is not None:
        path = Path(output)
        command = f"{command} -o {path.name}"
    if path.suffix != ".md":
        raise FolderError.of(path, "a report is Markdown; expected a name that ends in .md")
    outcomes = Outcomes(folder)
    try:
        _write(outcomes, command, path)
    except OSError as error:
        why = error.strerror or str(error)
        raise SweepError.of(error.filename or path, f"it cannot be written: {why}") from error
    return path


def _write(outcomes: Outcomes, command: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(outcomes, command), encoding="utf-8")
    if references := outcomes.references():
        draw_fronts(outcomes, references, path.with_name(FRONT))
    if any(outcomes.changed()):
        for device in outcomes.devices:
            draw_settings(outcomes, device, path.with_name(name_of_drawing(device)))
