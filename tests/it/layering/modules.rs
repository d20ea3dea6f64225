//! The modules of all crates as their code names each other: `use` declarations and paths within the code, resolved to the
//! file that defines what they name. Tests are left out. A path begins with the name of its crate: `["arena_guard", "limits"]`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Names from the crate on.
type Names = Vec<String>;

/// A file or an inline module.
#[derive(Default)]
struct Module {
    /// From the root of the repository: `crates/arena-guard/src/limits.rs`.
    file: String,
    uses: Vec<Use>,
    /// Paths outside `use` declarations.
    paths: Vec<Names>,
    /// All names in its code, outside `use` declarations.
    words: BTreeSet<String>,
}

/// One name that a `use` declaration brings in; `*` for all of a module.
struct Use {
    name: String,
    path: Names,
    is_public: bool,
}

/// All modules, by their path.
pub(super) struct Modules(BTreeMap<Names, Module>);

impl Modules {
    /// Follows the `mod` declarations from the `lib.rs` of each crate on.
    pub(super) fn read() -> Self {
        let mut modules = Self(BTreeMap::new());
        for (name, root) in crates() {
            modules.read_file(&root.join("lib.rs"), &vec![name]);
        }
        modules
    }

    /// All files.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        self.0.values().map(|module| module.file.as_str()).collect()
    }

    /// Which file uses what another one defines, and the last names of the paths. Handing on what a module below defines is
    /// no use.
    pub(super) fn arrows(&self) -> BTreeMap<(&str, &str), BTreeSet<String>> {
        let mut arrows: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (own, module) in &self.0 {
            let handed_on = |used: &Use, path: &[String]| {
                used.is_public && path.starts_with(own) && !module.words.contains(&used.name)
            };
            let uses = module.uses.iter().filter_map(|used| {
                let path = self.absolute(own, &used.path)?;
                (!handed_on(used, &path)).then_some(path)
            });
            for path in uses.chain(module.paths.iter().filter_map(|path| self.absolute(own, path))) {
                let target = self.definer(&path, 0);
                if target != module.file {
                    let name = path.last().cloned().unwrap_or_default();
                    arrows.entry((module.file.as_str(), target)).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// A path from its crate on; `None` if it leads out of the workspace.
    fn absolute(&self, own: &[String], path: &[String]) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let (base, rest) = match first.as_str() {
            "crate" => (&own[..1], rest),
            "self" => (own, rest),
            "super" => {
                let up = path.iter().take_while(|name| *name == "super").count();
                (&own[..own.len() - up], &path[up..])
            }
            _ if self.0.contains_key(&[own, &path[..1]].concat()) => (own, path),
            _ if self.0.contains_key(&path[..1]) => (&[][..], path),
            _ => return None,
        };
        Some([base, rest].concat())
    }

    /// The file that defines what an absolute path names, wherever it is handed on.
    fn definer(&self, path: &[String], depth: usize) -> &str {
        assert!(depth < 20, "{path:?} leads round in circles");
        let known = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length])).unwrap_or(0);
        let (own, rest) = path.split_at(known);
        let module = &self.0[own];
        let Some((name, after)) = rest.split_first() else { return &module.file };
        let found = module.uses.iter().find(|used| used.name == *name);
        match found.and_then(|used| self.absolute(own, &used.path)) {
            Some(target) => self.definer(&[&target, after].concat(), depth + 1),
            None => &module.file,
        }
    }

    fn read_file(&mut self, file: &Path, own: &Names) {
        let text = fs::read_to_string(home().join(file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let file = file.to_str().expect("UTF-8").to_owned();
        self.0.insert(own.clone(), Module { file, ..Module::default() });
        self.read_code(&tokens.into_iter().collect::<Vec<_>>(), own);
    }

    fn read_code(&mut self, mut code: &[TokenTree], own: &Names) {
        let mut is_public = false;
        while let Some((token, rest)) = code.split_first() {
            code = rest;
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => code = behind_attribute(rest),
                TokenTree::Ident(word) if word == "pub" => {
                    is_public = true;
                    // `pub(super)`: its path is no use.
                    let scope = rest.first().is_some_and(|next| matches!(next, TokenTree::Group(_)));
                    code = &rest[usize::from(scope)..];
                    continue;
                }
                // Not `use<'a>`, which is part of a type.
                TokenTree::Ident(word) if word == "use" && !rest.first().is_some_and(|token| is_mark(token, '<')) => {
                    let end = rest.iter().position(|token| is_mark(token, ';')).expect("a `use` ends");
                    let module = self.0.get_mut(own).expect("being read");
                    read_tree(&rest[..end], &Vec::new(), is_public, &mut module.uses);
                    code = &rest[end..];
                }
                TokenTree::Ident(word) if word == "mod" => {
                    let child = [own.as_slice(), &[rest[0].to_string()]].concat();
                    if let TokenTree::Group(body) = &rest[1] {
                        let file = self.0[own].file.clone();
                        self.0.insert(child.clone(), Module { file, ..Module::default() });
                        self.read_code(&body.stream().into_iter().collect::<Vec<_>>(), &child);
                    } else {
                        let folder = crates().remove(&child[0]).expect("a crate").join(child[1..].join("/"));
                        let flat = folder.with_extension("rs");
                        let file = if home().join(&flat).exists() { flat } else { folder.join("mod.rs") };
                        self.read_file(&file, &child);
                    }
                    code = &rest[2..];
                }
                TokenTree::Ident(_) => {
                    let (path, rest) = read_path(token, rest);
                    let module = self.0.get_mut(own).expect("being read");
                    if path.len() == 1 {
                        module.words.extend(path);
                    } else {
                        module.words.insert(path[0].clone());
                        module.paths.push(path);
                    }
                    code = rest;
                }
                TokenTree::Group(group) => {
                    self.read_code(&group.stream().into_iter().collect::<Vec<_>>(), own);
                }
                _ => {}
            }
            is_public = false;
        }
    }
}

