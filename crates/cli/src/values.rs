// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of options: what is wrong with one is told with what was expected in its place.

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use device::Profile;
use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Reads the name of a file that is read: `-` is stdin.
pub fn input() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(|name| match name == "-" {
        true => "/dev/stdin".into(),
        false => name.into(),
    })
}

/// Reads the name of a file that is written and cannot be stdout.
pub fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name: OsString| match name == "-" {
        true => Err("it is not written to stdout; expected a file (./- is called so)"),
        false => Ok(PathBuf::from(name)),
    })
}

/// Reads whole numbers of a range.
pub fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            format!("expected a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// Reads how many there shall be: one at least.
pub fn count<T>() -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<u64>,
{
    whole(1..=u32::MAX.into())
}

/// Reads yes or no, as people and programs write them.
pub fn yes_or_no(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" | "t" | "on" | "1" => Ok(true),
        "no" | "n" | "false" | "f" | "off" | "0" => Ok(false),
        _ => Err("expected yes or no".to_owned()),
    }
}

/// A parser whose values shells complete by words, though it may take other values, too.
#[derive(Clone)]
pub struct Completed<P> {
    parser: P,
    words: Vec<&'static str>,
}

/// Has shells complete the values of a parser by words.
pub fn completed<P>(parser: P, words: impl IntoIterator<Item = &'static str>) -> Completed<P> {
    Completed { parser, words: words.into_iter().collect() }
}

impl<P: TypedValueParser> TypedValueParser for Completed<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().map(PossibleValue::new)))
    }
}

/// The parser of `--device`, of one or of a list: there are built-in ones, and files.
pub fn devices() -> Completed<OsStringValueParser> {
    completed(OsStringValueParser::new(), Profile::builtin_names())
}
