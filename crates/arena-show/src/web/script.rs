//! The scripts and styles of pages: plain files, joined when the arena is compiled.

use std::sync::LazyLock;

/// Files, one after the other.
macro_rules! joined {
    ($($file:literal),*) => { concat!($(include_str!($file), "\n"),*) };
}

/// The script of the report.
pub static REPORT_SCRIPT: LazyLock<String> = LazyLock::new(|| {
    squeezed(joined!(
        "dom.js",
        "tables.js",
        "picture.js",
        "block.js",
        "filter.js",
        "list.js",
        "plots.js",
        "player.js",
        "report.js"
    ))
});

/// The script of pages that have tables and no games.
pub static TABLES_SCRIPT: LazyLock<String> = LazyLock::new(|| squeezed(joined!("dom.js", "tables.js")));

/// The script of the live page.
pub static LIVE_SCRIPT: LazyLock<String> =
    LazyLock::new(|| squeezed(joined!("dom.js", "picture.js", "block.js", "plots.js", "player.js", "live.js")));

/// The style sheet of the live page: its own styles come last.
pub static LIVE_STYLE: LazyLock<String> =
    LazyLock::new(|| style(joined!("colours.css", "picture.css", "player.css", "live.css")));

/// The style sheet of the report: its own styles, then those of plots and of what scripts add.
pub static REPORT_STYLE: LazyLock<String> = LazyLock::new(|| {
    style(joined!("colours.css", "report.css", "../views/svg/chart.css", "picture.css", "player.css"))
});

/// The style sheet of a page for the author of a bot.
pub static FEEDBACK_STYLE: LazyLock<String> =
    LazyLock::new(|| style(joined!("colours.css", "report.css", "picture.css", "feedback.css")));

/// The same without comments that take whole lines, indentation, and ends of lines that mean nothing: a page is mostly these.
/// No text of a script goes over several lines.
fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    let mut is_comment = false;
    for line in text.lines().map(str::trim) {
        is_comment |= line.starts_with("/*");
        if !is_comment && !line.is_empty() && !line.starts_with("//") {
            squeezed.push_str(line);
            squeezed.push_str(if line.ends_with([';', '{', ',']) { "" } else { "\n" });
        }
        is_comment &= !line.ends_with("*/");
    }
    squeezed
}

/// A style sheet without spaces around its marks. No text in it has them.
fn style(text: &str) -> String {
    const MARKS: [(&str, &str); 8] =
        [("}\n", "}"), (": ", ":"), ("; ", ";"), (", ", ","), (" {", "{"), ("{ ", "{"), (" }", "}"), (";}", "}")];
    MARKS.iter().fold(squeezed(text), |text, (spaced, mark)| text.replace(spaced, mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_means_nothing_is_left_out() {
        let script = "/* a\n b */\n  x { y } /* z */\n// w\n\n  `a // b`;\n  if (a) {\n    c(d,\n      e);\n  }\n";
        assert_eq!(squeezed(script), "x { y } /* z */\n`a // b`;if (a) {c(d,e);}\n");
        let sheet = "a, b c { d: e f; g: h }\n@media (x: 1) {\n  /* i */\n  j:hover k { l: m; }\n}\n";
        assert_eq!(style(sheet), "a,b c{d:e f;g:h}@media (x:1){j:hover k{l:m}}");
        for script in [&*REPORT_SCRIPT, &*LIVE_SCRIPT] {
            assert!(script.lines().all(|line| line.matches('`').count() % 2 == 0), "a text of several lines");
        }
    }

    /// Ways in which foreign text could become markup or code, and ways out of the page.
    const FORBIDDEN: [&str; 19] = [
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "srcdoc",
        "javascript:",
        ".style",
        "style=",
        "cssText",
        "import(",
        "import ",
        "XMLHttpRequest",
        "localStorage",
        "sessionStorage",
        "cookie",
        "postMessage",
        "DOMParser",
    ];

    #[test]
    fn scripts_write_text_and_attributes_of_a_fixed_list() {
        for (script, style, fetches) in [(&*REPORT_SCRIPT, &*REPORT_STYLE, 0), (&*LIVE_SCRIPT, &*LIVE_STYLE, 2)] {
            for word in FORBIDDEN {
                assert!(!script.contains(word), "{word}");
            }
            // Games and the report of the live page come from its server.
            assert_eq!(script.matches("fetch(").count(), fetches);
            // Handlers are added, never assigned: `node.onclick = …`.
            for (at, _) in script.match_indices('=') {
                let before = script[..at].trim_end();
                let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
                assert!(!name.starts_with("on"), "{name}");
            }
            // Attributes are set in one place, which checks them; addresses are those of the SVG namespace alone.
            assert_eq!(script.matches("setAttribute").count(), 1);
            // An image is data of one kind, and is made in one place.
            assert!(
                script.contains("{ href: \"#\", src: IMAGE }") && script.matches("\"data:image/svg+xml").count() == 1
            );
            assert_eq!((script.matches("element(\"img\"").count(), script.matches(".src").count()), (1, 0));
            assert_eq!(script.matches("://").count(), script.matches("\"http://www.w3.org/2000/svg\"").count());
            // Inside an element `script` these would end it, or hide its end.
            assert!(!script.contains("</") && !script.contains("<!--"));
            assert!(["url(", "@import", "</"].iter().all(|word| !style.contains(word)));
            assert!(script.len() + style.len() < 96 << 10);
        }
    }
}
