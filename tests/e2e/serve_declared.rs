//! Answers are as the description declares them, and what cannot be served is told to each in its form.

use serde_json::Value;

use crate::serve_support::{Serving, crawled};
use crate::support::{has, says, tamis};

#[test]
fn what_cannot_be_served_is_told() {
    let bench = crawled("told");
    let dir = bench.crawl_dir("told").display().to_string();
    let serve = |arguments: &[&str]| tamis(&["serve"]).args(arguments).output().expect("runs");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = taken.local_addr().expect("an address").to_string();
    says(
        &serve(&[&dir, "--listen", &address]),
        3,
        &["cannot listen on", &address],
    );
    says(
        &serve(&[&dir, "--listen", "0.0.0.0:0"]),
        2,
        &["needs a token", "--token-file"],
    );
    says(
        &serve(&[&dir, "--listen", "192.0.2.1:0", "--token-file", "/nowhere"]),
        2,
        &["token file"],
    );
    let short = crate::support::file(bench.dir.path(), "short", "too short\n");
    says(
        &serve(&[&dir, "--token-file", &short]),
        2,
        &["16 characters"],
    );
    says(&serve(&["/nowhere/at/all"]), 2, &["/nowhere/at/all"]);
    says(&serve(&[&dir, "--listen", "here"]), 2, &["--listen"]);
}

/// Whether a value is as a schema says; else where it is not.
fn conforms(api: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        let schema = api
            .pointer(pointer)
            .ok_or(format!("{name} is not declared"))?;
        return conforms(api, schema, value, at);
    }
    if let Some(any) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let fits = any
            .iter()
            .any(|schema| conforms(api, schema, value, at).is_ok());
        return if fits {
            Ok(())
        } else {
            Err(format!("{at}: {value} fits none of {any:?}"))
        };
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return Err(format!("{at}: the schema has no type: {schema}")),
    };
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    };
    if !types.iter().any(|kind| is(kind)) {
        return Err(format!("{at}: {value} is no {types:?}"));
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        conforms(api, &schema["items"], item, &format!("{at}[{number}]"))?;
    }
    let (Some(fields), Some(declared)) = (value.as_object(), schema["properties"].as_object())
    else {
        let others = &schema["additionalProperties"];
        if let (Some(fields), true) = (value.as_object(), others.is_object()) {
            for (name, field) in fields {
                conforms(api, others, field, &format!("{at}.{name}"))?;
            }
        }
        return Ok(());
    };
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        fields.get(name).ok_or(format!("{at}.{name} is missing"))?;
    }
    for (name, field) in fields {
        let schema = declared
            .get(name)
            .ok_or(format!("{at}.{name} is not declared"))?;
        conforms(api, schema, field, &format!("{at}.{name}"))?;
    }
    Ok(())
}

#[test]
fn answers_are_as_the_description_declares_them() {
    let bench = crawled("api");
    bench.crawl_to_end(
        "other",
        &[
            "--seed",
            "http://one.test/",
            "--delay",
            "1ms",
            "--max-pages",
            "5",
        ],
    );
    let dirs = ["api", "other"].map(|name| bench.crawl_dir(name).display().to_string());
    let server = Serving::start(&[&dirs[0], &dirs[1]]);
    server.ready();
    let api = server.get("/api/openapi.json");
    let clusters = server.get("/api/v1/crawls/api/clusters");
    let kept = clusters["clusters"][0]["kept"]["page"].to_string();
    let cluster = server.get(&format!("/api/v1/crawls/api/clusters/{kept}"));
    let member = cluster["members"][0]["page"].to_string();
    let queries = [
        ("/search", "?q=lantern"),
        ("/pages", "?verdict=dropped&sort=words&order=asc"),
        ("/explain", "?url=http://one.test/"),
        ("/compare", "?with=other"),
    ];
    let mut asked = 0;
    for (path, methods) in api["paths"].as_object().expect("paths") {
        let query = queries
            .iter()
            .find(|(end, _)| path.ends_with(end))
            .map_or("", |(_, query)| query);
        let url = path
            .replace("{id}", "api")
            .replace("{page}", &kept)
            .replace("{other}", &member)
            + query;
        if let Some(get) = methods.get("get").filter(|_| !path.ends_with("/events")) {
            let answer = server.ask(&format!("GET {url}"), &[], "");
            check(&api, get, answer.status, &answer.text(), &url);
            asked += 1;
        }
        if let Some(post) = methods.get("post") {
            let body = match path.ends_with("/marks") {
                true => format!("{{\"page\":{kept},\"mark\":\"skip\"}}"),
                false => "{}".to_owned(),
            };
            let answer = server.post(&url, &body);
            check(&api, post, answer.status, &answer.text(), &url);
            asked += 1;
        }
    }
    assert!(asked >= 19, "{asked}");
}

