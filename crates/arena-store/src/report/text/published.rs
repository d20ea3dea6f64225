//! Standings to paste into a README or a paper: the rows of the terminal's table as Markdown and as LaTeX.

use std::fmt::Write as _;

use arena_core::stats::RankBy;
use arena_core::text::{counted, shown};
use arena_show::views::{Ranking, Table};

use super::headline::best_sentence;
use super::markdown::markdown_text;
use super::table::{points_crosstable, standings_table};

/// The shortest rule of Markdown.
const RULE_MIN: usize = 3;
/// Most bots of a crosstable that is published; a larger one is wider than a page.
const CROSSTABLE_BOTS_MAX: usize = 8;

/// The standings as tables of GitHub's Markdown, with notes, and the crosstable of a few bots. These `tags` are columns.
pub fn standings_markdown(ranking: &Ranking, tags: &[&str]) -> String {
    let mut text = String::new();
    for (index, table) in tables(ranking, tags).into_iter().enumerate() {
        if index > 0 {
            text.push_str("\nPoints of the row against the column:\n\n");
        }
        markdown(&table, &mut text);
    }
    text.push('\n');
    for note in notes(ranking) {
        let _ = writeln!(text, "- {}", markdown_text(&note));
    }
    text
}

/// The standings of tournament `name` as a LaTeX table for the package `booktabs`, with `played` and notes in its caption,
/// and the crosstable of a few bots. These `tags` are columns. `\ref{tab:arena-NAME}` refers to it.
pub fn standings_latex(ranking: &Ranking, name: &str, played: &str, tags: &[&str]) -> String {
    let mut text = String::from("\\begin{table}\n  \\centering\n");
    for (index, table) in tables(ranking, tags).into_iter().enumerate() {
        if index > 0 {
            text.push_str("\n  \\bigskip\n  Points of the row against the column:\\par\\smallskip\n");
        }
        latex(&table, &mut text);
    }
    let played = format!("{}, arena {}.", shown(played), env!("CARGO_PKG_VERSION"));
    let notes: Vec<String> =
        [played].iter().chain(&notes(ranking)).map(|note| escaped(note, latex_character)).collect();
    let label: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    let _ = writeln!(text, "  \\caption{{{}}}\n  \\label{{tab:arena-{label}}}\n\\end{{table}}", notes.join(" "));
    // Older programs stop at letters beyond those of western Europe.
    let is_western = text.chars().all(|c| c <= '\u{ff}');
    let program = if is_western {
        ""
    } else {
        "% Compile with LuaLaTeX or XeLaTeX, and a font that has all letters of the names.\n"
    };
    format!("% \\usepackage{{booktabs}}\n{program}{text}")
}

/// Columns of the terminal's table that are published, if it has them; and that of the format.
const COLUMNS: [&str; 11] =
    ["Rank", "Name", "Elo ± 95%", "Games", "W-D-L", "Score", "LOS", "Faults", "Group", "Davidson", "Nash"];

/// The standings, each rating with its error, and the crosstable if it is small and tells more than they do.
fn tables(ranking: &Ranking, tags: &[&str]) -> Vec<Table> {
    let bots = ranking.analysis.standings.len();
    let crosstable = (3..=CROSSTABLE_BOTS_MAX).contains(&bots).then(|| points_crosstable(ranking));
    let of_format = ranking.shown_column().map(|(title, _)| title);
    let is_faultless = ranking.analysis.standings.iter().all(|row| row.forfeits == 0);
    let mut standings = standings_table(ranking);
    let margin = standings.heads().position(|(head, _)| head == "±95%");
    standings.rewrite("Elo", "Elo ± 95%", |row, elo| match margin.map(|margin| row[margin].as_str()) {
        None | Some("") => elo.to_owned(),
        Some(margin) => format!("{elo} ± {margin}"),
    });
    standings
        .retain(|head| (COLUMNS.contains(&head) || Some(head) == of_format) && !(head == "Faults" && is_faultless));
    for (place, tag) in (2..).zip(tags) {
        let value = |bot: usize| ranking.tag(tag, bot);
        let is_text = ranking.bots().any(|row| value(row.bot).is_some_and(|value| value.number().is_none()));
        let cells =
            ranking.bots().map(|row| value(row.bot).map_or_else(String::new, |value| shown(&value.to_string())));
        standings.insert(place, tag, is_text, cells.collect::<Vec<_>>());
    }
    [standings].into_iter().chain(crosstable).collect()
}

