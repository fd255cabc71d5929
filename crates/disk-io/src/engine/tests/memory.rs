// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an engine takes of the system's memory.

use super::*;

/// Each export of a server once took 3 MiB, also if nobody used it.
#[test]
fn an_engine_has_no_memory_of_its_own_before_it_uses_it() {
    for (kind, direct) in ways() {
        let mut engine = engine(&file(|_| 0, direct), kind, 2);
        let has = |engine: &mut Engine, slot| {
            let (memory, pattern) = engine.backend.memory_mut(slot);
            (!memory.own().is_empty(), pattern.is_made())
        };
        one(&mut engine, io(Op::Flush, 0, 0));
        assert_eq!(has(&mut engine, 0), (false, false), "{kind:?}");
        one(&mut engine, io(Op::Read, 0, 1));
        assert_eq!(has(&mut engine, 0), (true, false), "{kind:?}");
        one(&mut engine, io(Op::Write, 0, 1));
        assert_eq!(has(&mut engine, 0), (true, true), "{kind:?}");
        assert!(!has(&mut engine, 1).0, "{kind:?}");
        engine.make_all();
        assert!(has(&mut engine, 1).0, "{kind:?}");
    }
}
