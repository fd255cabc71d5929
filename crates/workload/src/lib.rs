//! What processes do: fio job files.