fn markdown(table: &Table, text: &mut String) {
    let (rows, widths) = table.aligned(markdown_text, RULE_MIN);
    for (index, row) in rows.iter().enumerate() {
        let _ = writeln!(text, "| {} |", row.join(" | "));
        if index == 0 {
            let rules = widths.iter().zip(table.heads()).map(|(width, (_, is_left))| {
                if is_left { "-".repeat(*width) } else { format!("{}:", "-".repeat(width - 1)) }
            });
            let _ = writeln!(text, "| {} |", rules.collect::<Vec<_>>().join(" | "));
        }
    }
}

fn latex(table: &Table, text: &mut String) {
    let columns: String = table.heads().map(|(_, is_left)| if is_left { 'l' } else { 'r' }).collect();
    let _ = writeln!(text, "  \\begin{{tabular}}{{{columns}}}\n    \\toprule");
    let (rows, _) = table.aligned(latex_cell, RULE_MIN);
    for (index, row) in rows.iter().enumerate() {
        let _ = writeln!(text, "    {} \\\\", row.join(" & ").trim_end());
        if index == 0 {
            text.push_str("    \\midrule\n");
        }
    }
    text.push_str("    \\bottomrule\n  \\end{tabular}\n");
}

/// A cell; one that is a number with a sign is in math mode, where a hyphen is a minus.
fn latex_cell(cell: &str) -> String {
    let is_number = cell.starts_with(['+', '-', '<', '>']) && cell.chars().any(|c| c.is_ascii_digit());
    if is_number && cell.chars().all(|c| c.is_ascii_digit() || "+-<>±. ".contains(c)) {
        return format!("${}$", cell.replace('±', "\\pm"));
    }
    escaped(cell, latex_character)
}

/// Sentences that a reader of the table needs.
fn notes(ranking: &Ranking) -> Vec<String> {
    let ratings = &ranking.analysis.ratings;
    let zero = ranking.zero();
    let mut all = vec![
        format!("{}. Elo with 95% error; {zero}.", counted(ranking.games() as usize, "game")),
        "LOS: probability of being stronger than the next bot.".to_owned(),
    ];
    all.extend(ranking.options_in_words());
    let mut note = |is_so: bool, text: &str| all.extend(is_so.then(|| text.to_owned()));
    let bots = || ranking.analysis.standings.iter().map(|row| ratings.of(row.bot));
    let is_unbounded = bots().flatten().any(|rating| !rating.elo.lo.is_finite() || !rating.elo.hi.is_finite());
    note(is_unbounded, "A rating with < or > is unbounded: the bot never lost, or never took, a point.");
    let is_by_format = ranking.analysis.rank_by == RankBy::Format;
    note(is_by_format, "Ranks are by the rule of the format.");
    let has_ranges = !is_by_format && ranking.rank_ranges().iter().flatten().any(|range| range.start() < range.end());
    note(has_ranges, "A range of ranks: the games do not tell these bots apart.");
    note(ratings.groups() > 1, "Ratings of different groups cannot be compared: no games connect them.");
    // Tables have no space before the sign.
    let together = ranking.scope().map(str::to_owned).into_iter().chain(best_sentence(ranking));
    all.extend(together.map(|sentence| sentence.replace("at 95 %", "at 95%")));
    all.extend(ranking.few_openings());
    all
}

fn escaped(text: &str, character: fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| character(c, &mut out));
    out
}

