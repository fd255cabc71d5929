// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which modelled disk is nearest to one of which there is only a trace.
//!
//! All requests of the trace are played on each model at their recorded times. Compared are those
//! that had the recorded disk for themselves, as their times are the disk's alone: of others a part
//! is time in a scheduler or behind other requests. Where too few were alone, all are compared.
//! Each kind of request (what it does, and its length to a factor of two) counts the same: a disk
//! on which only the most frequent kind takes as long is not near.

use base::Op;
use device::{Command, Completion, Device, Profile};
use std::collections::{BTreeMap, VecDeque};

/// As few that were alone say nothing.
const LEAST_ALONE: usize = 50;

/// A kind of request of which there are fewer is left out, unless all are.
const LEAST_OF_KIND: usize = 20;

/// Where the platters of the models stand at the beginning.
const SEED: u64 = 1;

/// A request of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    /// When it came, ns on the clock of the trace.
    pub came_ns: u64,
    /// How long it took, ns.
    pub took_ns: u64,
    /// Whether it read, wrote, discarded or flushed.
    pub op: Op,
    /// Its first sector of 512 bytes, from the start of the disk.
    pub sector: u64,
    /// Its length; 0 for a flush.
    pub sectors: u32,
}

impl Traced {
    fn ended_ns(&self) -> u64 {
        self.came_ns.saturating_add(self.took_ns)
    }
}

/// How near a modelled disk is to the recorded one.
#[derive(Clone, Debug)]
pub struct Likeness {
    /// The profile of the modelled disk.
    pub profile: Profile,
    /// By how much requests take more or less than in the trace, at least 1: of 2, half of the
    /// requests take between half and twice the recorded time. Of several kinds of requests the
    /// geometric mean.
    pub times: f64,
    /// How many requests were compared.
    pub compared: usize,
}

/// The disks, the nearest first. Without a request there is none.
pub fn by_likeness(profiles: Vec<Profile>, mut requests: Vec<Traced>) -> Vec<Likeness> {
    requests.sort_by_key(|request| request.came_ns);
    let compared = compared(&requests);
    if compared.is_empty() {
        return Vec::new();
    }
    let kinds = kinds(&requests, &compared);
    let likeness = |profile: Profile| {
        let played_ns = play(&profile, &requests);
        let apart = kinds.iter().map(|kind| median_apart(&requests, &played_ns, kind));
        let times = (apart.sum::<f64>() / kinds.len() as f64).exp();
        Likeness { profile, times, compared: kinds.iter().map(Vec::len).sum() }
    };
    let mut found: Vec<Likeness> = profiles.into_iter().map(likeness).collect();
    found.sort_by(|one, other| one.times.total_cmp(&other.times));
    found
}

/// The places of the requests that are compared. Flushes are not: they are for what came before.
fn compared(requests: &[Traced]) -> Vec<usize> {
    let (mut alone, mut all) = (Vec::new(), Vec::new());
    let mut busy_until_ns = 0;
    for (place, request) in requests.iter().enumerate() {
        let next = requests.get(place + 1);
        let came_alone = request.came_ns >= busy_until_ns;
        let stayed_alone = next.is_none_or(|next| next.came_ns >= request.ended_ns());
        busy_until_ns = busy_until_ns.max(request.ended_ns());
        if request.op == Op::Flush {
            continue;
        }
        all.push(place);
        if came_alone && stayed_alone {
            alone.push(place);
        }
    }
    if alone.len() >= LEAST_ALONE { alone } else { all }
}

/// The compared requests by kind.
fn kinds(requests: &[Traced], compared: &[usize]) -> Vec<Vec<usize>> {
    let mut kinds: BTreeMap<(Op, u32), Vec<usize>> = BTreeMap::new();
    for &place in compared {
        let Traced { op, sectors, .. } = requests[place];
        kinds.entry((op, sectors.max(1).ilog2())).or_default().push(place);
    }
    let frequent: Vec<_> =
        kinds.into_values().filter(|places| places.len() >= LEAST_OF_KIND).collect();
    if frequent.is_empty() { vec![compared.to_vec()] } else { frequent }
}

