// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values of the option `random_distribution`, such as `zipf:1.2` and `zoned:60/10:40/90`.

use super::number::integer;
use super::values::percent;
use crate::job::{Distribution, Extent, PerDirection, Share};
use crate::parse::expected::Expected;

const EXPECTED: &str = "random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:LIST or \
                        zoned_abs:LIST";

/// Reads the value of `random_distribution`.
pub(super) fn distribution(text: &str) -> Result<Distribution, Expected> {
    let (word, rest) = match text.split_once(':') {
        Some((word, rest)) => (word, Some(rest)),
        None => (text, None),
    };
    match word {
        "random" => Ok(Distribution::Uniform),
        "zipf" => {
            let expected = "zipf:THETA, a number of 0 or more that is not 1, such as zipf:1.2";
            let (theta, center) =
                numbers(rest, 1.1, |theta| theta >= 0.0 && theta != 1.0, expected)?;
            Ok(Distribution::Zipf { theta, center })
        }
        "pareto" => {
            let expected = "pareto:H, a number above 0 and below 1, such as pareto:0.2";
            let (h, center) = numbers(rest, 0.2, |h| h > 0.0 && h < 1.0, expected)?;
            Ok(Distribution::Pareto { h, center })
        }
        "normal" => {
            let expected = "normal:DEVIATION, a percentage below 100, such as normal:15";
            let fits = |deviation: f64| (0.0..100.0).contains(&deviation);
            let (deviation_percent, center) = numbers(rest, f64::NAN, fits, expected)?;
            let center = center.unwrap_or(0.5);
            Ok(Distribution::Normal { deviation_percent, center })
        }
        "zoned" => shares(rest.unwrap_or_default(), relative_share),
        "zoned_abs" => shares(rest.unwrap_or_default(), absolute_share),
        _ => Err(EXPECTED.into()),
    }
}

/// `NUMBER` or `NUMBER:CENTER`; a default stands for the number if there is none.
fn numbers(
    text: Option<&str>,
    default: f64,
    fits: impl Fn(f64) -> bool,
    expected: &str,
) -> Result<(f64, Option<f64>), Expected> {
    let (number, center) = match text.map(|text| text.split_once(':').unwrap_or((text, ""))) {
        None => (default, ""),
        Some((number, center)) => (number.trim().parse().map_err(|_| expected)?, center),
    };
    if !number.is_finite() || !fits(number) {
        return Err(expected.into());
    }
    if center.is_empty() {
        return Ok((number, None));
    }
    let center = center.trim().parse().ok().filter(|center| (0.0..=1.0).contains(center));
    center
        .map(|center| (number, Some(center)))
        .ok_or_else(|| "a centre from 0 to 1 behind the second colon".into())
}

/// Lists for reads, writes and trims; the last also stands for those that are missing.
fn shares(
    text: &str,
    share: fn(&str, &[Share]) -> Result<Share, Expected>,
) -> Result<Distribution, Expected> {
    let lists: Vec<Vec<Share>> =
        text.split(',').map(|list| share_list(list, share)).collect::<Result<_, _>>()?;
    if lists.len() > 3 {
        return Err("at most three lists: for reads, writes and trims".into());
    }
    let of = |index: usize| lists.get(index).or(lists.last()).cloned().unwrap_or_default();
    Ok(Distribution::Zoned(PerDirection { read: of(0), write: of(1), trim: of(2) }))
}

fn share_list(
    text: &str,
    share: fn(&str, &[Share]) -> Result<Share, Expected>,
) -> Result<Vec<Share>, Expected> {
    let mut list: Vec<Share> = Vec::new();
    for part in text.split(':') {
        let share = share(part, &list)?;
        list.push(share);
    }
    let percents: u32 = list.iter().map(|share| u32::from(share.percent)).sum();
    match percents {
        100 => Ok(list),
        _ => Err(Expected(format!("shares of the I/Os that add up to 100, not to {percents}"))),
    }
}

const RELATIVE: &str = "IO_PERCENT/SIZE_PERCENT, such as 60/10:30/20:10/";
const ABSOLUTE: &str = "IO_PERCENT/BYTES, such as 60/10g:30/20g:10/";

/// Without a length it is the rest.
fn relative_share(text: &str, before: &[Share]) -> Result<Share, Expected> {
    let (io, size) = text.split_once('/').ok_or(RELATIVE)?;
    let used = |share: &Share| match share.length {
        Extent::Percent(percent) => u32::from(percent),
        Extent::Bytes(_) => 0,
    };
    let left = 100u32.saturating_sub(before.iter().map(used).sum());
    let size = match size.trim() {
        "" => left as u8,
        size => percent(size).map_err(|_| RELATIVE)?,
    };
    if u32::from(size) > left {
        return Err("sizes that add up to at most 100 %".into());
    }
    let percent = percent(io.trim()).map_err(|_| RELATIVE)?;
    Ok(Share { percent, length: Extent::Percent(size) })
}

fn absolute_share(text: &str, _: &[Share]) -> Result<Share, Expected> {
    let (io, size) = text.split_once('/').ok_or(ABSOLUTE)?;
    let bytes = match size.trim() {
        "" => u64::MAX,
        size => integer(size).map_err(|_| ABSOLUTE)?,
    };
    let percent = percent(io.trim()).map_err(|_| ABSOLUTE)?;
    Ok(Share { percent, length: Extent::Bytes(bytes) })
}
