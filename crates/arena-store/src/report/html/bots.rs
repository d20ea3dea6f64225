//! A part for each bot: `#bot=NAME`.

use maud::{Markup, html};

use crate::report::Results;
use crate::report::text::bot_page::{BotPage, fault_text};

/// The parts, each to be opened.
pub(super) fn content(results: &Results<'_>, pages: &[BotPage]) -> Markup {
    html! {
        @if pages.is_empty() {
            p class="empty" { "No bot takes part." }
        }
        @for page in pages {
            details open="" id=(id(&results.event().bots[page.bot].id.name, page.bot)) {
                summary { (page.name) }
                dl class="definition" {
                    @for (label, fact) in &page.facts { dt { (label) } dd { (fact) } }
                    @for fault in &page.faults { dt { "Fault" } dd { (fault_text(fault)) } }
                    @if !page.losses.is_empty() {
                        dt { "Last lost games" }
                        dd {
                            @for (place, (id, winner)) in page.losses.iter().enumerate() {
                                @if place > 0 { ", " }
                                span data-game=(id.short()) { (winner) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Where the part of a bot is: its name, or its number, which no name is like, if that could be no fragment.
pub(super) fn id(name: &str, bot: usize) -> String {
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if is_plain { format!("bot={name}") } else { format!("bot:{bot}") }
}
