//! A site: things to read, each at a path. Requests for anything else, or to do anything else, are rejected here.

use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Method, StatusCode};

use super::body::Body;

pub(super) const TEXT: &str = "text/plain; charset=utf-8";

pub(super) type Response = hyper::Response<Body>;

/// The things that a server has.
pub(super) trait Site: Clone + Send + Sync + 'static {
    /// The response to a request for what is at `path`: its parts between slashes, decoded, none of them empty. The path `/`
    /// has no parts.
    fn get(&self, path: &[&str]) -> impl Future<Output = Response> + Send;
}

/// The response to a request for the undecoded `path`. That to `HEAD` is that to `GET`; hyper leaves out its body.
pub(super) async fn answer(site: &impl Site, method: &Method, path: &str) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut response = respond(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match parts(path) {
        Some(parts) => site.get(&parts.iter().map(String::as_str).collect::<Vec<_>>()).await,
        None => not_found(),
    }
}

pub(super) fn respond(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

pub(super) fn not_found() -> Response {
    respond(StatusCode::NOT_FOUND, TEXT, "there is nothing here, or not yet\n")
}

/// The parts of a path; `None` if one is empty or not UTF-8.
fn parts(path: &str) -> Option<Vec<String>> {
    match path.strip_prefix('/')? {
        "" => Some(vec![]),
        path => path.split('/').map(|part| decoded(part).filter(|part| !part.is_empty())).collect(),
    }
}

/// `text` with `%` and two hexadecimal digits as the byte that they mean (RFC 3986, section 2.1). Any other `%` is itself.
fn decoded(text: &str) -> Option<String> {
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    let digit = |byte: u8| char::from(byte).to_digit(16);
    while let [first, after @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, after @ ..] => digit(*high).zip(digit(*low)).map(|(high, low)| (high * 16 + low, after)),
            _ => None,
        };
        let (byte, after) = escaped.map_or((*first, after), |(byte, after)| (byte as u8, after));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded_once_and_after_they_are_divided() {
        let parts = |path| parts(path).map(|parts| parts.join("|"));
        assert_eq!(parts("/").as_deref(), Some(""));
        assert_eq!(parts("/cup/standings.csv").as_deref(), Some("cup|standings.csv"));
        assert_eq!(parts("/my%20cup/%C3%a9").as_deref(), Some("my cup|é"));
        assert_eq!(parts("/a%2fb/%252e").as_deref(), Some("a/b|%2e"));
        assert_eq!(parts("/100%/%4/%zz/%+1").as_deref(), Some("100%|%4|%zz|%+1"));
        for wrong in ["", "*", "cup", "//", "//cup", "/cup/", "/cup//standings.csv", "/%ff", "/%C3"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }
}
