// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of options: what is wrong with one is told with what was expected in its place.

use std::ops::RangeInclusive;

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
pub fn count<T: TryFrom<u64>>() -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
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
