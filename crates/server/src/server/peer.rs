// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who a client is, and whether it may use an export.

use crate::config::Permission;

/// Who a client is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Peer {
    /// Its user and group, on a unix socket.
    pub user_and_group: Option<(u32, u32)>,
    /// The names in its certificate.
    pub names: Vec<String>,
    /// What is the same for all connections of one source, for the limits of the log: a user or an
    /// address.
    pub origin: String,
}

impl Peer {
    /// Whether one of these permissions is its own.
    pub fn may(&self, allow: &[Permission]) -> bool {
        allow.iter().any(|permission| match permission {
            Permission::Anyone => true,
            Permission::Certificate(name) => self.names.contains(name),
            Permission::User(user) => self.user_and_group.is_some_and(|(own, _)| own == *user),
            Permission::Group(group) => self.user_and_group.is_some_and(|(_, own)| own == *group),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_by_name_user_or_group() {
        let local = Peer { user_and_group: Some((1000, 100)), ..Peer::default() };
        let remote = Peer { names: vec!["vm1.example".into()], ..Peer::default() };
        let nobody = Peer::default();
        for (allow, may) in [
            (Permission::Anyone, [true, true, true]),
            (Permission::User(1000), [true, false, false]),
            (Permission::User(100), [false, false, false]),
            (Permission::Group(100), [true, false, false]),
            (Permission::Certificate("vm1.example".into()), [false, true, false]),
            (Permission::Certificate("vm2.example".into()), [false, false, false]),
        ] {
            let allow = [allow];
            assert_eq!([&local, &remote, &nobody].map(|peer| peer.may(&allow)), may, "{allow:?}");
        }
        assert!(!local.may(&[]));
    }
}
