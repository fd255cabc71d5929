// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is said of files that build on each other, of open types of the core and of long files.

use prose::{File, Language, Repository, check};

/// What is found in a repository of these Rust files.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter().map(|(path, text)| {
        let text = format!("// SPDX-License-Identifier: MIT\n{text}");
        File { path: (*path).to_owned(), kind: Language::Rust, text }
    });
    let repository = Repository { root: ".".into(), files: files.collect() };
    check(&repository).iter().map(ToString::to_string).collect()
}

#[test]
fn files_of_the_core_that_import_each_other_are_named() {
    let facade = ("crates/bfq/src/b/mod.rs", "mod c;\npub use c::C;\n");
    let user = |import| ("crates/bfq/src/a.rs", import);
    let used = ("crates/bfq/src/b/c.rs", "use crate::a::A;\npub struct C;\n");
    let circle = "crates/bfq/src/a.rs:1: these files build on each other: \
                  crates/bfq/src/a.rs, crates/bfq/src/b/c.rs";
    assert_eq!(found(&[user("use crate::b::c::C;"), facade, used]), [circle]);
    let by_facade = "crates/bfq/src/a.rs:1: these files build on each other: crates/bfq/src/a.rs, \
                     crates/bfq/src/b/c.rs, crates/bfq/src/b/mod.rs";
    assert_eq!(found(&[user("use crate::b::C;"), facade, used]), [by_facade]);
    assert_eq!(found(&[user("fn f() { crate::b::c::f() }"), facade, used]), [circle]);
    let in_tests = "#[cfg(test)]\nmod tests {\n    use crate::b::c::C;\n}\n";
    for harmless in ["pub(crate) struct A;", "use crate::d::D;", in_tests] {
        assert_eq!(found(&[user(harmless), facade, used]), [""; 0], "{harmless}");
    }
}

#[test]
fn layers_do_not_call_each_other_by_methods_that_they_add() {
    let folder = "crates/bfq/src/policy/budget";
    let state = (format!("{folder}/state.rs"), "pub struct S;\n".to_owned());
    let adds = |name: &str, body: &str| {
        let text =
            format!("use super::state::S;\nimpl S {{\n    fn {name}(&self) {{ {body} }}\n}}\n");
        (format!("{folder}/{name}.rs"), text)
    };
    let found = |files: [&(String, String); 4]| {
        found(&files.map(|(path, text)| (path.as_str(), text.as_str())))
    };
    let (upper, lower) = (adds("upper", "self.lower()"), adds("lower", ""));
    let other = adds("other", "");
    assert_eq!(found([&state, &upper, &lower, &other]), [""; 0]);
    let circle = format!(
        "{folder}/lower.rs:1: these files build on each other: \
         {folder}/lower.rs, {folder}/upper.rs"
    );
    for call in ["self.upper()", "S::upper(self)"] {
        let lower = adds("lower", call);
        assert_eq!(found([&state, &upper, &lower, &other]), [circle.as_str()]);
        let elsewhere =
            |(path, text): &(String, String)| (path.replace("budget", "elsewhere"), text.clone());
        let files = [&state, &upper, &lower, &other].map(elsewhere);
        assert_eq!(found(files.each_ref()), [""; 0], "these are no layers");
        let other =
            (other.0.clone(), "impl super::T for U {\n    fn upper(&self) {}\n}\n".to_owned());
        assert_eq!(found([&state, &upper, &lower, &other]), [""; 0], "whose is called?");
    }
}

#[test]
fn calls_of_a_parent_and_of_a_child_make_a_circle_too() {
    let child = ("crates/sim/src/a/b.rs", "fn f() { super::g() }\n");
    let parent = |text| ("crates/sim/src/a.rs", text);
    let circle = "crates/sim/src/a.rs:1: these files build on each other: \
                  crates/sim/src/a.rs, crates/sim/src/a/b.rs";
    assert_eq!(found(&[parent("mod b;\nfn g() {}\nfn h() { b::f() }\n"), child]), [circle]);
    assert_eq!(found(&[parent("mod b;\nfn g() {}\n"), child]), [""; 0]);
    let inside = "mod b;\nmod c {\n    fn h() { super::g() }\n}\nfn g() {}\n";
    assert_eq!(found(&[parent(inside), child]), [""; 0], "a module inside of the file");
}

#[test]
fn the_root_of_a_crate_is_a_file_like_the_others() {
    let used = ("crates/sim/src/a.rs", "use crate::B;\npub struct A;\n");
    let root = "mod a;\npub use a::A;\npub struct B;\n";
    for name in ["lib", "main"] {
        let path = format!("crates/sim/src/{name}.rs");
        let circle = format!(
            "crates/sim/src/a.rs:1: these files build on each other: \
                              crates/sim/src/a.rs, {path}"
        );
        assert_eq!(found(&[used, (&path, root)]), [circle]);
    }
    let other = ("crates/fit/src/lib.rs", root);
    assert_eq!(found(&[used, other]), [""; 0], "files of two crates");
}

#[test]
fn types_of_the_core_that_other_files_change_are_named() {
    let fields = |count: usize, visible: &str| {
        let fields = (0..count).map(|at| format!("    {visible} f{at}: u8,\n"));
        format!("pub struct Open {{\n{}}}\n", fields.collect::<String>())
    };
    let path = "crates/bfq/src/a.rs";
    let named = format!("{path}:2: Open has 13 fields that other files change, 12 are the most");
    for visible in ["pub", "pub(crate)", "pub(super)", "pub(in crate::a)"] {
        assert_eq!(found(&[(path, &fields(13, visible))]), [&*named]);
    }
    assert_eq!(found(&[(path, &fields(12, "pub"))]), [""; 0]);
    assert_eq!(found(&[(path, &fields(13, ""))]), [""; 0]);
    assert_eq!(found(&[("crates/sim/src/a.rs", &fields(13, "pub"))]), [""; 0]);
}

#[test]
fn long_files_are_named() {
    let path = "crates/sim/src/a.rs";
    let long = format!("{path}:501: 501 lines, 500 are the most");
    assert_eq!(found(&[(path, &"fn f() {}\n".repeat(500))]), [long]);
    assert_eq!(found(&[(path, &"fn f() {}\n".repeat(499))]), [""; 0]);
    let script = ("scripts/long.py", Language::Python, "f()\n".repeat(501));
    let document = ("docs/long.md", Language::Markdown, "Words.\n".repeat(501));
    let files =
        [script, document].map(|(path, kind, text)| File { path: path.to_owned(), kind, text });
    let repository = Repository { root: ".".into(), files: files.into() };
    let findings: Vec<String> = check(&repository).iter().map(ToString::to_string).collect();
    assert_eq!(findings, ["scripts/long.py:501: 501 lines, 500 are the most"]);
}
