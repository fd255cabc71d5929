// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the text of a profile to what it says, with the line of every mistake.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Mistake, ProfileError};
use super::figure::{Figure, Tolerance};
use super::parameters::ModelKind;
use super::schema::ParameterRow;
use crate::measure::table::Measurement;

const TOP_KEYS: &str = "model, description, [values], [expect]";
const FIGURE_KEYS: &str = "value, unit, source, tolerance";

/// The text being read; knows which line a byte is on.
struct Source<'a> {
    text: &'a str,
    file: &'a str,
}

type Entry<'t, 'i> = (&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>);

impl Source<'_> {
    fn line(&self, byte: usize) -> u32 {
        let end = byte.min(self.text.len());
        self.text.as_bytes()[..end].iter().filter(|b| **b == b'\n').count() as u32 + 1
    }

    fn error<T>(&self, byte: usize, mistake: Mistake) -> Result<T, ProfileError> {
        Err(mistake.at(self.file, Some(self.line(byte))))
    }
}

/// What the text of a profile says.
pub(super) struct Parsed {
    pub(super) description: String,
    pub(super) model: ModelKind,
    /// In the order of [`ModelKind::rows`].
    pub(super) values: Vec<Figure>,
    pub(super) expectations: Vec<Figure>,
}

/// Reads a whole profile.
pub(super) fn parse(text: &str, file: &str) -> Result<Parsed, ProfileError> {
    let source = Source { text, file };
    let table = DeTable::parse(text).or_else(|error| {
        let byte = error.span().map_or(0, |span| span.start);
        let what = error.message().lines().next().unwrap_or("not TOML").to_owned();
        source.error(byte, Mistake::new(what, "TOML"))
    })?;
    let table = table.get_ref();
    for (key, _) in table {
        if !["model", "description", "values", "expect"].contains(&key.get_ref().as_ref()) {
            let what = format!("unknown key \"{}\"", key.get_ref());
            return source.error(key.span().start, Mistake::new(what, TOP_KEYS));
        }
    }
    let model = model(&source, table)?;
    let (_, description) = entry(&source, table, 0, "description", "a sentence")?;
    let description = string(&source, description, "description")?;
    let (values_key, values) = entry(&source, table, 0, "values", "the table [values]")?;
    let values = values_of(&source, values_key.span().start, values, model)?;
    let expectations = match table.get("expect") {
        Some(expect) => expectations_of(&source, expect)?,
        None => Vec::new(),
    };
    Ok(Parsed { description, model, values, expectations })
}

fn model(source: &Source, table: &DeTable) -> Result<ModelKind, ProfileError> {
    let names: Vec<_> = ModelKind::ALL.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
    let names = format!("one of {}", names.join(", "));
    let (_, value) = entry(source, table, 0, "model", &names)?;
    let text = value.get_ref().as_str().unwrap_or_default();
    match ModelKind::ALL.into_iter().find(|kind| kind.name() == text) {
        Some(kind) => Ok(kind),
        None => source.error(value.span().start, Mistake::new("unknown model", names)),
    }
}

/// The entry `key` of a table that begins at byte `at`.
fn entry<'t, 'i>(
    source: &Source,
    table: &'t DeTable<'i>,
    at: usize,
    key: &str,
    expected: &str,
) -> Result<Entry<'t, 'i>, ProfileError> {
    match table.get_key_value(key) {
        Some(entry) => Ok(entry),
        None => source.error(at, Mistake::new(format!("\"{key}\" is missing"), expected)),
    }
}

fn string(source: &Source, value: &Spanned<DeValue>, key: &str) -> Result<String, ProfileError> {
    match value.get_ref().as_str() {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => {
            let mistake = Mistake::new(format!("bad \"{key}\""), "text between quotes");
            source.error(value.span().start, mistake)
        }
    }
}

fn subtable<'t, 'i>(
    source: &Source,
    value: &'t Spanned<DeValue<'i>>,
    what: &str,
    expected: &str,
) -> Result<&'t DeTable<'i>, ProfileError> {
    match value.get_ref().as_table() {
        Some(table) => Ok(table),
        None => {
            let what = format!("{what} is not a table");
            source.error(value.span().start, Mistake::new(what, expected))
        }
    }
}

