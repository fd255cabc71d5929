// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scheduler of one's own behind the block layer, and the host around it.
//!
//! The scheduler serves requests like a lift: upwards from where the disk's head is, then from the
//! bottom again. What continues a waiting request at its end is merged into it.
//!
//! `cargo run -p bfq-blk --example lift`

use base::Op;
use blk::{
    Bio, BlockLayer, DeviceLimits, Elevator, Merge, MergeKind, MergeRules, Pool, ProcessSpec,
    QueueSettings, Submission, Tag, TunableError,
};
use std::collections::{BTreeSet, VecDeque};
use std::error::Error;
use std::io::{self, Write};

/// What all bios of this example have in common.
const READ: Bio = Bio {
    token: 0,
    op: Op::Read,
    sync: true,
    metadata: false,
    read_ahead: false,
    sector: 0,
    sectors: 8,
    process: None,
};

#[derive(Default)]
struct Lift {
    /// What came back from the device goes first.
    first: VecDeque<Tag>,
    /// What waits, by its first sector.
    waiting: BTreeSet<(u64, Tag)>,
    head: u64,
}

impl Elevator for Lift {
    fn name(&self) -> &'static str {
        "lift"
    }

    fn set_tunable(&mut self, _: u64, name: &str, _: &str) -> Result<(), TunableError> {
        Err(TunableError::unknown("lift", name, []))
    }

    fn pool_resized(&mut self, _: u64, _: u32, _: u32) {}

    /// The request that ends where the bio begins is the nearest one before it.
    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        let &(_, tag) = self.waiting.range(..(bio.sector, Tag(0))).next_back()?;
        let request = &pool[tag];
        let joins = request.end_sector() == bio.sector
            && rules.admits(bio, request)
            && rules.fits(bio, request);
        joins.then_some(Merge { tag, kind: MergeKind::Back })
    }

    fn insert(&mut self, _: u64, tag: Tag, at_head: bool, pool: &Pool) {
        if at_head {
            self.first.push_front(tag);
        } else {
            self.waiting.insert((pool[tag].sector, tag));
        }
    }

    fn has_work(&self) -> bool {
        !self.first.is_empty() || !self.waiting.is_empty()
    }

    fn dispatch(&mut self, _: u64, pool: &Pool) -> Option<Tag> {
        let tag = self.first.pop_front().or_else(|| {
            let above = self.waiting.range((self.head, Tag(0))..).next();
            let &next = above.or_else(|| self.waiting.first())?;
            self.waiting.remove(&next);
            Some(next.1)
        })?;
        self.head = pool[tag].end_sector();
        Some(tag)
    }

    fn completed(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn requeued(&mut self, _: u64, _: Tag, _: &Pool) {}
}

fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // A disk that does one command at a time. Its pool would have room for two requests by default.
    let limits = DeviceLimits::new(1, true);
    let settings = QueueSettings::parse("nr_requests=64")?;
    let mut layer = BlockLayer::new(settings, limits, Box::<Lift>::default());
    let spec =
        ProcessSpec { group: blk::GroupId::ROOT, ioprio: Default::default(), name: "some".into() };
    let process = layer.add_process(0, spec)?;

    // A batch: two pieces of a file at 700, which become one request, and three elsewhere.
    layer.plug(process);
    for (token, sector) in [(0, 700), (1, 708), (2, 100), (3, 900), (4, 500)] {
        let bio = Bio { token, sector, process: Some(process), ..READ };
        if layer.submit(0, bio) == Submission::Sleeping {
            return Err("the pool has room for more than five".into());
        }
    }
    layer.unplug(0, process);

    // The host: what the layer gives goes to the disk, which takes a millisecond; when it is done
    // the layer says which bios have ended.
    let mut now_ns = 0;
    while let Some(command) = layer.next_command(now_ns) {
        let (sector, end) = (command.sector, command.sector + u64::from(command.sectors));
        writeln!(out, "{} ms: read {sector} to {end}", now_ns / 1_000_000)?;
        now_ns += 1_000_000;
        layer.complete(now_ns, command.tag, Ok(()));
        while let Some(done) = layer.take_completed() {
            done.result?;
            writeln!(out, "{} ms: bio {} has ended", now_ns / 1_000_000, done.token)?;
        }
        // One more comes while the disk is on its way up: behind it, it has to wait.
        if sector == 500 {
            let late = Bio { token: 5, sector: 300, ..READ };
            if layer.submit(now_ns, late) == Submission::Sleeping {
                return Err("the pool has room for one more".into());
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}

#[test]
fn the_disk_goes_up_and_begins_anew_and_neighbours_are_one_read() {
    let mut out = Vec::new();
    run(&mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    let reads: Vec<_> = told.lines().filter_map(|line| line.split_once("read ")).collect();
    let reads: Vec<_> = reads.into_iter().map(|(_, range)| range).collect();
    let expected = ["100 to 108", "500 to 508", "700 to 716", "900 to 908", "300 to 308"];
    assert_eq!(reads, expected, "{told}");
    for token in 0..6 {
        let ended = format!("bio {token} has ended");
        assert_eq!(told.matches(&ended).count(), 1, "{told}");
    }
}
