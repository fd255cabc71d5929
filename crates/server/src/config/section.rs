// SPDX-License-Identifier: MIT OR Apache-2.0
//! From TOML to values: a table of a file is asked for its keys, and what is wrong is collected
//! with its line.

use super::error::{ConfigError, Mistake};
use super::keys::{Key, ValueKind};
use base::suggest::meant_or_all;
use device::Quantity;
use std::collections::HashMap;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text being read, and what is wrong with it so far.
pub(super) struct Document<'a> {
    file: &'a str,
    text: &'a str,
    mistakes: Vec<(Option<u32>, Mistake)>,
    /// The lines of tables and of their keys.
    lines: HashMap<(String, Option<&'static str>), u32>,
}

/// A table of the file.
pub(super) struct Section<'t, 'i> {
    /// As mistakes name it: `exports.alice`.
    pub(super) title: String,
    pub(super) table: &'t DeTable<'i>,
    pub(super) keys: &'static [Key],
}

impl<'a> Document<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Document { file, text, mistakes: Vec::new(), lines: HashMap::new() }
    }

    fn line(&self, byte: usize) -> u32 {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1
    }

    /// Parses the whole text; what has a wrong form is not read any further.
    pub(super) fn parse(&mut self) -> Result<Spanned<DeTable<'a>>, ConfigError> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let byte = error.span().map_or(0, |span| span.start);
            let message = error.message().trim_end().replace('\n', "; ");
            self.mistakes.push((Some(self.line(byte)), Mistake::new("", None, message, "")));
        }
        self.finish().map(|()| table)
    }

    /// Begins with a table: keys that it cannot have are mistakes.
    pub(super) fn section<'t, 'i>(
        &mut self,
        title: String,
        byte: usize,
        table: &'t DeTable<'i>,
        keys: &'static [Key],
        others: &[&'static str],
    ) -> Section<'t, 'i> {
        self.lines.insert((title.clone(), None), self.line(byte));
        for (name, _) in table {
            let line = self.line(name.span().start);
            let known = || keys.iter().map(|key| key.name).chain(others.iter().copied());
            if let Some(key) = keys.iter().find(|key| key.name == name.get_ref()) {
                self.lines.insert((title.clone(), Some(key.name)), line);
            } else if !known().any(|one| one == name.get_ref()) {
                let place = if title.is_empty() { String::new() } else { format!(" of [{title}]") };
                let hint = meant_or_all(name.get_ref(), &known().collect::<Vec<_>>());
                let found = format!("unknown key `{}`{place}{hint}", name.get_ref());
                self.mistakes.push((Some(line), Mistake::new(&title, None, found, "")));
            }
        }
        Section { title, table, keys }
    }

    /// Notes a mistake, at the line of its key, or of its table.
    pub(super) fn mistake(&mut self, mistake: Mistake) {
        let of = |key| self.lines.get(&(mistake.section.clone(), key)).copied();
        let line = of(mistake.key).or_else(|| of(None)).unwrap_or(1);
        self.mistakes.push((Some(line), mistake));
    }

    /// The table that a value has to be.
    pub(super) fn table<'t, 'i>(
        &mut self,
        head: &str,
        value: &'t Spanned<DeValue<'i>>,
    ) -> Option<&'t DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            let line = self.line(value.span().start);
            let found = format!("`{head}` is {}", type_of(value));
            let mistake = Mistake::new(head, None, found, "a table");
            self.mistakes.push((Some(line), mistake));
        }
        table
    }

    /// The text of a key's value, as the file has it or by default; none if there is neither. A
    /// value of a wrong type is a mistake.
    pub(super) fn given(&mut self, section: &Section, name: &'static str) -> Option<String> {
        let key = section.key(name);
        let default = || (!key.default.is_empty()).then(|| key.default.to_owned());
        let Some(value) = section.table.get(name) else { return default() };
        let text = match (key.kind, value.get_ref()) {
            (ValueKind::Flag, DeValue::Boolean(flag)) => Some(flag.to_string()),
            (ValueKind::PathOrFalse, DeValue::Boolean(false)) => Some(String::new()),
            (ValueKind::Number(..), DeValue::Integer(number)) if number.radix() == 10 => {
                Some(number.as_str().to_owned())
            }
            (ValueKind::Flag | ValueKind::Number(..) | ValueKind::List(_), _) => None,
            (_, DeValue::String(text)) => Some(text.to_string()),
            _ => None,
        };
        if text.is_none() {
            let found = format!("`{name}` is {}", type_of(value));
            self.mistake(Mistake::new(&section.title, name, found, key.kind.expected()));
            return default();
        }
        text
    }

    /// A value that `read` makes of the text of a key. If it cannot, that is a mistake, and the
    /// value is what the default gives.
    pub(super) fn read<T>(
        &mut self,
        section: &Section,
        name: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.given(section, name)?;
        match read(&text) {
            Ok(value) => Some(value),
            Err(expected) => {
                let found = format!("`{name}` is \"{text}\"");
                self.mistake(Mistake::new(&section.title, name, found, expected));
                read(section.key(name).default).ok()
            }
        }
    }

    /// Text that is not empty.
    pub(super) fn text(&mut self, section: &Section, name: &'static str) -> Option<String> {
        let expected = section.key(name).kind.expected();
        self.read(section, name, |text| match text {
            "" => Err(expected.clone()),
            _ => Ok(text.to_owned()),
        })
    }

    pub(super) fn flag(&mut self, section: &Section, name: &'static str) -> bool {
        self.given(section, name).is_some_and(|text| text == "true")
    }

    pub(super) fn number(&mut self, section: &Section, name: &'static str) -> Option<u32> {
        let kind = section.key(name).kind;
        self.read(section, name, |text| {
            let number = text.parse().ok();
            let fits = |number: &u32| match kind {
                ValueKind::Number(least, most) => (least..=most).contains(number),
                _ => true,
            };
            number.filter(fits).ok_or_else(|| kind.expected())
        })
    }

    /// A size, rate or time in base units, which is not 0.
    pub(super) fn quantity(&mut self, section: &Section, name: &'static str) -> Option<u64> {
        let quantity = match section.key(name).kind {
            ValueKind::Rate => Quantity::Rate,
            ValueKind::Time => Quantity::Time,
            _ => Quantity::Size,
        };
        self.read(section, name, |text| match quantity.parse(text)? {
            0 => Err("more than 0".to_owned()),
            value => Ok(value),
        })
    }

    pub(super) fn time(&mut self, section: &Section, name: &'static str) -> Duration {
        Duration::from_nanos(self.quantity(section, name).unwrap_or_default())
    }

    /// The texts of a list; none if it is not given.
    pub(super) fn list(&mut self, section: &Section, name: &'static str) -> Option<Vec<String>> {
        let value = section.table.get(name)?;
        let texts = value.get_ref().as_array().and_then(|array| {
            let text = |one: &Spanned<DeValue>| one.get_ref().as_str().map(str::to_owned);
            array.iter().map(text).collect()
        });
        if texts.is_none() {
            let found = format!("`{name}` is {}", type_of(value));
            let expected = section.key(name).kind.expected();
            self.mistake(Mistake::new(&section.title, name, found, expected));
        }
        texts
    }

    /// Which of several keys, of which there has to be exactly one, is given.
    pub(super) fn one_of(
        &mut self,
        section: &Section,
        names: &[&'static str],
    ) -> Option<&'static str> {
        let given: Vec<_> =
            names.iter().copied().filter(|name| section.table.contains_key(*name)).collect();
        if let [one] = given[..] {
            return Some(one);
        }
        let found = match given.is_empty() {
            true => format!("[{}] does not say what it is", section.title),
            false => format!("[{}] has {}", section.title, given.join(" and ")),
        };
        let expected = format!("one of {}", names.join(", "));
        self.mistake(Mistake::new(&section.title, given.last().copied(), found, expected));
        None
    }

    pub(super) fn has_mistakes(&self) -> bool {
        !self.mistakes.is_empty()
    }

    /// All mistakes by line, if there are any.
    pub(super) fn finish(&mut self) -> Result<(), ConfigError> {
        let mut mistakes = std::mem::take(&mut self.mistakes);
        if mistakes.is_empty() {
            return Ok(());
        }
        mistakes.sort_by_key(|(line, _)| *line);
        mistakes.dedup();
        Err(ConfigError { file: self.file.to_owned(), mistakes })
    }
}

impl Section<'_, '_> {
    /// The row of a key, which is in the table of keys.
    fn key(&self, name: &str) -> &'static Key {
        let found = self.keys.iter().find(|key| key.name == name);
        found.expect("what is read is in the table of keys")
    }
}

/// The type of a value, with its article.
fn type_of(value: &Spanned<DeValue>) -> String {
    let name = value.get_ref().type_str();
    format!("{} {name}", if name.starts_with(['a', 'i']) { "an" } else { "a" })
}
