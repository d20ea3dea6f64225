//! `arena open --serve`: all results in a browser.

use std::os::unix::fs::symlink;

use super::client::{Watched, content, status};
use crate::support::Dir;

#[test]
fn pages_and_tables_of_tournaments_are_served_and_nothing_else() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.process_ends(0, "tournament --game tictactoe --rounds 1 -q --name cup");
    dir.process_ends(0, "series --game tictactoe --game marbles --rounds 1 -q --name both");
    dir.file("results/notes/report.html", "of no tournament");
    dir.file("secret.csv", "secret");
    std::fs::remove_file(dir.path("results/cup/bots.csv")).expect("removed");
    symlink(dir.path("secret.csv"), dir.path("results/cup/bots.csv")).expect("a link");
    symlink(dir.path("results/cup"), dir.path("results/link")).expect("a link");
    let served = Watched::start(dir, "open");
    for (path, expected) in [
        ("/", "200"),
        ("/index.html", "200"),
        ("/cup/report.html", "200"),
        ("/cup/standings.csv", "200"),
        ("/both/combined.csv", "200"),
        ("/both/report.html", "200"),
        ("/both/marbles/report.html", "200"),
        ("/both/marbles/games.csv", "200"),
        ("/cup", "404"),
        ("/cup/", "404"),
        ("/cup/bots.csv", "404"),
        ("/cup/combined.csv", "404"),
        ("/cup/games.jsonl", "404"),
        ("/cup/tournament.json", "404"),
        ("/cup/bots/random.log", "404"),
        ("/cup/../both/combined.csv", "404"),
        ("/cup%2f..%2fboth/combined.csv", "404"),
        ("/%2e%2e/secret.csv", "404"),
        ("/./secret.csv", "404"),
        ("/../secret.csv", "404"),
        ("//etc/standings.csv", "404"),
        ("/link/report.html", "404"),
        ("/notes/report.html", "404"),
        ("/events", "404"),
    ] {
        let answer = served.ask(&format!("GET {path}"));
        assert_eq!(status(&answer), expected, "{path}\n{answer}");
        assert!(answer.contains("x-content-type-options: nosniff"), "{path}\n{answer}");
        // No page reads another, whoever made it.
        for part in ["connect-src 'none'", "img-src data:", "frame-ancestors 'none'", "sandbox allow-scripts"] {
            assert!(answer.contains(part), "{path}: {part}\n{answer}");
        }
        assert!(!answer.contains("allow-same-origin"), "{path}\n{answer}");
    }
    assert_eq!(status(&served.ask("POST /")), "405");
    assert_eq!(status(&served.send(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")), "421");
    assert!(served.ask("GET /cup/report.html").contains("content-type: text/html; charset=utf-8"));
    let standings = served.ask("GET /cup/standings.csv");
    assert_eq!(content(&standings), served.dir.read("results/cup/standings.csv"));
    // The page is that of now.
    let cards = |served: &Watched| served.ask("GET /").matches("<article").count();
    let before = cards(&served);
    served.dir.process_ends(0, "tournament --game tictactoe --rounds 1 -q --name later");
    assert_eq!(cards(&served), before + 1);
    let ended = served.interrupt();
    assert_eq!((ended.status, ended.stdout.starts_with("http://127.0.0.1:")), (Some(0), true), "{ended}");
}

#[test]
fn others_may_read_only_if_that_is_asked_for() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let refused = dir.arena_ends(1, "open cup --serve").stderr;
    assert!(refused.contains("cannot be used with"), "{refused}");
    let served = Watched::start(dir, "open --results none");
    assert!(served.ask("GET /").contains("No tournament has been played here."));
    assert!(!served.interrupt().stderr.contains("warning"));
}