fn values_of(
    source: &Source,
    at: usize,
    values: &Spanned<DeValue>,
    model: ModelKind,
) -> Result<Vec<Figure>, ProfileError> {
    let table = subtable(source, values, "\"values\"", "the table [values]")?;
    let rows = model.rows();
    for (key, _) in table {
        if !rows.iter().any(|row| row.name == key.get_ref()) {
            let known: Vec<_> = rows.iter().map(|row| row.name).collect();
            let name = key.get_ref();
            let what = format!("a {} disk has no value \"{name}\"", model.name());
            return source.error(key.span().start, Mistake::unknown(what, name, &known));
        }
    }
    let expected = format!("{{ {FIGURE_KEYS} }} for each of the values of the model");
    rows.iter()
        .map(|row| match row.default {
            Some(value) if !table.contains_key(row.name) => {
                Ok(by_default(row, value, source.line(at)))
            }
            _ => {
                let (key, value) = entry(source, table, at, row.name, &expected)?;
                figure(source, key.span().start, value, row)
            }
        })
        .collect()
}

fn expectations_of(
    source: &Source,
    expect: &Spanned<DeValue>,
) -> Result<Vec<Figure>, ProfileError> {
    let table = subtable(source, expect, "\"expect\"", "the table [expect]")?;
    for (key, _) in table {
        if !Measurement::ALL.iter().any(|m| m.row().name == key.get_ref()) {
            let known: Vec<_> = Measurement::ALL.iter().map(|m| m.row().name).collect();
            let what = format!("unknown expectation \"{}\"", key.get_ref());
            let mistake = Mistake::new(what, format!("one of {}", known.join(", ")));
            return source.error(key.span().start, mistake);
        }
    }
    let rows = Measurement::ALL.iter().map(Measurement::row);
    rows.filter_map(|row| table.get_key_value(row.name).map(|entry| (row, entry)))
        .map(|(row, (key, value))| figure(source, key.span().start, value, row))
        .collect()
}

/// The value of a row that the table `[values]` on this line does not give.
fn by_default(row: &'static ParameterRow, value: u64, line: u32) -> Figure {
    let (text, unit) = row.quantity.written(value);
    let source = "not given; as it is by default".to_owned();
    Figure { row, value, text, unit: unit.to_owned(), source, tolerance: Tolerance::Exact, line }
}

/// One `name = { value = 8, unit = "ms", source = "…", tolerance = "10 %" }`.
fn figure(
    source: &Source,
    at: usize,
    entry_value: &Spanned<DeValue>,
    row: &'static ParameterRow,
) -> Result<Figure, ProfileError> {
    let expected = format!("{{ {FIGURE_KEYS} }}");
    let table = subtable(source, entry_value, &format!("\"{}\"", row.name), &expected)?;
    for (key, _) in table {
        if !["value", "unit", "source", "tolerance"].contains(&key.get_ref().as_ref()) {
            let what = format!("unknown key \"{}\" of {}", key.get_ref(), row.name);
            return source.error(key.span().start, Mistake::new(what, FIGURE_KEYS));
        }
    }
    let field = |key| match table.get(key) {
        Some(value) => Ok(value),
        None => {
            let mistake = Mistake::new(format!("{} has no \"{key}\"", row.name), &expected);
            source.error(at, mistake)
        }
    };
    let (value, unit, tolerance) = (field("value")?, field("unit")?, field("tolerance")?);
    let unit_text = unit.get_ref().as_str().unwrap_or_default();
    if let Err(mistake) = row.quantity.unit_size(unit_text) {
        let what = format!("{} of {}", mistake.what, row.name);
        return source.error(unit.span().start, Mistake { what, ..mistake });
    }
    let text = number(source, value, row)?;
    let base = row.read(&text, unit_text);
    Ok(Figure {
        row,
        value: base.or_else(|mistake| source.error(value.span().start, mistake))?,
        text,
        unit: unit_text.to_owned(),
        source: string(source, field("source")?, "source")?,
        tolerance: tolerance_of(source, tolerance)?,
        line: source.line(at),
    })
}

fn number(
    source: &Source,
    value: &Spanned<DeValue>,
    row: &ParameterRow,
) -> Result<String, ProfileError> {
    match value.get_ref() {
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().to_owned()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Ok(flag.to_string()),
        other => {
            let what = format!("the value of {} is a {}", row.name, other.type_str());
            source.error(value.span().start, Mistake::new(what, "a decimal number"))
        }
    }
}

fn tolerance_of(source: &Source, value: &Spanned<DeValue>) -> Result<Tolerance, ProfileError> {
    let text = value.get_ref().as_str().unwrap_or_default();
    if text == "exact" {
        return Ok(Tolerance::Exact);
    }
    match text.strip_suffix('%').and_then(|percent| percent.trim().parse().ok()) {
        Some(percent) => Ok(Tolerance::Percent(percent)),
        None => {
            let mistake = Mistake::new("bad tolerance", "\"exact\" or \"N %\" with a whole N");
            source.error(value.span().start, mistake)
        }
    }
}
