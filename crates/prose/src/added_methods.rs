// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions that a file adds to a type of another file: whoever calls one builds on the file that
//! adds it, and need not import that.

use crate::repository::{File, is_for_tests};
use std::collections::{BTreeMap, BTreeSet};
use syn::{ImplItem, Item, TraitItem, Type, visit::Visit};

/// The functions that the files of a crate add to types of others, by name. A name that several
/// functions of the crate have is left out: a call does not say whose it is.
pub(crate) struct AddedMethods<'a>(BTreeMap<String, &'a [String]>);

impl<'a> AddedMethods<'a> {
    /// Those of a crate, of which these are the modules.
    pub fn new(modules: impl Iterator<Item = (&'a [String], &'a File)>) -> Self {
        let mut added = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (module, file) in modules {
            let Ok(parsed) = syn::parse_file(&file.text) else { continue };
            let mut functions = Functions::default();
            functions.visit_file(&parsed);
            for (of, name) in functions.found {
                if !seen.insert(name.clone()) {
                    added.remove(&name);
                } else if of.is_some_and(|of| !functions.types.contains(&of)) {
                    added.insert(name, module);
                }
            }
        }
        AddedMethods(added)
    }

    /// The module that adds the function of this name.
    pub fn module_of(&self, name: &str) -> Option<&'a [String]> {
        self.0.get(name).copied()
    }
}

/// Collects the functions of a file and the types that it defines, tests left out.
#[derive(Default)]
struct Functions {
    /// Each with the type that has it, if it is no function of a trait.
    found: Vec<(Option<String>, String)>,
    types: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_for_tests(&module.attrs) => return,
            Item::Struct(found) => drop(self.types.insert(found.ident.to_string())),
            Item::Enum(found) => drop(self.types.insert(found.ident.to_string())),
            Item::Fn(found) => self.found.push((None, found.sig.ident.to_string())),
            _ => {}
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        let of = match &*block.self_ty {
            Type::Path(path) if block.trait_.is_none() => path.path.segments.last(),
            _ => None,
        };
        let of = of.map(|segment| segment.ident.to_string());
        for item in &block.items {
            if let ImplItem::Fn(found) = item {
                self.found.push((of.clone(), found.sig.ident.to_string()));
            }
        }
    }

    fn visit_item_trait(&mut self, found: &'ast syn::ItemTrait) {
        for item in &found.items {
            if let TraitItem::Fn(found) = item {
                self.found.push((None, found.sig.ident.to_string()));
            }
        }
    }
}
