// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use host::Host;
use std::fs;
use tempfile::TempDir;

/// A file of the machine: its path and its text.
type Written<'t> = (&'t str, &'t str);

/// The units of a machine with these files, all in the section of services unless they say another,
/// with a user 1000 who has a manager.
fn units(files: &[Written<'_>]) -> Units {
    let root: TempDir = tempfile::tempdir().unwrap();
    for (path, text) in files.iter().chain(&[("etc/passwd", "ann:x:1000:1000:Ann:/home/ann:")]) {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("[Service]\n{text}")).unwrap();
    }
    Units::read(&Files::of(&Host::at(root.path())), [1000])
}

fn weight(files: &[Written<'_>], manager: Manager, unit: &str) -> Option<u32> {
    units(files).of_manager(manager, unit).weight.map(|asked| asked.weight)
}

#[test]
fn the_file_that_counts_is_found_as_systemd_finds_it() {
    const VENDOR: Written<'_> = ("usr/lib/systemd/system/db.service", "IOWeight=1");
    const ADMIN: Written<'_> = ("etc/systemd/system/db.service", "IOWeight=2");
    const ADMIN_SAYS_NOTHING: Written<'_> = ("etc/systemd/system/db.service", "Nice=1");
    const DROP_IN: Written<'_> = ("usr/lib/systemd/system/db.service.d/5.conf", "IOWeight=3");
    const SAME_NAME: Written<'_> = ("etc/systemd/system/db.service.d/5.conf", "Nice=1");
    const TAKEN_BACK: Written<'_> = ("etc/systemd/system/db.service.d/9.conf", "IOWeight=");
    const PROPERTY: Written<'_> =
        ("etc/systemd/system.control/db.service.d/50-IOWeight.conf", "IOWeight=4");
    const OF_ALL: Written<'_> = ("etc/systemd/system/service.d/4.conf", "IOWeight=6");
    const OF_ALL_SAME_NAME: Written<'_> = ("etc/systemd/system/service.d/5.conf", "IOWeight=6");
    const NO_WEIGHTS: Written<'_> = (
        "etc/systemd/system/db.service.d/8.conf",
        "IOWeight=0\nIOWeight=10001\nIOWeight=4294967296\nIOWeight=much\nIOWeight=-1",
    );
    let table: [(&[Written<'_>], Option<u32>); 11] = [
        (&[], None),
        (&[VENDOR], Some(1)),
        (&[VENDOR, ADMIN], Some(2)),
        (&[VENDOR, ADMIN_SAYS_NOTHING], None),
        (&[ADMIN, DROP_IN], Some(3)),
        (&[ADMIN, DROP_IN, SAME_NAME], Some(2)),
        (&[ADMIN, DROP_IN, TAKEN_BACK], None),
        (&[ADMIN, DROP_IN, PROPERTY], Some(4)),
        (&[ADMIN, OF_ALL, PROPERTY], Some(4)),
        (&[ADMIN, NO_WEIGHTS], Some(2)),
        // What is for all of a kind counts less than what is for few, whatever its folder.
        (&[ADMIN, OF_ALL_SAME_NAME, DROP_IN], Some(3)),
    ];
    for (files, expected) in table {
        assert_eq!(weight(files, Manager::System, "db.service"), expected, "{files:?}");
    }
}

#[test]
fn files_for_many_units_are_for_each_of_them() {
    let table = [
        ("etc/systemd/system/db@.service", "db@eu.service", Some(7)),
        ("etc/systemd/system/db@.service.d/1.conf", "db@eu.service", Some(7)),
        ("etc/systemd/system/db-.service.d/1.conf", "db-eu-1.service", Some(7)),
        ("etc/systemd/system/db-eu-.service.d/1.conf", "db-eu-1.service", Some(7)),
        ("etc/systemd/system/db-us-.service.d/1.conf", "db-eu-1.service", None),
        ("etc/systemd/system/slice.d/1.conf", "db.service", None),
        ("etc/systemd/system/service.d/1.conf", "db.service", Some(7)),
        ("etc/systemd/system/db.service.d/notes.txt", "db.service", None),
    ];
    for (path, unit, expected) in table {
        assert_eq!(weight(&[(path, "IOWeight=7")], Manager::System, unit), expected, "{path}");
    }
}

/// systemd passes over settings that are in no section, or in another one than the kind's.
#[test]
fn weights_count_in_the_section_of_the_units_kind() {
    let table = [
        ("[Service]\nIOWeight=7", "db.service", Some(7)),
        ("[Unit]\n[Service]\nIOWeight=7\n[Install]", "db.service", Some(7)),
        ("[Unit]\nIOWeight=7", "db.service", None),
        ("[Service]\n[Install]\nIOWeight=7", "db.service", None),
        ("[Slice]\nIOWeight=7", "db.service", None),
        ("[Slice]\nIOWeight=7", "db.slice", Some(7)),
        ("[Scope]\nIOWeight=7", "db.scope", Some(7)),
    ];
    for (text, unit, expected) in table {
        for path in [unit.to_owned(), format!("{unit}.d/1.conf")] {
            let path = format!("etc/systemd/system/{path}");
            assert_eq!(weight(&[(&path, text)], Manager::System, unit), expected, "{text}");
        }
    }
}

#[test]
fn a_line_goes_on_behind_a_backslash() {
    let table = [
        ("IOWeight=\\\n7", Some(7)),
        ("IOWeight=\\\n# a comment\n ; another\n  7", Some(7)),
        ("IOWeight\\\n=7", Some(7)),
        ("IOWeight=7\\", Some(7)),
        ("Environment=A=1 \\\nIOWeight=7", None),
        ("Environment=A=1 \\\n# IOWeight=6 \\\nB=1\nIOWeight=7", Some(7)),
        ("Environment=A=\\\\\nIOWeight=7", Some(7)),
    ];
    for (text, expected) in table {
        let files = [("etc/systemd/system/db.service", text)];
        assert_eq!(weight(&files, Manager::System, "db.service"), expected, "{text}");
    }
}

#[test]
fn users_have_units_of_their_own() {
    let table = [
        ("home/ann/.config/systemd/user/db.service", Some(8)),
        ("run/user/1000/systemd/transient/db.service", Some(8)),
        ("etc/systemd/user/db.service.d/1.conf", Some(8)),
        ("etc/systemd/system/db.service", None),
    ];
    for (path, expected) in table {
        let files = [(path, "IOWeight=8")];
        assert_eq!(weight(&files, Manager::User(1000), "db.service"), expected, "{path}");
        assert_eq!(weight(&files, Manager::User(1001), "db.service"), None, "{path}");
    }
}

/// Whose units are the groups right below these.
#[test]
fn a_manager_makes_groups_in_slices_and_nowhere_else() {
    const SYSTEM: Option<Manager> = Some(Manager::System);
    const USER: Option<Manager> = Some(Manager::User(1000));
    let table = [
        ("", SYSTEM),
        ("/user.slice/user-1000.slice", SYSTEM),
        ("/user.slice/user-1000.slice/user@1000.service", USER),
        ("/user.slice/user-1000.slice/user@1000.service/app.slice", USER),
        ("/user.slice/user-1000.slice/user@1000.service/app.slice/db.service", None),
        ("/user.slice/user-1000.slice/session-1.scope", None),
        ("/system.slice/db.service/system.slice", None),
        ("/machine.slice/systemd-nspawn@c.service/payload/system.slice", None),
        ("/machine.slice/systemd-nspawn@c.service/payload/user.slice/user@1000.service", None),
        ("/system.slice/docker-4f.scope/system.slice", None),
        ("/lxc.payload.c/system.slice", None),
    ];
    for (group, expected) in table {
        assert_eq!(manager_below(group), expected, "{group}");
    }
}
