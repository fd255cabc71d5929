# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a folder says of the study whose results it has: the file that a report reads."""

import json
from pathlib import Path
from typing import Any

from .mistakes import FolderError

DESCRIPTION = "study.json"
_KEYS = ("title", "version", "devices", "jobs")


def read_description(folder: Path) -> dict[str, Any]:
    """The description of the study of a folder, as :meth:`Study.description` wrote it."""
    path = folder / DESCRIPTION
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        why = f"no sweep is there (no {DESCRIPTION}); expected a folder of bfq sweep"
        raise FolderError.of(folder, why) from error
    except OSError as error:
        raise FolderError.of(path, f"it cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise FolderError.of(path, f"{error}; expected JSON as bfq sweep writes it") from error
    missing = [key for key in _KEYS if not isinstance(described, dict) or key not in described]
    if missing:
        raise FolderError.of(path, f"no {missing[0]}; expected JSON as bfq sweep writes it")
    return dict(described)
