//! What a request gets: one of a fixed list of things, to read.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arena_store::report::{PUBLISHED_FILES, REPORT_FILE};
use arena_sys::results_folder::Place;
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use tokio::sync::Semaphore;

use super::LiveShared;
use super::body::{Events, FileBody};
use super::site::{Response, Site, TEXT, not_found, respond};

/// What is sent besides what others get.
const DEFINITION: &str = "tournament.json";
pub(super) const HTML: &str = "text/html; charset=utf-8";
const CSV: &str = "text/csv; charset=utf-8";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Addresses of this machine that everybody uses.
const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Policy of everything but the live page. A report may be a stranger's file, and all results have one origin. So each page
/// gets an origin of its own (`sandbox`), by which it reads no other page, and loads nothing. Our own reports have a stricter
/// policy in themselves, with the hash of their script; that of an older arena has another hash.
const ALONE: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
    connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    sandbox allow-scripts allow-downloads allow-modals allow-popups";

impl Site for Arc<LiveShared> {
    async fn get(&self, path: &[&str]) -> Response {
        match path {
            [] => page(self),
            ["events"] => events(self, None),
            ["events", "page"] => events(self, Some(Arc::clone(&self.reports_due))),
            ["game", id] => {
                self.finished.block(id).map_or_else(not_found, |block| respond(StatusCode::OK, TEXT, block))
            }
            [file] => match PUBLISHED_FILES.into_iter().chain([DEFINITION]).find(|name| name == file) {
                Some(name) => {
                    note_asked(self, name);
                    send(&self.files, &self.settings.place, name).await
                }
                None => not_found(),
            },
            _ => not_found(),
        }
    }
}

/// One page less is to ask for the report, if that is what was asked for.
fn note_asked(shared: &LiveShared, name: &str) {
    if name == REPORT_FILE {
        let less = |due: usize| due.checked_sub(1);
        let _ = shared.reports_due.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

fn page(shared: &LiveShared) -> Response {
    let mut response = respond(StatusCode::OK, HTML, shared.page.html.clone());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, shared.page.policy.clone());
    response
}

/// `reports_due` counts those who ask for the report once they know that it is over.
fn events(shared: &LiveShared, reports_due: Option<Arc<AtomicUsize>>) -> Response {
    let events = Events::new(shared.frames.follow(), shared.settings.patience.keep_alive, reports_due);
    let mut response = respond(StatusCode::OK, EVENTS, events);
    // A proxy should not keep frames back.
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// A file of a results folder, once fewer than all `files` are open.
pub(super) async fn send(files: &Arc<Semaphore>, place: &Place, name: &str) -> Response {
    // A request that waits has no more than its connection.
    let Ok(open) = Arc::clone(files).acquire_owned().await else { return not_found() };
    let kind = [(".html", HTML), (".csv", CSV)].into_iter().find(|(end, _)| name.ends_with(end));
    let kind = kind.map_or(JSON, |(_, kind)| kind);
    let file = place.open().and_then(|folder| folder.read(name));
    let body = file.and_then(|file| FileBody::new(file, open));
    body.map_or_else(|_| not_found(), |body| respond(StatusCode::OK, kind, body))
}

/// The headers of every response.
pub(super) fn harden(headers: &mut HeaderMap) {
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(ALONE));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

/// Whether a request is meant for this server: otherwise a page of another site could have its name resolved to this
/// machine, and read everything (DNS rebinding). `own` are the address that was asked for and the one that was reached. The
/// name is compared as a whole; an address of IPv6 is in brackets, and no other is (RFC 3986, section 3.2.2).
pub(super) fn is_for_us(headers: &HeaderMap, own: [IpAddr; 2]) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Ok(host) = host.to_str() else { return false };
    let (name, port) = match host.rfind(':').filter(|colon| !host[*colon..].contains(']')) {
        Some(colon) => (&host[..colon], Some(&host[colon + 1..])),
        None => (host, None),
    };
    // A tunnel may have any port, and a name that leads here by rebinding is another name.
    let is_port = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok();
    if !port.is_none_or(is_port) {
        return false;
    }
    let address = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(name) => name.parse().ok().map(IpAddr::V6),
        None => name.parse().ok().map(IpAddr::V4),
    };
    name.eq_ignore_ascii_case("localhost")
        || address.is_some_and(|address| LOOPBACK.contains(&address) || own.contains(&address))
}

pub(super) fn misdirected() -> Response {
    let cure = "this server is not known by that name: use its address, or localhost\n";
    respond(StatusCode::MISDIRECTED_REQUEST, TEXT, cure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_ours() {
        let own = ["192.168.1.5", "0.0.0.0"].map(|address| address.parse().unwrap());
        let ours = |hosts: &[&str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, host.parse().unwrap());
            }
            is_for_us(&headers, own)
        };
        for host in [
            "localhost",
            "LocalHost:80",
            "127.0.0.1",
            "127.0.0.1:1",
            "[::1]",
            "[::1]:8080",
            "[0:0:0:0:0:0:0:1]",
            "192.168.1.5:8000",
        ] {
            assert!(ours(&[host]), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "127.0.0.2",
            "192.168.1.6",
            "[::2]",
            "a b",
            "[127.0.0.1]",
            "[localhost]",
            "[[::1]]",
            "[::1",
            "::1",
            "127.1",
            "localhost.",
            "localhost:",
            "localhost:+80",
            "localhost:65536",
            "localhost:80:80",
            "localhost:80@evil.example",
            "[::1]evil.example",
            "[::1]evil.example:80",
            "user@localhost",
            " localhost",
        ] {
            assert!(!ours(&[host]), "{host}");
        }
        assert!(!ours(&[]) && !ours(&["localhost", "localhost"]));
    }
}
