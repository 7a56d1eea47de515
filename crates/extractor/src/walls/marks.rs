//! Names by which a vendor's wall is known.
//!
//! A *sure* mark stands on walls alone, or on hardly any page with text. A *doubtful* one stands on
//! other pages of the vendor's customers too, such as a captcha's script: it only adds to words.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use outcome::WallKind;

/// A name in markup.
#[derive(Debug)]
pub(super) struct Mark {
    pub vendor: &'static str,
    pub kind: WallKind,
    pub is_sure: bool,
    pub text: &'static str,
}

const fn mark(vendor: &'static str, kind: WallKind, is_sure: bool, text: &'static str) -> Mark {
    Mark {
        vendor,
        kind,
        is_sure,
        text,
    }
}

/// A header by which a server says that it answers with a wall: name, beginning of its value.
static HEADERS: [(&str, &str, Mark); 5] = [
    (
        "cf-mitigated",
        "challenge",
        mark("cloudflare", WallKind::Bot, true, "header cf-mitigated"),
    ),
    (
        "x-amzn-waf-action",
        "captcha",
        mark("aws", WallKind::Human, true, "header x-amzn-waf-action"),
    ),
    (
        "x-amzn-waf-action",
        "challenge",
        mark("aws", WallKind::Bot, true, "header x-amzn-waf-action"),
    ),
    (
        "x-vercel-mitigated",
        "challenge",
        mark("vercel", WallKind::Bot, true, "header x-vercel-mitigated"),
    ),
    (
        "x-dd-b",
        "",
        mark("datadome", WallKind::Bot, true, "header x-dd-b"),
    ),
];

/// The wall that the response headers tell of.
pub(super) fn of_headers(headers: &[(String, Vec<u8>)]) -> Option<&'static Mark> {
    let tells = |name: &str, start: &str| {
        headers.iter().any(|(key, value)| {
            let value = value.trim_ascii();
            let start = start.as_bytes();
            key.eq_ignore_ascii_case(name)
                && value.len() >= start.len()
                && value[..start.len()].eq_ignore_ascii_case(start)
        })
    };
    let mut known = HEADERS.iter();
    known
        .find(|(name, start, _)| tells(name, start))
        .map(|(_, _, mark)| mark)
}

/// The marks in the names of a page's markup, sure ones first, each once.
pub(super) fn of_markup(names: &str) -> Vec<&'static Mark> {
    let mut found = vec![false; MARKS.len()];
    for at in FINDER.find_overlapping_iter(names) {
        let mark = at.pattern().as_usize();
        found[mark] |= begins_there(names.as_bytes(), at.start(), MARKS[mark].text);
    }
    let marks = MARKS.iter().zip(found);
    let mut marks: Vec<&Mark> = marks
        .filter_map(|(mark, found)| found.then_some(mark))
        .collect();
    marks.sort_by_key(|mark| !mark.is_sure);
    marks
}

/// Whether a mark begins at this place, and is not the end of a longer name: `lab4.cn` is not `4.cn`.
fn begins_there(names: &[u8], at: usize, mark: &str) -> bool {
    let is_name = mark
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric());
    let before = at.checked_sub(1).map(|before| names[before]);
    let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' && mark.contains('.');
    !is_name || !before.is_some_and(goes_on)
}

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let built = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(true)
        .build(MARKS.iter().map(|mark| mark.text));
    built.unwrap_or_else(|_| super::phrases::nothing())
});

macro_rules! marks {
    ($( $vendor:literal $kind:ident { sure: [$($sure:literal),* $(,)?] doubtful: [$($doubtful:literal),* $(,)?] } )*) => {
        static MARKS: LazyLock<Vec<Mark>> = LazyLock::new(|| vec![$(
            $( mark($vendor, WallKind::$kind, true, $sure), )*
            $( mark($vendor, WallKind::$kind, false, $doubtful), )*
        )*]);
    };
}

