//! The page: its frame is sent once, and its script fills it.

use arena_core::text::shown;
use arena_show::web::{LIVE_SCRIPT, LIVE_STYLE, WebPage};
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use maud::{Markup, html};

/// The page as it is sent.
#[derive(Debug)]
pub(super) struct ServedPage {
    pub(super) html: Bytes,
    /// Its content security policy.
    pub(super) policy: HeaderValue,
}

impl ServedPage {
    pub(super) fn new(name: &str) -> Self {
        let title = format!("{} – live", shown(name));
        let document = WebPage { title: &title, style: &LIVE_STYLE, script: &LIVE_SCRIPT, body: body(&shown(name)) };
        let policy = document.policy("connect-src 'self'; frame-ancestors 'none'");
        let policy = policy.try_into().expect("a policy is ASCII");
        Self { policy, html: document.html(None).into() }
    }
}

fn body(name: &str) -> Markup {
    html! {
        header {
            h1 id="name" { (name) }
            p id="definition" {}
            p id="link" role="status" { "Connecting…" }
        }
        noscript { p { "This page needs JavaScript: it shows what happens now. The tables are in " a href="standings.csv" { "standings.csv" } "." } }
        main {
            section id="now" aria-labelledby="progress-title" {
                h2 id="progress-title" { "Progress" }
                p id="headline" {}
                p id="phase" { "preparing" }
                progress id="progress" max="1" value="0" aria-labelledby="phase" {}
                dl id="figures" {}
                p id="test" {}
            }
            section id="running" aria-labelledby="boards-title" {
                h2 id="boards-title" { "Running games" }
                p id="following" class="hidden" { label for="follow" { "Follow " } select id="follow" { option value="" { "the longest game" } } }
                ul id="boards" {}
                p id="boards-note" {}
            }
            section id="ranking" aria-labelledby="standings-title" {
                h2 id="standings-title" { "Standings" }
                div class="scroll" role="region" aria-label="Table of standings" tabindex="0" {
                    table {
                        thead { tr {
                            th scope="col" { "Rank" } th scope="col" { "Bot" } th scope="col" { "Elo" }
                            th scope="col" { abbr title="95 % interval" { "95 %" } }
                            th scope="col" { "Games" } th scope="col" { "Points" }
                            th scope="col" { abbr title="wins – draws – losses" { "W–D–L" } }
                            th scope="col" { "Faults" }
                        } }
                        tbody id="standings" {}
                    }
                }
                p id="standings-note" { "No games yet." }
            }
            section id="matches" class="hidden" aria-labelledby="matches-title" {
                h2 id="matches-title" { "Matches" }
                div id="drawing" class="scroll" role="region" aria-label="Drawing of the matches" tabindex="0" {}
            }
            section id="fleet" class="hidden" aria-labelledby="fleet-title" {
                h2 id="fleet-title" { "Workers" }
                div class="scroll" role="region" aria-label="Table of workers" tabindex="0" {
                    table {
                        thead { tr {
                            @for title in ["Worker", "Class", "Slots", "Busy", "Games", "Now"] { th scope="col" { (title) } }
                        } }
                        tbody id="workers" {}
                    }
                }
                p id="workers-note" {}
            }
            section aria-labelledby="last-title" {
                h2 id="last-title" { "Last results" }
                ol id="last" {}
                p id="last-note" { "The list stands still while you point at it." }
            }
            section aria-labelledby="files-title" {
                h2 id="files-title" { "Files" }
                ul id="files" {
                    @for file in ["standings.csv", "crosstable.csv", "head_to_head.csv", "tournament.json"] {
                        li { a href=(file) rel="noreferrer" { (file) } }
                    }
                }
            }
            section id="games" class="hidden" aria-labelledby="games-title" {
                h2 id="games-title" { "Finished game" }
            }
        }
        p id="announce" class="visually-hidden" aria-live="polite" {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_runs_nothing_foreign() {
        let page = ServedPage::new("a<script>b");
        let html = String::from_utf8(page.html.to_vec()).unwrap();
        assert_eq!(html.matches("<script").count(), 1);
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style="] {
            assert!(!LIVE_SCRIPT.contains(word) && !html.contains(word), "{word}");
        }
        assert!(
            page.policy.to_str().unwrap().contains("connect-src 'self'; frame-ancestors 'none'"),
            "{:?}",
            page.policy
        );
        assert!(html.len() < 64 * 1024, "{} bytes", html.len());
    }
}
