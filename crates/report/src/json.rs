// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON as people can still read it: objects indented, rows of numbers on one line.

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};
use std::io::{self, Write};

/// Lays JSON out as serde's pretty printer does, but gives an array a line for each element only if
/// its elements are objects.
#[derive(Default)]
struct Layout {
    pretty: PrettyFormatter<'static>,
    /// The arrays and objects that are open, outermost first.
    open: Vec<Open>,
    /// How deep lines are indented.
    depth: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    EmptyArray,
    /// All on one line so far.
    Row,
    /// A line for each element.
    BrokenArray,
    EmptyObject,
    Object,
}

impl Layout {
    fn line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open.push(Open::EmptyArray);
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.open.pop() == Some(Open::BrokenArray) {
            self.depth -= 1;
            self.line(writer)?;
        }
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, _: bool) -> io::Result<()> {
        match self.open.last_mut() {
            Some(array @ Open::EmptyArray) => *array = Open::Row,
            _ => writer.write_all(b",")?,
        }
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if let Some(array @ Open::Row) = self.open.last_mut() {
            *array = Open::BrokenArray;
            self.depth += 1;
        }
        if self.open.last() == Some(&Open::BrokenArray) {
            self.line(writer)?;
        }
        self.open.push(Open::EmptyObject);
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.open.pop() == Some(Open::Object) {
            self.line(writer)?;
        }
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match self.open.last_mut().filter(|_| first) {
            Some(object) => *object = Open::Object,
            None => writer.write_all(b",")?,
        }
        self.line(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }
}

/// The value as JSON, with a line end. Its maps must have string keys.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Layout::default());
    value.serialize(&mut serializer).expect("string keys; memory takes all that is written");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn rows_of_numbers_stay_on_a_line_and_the_rest_is_as_serde_has_it() {
        let value = json!({
            "a": 1, "b": [], "c": {}, "d": [{"x": 1.5, "y": null}, {}],
            "e": [[1, 2], ["R", true]], "f": [1, {"g": []}, 2], "h": {"i": {"j": "k"}},
        });
        let text = to_json(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines.contains(&r#"  "e": [[1,2],["R",true]],"#), "{text}");
        let nested = json!({"d": [{"x": 1.5, "y": {"z": [{}]}}, {"x": 2}], "h": {"i": {}}});
        assert_eq!(to_json(&nested), serde_json::to_string_pretty(&nested).unwrap() + "\n");
    }
}
