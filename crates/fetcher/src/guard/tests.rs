//! What may be connected to, address by address.

use super::*;

/// Addresses in every notation that a URL can hide them in, with what they are.
const REFUSED: &[(&str, &str)] = &[
    // Loopback, in all its spellings.
    ("http://127.0.0.1/", "loopback"),
    ("http://127.0.0.1:8080/admin", "loopback"),
    ("http://127.255.255.254/", "loopback"),
    ("http://127.1/", "loopback"),
    ("http://127.0.1/", "loopback"),
    ("http://2130706433/", "loopback"),
    ("http://0x7f000001/", "loopback"),
    ("http://0x7F.0.0.1/", "loopback"),
    ("http://0x7f.1/", "loopback"),
    ("http://0177.0.0.1/", "loopback"),
    ("http://017700000001/", "loopback"),
    ("http://0177.0.0x1/", "loopback"),
    ("http://127.0.0.1./", "loopback"),
    ("http://%31%32%37.0.0.1/", "loopback"),
    ("http://１２７.０.０.１/", "loopback"),
    ("http://127。0。0。1/", "loopback"),
    ("http://①②⑦.0.0.1/", "loopback"),
    ("http:\\\\127.0.0.1\\", "loopback"),
    ("http://[::1]/", "loopback"),
    ("http://[0:0:0:0:0:0:0:1]/", "loopback"),
    ("http://[0000::0001]:8080/", "loopback"),
    // The unspecified address, which many systems take to mean this host.
    ("http://0.0.0.0/", "this network"),
    ("http://0/", "this network"),
    ("http://0x0/", "this network"),
    ("http://0.1.2.3/", "this network"),
    ("http://[::]/", "unspecified"),
    // Private networks.
    ("http://10.0.0.1/", "private"),
    ("http://10.255.255.255/", "private"),
    ("http://167772161/", "private"),
    ("http://012.0.0.1/", "private"),
    ("http://172.16.0.1/", "private"),
    ("http://172.31.255.255/", "private"),
    ("http://192.168.0.1/", "private"),
    ("http://0xc0a80001/", "private"),
    ("http://192.168.257/", "private"),
    ("http://[fc00::1]/", "unique local"),
    ("http://[fd12:3456:789a::1]/", "unique local"),
    // Link-local: the metadata services of the clouds.
    ("http://169.254.169.254/latest/meta-data/", "link-local"),
    ("http://2852039166/", "link-local"),
    ("http://0xa9fea9fe/", "link-local"),
    ("http://[fe80::1]/", "link-local"),
    ("http://[febf::1]/", "link-local"),
    ("http://[fec0::1]/", "site-local"),
    ("http://[fd00:ec2::254]/", "unique local"),
    // Carriers, protocols, benchmarks, documentation.
    ("http://100.64.0.1/", "carrier-grade NAT"),
    ("http://100.127.255.255/", "carrier-grade NAT"),
    ("http://100.100.100.200/", "carrier-grade NAT"),
    ("http://192.0.0.1/", "protocol assignments"),
    ("http://192.0.0.192/", "protocol assignments"),
    ("http://192.0.2.1/", "documentation"),
    ("http://198.51.100.1/", "documentation"),
    ("http://203.0.113.1/", "documentation"),
    ("http://192.88.99.1/", "6to4 relay"),
    ("http://198.18.0.1/", "benchmarking"),
    ("http://198.19.255.255/", "benchmarking"),
    ("http://[2001:db8::1]/", "documentation"),
    ("http://[3fff::1]/", "documentation"),
    ("http://[2001:2::1]/", "protocol assignments"),
    ("http://[2001:20::1]/", "protocol assignments"),
    // Multicast, broadcast, reserved.
    ("http://224.0.0.1/", "multicast"),
    ("http://239.255.255.255/", "multicast"),
    ("http://240.0.0.1/", "reserved"),
    ("http://255.255.255.255/", "broadcast"),
    ("http://4294967295/", "broadcast"),
    ("http://[ff02::1]/", "multicast"),
    ("http://[100::1]/", "reserved"),
    ("http://[4000::1]/", "reserved"),
    // IPv4 inside IPv6.
    ("http://[::ffff:127.0.0.1]/", "loopback"),
    ("http://[::ffff:7f00:1]/", "loopback"),
    ("http://[::ffff:10.0.0.1]/", "private"),
    ("http://[::ffff:a9fe:a9fe]/", "link-local"),
    ("http://[::ffff:0:127.0.0.1]/", "loopback"),
    ("http://[::127.0.0.1]/", "IPv4-compatible"),
    ("http://[::10.0.0.1]/", "IPv4-compatible"),
    ("http://[64:ff9b::127.0.0.1]/", "loopback"),
    ("http://[64:ff9b::a00:1]/", "private"),
    ("http://[64:ff9b::169.254.169.254]/", "link-local"),
    ("http://[64:ff9b:1::1]/", "local NAT64"),
    ("http://[2002:7f00:1::]/", "loopback"),
    ("http://[2002:c0a8:1::1]/", "private"),
    ("http://[2002:a9fe:a9fe::1]/", "link-local"),
    ("http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "Teredo"),
    ("http://[2a00:1450::5efe:10.0.0.1]/", "private"),
    ("http://[2a00:1450::200:5efe:127.0.0.1]/", "loopback"),
];

const PERMITTED: &[&str] = &[
    "http://1.1.1.1/",
    "http://8.8.8.8/",
    "http://93.184.216.34/",
    "http://100.63.255.255/",
    "http://100.128.0.1/",
    "http://172.15.255.255/",
    "http://172.32.0.1/",
    "http://192.0.1.1/",
    "http://192.167.255.255/",
    "http://192.169.0.1/",
    "http://198.17.255.255/",
    "http://198.20.0.1/",
    "http://223.255.255.255/",
    "http://[2606:2800:220:1:248:1893:25c8:1946]/",
    "http://[2a00:1450:4001:81b::200e]/",
    "http://[::ffff:93.184.216.34]/",
    "http://[64:ff9b::93.184.216.34]/",
    "http://[2002:5db8:d822::1]/",
    "http://a.example/",
];

#[test]
fn special_addresses_are_refused_in_every_notation() {
    assert!(REFUSED.len() >= 60);
    for (text, reason) in REFUSED {
        let url = Url::parse(text).expect(text);
        let refused = AddressGuard::public_only().check_literal(&url);
        assert_eq!(refused.map_err(|r| r.reason), Err(*reason), "{text}");
        assert!(AddressGuard::public_only().check_proxied(&url).is_err());
    }
}

#[test]
fn every_special_address_is_let_through_when_that_is_allowed() {
    for (text, _) in REFUSED {
        let url = Url::parse(text).expect(text);
        assert_eq!(AddressGuard::allow_all().check_literal(&url), Ok(()));
        assert_eq!(AddressGuard::allow_all().check_proxied(&url), Ok(()));
    }
}

#[test]
fn public_addresses_and_names_are_let_through() {
    for text in PERMITTED {
        let url = Url::parse(text).expect(text);
        assert_eq!(
            AddressGuard::public_only().check_literal(&url),
            Ok(()),
            "{text}"
        );
        assert_eq!(
            AddressGuard::public_only().check_proxied(&url),
            Ok(()),
            "{text}"
        );
    }
}

#[test]
fn local_names_are_refused_where_a_proxy_would_resolve_them() {
    for name in [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.b.localhost",
        "printer.local",
        "metadata.google.internal",
        "nas.lan",
        "router.home",
        "x.home.arpa",
        "intranet",
    ] {
        let url = Url::parse(&format!("http://{name}/")).unwrap();
        assert!(
            AddressGuard::public_only().check_proxied(&url).is_err(),
            "{name}"
        );
        assert!(AddressGuard::allow_all().check_proxied(&url).is_ok());
    }
    for name in ["localhost.example", "mylocal.example", "internal.example"] {
        let url = Url::parse(&format!("http://{name}/")).unwrap();
        assert!(
            AddressGuard::public_only().check_proxied(&url).is_ok(),
            "{name}"
        );
    }
}
