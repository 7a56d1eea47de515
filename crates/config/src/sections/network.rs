//! `[network]`: how to reach the network.

use std::net::{IpAddr, SocketAddr};

use fetcher::{FetchSetupError, HttpConfig};
use url::Url;

use crate::crawl_config::CrawlConfig;
use crate::rule::{any, each, tested};
use crate::section::{Section, keys};
use crate::units::Rate;

keys! {
    /// How to reach the network.
    pub struct NetworkSection {
        /// Proxy URL (http, https, socks5, socks4).
        proxy: String = String::new(), tested("a URL", proxy)
            .zero("none")
            .shown(without_password);

        /// Addresses to use for hosts: `HOST:PORT:ADDR`.
        resolve: Vec<String> = Vec::new(), each("HOST:PORT:ADDR", resolve);

        /// Allow private, loopback and link-local addresses.
        allow_private: bool = false, any();

        /// Bytes per second over all hosts.
        bandwidth: Rate = Rate(None), any().zero("no limit");

        /// Keep cookies within a crawl.
        cookies: bool = false, any();
    }
}

impl Section for NetworkSection {}

impl CrawlConfig {
    /// The network client's settings.
    ///
    /// # Errors
    /// When an address or the proxy cannot be used; not for a configuration that was checked.
    pub fn http_config(&self) -> Result<HttpConfig, String> {
        let network = &self.network;
        let resolve = network.resolve.iter().map(|rule| {
            let (host, port, address) =
                parse_resolve(rule).ok_or_else(|| format!("{rule} cannot be used"))?;
            Ok((host, port, SocketAddr::new(address, port)))
        });
        Ok(HttpConfig {
            user_agent: format!("{}/{}", self.agent.name, env!("CARGO_PKG_VERSION")),
            contact: Some(self.agent.contact.clone()).filter(|contact| !contact.is_empty()),
            limits: self.fetch_limits(),
            proxy: match network.proxy.as_str() {
                "" => None,
                proxy => {
                    let url = Url::parse(proxy);
                    Some(url.map_err(|_| "network.proxy cannot be used".to_owned())?)
                }
            },
            resolve: resolve.collect::<Result<_, String>>()?,
            allow_private: network.allow_private,
            cookies: network.cookies,
            bandwidth: network.bandwidth.0,
            requests_per_second: Some(self.politeness.requests_per_second)
                .filter(|&rate| rate > 0.0),
            ..HttpConfig::default()
        })
    }

    /// The fields of our requests, for the archive.
    pub fn request_fields(&self) -> Vec<(String, String)> {
        let Ok(http) = self.http_config() else {
            return Vec::new();
        };
        let mut fields = vec![
            ("user-agent".to_string(), http.user_agent_header()),
            (
                "accept-encoding".to_string(),
                "gzip, deflate, br, zstd".to_string(),
            ),
        ];
        fields.extend(http.from_header().map(|from| ("from".to_string(), from)));
        fields
    }
}

/// Reads `HOST:PORT:ADDR`; the address may be in brackets.
pub(crate) fn parse_resolve(rule: &str) -> Option<(String, u16, IpAddr)> {
    let (host, rest) = rule.split_once(':')?;
    let (port, address) = rest.split_once(':')?;
    let address = address.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then_some(())?;
    Some((
        frontier::typed_host(host),
        port.parse().ok().filter(|&port| port > 0)?,
        address.parse().ok()?,
    ))
}

fn resolve(rule: &str) -> Result<(), (String, String)> {
    match parse_resolve(rule) {
        Some(_) => Ok(()),
        None => Err((
            "is not HOST:PORT:ADDR".into(),
            "write it as example.org:443:192.0.2.1 (an IPv6 address in brackets)".into(),
        )),
    }
}

fn proxy(proxy: &str) -> Result<(), (String, String)> {
    let mend = "write it as http://host:port or socks5://host:port";
    if proxy.is_empty() {
        return Ok(());
    }
    let Ok(url) = Url::parse(proxy) else {
        return Err(("is no URL".into(), mend.into()));
    };
    match fetcher::check_proxy(&url) {
        Ok(()) => Ok(()),
        Err(FetchSetupError::Proxy { message, .. }) => {
            Err((format!("is no proxy: {message}"), mend.into()))
        }
        Err(error) => Err((format!("is no proxy: {error}"), mend.into())),
    }
}

#[expect(clippy::ptr_arg, reason = "the key's type is String")]
fn without_password(proxy: &String) -> String {
    match Url::parse(proxy) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            // Both fail only for URLs that cannot have a password.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.into()
        }
        _ => proxy.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_rules_take_both_kinds_of_addresses() {
        assert_eq!(
            parse_resolve("A.example:80:192.0.2.1"),
            Some(("a.example".into(), 80, [192, 0, 2, 1].into()))
        );
        let of_idn = parse_resolve("例子.测试:80:192.0.2.1").map(|(host, ..)| host);
        assert_eq!(of_idn.as_deref(), Some("xn--fsqu00a.xn--0zwm56d"));
        assert!(parse_resolve("a.example:80:[::1]").is_some_and(|(_, _, ip)| ip.is_ipv6()));
        assert_eq!(parse_resolve("a.example:80"), None);
        // No URL has this port.
        assert_eq!(parse_resolve("a.example:0:192.0.2.1"), None);
    }

    #[test]
    fn a_proxy_is_of_a_scheme_that_requests_can_be_sent_through() {
        for good in [
            "",
            "http://a.example:3128",
            "https://a.example",
            "socks5://[::1]:9050",
        ] {
            assert_eq!(proxy(good), Ok(()), "{good}");
        }
        for bad in ["::", "ftp://a.example", "localhost:3128"] {
            let (what, mend) = proxy(bad).expect_err(bad);
            assert!(
                what.starts_with("is no ") && mend.contains("socks5://"),
                "{bad}: {what}"
            );
        }
    }
}