#[track_caller]
fn check(api: &Value, operation: &Value, status: u16, body: &str, url: &str) {
    let declared = &operation["responses"][status.to_string()];
    assert!(
        declared.is_object(),
        "{url}: {status} is not declared: {body}"
    );
    let schema = &declared["content"]["application/json"]["schema"];
    let value: Value = serde_json::from_str(body).expect("JSON");
    if let Err(why) = conforms(api, schema, &value, url) {
        panic!("{why}");
    }
}

#[test]
fn a_browser_is_told_on_a_page_and_in_its_language_and_a_program_in_json() {
    let bench = crawled("lost");
    let server = Serving::start(&[&bench.crawl_dir("lost").display().to_string()]);
    server.ready();
    let by_browser = |path: &str, language: &str| {
        let lines = [
            "Accept: text/html,*/*;q=0.8".to_owned(),
            format!("Accept-Language: {language}"),
        ];
        server.ask(
            &format!("GET {path}"),
            &lines.each_ref().map(String::as_str),
            "",
        )
    };
    let kind = |answer: &crate::serve_support::Answer| {
        let is_kind = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("content-type");
        answer
            .headers
            .iter()
            .find(is_kind)
            .map_or(String::new(), |(_, value)| value.clone())
    };
    for (path, status, english, chinese) in [
        (
            "/c/lost/nosuch",
            404,
            "there is nothing here",
            "没有这个页面",
        ),
        (
            "/c/other/nosuch",
            404,
            "there is nothing here",
            "没有这个页面",
        ),
        ("/nosuch", 404, "there is nothing here", "没有这个页面"),
        (
            "/c/lost/pages/first",
            404,
            "no page of that number",
            "没有这个编号的网页",
        ),
        (
            "/c/lost/clusters/1/x",
            404,
            "no page of that number",
            "没有这个编号的网页",
        ),
        ("/c/lost/pages?sort=x", 400, "sort is time", "sort 只能是"),
        ("/c/lost/pages?x=1", 400, "unknown field", "参数有误"),
        (
            "/c/lost/explain?url=nonsense",
            400,
            "no absolute URL",
            "这不是完整的网址",
        ),
    ] {
        for (language, said) in [("en", english), ("zh-CN,zh;q=0.9", chinese)] {
            let answer = by_browser(path, language);
            assert_eq!(answer.status, status, "{path}: {}", answer.text());
            assert!(
                kind(&answer).starts_with("text/html"),
                "{path}: {:?}",
                answer.headers
            );
            has(&answer.text(), &["<!DOCTYPE html>", said]);
            if path.contains("explain") {
                has(&answer.text(), &["value=\"nonsense\""]);
            }
        }
    }
    // Who asks the API is answered by the API, whatever else it would take; and so is a program.
    for answer in [
        by_browser("/api/v1/nosuch", "zh"),
        by_browser("/api/v1/crawls/lost/pages/0", "zh"),
        server.ask("GET /c/lost/nosuch", &["Accept: */*"], ""),
        server.ask("GET /c/lost/nosuch", &[], ""),
    ] {
        assert_eq!(answer.status, 404);
        let problem: Value = serde_json::from_slice(&answer.body).expect("JSON");
        assert!(
            problem["error"].as_str().is_some_and(str::is_ascii),
            "{problem}"
        );
    }
    // What scripts say of a mistake comes from the same table, and pages name types in words.
    let page = by_browser("/c/lost/pages", "zh").text();
    has(
        &page,
        &[
            "no crawl runs in that directory",
            "这个目录里没有正在运行的抓取",
            ">文章（",
        ],
    );
    assert!(
        !by_browser("/c/lost/pages", "en")
            .text()
            .contains("这个目录")
    );
    let found = by_browser("/c/lost/search?q=%22zzqqx", "zh").text();
    has(&found, &["引号没有配对"]);
}
