// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table that other libraries take over as it lies in memory, by Arrow's C data interface.

use crate::errors::{failed, usage};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_array::{ArrowPrimitiveType, BooleanArray, PrimitiveArray, StringArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::sync::Arc;

/// Columns of the same length, each with a name.
#[pyclass(frozen, module = "bfq._bfq")]
pub(crate) struct Table {
    batch: RecordBatch,
}

/// A column: its values, and gaps.
pub(crate) enum Column {
    /// Counts, times in ns.
    Counts(Vec<Option<u64>>),
    /// What may be negative.
    Integers(Vec<Option<i64>>),
    /// Rates and shares: numbers with a fraction.
    Numbers(Vec<Option<f64>>),
    /// True or false, or nothing where there is no value.
    Flags(Vec<Option<bool>>),
    /// Names and other words.
    Texts(Vec<Option<String>>),
}

impl Column {
    /// Counts of which none is missing.
    pub(crate) fn counts(values: impl IntoIterator<Item = u64>) -> Column {
        Column::Counts(values.into_iter().map(Some).collect())
    }

    /// Names of which none is missing.
    pub(crate) fn texts<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Column {
        Column::Texts(values.into_iter().map(|value| Some(value.into())).collect())
    }

    fn into_array(self) -> ArrayRef {
        match self {
            Column::Counts(values) => Arc::new(PrimitiveArray::<UInt64Type>::from(values)),
            Column::Integers(values) => Arc::new(PrimitiveArray::<Int64Type>::from(values)),
            Column::Numbers(values) => Arc::new(PrimitiveArray::<Float64Type>::from(values)),
            Column::Flags(values) => Arc::new(BooleanArray::from(values)),
            Column::Texts(values) => Arc::new(StringArray::from(values)),
        }
    }
}

impl Table {
    /// A table of these columns, each with its name. All may have gaps, so that tables of several
    /// runs can be put together.
    pub(crate) fn new<N: Into<String>>(
        columns: impl IntoIterator<Item = (N, Column)>,
    ) -> PyResult<Table> {
        let arrays =
            columns.into_iter().map(|(name, column)| (name.into(), column.into_array(), true));
        let batch = RecordBatch::try_from_iter_with_nullable(arrays).map_err(failed)?;
        Ok(Table { batch })
    }
}

/// A column: its name, its type by the name in `KINDS`, and its values.
type Part<'py> = (String, String, Bound<'py, PyAny>);

/// The types of columns, by the names that pickles have for them.
const KINDS: [(&str, DataType); 5] = [
    ("counts", DataType::UInt64),
    ("integers", DataType::Int64),
    ("numbers", DataType::Float64),
    ("flags", DataType::Boolean),
    ("texts", DataType::Utf8),
];

#[pymethods]
impl Table {
    /// The table as an ArrowArrayStream in a capsule (Arrow's PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        python: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that need not be met, says the interface.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(python, stream, c"arrow_array_stream")
    }

    /// The types of the columns as an ArrowSchema in a capsule.
    fn __arrow_c_schema__<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref()).map_err(failed)?;
        PyCapsule::new_with_value(python, schema, c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The columns with their names and types, of which `of_parts` makes the table again: for
    /// pickles.
    fn parts<'py>(&self, python: Python<'py>) -> PyResult<Vec<Part<'py>>> {
        let schema = self.batch.schema();
        let part = |field: &Arc<Field>| {
            let kind = KINDS.iter().find(|(_, kind)| kind == field.data_type());
            let name = kind.map_or("", |(name, _)| name).to_owned();
            Ok((field.name().clone(), name, self.column(python, field.name(), None)?.into_any()))
        };
        schema.fields().iter().map(part).collect()
    }

    /// The table of such parts.
    #[staticmethod]
    fn of_parts(parts: Vec<Part<'_>>) -> PyResult<Table> {
        let column = |(name, kind, values): Part<'_>| {
            let column = match kind.as_str() {
                "counts" => Column::Counts(values.extract()?),
                "integers" => Column::Integers(values.extract()?),
                "numbers" => Column::Numbers(values.extract()?),
                "flags" => Column::Flags(values.extract()?),
                "texts" => Column::Texts(values.extract()?),
                other => return Err(usage(format!("column {name}: no type {other:?}"))),
            };
            Ok((name, column))
        };
        Table::new(parts.into_iter().map(column).collect::<PyResult<Vec<_>>>()?)
    }

    /// The names of the columns.
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The values of a column, None for gaps: all, or the first `limit`.
    #[pyo3(signature = (name, limit=None))]
    fn column<'py>(
        &self,
        python: Python<'py>,
        name: &str,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let unknown =
            || usage(format!("no column {name:?}; there are: {}", self.columns().join(", ")));
        let whole = self.batch.column_by_name(name).ok_or_else(unknown)?;
        let column = &whole.slice(0, limit.map_or(whole.len(), |limit| limit.min(whole.len())));
        let any = column.as_any();
        if let Some(texts) = any.downcast_ref::<StringArray>() {
            return PyList::new(python, texts.iter().collect::<Vec<_>>());
        }
        if let Some(flags) = any.downcast_ref::<BooleanArray>() {
            return PyList::new(python, flags.iter().collect::<Vec<_>>());
        }
        values::<UInt64Type>(python, column)
            .or_else(|| values::<Int64Type>(python, column))
            .or_else(|| values::<Float64Type>(python, column))
            .unwrap_or_else(|| Err(unknown()))
    }
}

/// The values of a column of numbers, if it is one of this type.
fn values<'py, T: ArrowPrimitiveType<Native: IntoPyObject<'py>>>(
    python: Python<'py>,
    column: &ArrayRef,
) -> Option<PyResult<Bound<'py, PyList>>> {
    let numbers = column.as_any().downcast_ref::<PrimitiveArray<T>>()?;
    Some(PyList::new(python, numbers.iter().collect::<Vec<_>>()))
}
