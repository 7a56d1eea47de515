//! Resolving names to those of their addresses that the address guard permits.
//!
//! The HTTP client asks this resolver for every new connection and connects to the answer, so no time
//! passes between the check of an address and its use. Of public and private addresses in one answer
//! the public ones are kept.
//!
//! A polite crawl opens a connection every few seconds for each host; a small cache avoids a DNS query
//! for each. It keeps answers for a minute, and no failures.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::guard::{AddressGuard, Refused};

/// How long an answer is cached. It is short, so that a host's new address is soon used.
const CACHE_TIME: Duration = Duration::from_secs(60);
/// The most answers in the cache; when it is full it is emptied.
const CACHE_NAMES_MAX: usize = 10_000;
/// The most addresses of one name that are tried.
const ADDRESSES_MAX: usize = 16;

/// A name that has no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("look up {host}: {message}")]
pub struct LookupFailed {
    /// The name.
    pub host: String,
    /// What the system said.
    pub message: String,
}

/// The guarded resolver.
#[derive(Clone)]
pub(crate) struct Resolver {
    shared: Arc<Shared>,
}

struct Shared {
    guard: AddressGuard,
    /// The proxy's own name. The user has chosen it, so the guard does not apply.
    proxy_host: Option<String>,
    cache: Mutex<HashMap<String, (Instant, Vec<IpAddr>)>>,
}

impl Resolver {
    pub(crate) fn new(guard: AddressGuard, proxy_host: Option<String>) -> Self {
        Self {
            shared: Arc::new(Shared {
                guard,
                proxy_host,
                cache: Mutex::new(HashMap::new()),
            }),
        }
    }
}

impl Resolver {
    /// The address that a connection is first made to.
    pub(crate) async fn first(&self, name: &str) -> Option<IpAddr> {
        let addresses = self.shared.addresses(name).await.ok()?;
        addresses.first().copied()
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let addresses = shared.addresses(name.as_str()).await?;
            let answer: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(answer)
        })
    }
}

impl Shared {
    async fn addresses(
        &self,
        name: &str,
    ) -> Result<Vec<IpAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let found = match self.cached(name) {
            Some(found) => found,
            None => self.look_up(name).await?,
        };
        if self.proxy_host.as_deref() == Some(name) {
            return Ok(found);
        }
        Ok(self.permitted(name, found)?)
    }

    /// The addresses that the guard lets through; a refusal when it lets none.
    fn permitted(&self, name: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, Refused> {
        let refusal = found
            .iter()
            .find_map(|ip| self.guard.refuses(*ip).map(|reason| (*ip, reason)));
        let public: Vec<IpAddr> = found
            .into_iter()
            .filter(|ip| self.guard.refuses(*ip).is_none())
            .collect();
        match refusal {
            Some((address, reason)) if public.is_empty() => Err(Refused {
                host: name.to_owned(),
                address: Some(address),
                reason,
            }),
            _ => Ok(public),
        }
    }

    fn cached(&self, name: &str) -> Option<Vec<IpAddr>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, found) = cache.get(name)?;
        (at.elapsed() < CACHE_TIME).then(|| found.clone())
    }

    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, LookupFailed> {
        let failed = |message: String| LookupFailed {
            host: name.to_owned(),
            message,
        };
        let mut found: Vec<IpAddr> = Vec::new();
        let answer = tokio::net::lookup_host((name, 0))
            .await
            .map_err(|error| failed(error.to_string()))?;
        for address in answer.map(|socket| socket.ip()) {
            if found.len() < ADDRESSES_MAX && !found.contains(&address) {
                found.push(address);
            }
        }
        if found.is_empty() {
            return Err(failed("no address".to_owned()));
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= CACHE_NAMES_MAX {
            cache.clear();
        }
        cache.insert(name.to_owned(), (Instant::now(), found.clone()));
        Ok(found)
    }
}

/// A resolver for hosts whose addresses are configured.
pub(crate) struct Fixed(pub HashMap<String, IpAddr>);

impl Resolve for Fixed {
    fn resolve(&self, name: Name) -> Resolving {
        let address = self.0.get(name.as_str()).copied();
        Box::pin(async move {
            // The port is the URL's.
            let address = address.ok_or("no address is configured")?;
            let answer: Addrs = Box::new(std::iter::once(SocketAddr::new(address, 0)));
            Ok(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(addresses: &[&str]) -> Result<Vec<String>, &'static str> {
        let resolver = Resolver::new(AddressGuard::public_only(), None);
        let found = addresses.iter().map(|a| a.parse().unwrap()).collect();
        resolver
            .shared
            .permitted("a.example", found)
            .map(|kept| kept.iter().map(IpAddr::to_string).collect())
            .map_err(|refused| refused.reason)
    }

    #[test]
    fn of_a_mixed_answer_only_the_public_addresses_are_kept() {
        assert_eq!(
            permitted(&["10.0.0.1", "93.184.216.34", "::1"]),
            Ok(vec!["93.184.216.34".to_owned()])
        );
    }

    /// Asks as a new connection does, when the name server answers `address`.
    fn connect(resolver: &Resolver, address: &str) -> Result<Vec<String>, String> {
        let answer = vec![address.parse().unwrap()];
        let mut cache = resolver.shared.cache.lock().unwrap();
        cache.insert("a.example".to_owned(), (Instant::now(), answer));
        drop(cache);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let found = runtime.block_on(resolver.resolve("a.example".parse().unwrap()));
        found
            .map(|kept| kept.map(|socket| socket.ip().to_string()).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_that_turns_to_a_private_address_is_refused_at_its_next_connection() {
        let resolver = Resolver::new(AddressGuard::public_only(), None);
        let public = Ok(vec!["93.184.216.34".to_owned()]);
        assert_eq!(connect(&resolver, "93.184.216.34"), public);
        let refused = connect(&resolver, "127.0.0.1").unwrap_err();
        assert_eq!(refused, "refused by the address guard: loopback");
        assert_eq!(connect(&resolver, "93.184.216.34"), public);
    }

    #[test]
    fn mapped_translated_and_tunnelled_addresses_are_judged_by_what_they_carry() {
        for (address, reason) in [
            ("::ffff:10.0.0.1", "private"),
            ("64:ff9b::7f00:1", "loopback"),
            ("2002:a9fe:a9fe::1", "link-local"),
        ] {
            assert_eq!(permitted(&[address]), Err(reason), "{address}");
        }
        let public = "64:ff9b::5db8:d822";
        let answer = permitted(&["64:ff9b::a00:1", public]);
        assert_eq!(answer, Ok(vec![public.to_owned()]));
    }

    #[test]
    fn an_answer_of_private_addresses_alone_is_refused() {
        assert_eq!(permitted(&["127.0.0.1", "::1"]), Err("loopback"));
        assert_eq!(permitted(&["fe80::1"]), Err("link-local"));
    }
}
