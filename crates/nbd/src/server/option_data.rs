// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data of options, whose lengths are checked before they are believed.

use crate::limits::Limits;
use crate::numbers::{ALLOCATION, option_reply};
use crate::take::Take;
use crate::text;

/// The kind of reply that bad data get.
pub(super) type Answer = u32;

/// What `INFO` and `GO` say.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    /// The kinds of information that are asked for.
    pub(super) infos: Vec<u16>,
}

impl Wanted {
    pub(super) fn parse(data: &[u8], limits: &Limits) -> Result<Self, Answer> {
        let mut take = Take(data);
        let name = name(&mut take, limits)?;
        let count = take.u16().ok_or(option_reply::ERR_INVALID)?;
        if take.0.len() != usize::from(count) * 2 {
            return Err(option_reply::ERR_INVALID);
        }
        let infos = std::iter::from_fn(|| take.u16()).collect();
        Ok(Self { name, infos })
    }
}

/// What `LIST_META_CONTEXT` and `SET_META_CONTEXT` say.
#[derive(Debug)]
pub(super) struct Queries {
    pub(super) name: String,
    /// The client sent no query.
    pub(super) is_empty: bool,
    /// One of them is `base:allocation`.
    pub(super) allocation: bool,
    /// One of them is the wildcard `base:`.
    pub(super) wildcard: bool,
}

impl Queries {
    pub(super) fn parse(data: &[u8], limits: &Limits) -> Result<Self, Answer> {
        let mut take = Take(data);
        let name = name(&mut take, limits)?;
        let count = take.u32().ok_or(option_reply::ERR_INVALID)?;
        if count > limits.queries {
            return Err(option_reply::ERR_TOO_BIG);
        }
        let mut queries = Self { name, is_empty: count == 0, allocation: false, wildcard: false };
        for _ in 0..count {
            let query = string(&mut take, limits)?;
            queries.allocation |= query == ALLOCATION;
            queries.wildcard |= ALLOCATION.strip_suffix("allocation") == Some(query);
        }
        if take.is_empty() { Ok(queries) } else { Err(option_reply::ERR_INVALID) }
    }
}

fn name(take: &mut Take<'_>, limits: &Limits) -> Result<String, Answer> {
    string(take, limits).map(str::to_owned)
}

/// A string behind its length.
fn string<'a>(take: &mut Take<'a>, limits: &Limits) -> Result<&'a str, Answer> {
    let length = take.u32().ok_or(option_reply::ERR_INVALID)?;
    let bytes = take.bytes(length).ok_or(option_reply::ERR_INVALID)?;
    if length > limits.name_bytes {
        return Err(option_reply::ERR_TOO_BIG);
    }
    text::string(bytes, limits.name_bytes).ok_or(option_reply::ERR_INVALID)
}
