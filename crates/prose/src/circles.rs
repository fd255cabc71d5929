// SPDX-License-Identifier: MIT OR Apache-2.0
//! No file of a crate names one that names it, directly or by others: whoever reads a file can
//! read what it is built on first. Where files are layers, they do not call each other either, by
//! methods that they add to types of other files. Tests are left out.

use crate::added_methods::AddedMethods;
use crate::finding::Finding;
use crate::repository::{File, Repository, is_for_tests};
use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Attribute, UseTree, visit::Visit};

/// Where files are layers: no circle of calls, as there is none of imports.
const LAYERED: &[&str] = &["crates/bfq/src/policy/budget/"];

/// The files of a crate, by the paths of the modules that they are.
type Modules<'a> = BTreeMap<Vec<String>, &'a File>;

/// The circles of files in all crates.
pub(crate) fn check(repository: &Repository) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Modules> = BTreeMap::new();
    for file in repository.files.iter().filter(|file| !file.is_test()) {
        if let Some((name, module)) = module_of(&file.path) {
            crates.entry(name).or_default().insert(module, file);
        }
    }
    crates.values().flat_map(circles).collect()
}

/// The folder of the crate that a file of source belongs to, and the path of the module that it is.
fn module_of(path: &str) -> Option<(&str, Vec<String>)> {
    let (folder, inside) = path.split_once("/src/")?;
    let inside = inside.strip_suffix(".rs")?;
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    let module = match inside {
        "lib" => Vec::new(),
        _ => inside.split('/').map(str::to_owned).collect(),
    };
    Some((folder, module))
}

/// The files of a crate that build on each other.
fn circles(modules: &Modules) -> Vec<Finding> {
    let modules = &with_root(modules);
    let places: BTreeMap<&[String], usize> = modules.keys().map(Vec::as_slice).zip(0..).collect();
    let files: Vec<&File> = modules.values().copied().collect();
    let added = AddedMethods::new(modules.iter().map(|(module, &file)| (module.as_slice(), file)));
    let mut names: DiGraphMap<usize, ()> = DiGraphMap::new();
    for (here, file) in modules {
        let paths = Paths::of(file);
        for other in named(here, &paths, modules) {
            names.add_edge(places[here.as_slice()], places[other.as_slice()], ());
        }
        let callees = paths.called.iter().filter_map(|name| added.module_of(name));
        for other in callees.filter(|&other| are_layers(file, modules[other])) {
            names.add_edge(places[here.as_slice()], places[other], ());
        }
    }
    let circles = tarjan_scc(&names).into_iter().filter(|circle| circle.len() > 1);
    let told = circles.map(|circle| {
        let paths: BTreeSet<&str> = circle.iter().map(|&at| files[at].path.as_str()).collect();
        let paths: Vec<&str> = paths.into_iter().collect();
        let message = format!("these files build on each other: {}", paths.join(", "));
        Finding { path: paths[0].to_owned(), line: 1, message }
    });
    told.collect()
}

/// The modules of a crate; of a program without a library, `main` is the root.
fn with_root<'a>(modules: &Modules<'a>) -> Modules<'a> {
    let mut modules = modules.clone();
    if !modules.contains_key(&Vec::new())
        && let Some(main) = modules.remove(&vec!["main".to_owned()])
    {
        modules.insert(Vec::new(), main);
    }
    modules
}

/// Whether two files are layers of the same folder.
fn are_layers(file: &File, other: &File) -> bool {
    let in_both = |folder| file.path.starts_with(folder) && other.path.starts_with(folder);
    file.path != other.path && LAYERED.iter().any(|&folder| in_both(folder))
}

/// The modules that a file names, itself left out.
fn named(here: &[String], paths: &Paths, modules: &Modules) -> BTreeSet<Vec<String>> {
    let found = paths.found.iter().filter_map(|path| resolve(here, path, modules));
    found.filter(|other| other != here).collect()
}

/// The module that a path leads to, seen from another: the deepest one on its way.
fn resolve(here: &[String], path: &[String], modules: &Modules) -> Option<Vec<String>> {
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
    let mut found = if own { None } else { modules.contains_key(&from).then(|| from.clone()) };
    for step in rest {
        from.push(step.clone());
        if !modules.contains_key(&from) {
            break;
        }
        found = Some(from.clone());
    }
    found
}

/// Collects the paths by which a file names others, its tests left out.
#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
    /// The names of the functions that it calls, or hands on.
    called: BTreeSet<String>,
    /// How many modules written inside the file lie around what is looked at.
    depth: usize,
}

impl Paths {
    /// Those of a file.
    fn of(file: &File) -> Paths {
        let mut paths = Paths::default();
        if let Ok(parsed) = syn::parse_file(&file.text) {
            paths.visit_file(&parsed);
        }
        paths
    }

    fn add_tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&path.tree, &with(&path.ident)),
            UseTree::Name(name) => self.add(with(&name.ident)),
            UseTree::Rename(name) => self.add(with(&name.ident)),
            UseTree::Glob(_) => self.add(before.to_vec()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(tree, before));
            }
        }
    }

    /// Adds a path as it is seen from the file: a module inside of it is not one of its own.
    fn add(&mut self, mut path: Vec<String>) {
        let up = path.iter().take_while(|step| *step == "super").count();
        path.drain(..up.min(self.depth));
        if !path.is_empty() {
            self.found.push(path);
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            self.depth += 1;
            syn::visit::visit_item_mod(self, module);
            self.depth -= 1;
        }
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        if !is_for_tests(&import.attrs) && import.leading_colon.is_none() {
            self.add_tree(&import.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let steps: Vec<String> = path.segments.iter().map(|step| step.ident.to_string()).collect();
        // `pub(crate)` has a path, too.
        if steps.len() > 1 && path.leading_colon.is_none() {
            self.called.extend(steps.last().cloned());
            self.add(steps);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.called.insert(call.method.to_string());
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}
