// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler's queues as the stream of decisions shows them, and who they belong to.

use crate::cast::{Cast, ProcessNumber};
use bfq::QueueId;
use bfq::why::RaiseKind;

/// A queue's own number, never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Serial(pub u32);

/// To whom a queue belongs; a place in [`Parties`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Party(u32);

impl Party {
    /// Its place among all parties.
    pub fn place(self) -> usize {
        self.0 as usize
    }

    /// The party at a place.
    pub fn at(place: usize) -> Self {
        Self(place as u32)
    }
}

/// What a party is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Belongs {
    /// Processes, in order; several share a queue.
    To(Vec<ProcessNumber>),
    /// The background writes of a group, by its place among the groups.
    Group(usize),
    /// No process in particular.
    Anybody,
}

/// All parties that there ever were.
#[derive(Debug, Default)]
pub(crate) struct Parties(Vec<Belongs>);

impl Parties {
    pub fn intern(&mut self, belongs: Belongs) -> Party {
        let place = self.0.iter().position(|known| *known == belongs).unwrap_or_else(|| {
            self.0.push(belongs);
            self.0.len() - 1
        });
        Party(place as u32)
    }

    pub fn of(&self, party: Party) -> &Belongs {
        &self.0[party.0 as usize]
    }

    pub fn includes_target(&self, party: Party, cast: &Cast) -> bool {
        match self.of(party) {
            Belongs::To(processes) => processes.iter().any(|&process| cast.is_target(process)),
            Belongs::Group(_) | Belongs::Anybody => false,
        }
    }

    /// Its name, process by process.
    pub fn name(&self, party: Party, cast: &Cast) -> String {
        match self.of(party) {
            Belongs::To(processes) => cast.processes(processes),
            Belongs::Group(_) => "background writes".to_owned(),
            Belongs::Anybody => "requests without a queue".to_owned(),
        }
    }
}

/// A queue at present.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueState {
    pub serial: Serial,
    pub party: Party,
    pub is_target: bool,
    pub waiting: u32,
    pub in_device: u32,
    pub raised: Option<RaiseKind>,
    /// Whether it is, under tfq.
    pub on_loan: bool,
}

/// The queues by their names in the scheduler.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    table: Vec<Option<QueueState>>,
    born: u32,
    pub parties: Parties,
}

impl Queues {
    /// A queue was created.
    pub fn create(&mut self, id: QueueId, belongs: Belongs, cast: &Cast) -> &mut QueueState {
        self.born += 1;
        let party = self.parties.intern(belongs);
        let queue = QueueState {
            serial: Serial(self.born),
            party,
            is_target: self.parties.includes_target(party, cast),
            waiting: 0,
            in_device: 0,
            raised: None,
            on_loan: false,
        };
        if self.table.len() <= id.index() {
            self.table.resize(id.index() + 1, None);
        }
        self.table[id.index()].insert(queue)
    }

    pub fn free(&mut self, id: QueueId) {
        if let Some(entry) = self.table.get_mut(id.index()) {
            *entry = None;
        }
    }

    /// Nothing is known of what waits or is in the device.
    pub fn forget_requests(&mut self) {
        for queue in self.table.iter_mut().flatten() {
            (queue.waiting, queue.in_device) = (0, 0);
        }
    }

    pub fn get(&self, id: QueueId) -> Option<&QueueState> {
        self.table.get(id.index())?.as_ref()
    }

    /// The queue; one whose creation was not seen belongs to anybody.
    pub fn get_mut(&mut self, id: QueueId, cast: &Cast) -> &mut QueueState {
        if self.get(id).is_none() {
            self.create(id, Belongs::Anybody, cast);
        }
        self.table[id.index()].as_mut().expect("it is there or was created")
    }

    /// A process uses a queue: it is one of those to whom it belongs.
    pub fn join(&mut self, id: QueueId, process: ProcessNumber, cast: &Cast) {
        let party = self.get_mut(id, cast).party;
        let mut processes = match self.parties.of(party) {
            Belongs::To(processes) => processes.clone(),
            Belongs::Anybody => Vec::new(),
            Belongs::Group(_) => return,
        };
        if let Err(place) = processes.binary_search(&process) {
            processes.insert(place, process);
            self.change(id, processes, cast);
        }
    }

    /// A process leaves a queue, unless it is the last one.
    pub fn leave(&mut self, id: QueueId, process: ProcessNumber, cast: &Cast) {
        let party = self.get_mut(id, cast).party;
        if let Belongs::To(processes) = self.parties.of(party)
            && processes.len() > 1
        {
            let stay = processes.iter().copied().filter(|&other| other != process).collect();
            self.change(id, stay, cast);
        }
    }

    fn change(&mut self, id: QueueId, processes: Vec<ProcessNumber>, cast: &Cast) {
        let party = self.parties.intern(Belongs::To(processes));
        let is_target = self.parties.includes_target(party, cast);
        let queue = self.get_mut(id, cast);
        queue.party = party;
        queue.is_target = is_target;
    }
}
