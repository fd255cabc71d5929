// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the device was given and, as far as the events tell, has not done.

use crate::by_age::ByAge;
use base::Op;
use std::collections::BTreeMap;

/// Requests in the device at most, of which the events are believed.
pub(crate) const MOST_REQUESTS: usize = 1 << 14;

/// Where a request begins, and what it does: a device has one of these at a time.
pub(crate) type Place = (u64, Op);

/// A request that the device was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub sectors: u64,
    pub owner: Option<u32>,
    pub issued_ns: u64,
    /// The device's time (`DeviceTime::part_ns`) up to which it has been charged.
    pub charged_ns: f64,
    pub alone: bool,
}

/// The requests in the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    /// Each with its number: another one may be at its place later.
    by_place: BTreeMap<Place, (u64, Request)>,
    by_age: ByAge<(Place, u64)>,
    issued: u64,
}

impl Requests {
    /// The device is given a request; there is none at its place, and room for it.
    pub fn insert(&mut self, place: Place, request: Request) {
        let number = self.issued;
        self.issued += 1;
        self.by_place.insert(place, (number, request));
        let by_place = &self.by_place;
        self.by_age.push((place, number), MOST_REQUESTS, |key| is_in(by_place, key));
    }

    pub fn remove(&mut self, place: Place) -> Option<Request> {
        self.by_place.remove(&place).map(|(_, request)| request)
    }

    /// The one that was issued first.
    pub fn oldest(&mut self) -> Option<(Place, Request)> {
        let by_place = &self.by_place;
        let (place, _) = self.by_age.oldest(|key| is_in(by_place, key))?;
        Some((place, self.by_place[&place].1))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Request> {
        self.by_place.values_mut().map(|(_, request)| request)
    }

    pub fn len(&self) -> usize {
        self.by_place.len()
    }

    pub fn is_full(&self) -> bool {
        self.len() >= MOST_REQUESTS
    }

    /// How much is kept.
    #[cfg(test)]
    pub fn entries(&self) -> usize {
        self.len() + self.by_age.len()
    }
}

fn is_in(by_place: &BTreeMap<Place, (u64, Request)>, (place, number): &(Place, u64)) -> bool {
    by_place.get(place).is_some_and(|(other, _)| other == number)
}
