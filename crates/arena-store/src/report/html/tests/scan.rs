//! A strict reader of the page: it understands what we write, and panics at anything else.

use std::collections::HashSet;

/// Elements without an end.
const VOID: [&str; 2] = ["meta", "br"];
/// Every attribute that the page has; none can run anything.
const ATTRIBUTES: [&str; 40] = [
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "charset",
    "class",
    "colspan",
    "content",
    "cx",
    "cy",
    "d",
    "data-a",
    "data-b",
    "data-bot",
    "data-game",
    "data-label",
    "data-sort",
    "data-value",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "open",
    "r",
    "rel",
    "role",
    "scope",
    "tabindex",
    "text-anchor",
    "title",
    "type",
    "viewBox",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
    "start",
];

/// What was read.
#[derive(Debug, Default)]
pub(in crate::report) struct Scan {
    /// All elements, in order, with their attributes.
    pub(in crate::report) elements: Vec<(String, Vec<(String, String)>)>,
    /// All text that is not in a style or a script, unescaped.
    pub(in crate::report) text: String,
}

impl Scan {
    /// Reads a page.
    pub(in crate::report) fn of(page: &str) -> Self {
        let mut scan = Self::default();
        let mut open: Vec<String> = Vec::new();
        let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a doctype");
        while !rest.is_empty() {
            let (text, after) = rest.split_once('<').unwrap_or((rest, ""));
            scan.text.push_str(&unescaped(text));
            if after.is_empty() {
                break;
            }
            let (tag, after) = after.split_once('>').expect("a tag ends");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "an end of what is open");
                continue;
            }
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(name.bytes().all(|letter| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-')), "{name}");
            scan.elements.push((name.to_owned(), attributes_of(attributes)));
            if VOID.contains(&name) {
            } else if matches!(name, "style" | "script") {
                rest = rest.split_once(&format!("</{name}>")).expect("its end").1;
            } else {
                open.push(name.to_owned());
            }
        }
        assert!(open.is_empty(), "{open:?}");
        scan
    }

    /// All values of an attribute.
    pub(in crate::report) fn values<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = &'a str> {
        let all = self.elements.iter().flat_map(|(_, attributes)| attributes);
        all.filter(move |(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// The attribute of an element.
    pub(in crate::report) fn value<'a>(attributes: &'a [(String, String)], wanted: &str) -> Option<&'a str> {
        attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// Checks what must hold for every page.
    #[track_caller]
    pub(in crate::report) fn check(&self) {
        for (name, attributes) in &self.elements {
            for (attribute, value) in attributes {
                assert!(ATTRIBUTES.contains(&attribute.as_str()), "<{name} {attribute}=…>");
                assert!(!value.chars().any(arena_core::text::is_unsafe), "{value:?}");
            }
            if name == "th" {
                assert!(Self::value(attributes, "scope").is_some(), "a th without scope");
            }
            if name == "svg" {
                assert_eq!(Self::value(attributes, "role"), Some("img"));
            }
        }
        assert!(!self.text.chars().any(arena_core::text::is_unsafe), "unsafe text");
        let ids: Vec<&str> = self.values("id").collect();
        let unique: HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(unique.len(), ids.len(), "ids are unique");
        for href in self.values("href") {
            match href.strip_prefix('#') {
                Some(id) => assert!(unique.contains(id), "#{id} leads nowhere"),
                None => assert!(is_file(href), "{href}"),
            }
        }
        let levels = self.elements.iter().filter_map(|(name, _)| name.strip_prefix('h')?.parse::<u32>().ok());
        let levels: Vec<u32> = levels.collect();
        assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
        assert!(levels.windows(2).all(|two| two[1] <= two[0] + 1), "{levels:?}");
        let count = |wanted: &str| self.elements.iter().filter(|(name, _)| name == wanted).count();
        assert_eq!(count("caption"), count("table"));
        for two in self.elements.windows(2).filter(|two| two[0].0 == "svg") {
            assert_eq!(two[1].0, "title", "a picture begins with its name");
        }
        let scripts = self.elements.iter().filter(|(name, _)| name == "script");
        let mut kinds: Vec<_> = scripts.filter_map(|(_, attributes)| Self::value(attributes, "type")).collect();
        // The data of the games are inert.
        kinds.retain(|kind| *kind != "application/octet-stream");
        assert_eq!((kinds, count("style")), (vec!["module"], 1));
    }
}

/// Whether it is the name of a file in the same folder.
fn is_file(href: &str) -> bool {
    let (name, extension) = href.split_once('.').unwrap_or_default();
    ["csv", "json", "jsonl"].contains(&extension)
        && !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

fn attributes_of(mut text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    while !text.trim().is_empty() {
        let (name, after) = text.split_once("=\"").expect("quoted attributes");
        let (value, after) = after.split_once('"').expect("a closing quote");
        all.push((name.trim().to_owned(), unescaped(value)));
        text = after;
    }
    all
}

fn unescaped(text: &str) -> String {
    assert!(!text.contains('>'), "a bare > in {text:?}");
    let known = ["&amp;", "&lt;", "&gt;", "&quot;"];
    let bare = known.iter().fold(text.to_owned(), |text, entity| text.replace(entity, ""));
    assert!(!bare.contains('&'), "an unescaped & in {text:?}");
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}
