// SPDX-License-Identifier: MIT OR Apache-2.0
//! The structure of the code: no file is longer than one reads in a sitting; in the core no
//! file imports one that imports it, and no type has more fields for all to change than one
//! keeps in mind.

use crate::{File, Finding, Kind, Repository};
use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use std::collections::BTreeMap;
use syn::{Attribute, Field, Item, UseTree, Visibility, visit::Visit};

/// More lines than these are too long a file.
const MOST_LINES: usize = 500;
/// Fields of a type of the core that all of the crate can change.
const MOST_FIELDS: usize = 12;
/// Where the files are that must not import each other.
const CORE: &str = "crates/bfq/src/";

/// What is wrong with the structure of the repository.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.files.iter().filter(|file| file.kind == Kind::Rust) {
        let lines = file.text.lines().count();
        if lines > MOST_LINES {
            let message = format!("{lines} lines, {MOST_LINES} are the most");
            findings.push(Finding { path: file.path.clone(), line: MOST_LINES + 1, message });
        }
    }
    let core = repository.files.iter().filter(|file| file.path.starts_with(CORE));
    let parsed: Vec<(&File, syn::File)> = core
        .filter(|file| !is_test(&file.path))
        .filter_map(|file| syn::parse_file(&file.text).ok().map(|parsed| (file, parsed)))
        .collect();
    for (file, parsed) in &parsed {
        findings.extend(open_types(file, parsed));
    }
    findings.extend(cycles(&parsed));
    findings
}

/// Whether a file of the core is compiled for tests only.
fn is_test(path: &str) -> bool {
    path.ends_with("tests.rs")
        || path.rsplit('/').next().is_some_and(|name| name.starts_with("test_"))
}

/// The types of a file with too many fields that all of the crate can change.
fn open_types(file: &File, parsed: &syn::File) -> Vec<Finding> {
    let structs = parsed.items.iter().filter_map(|item| match item {
        Item::Struct(found) => Some(found),
        _ => None,
    });
    let too_open = structs.filter_map(|found| {
        let open = found.fields.iter().filter(|field| is_open(field)).count();
        let message =
            format!("{} has {open} fields for all, {MOST_FIELDS} are the most", found.ident);
        (open > MOST_FIELDS).then(|| {
            let line = line_of(file, &format!("struct {}", found.ident));
            Finding { path: file.path.clone(), line, message }
        })
    });
    too_open.collect()
}

/// Whether a field can be changed by all of the crate.
fn is_open(field: &Field) -> bool {
    match &field.vis {
        Visibility::Public(_) => true,
        Visibility::Restricted(place) => place.path.is_ident("crate"),
        Visibility::Inherited => false,
    }
}

/// The first line of a file that has this text; 1 if none has.
fn line_of(file: &File, text: &str) -> usize {
    file.text.lines().position(|line| line.contains(text)).map_or(1, |at| at + 1)
}

/// The files of the core that import each other, directly or by others.
fn cycles(parsed: &[(&File, syn::File)]) -> Vec<Finding> {
    let modules: BTreeMap<Vec<String>, usize> =
        parsed.iter().enumerate().map(|(at, (file, _))| (module_of(&file.path), at)).collect();
    let mut imports: DiGraphMap<usize, ()> = DiGraphMap::new();
    for (at, (file, parsed)) in parsed.iter().enumerate() {
        let mut paths = Paths::default();
        paths.visit_file(parsed);
        let here = module_of(&file.path);
        for path in paths.found {
            if let Some(&other) = resolve(&here, &path, &modules).filter(|&&other| other != at) {
                imports.add_edge(at, other, ());
            }
        }
    }
    let circles = tarjan_scc(&imports).into_iter().filter(|circle| circle.len() > 1);
    let told = circles.map(|mut circle| {
        circle.sort_unstable();
        let names: Vec<&str> = circle.iter().map(|&at| parsed[at].0.path.as_str()).collect();
        let message = format!("these files import each other: {}", names.join(", "));
        Finding { path: names[0].to_owned(), line: 1, message }
    });
    told.collect()
}

/// The path of the module that a file of the core is.
fn module_of(path: &str) -> Vec<String> {
    let inside = path.trim_start_matches(CORE).trim_end_matches(".rs");
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    match inside {
        "lib" => Vec::new(),
        _ => inside.split('/').map(str::to_owned).collect(),
    }
}

/// The file that a path leads to, seen from a module: the deepest one on its way.
fn resolve<'a>(
    here: &[String],
    path: &[String],
    modules: &'a BTreeMap<Vec<String>, usize>,
) -> Option<&'a usize> {
    let (mut from, rest) = match path.first()?.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (here.to_vec(), &path[1..]),
        "super" => {
            let up = path.iter().take_while(|step| *step == "super").count();
            (here[..here.len().checked_sub(up)?].to_vec(), &path[up..])
        }
        _ => (here.to_vec(), path),
    };
    // A name alone is a module only if it is one of this file's own.
    let own = from.len() == here.len();
    let mut found = if own { None } else { modules.get(&from) };
    for step in rest {
        from.push(step.clone());
        match modules.get(&from) {
            Some(deeper) => found = Some(deeper),
            None => break,
        }
    }
    found
}

/// Collects the paths by which a file names others, its tests left out.
#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
}

impl Paths {
    fn add_tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&path.tree, &with(&path.ident)),
            UseTree::Name(name) => self.found.push(with(&name.ident)),
            UseTree::Rename(name) => self.found.push(with(&name.ident)),
            UseTree::Glob(_) => self.found.push(before.to_vec()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(tree, before));
            }
        }
    }
}

/// Whether something is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    let for_tests = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(for_tests)
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        if !is_for_tests(&import.attrs) {
            self.add_tree(&import.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let steps: Vec<String> = path.segments.iter().map(|step| step.ident.to_string()).collect();
        // `pub(crate)` has a path, too.
        if steps.len() > 1 && steps[0] == "crate" {
            self.found.push(steps);
        }
        syn::visit::visit_path(self, path);
    }
}
