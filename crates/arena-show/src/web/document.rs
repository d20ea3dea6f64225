//! The frame of a page: head, policy, styles and script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac_sha256::Hash;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A page with its styles and its script.
#[derive(Debug, Clone)]
pub struct WebPage<'a> {
    /// Its title; may be foreign text, which is escaped.
    pub title: &'a str,
    /// Its only style sheet.
    pub style: &'a str,
    /// Its only script, a module; empty if it has none.
    pub script: &'a str,
    /// The content.
    pub body: Markup,
}

impl WebPage<'_> {
    /// The content security policy: nothing but this very style sheet and script, and images that
    /// are data. `extra` is added, such as
    /// `connect-src 'self'`.
    #[must_use]
    pub fn policy(&self, extra: &str) -> String {
        let [script, style] = [self.script, self.style].map(|text| STANDARD.encode(Hash::hash(text.as_bytes())));
        let script = if self.script.is_empty() { "'none'".to_owned() } else { format!("'sha256-{script}'") };
        let policy = format!(
            "default-src 'none'; script-src {script}; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; \
             form-action 'none'"
        );
        if extra.is_empty() { policy } else { format!("{policy}; {extra}") }
    }

    /// The whole file. Its policy is in it if it is opened from a file (`policy`), and not if a server sends it.
    #[must_use]
    pub fn html(self, policy: Option<&str>) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="generator" content="arena";
                    @if let Some(policy) = policy {
                        meta http-equiv="Content-Security-Policy" content=(policy);
                    }
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (self.title) }
                    style { (PreEscaped(self.style)) }
                }
                body {
                    (self.body)
                    @if !self.script.is_empty() { script type="module" { (PreEscaped(self.script)) } }
                }
            }
        }
        .into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_in_a_page_stays_text() {
        let title = "</title><script>alert(1)</script>";
        let body = html! { p { (title) } };
        let document = WebPage { title, style: "p { color: red }", script: "'use strict'", body };
        let policy = document.policy("");
        let page = document.html(Some(&policy));
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("&lt;script&gt;").count(), 2);
        assert!(policy.starts_with("default-src 'none'; ") && policy.contains("; img-src data:; "), "{policy}");
        // printf TEXT | openssl dgst -sha256 -binary | base64
        assert!(policy.contains("style-src 'sha256-ngewhhP73WDIbgwseeu52VAAJgKdGUsu1IUQQsAm8m4='"), "{policy}");
        assert!(policy.contains("script-src 'sha256-eRtaeqcVFyPImuIFClNdaosAhRufChL7+dumku9g1ew='"), "{policy}");
        // Quotes of the policy are escaped in its attribute or harmless there.
        assert!(page.contains(&policy), "{page}");
    }
}
