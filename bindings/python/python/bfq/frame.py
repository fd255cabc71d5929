# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables, which pandas, Polars and pyarrow take over as they lie in memory."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

from . import _bfq

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_SHOWN_ROWS = 20


class Frame:
    """A table: columns of the same length, by name.

    It has Arrow's PyCapsule interface, so whatever understands Arrow takes it without a copy:
    ``pyarrow.table(frame)``, ``polars.DataFrame(frame)``, ``duckdb.from_arrow(frame)``. None of
    these libraries is needed for the table itself. Tables can be pickled, for other processes.

    >>> import bfq
    >>> jobs = bfq.simulate("@two-groups").jobs
    >>> jobs["job"]
    ['weight-100', 'weight-300']
    >>> len(jobs)
    2
    """

    def __init__(self, table: _bfq.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return self._table.columns()

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, column: str) -> List[Any]:
        """The values of a column as a list; ``None`` where there is none."""
        return self._table.column(column)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def rows(self) -> Iterator[Dict[str, Any]]:
        """The rows, one after the other, as dictionaries.

        >>> import bfq
        >>> [row["share"] for row in bfq.simulate("@two-groups").groups.rows()][0]
        1.0
        """
        columns = self.to_dict()
        for values in zip(*columns.values()):
            yield dict(zip(columns, values))

    def to_dict(self) -> Dict[str, List[Any]]:
        """All columns as lists, by their names."""
        return {column: self[column] for column in self.columns}

    def to_arrow(self) -> pyarrow.Table:
        """The table as one of pyarrow, without a copy."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as one of pandas (needs pyarrow, too)."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The table as one of Polars, without a copy of what is not text."""
        import polars

        return polars.DataFrame(self)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_table": self._table.parts()}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state, _table=_bfq.Table.of_parts(state["_table"]))

    def __repr__(self) -> str:
        return f"<bfq.Frame: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the first rows."""
        columns = {name: self._table.column(name, _SHOWN_ROWS) for name in self.columns}
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        rows = [
            "<tr>" + "".join(f"<td>{_shown(value)}</td>" for value in row) + "</tr>"
            for row in zip(*columns.values())
        ]
        left_out = len(self) - len(rows)
        more = f"<p>… and {left_out} more rows</p>" if left_out else ""
        return f"<table><tr>{head}</tr>{''.join(rows)}</table>{more}"


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return html.escape(str(value))
