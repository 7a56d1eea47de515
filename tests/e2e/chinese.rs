//! Chinese pages are found by their words and shown right, whatever they were encoded in.

use testweb::{Response, TestWeb};

use crate::support::{Bench, run, stdout, tamis};

const TEXT: &str = "倒排索引把每个词对应到出现过它的文档，是全文检索的核心数据结构。写入时先分词，再把词与文档编号写进内存中的缓冲区，\
缓冲区满了就整理成有序的段落盘。查询时先取出每个词的文档列表，再求交集，并按相关度排序返回最前面的结果。\
为了节省空间，文档编号通常用差值编码压缩，跳表让求交集时可以跳过大段不可能匹配的编号。";

fn gbk(text: &str) -> Vec<u8> {
    encoding_rs::GBK.encode(text).0.into_owned()
}

#[test]
fn a_phrase_of_a_gbk_page_is_found_and_its_copy_is_explained() {
    let body = |extra: &str| {
        format!(
            "<html><head><meta charset=\"gbk\"><title>倒排索引入门</title></head><body><div id=\"nav\"><a href=\"/zhuanzai.html\">转载</a></div>\
             <div class=\"content\"><h1>倒排索引入门</h1><p>{TEXT}</p><p>{extra}</p></div></body></html>"
        )
    };
    let web = TestWeb::new()
        .respond(
            "http://gbk.test/",
            Response::new(200, "text/html", gbk(&body("本文写于二零二四年三月。"))),
        )
        .respond(
            "http://gbk.test/zhuanzai.html",
            Response::new(
                200,
                "text/html; charset=gb2312",
                gbk(&body("本文转载于二零二四年五月。")),
            ),
        );
    let bench = Bench::serve(web);
    bench.crawl_to_end("gbk", &["--seed", "http://gbk.test/", "--delay", "1ms"]);

    let found = stdout(&run(tamis(&["search"])
        .arg(bench.crawl_dir("gbk"))
        .arg("全文检索")));
    assert!(
        found.contains("倒排索引入门") && found.contains("http://gbk.test/"),
        "{found}"
    );
    assert!(
        found.contains("[全文检索]"),
        "the phrase is marked: {found}"
    );
    let traditional = stdout(&run(tamis(&["search"])
        .arg(bench.crawl_dir("gbk"))
        .arg("全文檢索")));
    assert!(traditional.contains("倒排索引入门"), "{traditional}");

    let told = stdout(&run(tamis(&["explain", "--full"])
        .arg(bench.crawl_dir("gbk"))
        .arg("http://gbk.test/zhuanzai.html")));
    assert!(told.contains("near"), "{told}");
    assert!(told.contains("What differs"), "{told}");
    assert!(told.contains("http://gbk.test/"), "{told}");
    let junk = &bench.rows("gbk", "junk")[0];
    assert_eq!(junk["dup_of"], "http://gbk.test/");
    assert!(
        junk["overlap"]
            .as_f64()
            .is_some_and(|overlap| overlap > 0.7),
        "{junk}"
    );
}