/// The median of how far the times of some requests are from those in the trace: of the logarithm
/// of their ratio, without its sign.
fn median_apart(requests: &[Traced], played_ns: &[u64], places: &[usize]) -> f64 {
    let apart = |&place: &usize| {
        let (model_ns, disk_ns) = (played_ns[place].max(1), requests[place].took_ns.max(1));
        (model_ns as f64 / disk_ns as f64).ln().abs()
    };
    let mut all: Vec<f64> = places.iter().map(apart).collect();
    let middle = all.len() / 2;
    *all.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// How long each request takes on a modelled disk, ns from when it came in the trace.
fn play(profile: &Profile, requests: &[Traced]) -> Vec<u64> {
    let mut disk = Device::from_profile(profile, SEED);
    let began_ns = requests.first().map_or(0, |request| request.came_ns);
    let mut took_ns = vec![0; requests.len()];
    let mut waiting = VecDeque::new();
    let mut ended = Vec::new();
    let mut coming = requests.iter().enumerate().peekable();
    loop {
        let comes_ns = coming.peek().map(|(_, request)| request.came_ns - began_ns);
        let Some(now_ns) = [comes_ns, disk.next_event_ns()].into_iter().flatten().min() else {
            return took_ns;
        };
        disk.advance(now_ns, &mut ended);
        note_ends(&mut took_ns, requests, began_ns, &mut ended);
        while let Some((place, request)) =
            coming.next_if(|(_, request)| request.came_ns - began_ns == now_ns)
        {
            waiting.push_back(command(place, request, disk.capacity_sectors()));
        }
        while disk.in_flight() < disk.depth()
            && let Some(command) = waiting.pop_front()
        {
            let taken = disk.submit(now_ns, command);
            debug_assert!(taken.is_ok(), "there was room");
        }
    }
}

/// Notes when requests have ended. What a disk does not know (a hard disk, of discards) takes none
/// of its time.
fn note_ends(took_ns: &mut [u64], requests: &[Traced], began_ns: u64, ended: &mut Vec<Completion>) {
    for completion in ended.drain(..) {
        let place = completion.tag as usize;
        took_ns[place] = completion.at_ns.saturating_sub(requests[place].came_ns - began_ns);
    }
}

/// A request as a disk of that size has it: what would go beyond its end begins anew at sector 0.
fn command(place: usize, request: &Traced, capacity_sectors: u64) -> Command {
    let sectors = u64::from(request.sectors).min(capacity_sectors);
    let sector = request.sector % (capacity_sectors - sectors + 1);
    let tag = u32::try_from(place).unwrap_or(u32::MAX);
    let (sector, sectors) = match request.op {
        Op::Flush => (0, 0),
        _ => (sector, u32::try_from(sectors).unwrap_or(u32::MAX)),
    };
    Command { tag, op: request.op, sector, sectors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Disks that are modelled after real ones.
    fn disks() -> Vec<Profile> {
        ["hdd-desktop", "hdd-laptop-2007", "ssd-sata", "ssd-nvme"]
            .map(|name| Profile::builtin(name).unwrap())
            .into()
    }

    /// Small random reads with pauses, some larger reads in order, as the disk serves them when
    /// everything takes `percent` of what the model says.
    fn trace(profile: &Profile, percent: u64, gap_ns: u64) -> Vec<Traced> {
        let mut rng = Rng::with_seed(7);
        let request = |number: u64| {
            let came_ns = 1_000_000 + number * gap_ns;
            let (sector, sectors) = match number % 4 {
                0 => (8_000_000 + number * 256, 1024),
                _ => (rng.u64(0..200_000_000) & !7, 8),
            };
            Traced { came_ns, took_ns: 0, op: Op::Read, sector, sectors }
        };
        let mut requests: Vec<Traced> = (0..400).map(request).collect();
        let played_ns = play(profile, &requests);
        for (request, played_ns) in requests.iter_mut().zip(played_ns) {
            request.took_ns = played_ns * percent / 100;
        }
        requests
    }

    #[test]
    fn each_disk_is_nearest_to_itself_and_to_one_that_is_a_little_slower() {
        for profile in disks() {
            for (percent, least, most) in [(100, 1.0, 1.0001), (125, 1.2, 1.3)] {
                let found = by_likeness(disks(), trace(&profile, percent, 60_000_000));
                assert_eq!(found[0].profile.name(), profile.name(), "{percent} %");
                assert!((least..most).contains(&found[0].times), "{}", found[0].times);
                assert_eq!((found.len(), found[0].compared), (4, 400));
            }
        }
    }

    #[test]
    fn kinds_that_are_rare_are_left_out() {
        let long = Traced { sectors: 256, ..READ };
        let requests = [vec![READ; 40], vec![long; 19]].concat();
        let all: Vec<usize> = (0..requests.len()).collect();
        assert_eq!(kinds(&requests, &all), [(0..40).collect::<Vec<_>>()]);
        assert_eq!(kinds(&requests, &all[39..]), [(39..59).collect::<Vec<_>>()], "all are rare");
    }

    #[test]
    fn requests_that_had_company_are_not_compared_where_enough_were_alone() {
        let (alone, behind) = (Traced { came_ns: 0, ..READ }, Traced { came_ns: 40, ..READ });
        let pair = |number: u64| {
            let at =
                |request: Traced| Traced { came_ns: number * 1000 + request.came_ns, ..request };
            [at(alone), at(behind)]
        };
        let crowd: Vec<Traced> = (0..60).flat_map(pair).collect();
        assert_eq!(compared(&crowd).len(), 120, "nothing was alone, so all of it is compared");
        let quiet = (100..160).map(|number| Traced { came_ns: number * 1000, ..READ });
        let mixed: Vec<Traced> = crowd.into_iter().chain(quiet).collect();
        assert_eq!(compared(&mixed), (120..180).collect::<Vec<_>>());
    }

    /// Takes from 0 to 100 ns.
    const READ: Traced = Traced { came_ns: 0, took_ns: 100, op: Op::Read, sector: 0, sectors: 8 };

    #[test]
    fn requests_lie_where_the_trace_says_unless_they_go_beyond_the_end_of_the_disk() {
        for (sector, sectors, expected) in [
            (991, 8, (991, 8)),
            (992, 8, (992, 8)),
            (993, 8, (0, 8)),
            (994, 8, (1, 8)),
            (0, 1000, (0, 1000)),
            (3, 1000, (0, 1000)),
            (3, 2000, (0, 1000)),
        ] {
            let command = command(0, &Traced { sector, sectors, ..READ }, 1000);
            assert_eq!((command.sector, command.sectors), expected, "{sector}+{sectors}");
        }
    }

    #[test]
    fn what_lies_behind_the_end_of_a_disk_and_flushes_are_played_too() {
        let far = Traced { sector: u64::MAX - 8, ..READ };
        let flush = Traced { came_ns: 5, op: Op::Flush, sectors: 0, ..READ };
        let found = by_likeness(disks(), vec![far, flush]);
        assert!(found.iter().all(|one| one.compared == 1 && one.times > 1.0));
        assert!(by_likeness(disks(), Vec::new()).is_empty());
    }
}