pub(super) fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of all crates' code, by the names that code has for the crates.
pub(super) fn crates() -> BTreeMap<String, PathBuf> {
    let members = fs::read_dir(home().join("crates")).expect("the crates");
    let members = members.map(|member| member.expect("a crate").file_name().into_string().expect("UTF-8"));
    let found = members.map(|member| (member.replace('-', "_"), Path::new("crates").join(member).join("src")));
    // Packages of tests and benches have no library.
    let found = found.filter(|(_, root)| home().join(root).join("lib.rs").exists());
    found.chain([("arena".to_owned(), PathBuf::from("src"))]).collect()
}

/// What follows an attribute, which begins behind its `#`; if that is for tests, what follows the item it belongs to.
fn behind_attribute(code: &[TokenTree]) -> &[TokenTree] {
    let inner = code.first().is_some_and(|token| is_mark(token, '!'));
    let (attribute, rest) = code[usize::from(inner)..].split_first().expect("a `#` begins an attribute");
    let text = attribute.to_string().replace(char::is_whitespace, "");
    if !["[cfg(test)]", "[cfg(all(test,"].iter().any(|test| text.starts_with(test)) {
        return rest;
    }
    let is_use = rest.iter().take(3).any(|token| matches!(token, TokenTree::Ident(word) if word == "use"));
    let ends = |token: &TokenTree| {
        is_mark(token, ';')
            || !is_use && matches!(token, TokenTree::Group(body) if body.delimiter() == Delimiter::Brace)
    };
    // The last element of a list has no end of its own.
    let end = rest.iter().position(ends).map_or(rest.len(), |end| end + 1);
    &rest[end..]
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// A path that begins with `first`, and what follows it.
fn read_path<'a>(first: &TokenTree, mut rest: &'a [TokenTree]) -> (Names, &'a [TokenTree]) {
    let mut path = vec![first.to_string()];
    while let [one, two, TokenTree::Ident(next), after @ ..] = rest
        && is_mark(one, ':')
        && is_mark(two, ':')
    {
        path.push(next.to_string());
        rest = after;
    }
    (path, rest)
}

/// The names that a tree of a `use` declaration brings in.
fn read_tree(tree: &[TokenTree], above: &Names, is_public: bool, uses: &mut Vec<Use>) {
    for branch in tree.split(|token| is_mark(token, ',')).filter(|branch| !branch.is_empty()) {
        let mut path = above.clone();
        let mut name = None;
        let mut tokens = branch.iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => {
                    read_tree(&group.stream().into_iter().collect::<Vec<_>>(), &path, is_public, uses);
                    path.clear();
                }
                TokenTree::Ident(word) if word == "as" => name = tokens.next().map(ToString::to_string),
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => name = Some("*".to_owned()),
                _ => {}
            }
        }
        if let Some(last) = path.last() {
            uses.push(Use { name: name.unwrap_or_else(|| last.clone()), path, is_public });
        }
    }
}
