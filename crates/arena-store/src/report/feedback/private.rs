//! Leaves out of a text for an author what belongs to the organiser: where files lie.

/// Folders of the system, whose paths say nothing about the organiser.
const OF_SYSTEM: [&str; 7] = ["/usr/", "/lib/", "/lib64/", "/bin/", "/etc/", "/proc/", "/dev/"];
/// What an absolute path can follow.
const BEFORE_PATH: &[char] = &['"', '\'', '`', '(', '[', '{', '<', '=', ',', ';', ':', '|'];
/// What ends a path besides white space.
const AFTER_PATH: &[char] = &['"', '\'', '`', ')', ']', '}', '>', ',', ';', ':', '|'];

/// Texts that no author may read.
#[derive(Debug, Clone, Default)]
pub(super) struct PrivateTexts(Vec<String>);

impl PrivateTexts {
    /// `texts` are paths such as that of the home folder, or names. Those of one character, such as `/`, are not private.
    pub(super) fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let without_end = texts.into_iter().map(|text| text.trim_end_matches('/').to_owned());
        let mut texts: Vec<String> = without_end.filter(|text| text.chars().count() > 1).collect();
        // A folder comes before the one that it is in.
        texts.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        texts.dedup();
        Self(texts)
    }

    /// The text with `…` in place of each private text.
    pub(super) fn leave_out(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // What is left of two texts may make up another one.
        while let Some(private) = self.0.iter().find(|private| text.contains(private.as_str())) {
            text = text.replace(private.as_str(), "…");
        }
        text
    }

    /// As [`leave_out`](Self::leave_out), and of every other absolute path only the last name, unless it is one of the system.
    pub(super) fn leave_out_paths(&self, text: &str) -> String {
        let text = self.leave_out(text);
        let mut shortened = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find('/') {
            let (before, path) = rest.split_at(at);
            shortened.push_str(before);
            let begins = shortened.chars().next_back().is_none_or(|c| c.is_whitespace() || BEFORE_PATH.contains(&c));
            let end = path.find(|c: char| c.is_whitespace() || AFTER_PATH.contains(&c)).unwrap_or(path.len());
            let (path, after) = path.split_at(if begins { end } else { 1 });
            let is_private =
                begins && !path.starts_with("//") && !OF_SYSTEM.iter().any(|system| path.starts_with(system));
            match path.trim_end_matches('/').rsplit_once('/') {
                Some((folders, name)) if is_private && !folders.is_empty() => {
                    shortened.push_str("…/");
                    shortened.push_str(name);
                }
                _ => shortened.push_str(path),
            }
            rest = after;
        }
        shortened + rest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn private() -> PrivateTexts {
        PrivateTexts::new(["/home/ann", "/home/ann/My League/results/", "/", ""].map(str::to_owned))
    }

    #[test]
    fn a_path_keeps_its_last_name() {
        let cut = |text: &str| private().leave_out_paths(text);
        assert_eq!(cut(r#"File "/home/ann/bots/eve/main.py", line 3"#), r#"File "…/bots/eve/main.py", line 3"#);
        assert_eq!(cut(r#"File "/srv/league/bots/main.py", line 3"#), r#"File "…/main.py", line 3"#);
        assert_eq!(cut("no /srv/a/b: PATH=/opt/x/y:/usr/bin"), "no …/b: PATH=…/y:/usr/bin");
        assert_eq!(
            cut("/usr/lib/python3/json.py, 1/2, a/b, http://x.y/z, /tmp"),
            "/usr/lib/python3/json.py, 1/2, a/b, http://x.y/z, /tmp"
        );
        assert_eq!(cut("in /home/ann/My League/results/friday"), "in …/friday");
    }

    proptest! {
        #[test]
        fn nothing_private_is_left(text in "(/home/ann|/home|/ann|/|My League|[ a\":=])*", secrets in prop::collection::vec("[/a…]{0,4}", 0..3)) {
            let private = PrivateTexts::new(secrets.iter().cloned().chain(["/home/ann".to_owned()]));
            for secret in &private.0 {
                prop_assume!(!secret.contains('…'));
                prop_assert!(!private.leave_out_paths(&text).contains(secret.as_str()));
            }
        }
    }
}
