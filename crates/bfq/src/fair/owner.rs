// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who uses a hierarchy, and follows up its operations.

use super::{
    changed::{Changed, Forgotten, Reweighed},
    finishes::Finish,
    hierarchy::Hierarchy,
    ids::EntityId,
    rules::InService,
};

/// Who uses a hierarchy. What it does about each thing that an operation can change is a function
/// of its own; that all of it is done, and in this order, is up to [`Owner::follow_up`] and
/// [`Owner::free_forgotten`], the only ones that take what an operation returns.
pub trait Owner {
    /// How many leaves are in service in its hierarchy at once.
    type InService: InService;

    /// The hierarchy that it uses.
    fn hierarchy(&mut self) -> &mut Hierarchy<Self::InService>;

    /// Whether it wants to know finish times.
    fn wants_finishes(&self) -> bool {
        false
    }

    /// The finish time of a leaf was computed.
    fn finish_computed(&mut self, finish: Finish) {
        let _ = finish;
    }

    /// Another weight or class of a leaf came into force.
    fn reweighed(&mut self, before: Reweighed) {
        let _ = before;
    }

    /// A leaf stopped being scheduled; it may be scheduled again by now.
    fn forgotten(&mut self, leaf: EntityId) {
        let _ = leaf;
    }

    /// Follows up an operation. Leaves that it forgot are looked at later: the one that the owner
    /// works on may be among them.
    #[inline(always)]
    fn follow_up(&mut self, changed: Changed) -> Forgotten {
        if self.wants_finishes() {
            report_finishes(self);
        }
        if let Some(before) = self.hierarchy().take_reweighed() {
            self.reweighed(before);
        }
        changed.followed_up()
    }

    /// Follows up an operation altogether, where nothing is done between the two steps.
    fn settle(&mut self, changed: Changed) {
        let forgotten = self.follow_up(changed);
        self.free_forgotten(forgotten);
    }

    /// Looks at the leaves that operations have forgotten.
    #[inline(always)]
    fn free_forgotten(&mut self, _: Forgotten) {
        if self.hierarchy().has_forgotten() {
            look_at_forgotten(self);
        }
    }
}

#[cold]
#[inline(never)]
fn report_finishes(owner: &mut (impl Owner + ?Sized)) {
    for finish in owner.hierarchy().take_finishes().into_iter().flatten() {
        owner.finish_computed(finish);
    }
}

#[inline(never)]
fn look_at_forgotten(owner: &mut (impl Owner + ?Sized)) {
    while let Some(leaf) = owner.hierarchy().take_forgotten() {
        owner.forgotten(leaf);
    }
}