marks! {
    "cloudflare" Bot {
        sure: ["_cf_chl_opt", "cf-browser-verification", "/orchestrate/chl_page", "/orchestrate/jsch",
            "/orchestrate/managed", "/orchestrate/captcha", "challenge-error-text", "cf_captcha_kind",
            "cf-challenge-running", "cf-im-under-attack", "cf_chl_prog", "__cf_chl_f_tk", "__cf_chl_tk",
            "jschl_vc", "cf-alert-error"]
        doubtful: ["cf-error-details", "cf.errors.css", "/cdn-cgi/challenge-platform/",
            "cloudflare-static/email-decode", "cf-error-footer", "/cdn-cgi/l/chk_captcha"]
    }
    "cloudflare" Human {
        sure: []
        doubtful: ["challenges.cloudflare.com", "cf-turnstile"]
    }
    "akamai" Bot {
        sure: ["/_sec/cp_challenge", "sec-if-cpt-container", "sec-cpt-if", "/_sec/verify",
            "bm-verify=", "triggerinterstitialchallenge", "sec_chlge"]
        doubtful: ["errors.edgesuite.net", "/akam/13/", "_abck", "ak_bmsc"]
    }
    "human" Human {
        sure: ["px-captcha", "captcha.px-cdn.net", "captcha.px-cloud.net", "captcha.perimeterx.net",
            "_pxblockscript", "/captcha/captcha.js?a=c", "px-block", "pxcaptcha"]
        doubtful: ["_pxappid", "client.perimeterx.net", "client.px-cloud.net", "_pxuuid", "_pxvid"]
    }
    "datadome" Bot {
        sure: ["captcha-delivery.com", "var dd={'rt'", "var dd={\"rt\"", "dd={'cid'", "ddcaptcha"]
        doubtful: ["js.datadome.co", "datadome"]
    }
    "imperva" Bot {
        sure: ["_incapsula_resource?swudnsai", "_incapsula_resource?cwudnsai", "distil_r_captcha",
            "distilidentificationblock", "distil_ident_block", "incap_blocking"]
        doubtful: ["_incapsula_resource", "reese84", "incapsula"]
    }
    "aws" Bot {
        sure: ["gokuprops", "awswafintegration.checkforcerefresh", "awswafintegration.forcerefreshtoken",
            "captcha.awswaf.com", "awswafcaptcha.rendercaptcha", "/errors/validatecaptcha", "opfcaptcha"]
        doubtful: ["token.awswaf.com", "sdk.awswaf.com", "awswaf"]
    }
    "sucuri" Bot {
        sure: ["sucuri_cloudproxy_js", "sucuri-firewall-block", "sucuri_cloudproxy_uuid"]
        doubtful: ["cdn.sucuri.net", "sucuri.net"]
    }
    "anubis" Bot {
        sure: ["anubis_challenge", ".within.website/x/cmd/anubis", "anubis_base_prefix", "anubis_version"]
        doubtful: []
    }
    "go-away" Bot {
        sure: ["/git/go-away/cmd/go-away"]
        doubtful: ["go-away"]
    }
    "haproxy-protection" Bot {
        sure: ["/.basedflare/", "/.haproxy-protection"]
        doubtful: []
    }
    "hcaptcha" Human {
        sure: []
        doubtful: ["hcaptcha.com", "h-captcha"]
    }
    "recaptcha" Human {
        sure: ["/sorry/index", "lsrecaptcha", "/.lsrecap/"]
        doubtful: ["google.com/recaptcha", "recaptcha.net/recaptcha", "g-recaptcha", "recaptcha/api.js",
            "recaptcha/enterprise.js", "captcha-form"]
    }
    "arkose" Human {
        sure: []
        doubtful: ["funcaptcha", "arkoselabs.com"]
    }
    "geetest" Human {
        sure: []
        doubtful: ["geetest", "initgeetest", "gt4.js"]
    }
    "tencent" Human {
        sure: ["__tst_status", "eo_bot_ssid", "eo-bot-", "teo-bot-captcha"]
        doubtful: ["tcaptcha.js", "tencentcaptcha", "captcha.qq.com", "captcha.qcloud.com",
            "captcha.gtimg.com", "captcha.myqcloud.com"]
    }
    "aliyun" Human {
        sure: ["/_____tmd_____/", "acw_sc__v2", "acw_sc__v3", "punish-component", "_waf_bd8ce2ce37", "x5secdata",
            "baxia-punish", "aliyun_waf_oo", "nc-lang-cnt", "waf_nc_"]
        doubtful: ["g.alicdn.com/awsc", "aliyun_waf_aa", "nc_1_n1z", "errors.aliyun.com", "nocaptcha",
            "aliyuncaptcha", "renderdata"]
    }
    "safeline" Bot {
        sure: ["/.safeline/", "safeline_bot_challenge", "safelinechallenge", "slg-bg", "slg-title", "slg-box",
            "sl-challenge", "slg-caption"]
        doubtful: ["waf-ce.chaitin", "chaitin", "safeline"]
    }
    "baota" Bot {
        sure: ["btwaf", "bt_waf", "/bt_btwaf"]
        doubtful: ["bt.cn"]
    }
    "360" Bot {
        sure: ["wzws-waf-cgi", "wzws_confirm_prefix", "wzwsconector", "wzws_sessionid"]
        doubtful: ["360wzws", "wangzhan.360.cn", "webscan.360.cn"]
    }
    "yunsuo" Bot {
        sure: ["yunsuo_session", "security_session_verify", "security_verify_data", "srcurl=\" + stringtohex"]
        doubtful: []
    }
    "jiasule" Bot {
        sure: ["__jsl_clearance"]
        doubtful: ["__jsluid", "365cyd", "jiasule", "yunaq.com"]
    }
    "safedog" Bot {
        sure: ["404.safedog.cn", "safedog.cn/images", "safedogsite"]
        doubtful: ["safedog"]
    }
    "ruishu" Bot {
        sure: ["$_ts=window", "$_ts.nsd", "$_ts.cd=", "window['$_ts']", "window[\"$_ts\"]"]
        doubtful: []
    }
    "baidu" Human {
        sure: ["wappass.baidu.com/static/captcha", "passmachine-", "ppui-static-wap"]
        doubtful: ["yunjiasu", "su.baidu.com"]
    }
    "bytedance" Bot {
        sure: ["byted_acrawler.init", "__ac_nonce", "verify.snssdk.com", "verifycenter/captcha"]
        doubtful: ["byted_acrawler", "__ac_signature"]
    }
    "sina" Login {
        sure: ["passport.weibo.com/visitor", "/visitor/genvisitor"]
        doubtful: []
    }
    "zhihu" Human {
        sure: ["/account/unhuman"]
        doubtful: []
    }
    "jd" Human {
        sure: ["/privatedomain/risk_handler"]
        doubtful: ["jcap"]
    }
    "yidun" Human {
        sure: []
        doubtful: ["cstaticdun.126.net", "necaptcha", "initnecaptcha"]
    }
    "dingxiang" Human {
        sure: []
        doubtful: ["dingxiang-inc.com", "_dx.captcha"]
    }
    "vaptcha" Human {
        sure: []
        doubtful: ["vaptcha"]
    }
    "huawei" Bot {
        sure: ["hwwafchallenge"]
        doubtful: ["hwwafses", "cloudwaf"]
    }
    "ddos-guard" Bot {
        sure: ["/.well-known/ddos-guard/", "ddg-captcha", "ddos-guard/js-challenge"]
        doubtful: ["check.ddos-guard.net", "ddos-guard"]
    }
    "siteground" Bot {
        sure: ["/.well-known/sgcaptcha", "sgchallenge"]
        doubtful: ["sgcaptcha"]
    }
    "stackpath" Bot {
        sure: ["/sbbi/?sbbpg"]
        doubtful: ["sbbi"]
    }
    "wordfence" Bot {
        sure: ["wfwaf-blocked", "wf-blocked", "wfblockedpage"]
        doubtful: ["wordfence"]
    }
    "kasada" Bot {
        sure: ["window.kpsdk", "ips.js?kp_uidz", "ips.js?tkrm", "kpsdk.now", "kpsdk={"]
        doubtful: ["kpsdk"]
    }
    "f5" Bot {
        sure: ["window[\"bobcmn\"]", "window[\"failureconfig\"]", "/tspd/08", "bobcmn"]
        doubtful: ["/tspd/", "tspd_101"]
    }
    "radware" Bot {
        sure: ["perfdrive.com", "shieldsquare_captcha"]
        doubtful: ["shieldsquare", "ssconf"]
    }
    "reblaze" Bot {
        sure: ["window.rbzns", "winsocks(true"]
        doubtful: ["rbzns"]
    }
    "fastly" Bot {
        sure: ["/_fs-ch-"]
        doubtful: []
    }
    "vercel" Bot {
        sure: ["vercel.link/security-checkpoint", "/.well-known/vercel/security/"]
        doubtful: []
    }
    "qrator" Bot {
        sure: ["/__qrator/"]
        doubtful: ["qrator"]
    }
    "servicepipe" Bot {
        sure: ["/xpvnsulc/", "servicepipe.ru/static"]
        doubtful: []
    }
    "variti" Bot {
        sure: ["/_variti", "variti/challenge", "hcheck.variti"]
        doubtful: []
    }
    "yandex" Human {
        sure: ["/showcaptcha", "/checkcaptcha", "checkboxcaptcha"]
        doubtful: ["smartcaptcha"]
    }
    "azure" Bot {
        sure: ["/.azwaf/", "afd_azwaf"]
        doubtful: []
    }
    "imunify360" Bot {
        sure: ["imunify360", "wsidchk"]
        doubtful: ["imunify"]
    }
    "bitninja" Bot {
        sure: ["bitninja"]
        doubtful: []
    }
    "blazingfast" Bot {
        sure: ["blzgfst-shark"]
        doubtful: []
    }
    "hostinger" Bot {
        sure: ["hcdn-cgi/jschallenge"]
        doubtful: []
    }
    "testcookie" Bot {
        sure: ["slowaes.decrypt(c,2,a,b)", "document.cookie=\"__test="]
        doubtful: ["/aes.js"]
    }
    "arvancloud" Bot {
        sure: ["__arcsjs", "__arcsco"]
        doubtful: ["arvancloud"]
    }
    "bunny" Bot {
        sure: ["/.bunny-shield/"]
        doubtful: ["bunny-shield"]
    }
    "friendly captcha" Human {
        sure: []
        doubtful: ["frc-captcha", "friendly-challenge"]
    }
    "altcha" Human {
        sure: []
        doubtful: ["altcha-widget", "mcaptcha"]
    }
    "onetrust" Consent {
        sure: []
        doubtful: ["onetrust", "otsdkstub"]
    }
    "google" Consent {
        sure: ["consent.google.com/save", "consent.youtube.com/save"]
        doubtful: ["consent.google.", "consent.youtube."]
    }
    "yahoo" Consent {
        sure: ["guce.yahoo", "guce.oath", "guce.aol", "/collectconsent", "consent.yahoo.com"]
        doubtful: ["guce."]
    }
    "didomi" Consent { sure: [] doubtful: ["didomi"] }
    "quantcast" Consent { sure: [] doubtful: ["qc-cmp2", "quantcast.mgr.consensu"] }
    "sourcepoint" Consent { sure: [] doubtful: ["sp_message_container", "sourcepoint", "privacy-mgmt.com"] }
    "usercentrics" Consent { sure: [] doubtful: ["usercentrics"] }
    "cookiebot" Consent { sure: [] doubtful: ["cookiebot", "cybotcookie"] }
    "trustarc" Consent { sure: [] doubtful: ["trustarc", "truste.com"] }
    "consentmanager" Consent { sure: [] doubtful: ["consentmanager.net", "cmpbox"] }
    "dpg" Consent { sure: ["myprivacy.dpgmedia", "privacy-gate", "privacywall"] doubtful: [] }
    "contentpass" Consent { sure: [] doubtful: ["contentpass", "freechoice.club", "pur-abo", "purlayer"] }
    "iubenda" Consent { sure: [] doubtful: ["iubenda"] }
    "sedo" Parked { sure: ["sedoparking.com", "img.sedoparking"] doubtful: ["sedo.com", "sedo.de"] }
    "godaddy" Parked {
        sure: ["parking-lander", "window.lander_system", "afternic.com/forsale", "parking.godaddy"]
        doubtful: ["afternic", "godaddy.com/domainsearch", "cashparking"]
    }
    "bodis" Parked { sure: ["bodis.com", "bodiscdn", "window.park =", "window.park=", "parkingcrew"] doubtful: [] }
    "parklogic" Parked { sure: ["parklogic", "d38psrni17bvxu.cloudfront.net", "dsnextgen"] doubtful: [] }
    "dan" Parked { sure: ["cdn0.dan.com", "cdn1.dan.com", "dan.com/buy-domain"] doubtful: ["dan.com"] }
    "hugedomains" Parked { sure: ["hugedomains.com/domain_profile"] doubtful: ["hugedomains"] }
    "namecheap" Parked { sure: ["parkingpage.namecheap", "nc-parking"] doubtful: [] }
    "skenzo" Parked { sure: ["skenzo", "voodoo.com", "trafficclub"] doubtful: [] }
    "registrars" Parked {
        sure: ["mi.aliyun.com/detail", "mi.aliyun.com/domain", "namepark", "4.cn/detail", "ename.com/buy",
            "parkweb", "domainparking", "parkeddomain"]
        doubtful: ["mi.aliyun.com", "juming.com", "22.cn", "ename.com", "4.cn/", "uniregistry", "undeveloped.com",
            "domainmarket.com", "buydomains.com", "squadhelp", "atom.com", "above.com", "park-domain",
            "parked-domain", "domain-parking", "adsense/domains/caf.js"]
    }
    "plugins" ComingSoon {
        sure: []
        doubtful: ["seedprod", "coming-soon", "comingsoon", "maintenance-mode", "wp-maintenance", "countdown",
            "under-construction", "underconstruction", "template-password", "storefront-password", "launching-soon"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_stands_once_and_is_long_enough_to_mean_something() {
        let mut seen = std::collections::HashSet::new();
        for mark in MARKS.iter() {
            assert!(mark.text.len() >= 4, "{mark:?}");
            assert!(seen.insert(mark.text), "{mark:?}");
            assert_eq!(mark.text, mark.text.to_ascii_lowercase(), "{mark:?}");
        }
        assert!(
            of_markup("x _CF_CHL_OPT y")
                .first()
                .is_some_and(|mark| mark.is_sure)
        );
    }

    #[test]
    fn a_header_tells_by_its_value() {
        let header = |name: &str, value: &str| [(name.to_owned(), value.as_bytes().to_vec())];
        assert!(of_headers(&header("cf-mitigated", "challenge")).is_some());
        assert!(of_headers(&header("CF-Mitigated", " Challenge")).is_some());
        assert!(of_headers(&header("cf-mitigated", "none")).is_none());
        assert!(of_headers(&header("cf-ray", "challenge")).is_none());
    }
}
