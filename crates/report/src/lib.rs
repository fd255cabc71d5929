//! Results: fio's JSON, tables.
