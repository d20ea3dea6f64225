//! The content of a text for an author, before it is text or a page.

use arena_core::rules::{Image, Picture};
use arena_core::text::printable;
use arena_show::views::Table;

use super::private::PrivateTexts;

/// What is said of a bot.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) title: String,
    /// The most important sentences.
    pub(super) lead: Vec<String>,
    pub(super) chapters: Vec<Chapter>,
}

/// A part of it under a title.
#[derive(Debug)]
pub(super) struct Chapter {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug)]
pub(super) enum Block {
    /// The title of what follows.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Labels and what they say.
    Facts(Vec<(&'static str, String)>),
    /// A table with its caption.
    Table(&'static str, Table),
    /// Lines that stay as they are.
    Lines(Vec<String>),
    /// A position.
    Position(Picture),
}

impl Chapter {
    pub(super) fn new(title: &str, blocks: Vec<Block>) -> Self {
        Self { title: title.to_owned(), blocks }
    }
}

impl Document {
    /// Itself without private texts. Every string passes through here, whatever it is made from.
    pub(super) fn without(self, private: &PrivateTexts) -> Self {
        let hide = |text: String| private.leave_out(&text);
        let hidden = |block: Block| match block {
            Block::Heading(text) => Block::Heading(hide(text)),
            Block::Text(text) => Block::Text(hide(text)),
            Block::Facts(facts) => Block::Facts(facts.into_iter().map(|(label, fact)| (label, hide(fact))).collect()),
            Block::Table(caption, table) => Block::Table(caption, table.mapped(hide)),
            Block::Lines(lines) => Block::Lines(lines.into_iter().map(hide).collect()),
            Block::Position(Picture::Text(text)) => Block::Position(Picture::Text(hide(text))),
            Block::Position(Picture::Image(Image { svg, text })) => {
                Block::Position(Picture::Image(Image { svg: hide(svg), text: hide(text) }))
            }
            Block::Position(picture) => Block::Position(picture),
        };
        let chapter = |Chapter { title, blocks }| Chapter { title, blocks: blocks.into_iter().map(hidden).collect() };
        Self {
            title: hide(self.title),
            lead: self.lead.into_iter().map(hide).collect(),
            chapters: self.chapters.into_iter().map(chapter).collect(),
        }
    }
}

/// A position as lines of text. The text of a program is foreign.
pub(super) fn position_lines(picture: &Picture) -> Vec<String> {
    picture.to_string().lines().map(|line| printable(line).into_owned()).collect()
}