/// The special characters of LaTeX, and those that text fonts lack.
fn latex_character(c: char, out: &mut String) {
    let mut own = [0; 4];
    let text = match c {
        '\\' => "\\textbackslash{}",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '"' => "''",
        '–' => "--",
        '±' => "$\\pm$",
        // A space after another would be lost.
        ' ' if out.is_empty() || out.ends_with(' ') => "\\ ",
        '#' | '$' | '%' | '&' | '_' | '{' | '}' => return out.extend(['\\', c]),
        _ => c.encode_utf8(&mut own),
    };
    // Signs in a row would be printed as one: two hyphens as a dash, a question mark and an accent as one upside down.
    let begins = |signs: &str| text.starts_with(|first| signs.contains(first));
    if begins("-'`,") && out.ends_with(&text[..1]) || begins("`") && out.ends_with(['!', '?']) {
        out.push_str("{}");
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use arena_core::record::GameResult;
    use arena_core::rules::Seat;
    use arena_core::stats::{Analysis, AnalysisOptions, CountsBuilder};
    use proptest::prelude::*;

    use super::*;

    /// Standings of bots of these names; the first wins `wins` of 20 games against each other one, which draw.
    fn ranking(names: &[&str], wins: usize) -> Ranking {
        let mut counts = CountsBuilder::new(names.len());
        for other in 1..names.len() {
            for game in 0..20 {
                let winner = if game < wins { Seat::First } else { Seat::Second };
                counts.add(0, other, GameResult::of(Some(winner)), None);
            }
            for next in other + 1..names.len() {
                (0..20).for_each(|_| counts.add(other, next, GameResult::Draw, None));
            }
        }
        let names = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        Ranking::new(names, Analysis::new(counts.finish(), None, &[0; 3], &AnalysisOptions::default()), 0)
    }

    const HOSTILE: [&str; 3] = ["a|b\\", "<img onerror=x> \u{202e}_*`", "50% & $x^2$ {#1}~"];

    #[test]
    fn standings_as_markdown() {
        insta::assert_snapshot!(standings_markdown(&ranking(&HOSTILE, 14), &[]), @r#"
        | Rank | Name                              |    Elo ± 95% | Games |   W-D-L | Score |   LOS |
        | ---: | --------------------------------- | -----------: | ----: | ------: | ----: | ----: |
        |    1 | a\|b\\                            | +98.1 ± 79.3 |    40 | 28-0-12 | 70.0% | 99.0% |
        |  2–3 | \<img onerror=x\> \\u{202e}\_\*\` | -49.1 ± 53.7 |    40 | 6-20-14 | 40.0% | 50.0% |
        |  2–3 | 50% \& \$x^2\$ {\#&#8288;1}\~     | -49.1 ± 53.7 |    40 | 6-20-14 | 40.0% |       |

        Points of the row against the column:

        |  \# | Name                              |   1 |    2 |    3 |
        | --: | --------------------------------- | --: | ---: | ---: |
        |   1 | a\|b\\                            |  \* | 14.0 | 14.0 |
        |   2 | \<img onerror=x\> \\u{202e}\_\*\` | 6.0 |   \* | 10.0 |
        |   3 | 50% \& \$x^2\$ {\#&#8288;1}\~     | 6.0 | 10.0 |   \* |

        - 60 games. Elo with 95% error; the mean is 0.
        - LOS: probability of being stronger than the next bot.
        - A range of ranks: the games do not tell these bots apart.
        "#);
        insta::assert_snapshot!(standings_markdown(&ranking(&["strong", "weak"], 20), &[]), @r#"
        | Rank | Name   | Elo ± 95% | Games |  W-D-L |  Score |     LOS |
        | ---: | ------ | --------: | ----: | -----: | -----: | ------: |
        |    1 | strong |  \>+144.3 |    20 | 20-0-0 | 100.0% | \>99.9% |
        |    2 | weak   |  \<-144.3 |    20 | 0-0-20 |   0.0% |         |

        - 20 games. Elo with 95% error; the mean is 0.
        - LOS: probability of being stronger than the next bot.
        - A rating with \< or \> is unbounded: the bot never lost, or never took, a point.
        "#);
    }

    #[test]
    fn standings_as_latex() {
        let latex = |ranking: &Ranking| {
            let text = standings_latex(ranking, "my_cup 50%", "connect4 round-robin, 20 ms a move, seed 1", &[]);
            text.replace(env!("CARGO_PKG_VERSION"), "[version]")
        };
        insta::assert_snapshot!(latex(&ranking(&HOSTILE, 14)), @r#"
        % \usepackage{booktabs}
        \begin{table}
          \centering
          \begin{tabular}{rlrrrrr}
            \toprule
            Rank & Name                                                                 &   Elo $\pm$ 95\% & Games &   W-D-L &  Score &    LOS \\
            \midrule
               1 & a\textbar{}b\textbackslash{}                                         & $+98.1 \pm 79.3$ &    40 & 28-0-12 & 70.0\% & 99.0\% \\
            2--3 & \textless{}img onerror=x\textgreater{} \textbackslash{}u\{202e\}\_*` & $-49.1 \pm 53.7$ &    40 & 6-20-14 & 40.0\% & 50.0\% \\
            2--3 & 50\% \& \$x\textasciicircum{}2\$ \{\#1\}\textasciitilde{}            & $-49.1 \pm 53.7$ &    40 & 6-20-14 & 40.0\% & \\
            \bottomrule
          \end{tabular}

          \bigskip
          Points of the row against the column:\par\smallskip
          \begin{tabular}{rlrrr}
            \toprule
             \# & Name                                                                 &   1 &    2 &    3 \\
            \midrule
              1 & a\textbar{}b\textbackslash{}                                         &   * & 14.0 & 14.0 \\
              2 & \textless{}img onerror=x\textgreater{} \textbackslash{}u\{202e\}\_*` & 6.0 &    * & 10.0 \\
              3 & 50\% \& \$x\textasciicircum{}2\$ \{\#1\}\textasciitilde{}            & 6.0 & 10.0 &    * \\
            \bottomrule
          \end{tabular}
          \caption{connect4 round-robin, 20 ms a move, seed 1, arena [version]. 60 games. Elo with 95\% error; the mean is 0. LOS: probability of being stronger than the next bot. A range of ranks: the games do not tell these bots apart.}
          \label{tab:arena-my-cup-50-}
        \end{table}
        "#);
        insta::assert_snapshot!(latex(&ranking(&["strong", "weak"], 20)), @r#"
        % \usepackage{booktabs}
        \begin{table}
          \centering
          \begin{tabular}{rlrrrrr}
            \toprule
            Rank & Name   & Elo $\pm$ 95\% & Games &  W-D-L &   Score &                  LOS \\
            \midrule
               1 & strong &      $>+144.3$ &    20 & 20-0-0 & 100.0\% & \textgreater{}99.9\% \\
               2 & weak   &      $<-144.3$ &    20 & 0-0-20 &   0.0\% & \\
            \bottomrule
          \end{tabular}
          \caption{connect4 round-robin, 20 ms a move, seed 1, arena [version]. 20 games. Elo with 95\% error; the mean is 0. LOS: probability of being stronger than the next bot. A rating with \textless{} or \textgreater{} is unbounded: the bot never lost, or never took, a point.}
          \label{tab:arena-my-cup-50-}
        \end{table}
        "#);
    }

    #[test]
    fn addresses_are_no_links_and_hyphens_no_dashes() {
        let ranking = ranking(&["www.a.b http://x", "WWW.a ftp://y", "a---b"], 14);
        let text = standings_markdown(&ranking, &[]);
        for name in [r"| www\.a.b http:\//x |", r"| WWW\.a ftp:\//y ", "| a---b "] {
            assert!(text.contains(name), "{text}");
        }
        let text = standings_latex(&ranking, "a", "b", &[]);
        assert!(text.contains("& www.a.b http://x &") && text.contains("& a-{}-{}-b "), "{text}");
    }

    /// What LaTeX prints of what [`latex_character`] writes.
    fn printed(mut latex: &str) -> String {
        const WORDS: [(&str, &str); 11] = [
            ("\\textbackslash{}", "\\"),
            ("\\textasciitilde{}", "~"),
            ("\\textasciicircum{}", "^"),
            ("\\textless{}", "<"),
            ("\\textgreater{}", ">"),
            ("\\textbar{}", "|"),
            ("$\\pm$", "±"),
            ("\\ ", " "),
            ("--", "–"),
            ("''", "\""),
            ("{}", ""),
        ];
        for ligature in ["---", "'''", "``", "?`", "!`", ",,", "  "] {
            assert!(!latex.contains(ligature), "{latex}");
        }
        let mut out = String::new();
        while let Some(c) = latex.chars().next() {
            let word = WORDS.into_iter().find(|(word, _)| latex.starts_with(word));
            let is_escaped = c == '\\' && latex[1..].starts_with(|c| "#$%&_{}".contains(c));
            assert!(word.is_some() || is_escaped || !"\\~^<>|\"±#$%&_{}".contains(c), "{latex}");
            let (length, means) = match word {
                Some((word, means)) => (word.len(), means),
                None if is_escaped => (2, &latex[1..2]),
                None => (c.len_utf8(), &latex[..c.len_utf8()]),
            };
            out.push_str(means);
            latex = &latex[length..];
        }
        out
    }

    proptest! {
        #[test]
        fn latex_prints_every_text_as_it_is(text in "[ -~]{0,12}|[-'`\"?!,<>–]{0,8}|\\PC{0,12}") {
            prop_assert_eq!(printed(&escaped(&text, latex_character)), text);
        }
    }

    #[test]
    fn no_games_make_an_empty_table() {
        insta::assert_snapshot!(standings_markdown(&ranking(&["alone"], 0), &[]), @r"
        | Rank | Name  | Elo ± 95% | Games | W-D-L | Score | LOS |
        | ---: | ----- | --------: | ----: | ----: | ----: | --: |
        |    1 | alone |        \- |     0 | 0-0-0 |    \- |     |

        - 0 games. Elo with 95% error; the mean is 0.
        - LOS: probability of being stronger than the next bot.
        ");
    }
}
