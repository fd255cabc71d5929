# SPDX-License-Identifier: MIT OR Apache-2.0
"""A Figure that notebooks show by themselves. To be imported where something is drawn only."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class Picture(Figure):
    """A Figure that is none of pyplot's, which would keep it, and which a notebook shows."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()
