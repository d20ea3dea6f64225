//! The style of plots: in a page by the variables of its style sheet, in a file by colours as such, since programs that
//! convert files know no variables.

/// Rules for plots in a page that defines the variables.
const STYLE: &str = include_str!("chart.css");
/// Rules for what is in files only.
const OF_FILES: &str = include_str!("file.css");

/// Colours of series, those of Okabe and Ito; more series are dashed. One is darker on white, for contrast.
pub(super) const SERIES: usize = 6;

/// The variables: name, and colour in the light and the dark theme. Those of the report are the same.
const COLOURS: [(&str, &str, &str); 17] = [
    ("paper", "#ffffff", "#13161a"),
    ("card", "#f5f6f8", "#1b1f25"),
    ("ink", "#1a1e23", "#e7e9ec"),
    ("muted", "#555d66", "#a4acb6"),
    ("rule", "#dcdfe4", "#323942"),
    ("edge", "#7c858f", "#7d8691"),
    ("win", "#0072b2", "#0072b2"),
    ("lose", "#d55e00", "#d55e00"),
    ("good", "#007a59", "#00b685"),
    ("seat0", "#a84800", "#f0a030"),
    ("seat1", "#0064a0", "#66bdf0"),
    ("c0", "#0072b2", "#56b4e9"),
    ("c1", "#d55e00", "#e8803a"),
    ("c2", "#009e73", "#00b685"),
    ("c3", "#c2649a", "#cc79a7"),
    ("c4", "#b07a00", "#e69f00"),
    ("c5", "#1a1e23", "#e7e9ec"),
];

/// The style sheet of a file.
pub(super) fn of_file() -> String {
    const FONT: &str = "svg { font-family: system-ui, -apple-system, \"Segoe UI\", \"Noto Sans\", \"Liberation Sans\", \
                        sans-serif; }";
    let [light, dark] = [false, true].map(|is_dark| {
        COLOURS.iter().fold(format!("{STYLE}{OF_FILES}"), |style, (name, light, dark)| {
            style.replace(&format!("var(--{name})"), if is_dark { dark } else { light })
        })
    });
    // Only what has a colour differs.
    let dark: Vec<&str> =
        dark.lines().zip(light.lines()).filter(|(dark, light)| dark != light).map(|(dark, _)| dark).collect();
    format!("\n{FONT}\n{light}@media (prefers-color-scheme: dark) {{\n{}\n}}\n", dark.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_all_colours_of_both_themes() {
        let style = of_file();
        assert!(!style.contains("var(") && !style.contains(['<', '&']), "{style}");
        assert!(style.contains("#ffffff") && style.contains("#13161a"));
        // Rules whose colours differ are one line each.
        let of_many_lines =
            style.lines().find(|line| line.contains('#') && !(line.contains('{') && line.ends_with('}')));
        assert_eq!(of_many_lines, None);
    }

    #[test]
    fn the_report_has_the_same_colours() {
        let report = concat!(
            include_str!("../../web/colours.css"),
            include_str!("../../web/report.css"),
            include_str!("../../web/picture.css")
        );
        let is_shared = |name: &str| name.starts_with("seat") || STYLE.contains(&format!("var(--{name})"));
        for (name, light, dark) in COLOURS.into_iter().filter(|(name, ..)| is_shared(name)) {
            let same = [format!("--{name}: light-dark({light}, {dark});"), format!("--{name}: {light};")];
            assert!(same.iter().any(|line| report.contains(line)), "{name}");
        }
    }

    /// The contrast of two colours, as WCAG has it.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |from: usize| {
                let share = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap()) / 255.0;
                if share <= 0.04045 { share / 12.92 } else { libm::pow((share + 0.055) / 1.055, 2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn contrast_is_enough_in_both_themes() {
        let (_, light_paper, dark_paper) = COLOURS[0];
        for (name, light, dark) in COLOURS {
            let least = match name {
                "ink" | "muted" | "good" | "seat0" | "seat1" => 4.5,
                "edge" | "c0" | "c1" | "c2" | "c3" | "c4" | "c5" => 3.0,
                _ => continue,
            };
            for (colour, paper) in [(light, light_paper), (dark, dark_paper)] {
                assert!(contrast(colour, paper) >= least, "{name}: {}", contrast(colour, paper));
            }
        }
    }
}
