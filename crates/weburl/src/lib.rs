//! What all who meet URLs agree on: where a reference leads, and the parts of a URL's text.
//!
//! A link of a page, a Location, an entry of a sitemap and a line of robots.txt are resolved by one function,
//! [`resolve`]. What a URL is known as, its canonical form, is a matter of `frontier`.

mod parts;
mod resolve;

pub use parts::{URL_BYTES_MAX, host_of, origin_of, without_password, without_scheme};
pub use resolve::{resolve, resolve_in};
