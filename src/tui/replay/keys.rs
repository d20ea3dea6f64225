//! All keys.

use arena_store::report::FILTER_WORDS;

/// Keys and what they do, under headings.
pub(super) const ALL: [(&str, &str); 20] = [
    ("Game", ""),
    ("→ . j   ← , k", "a ply on, a ply back"),
    ("PgDn  PgUp", "ten plies"),
    ("G g  End Home", "end, with all that is known about a fault; start"),
    ("m  M", "next, previous move that gave the result away"),
    ("Space", "plays, and stops"),
    ("n  N", "next, previous game of the list"),
    ("c", "copies the command that shows this position"),
    ("/", "the list, to find another game"),
    ("Esc", "the list"),
    ("q", "back"),
    ("List", ""),
    ("↑ k   ↓ j", "a game up, down"),
    ("PgUp  PgDn", "a page"),
    ("Enter", "opens the game"),
    ("/", "filter, word by word; Enter keeps it, Esc does not"),
    ("Esc", "shows all games"),
    ("q  Ctrl-C", "leaves"),
    ("Filter", ""),
    ("", FILTER_WORDS),
];
