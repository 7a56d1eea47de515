//! Sitemap vectors.

use std::collections::BTreeSet;

use fetcher::Sitemap;
use serde_json::Value;
use url::Url;

use crate::bytes;

#[test]
fn sitemap_vectors_hold() {
    crate::run("sitemap", judge);
}

fn judge(vector: &Value) -> bool {
    let expected = &vector["expected"];
    let base = vector["base"].as_str().and_then(|b| Url::parse(b).ok());
    let answer = Sitemap::parse(&bytes(vector, "body"), base.as_ref());
    if expected["error"].as_bool() == Some(true) {
        return answer.map_or(true, |sitemap| sitemap.urls.is_empty());
    }
    let (kind, urls) = match &answer {
        Ok(sitemap) => (Some(sitemap.kind.name()), sitemap.urls.as_slice()),
        Err(_) => (None, &[][..]),
    };
    if let Some(count) = expected["count"].as_u64() {
        return urls.len() as u64 == count;
    }
    let wanted: BTreeSet<&str> = expected["urls"]
        .as_array()
        .expect("urls")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let got: BTreeSet<&str> = urls.iter().map(|u| u.loc.as_str()).collect();
    let kind_holds = match expected["type"].as_str() {
        Some(wanted) => kind.is_none_or(|got| got == wanted),
        None => true,
    };
    got == wanted && (kind_holds || wanted.is_empty())
}
