//! The identity of rules: a hash that is part of their name, so that changed rules are another game.

use super::hello::Hello;
use super::manifest::Program;

/// Number of hexadecimal digits.
const DIGITS: usize = 8;

/// The hash of a program that said `hello`: of its files, unless the organiser vouches for its version, and of all in `hello`
/// that its games depend on.
#[must_use]
pub fn hash(program: &Program, hello: &Hello) -> String {
    hash_of(program.fingerprint.as_deref(), hello)
}

fn hash_of(files: Option<&str>, hello: &Hello) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("arena 2026 programs of rules 1");
    for part in [files.unwrap_or_default(), &hello.canonical()] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use arena_core::rules::{DeclaredKind, DeclaredParam};

    use super::*;

    fn hello() -> Hello {
        let kind = DeclaredKind::Int { default: 9, min: 2, max: 19 };
        let params = vec![DeclaredParam { name: "size".to_owned(), help: "side".to_owned(), kind }];
        let (game, build) = ("hex".to_owned(), "lib 1".to_owned());
        let (summary, engines) = (String::new(), Vec::new());
        Hello {
            game,
            version: 1,
            summary,
            build,
            params,
            hidden: false,
            opening_plies: 2,
            shows: false,
            engines,
            lines: false,
            seats: None,
        }
    }

    #[test]
    fn the_hash_is_of_the_files_and_of_what_games_depend_on() {
        let of = |change: fn(&mut Hello)| {
            let mut hello = hello();
            change(&mut hello);
            hash_of(Some("0123456789abcdef"), &hello)
        };
        let first = of(|_| {});
        assert!(first.len() == 8 && first.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first}");
        let changes: [fn(&mut Hello); 5] = [
            |hello| hello.game = "hex2".to_owned(),
            |hello| hello.version = 2,
            |hello| hello.build = "lib 2".to_owned(),
            |hello| hello.hidden = true,
            |hello| hello.params[0].kind = DeclaredKind::Int { default: 8, min: 2, max: 19 },
        ];
        for change in changes {
            assert_ne!(of(change), first);
        }
        let words: [fn(&mut Hello); 3] = [
            |hello| hello.summary = "x".to_owned(),
            |hello| hello.params[0].help = "x".to_owned(),
            |hello| (hello.opening_plies, hello.shows) = (0, true),
        ];
        for change in words {
            assert_eq!(of(change), first);
        }
        assert_ne!(hash_of(None, &hello()), first);
        assert_ne!(hash_of(Some("0123456789abcdee"), &hello()), first);
        assert_eq!(hash_of(None, &hello()), "6a995a88", "never changes: it is in the names of stored games");
    }
}
