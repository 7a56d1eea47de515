use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(bytes: &[u8], content_type: Option<&str>, encoding: &str, source: EncodingSource) {
    let decoded = decode(bytes, content_type, None);
    assert_eq!((decoded.encoding, decoded.source), (encoding, source));
}

#[test]
fn a_byte_order_mark_beats_the_header_and_the_meta() {
    let body = b"\xef\xbb\xbf<meta charset=gbk>\xe7\xbd\x91";
    check(
        body,
        Some("text/html; charset=big5"),
        "UTF-8",
        EncodingSource::Bom,
    );
    assert_eq!(decode(body, None, None).text, "<meta charset=gbk>网");
    check(b"\xff\xfe<\0p\0", None, "UTF-16LE", EncodingSource::Bom);
    check(b"\xfe\xff\0<\0p", None, "UTF-16BE", EncodingSource::Bom);
}

#[test]
fn the_header_beats_the_meta() {
    check(
        b"<meta charset=gbk>",
        Some("text/html; charset=big5"),
        "Big5",
        EncodingSource::Http,
    );
}

#[test]
fn an_unknown_charset_in_the_header_leaves_the_word_to_the_meta() {
    check(
        b"<meta charset=gbk>",
        Some("text/html; charset=klingon"),
        "GBK",
        EncodingSource::Meta,
    );
}

#[test]
fn a_meta_beyond_the_prescan_still_counts() {
    let mut body = vec![b' '; 5000];
    body.extend_from_slice(b"<meta charset=shift_jis>");
    check(&body, None, "Shift_JIS", EncodingSource::Meta);
}

#[test]
fn a_later_meta_in_a_script_or_a_comment_does_not_count() {
    let mut body = b"<script>".to_vec();
    body.extend(std::iter::repeat_n(b' ', 2000));
    body.extend_from_slice(b"w('<meta charset=shift_jis>')</script><!-- <meta charset=gbk> -->");
    check(&body, None, "windows-1252", EncodingSource::Default);
}

#[test]
fn undeclared_utf_8_is_detected_even_when_cut_inside_a_character() {
    check(
        "<p>网页".as_bytes(),
        None,
        "UTF-8",
        EncodingSource::Detected,
    );
    check(
        b"<p>\xe7\xbd\x91\xe9\xa1",
        None,
        "UTF-8",
        EncodingSource::Detected,
    );
    assert_eq!(decode(b"<p>\xe7\xbd\x91\xe9\xa1", None, None).replaced, 1);
    check(
        b"<p>caf\xe9",
        None,
        "windows-1252",
        EncodingSource::Detected,
    );
}

#[test]
fn utf_16_that_nothing_declares_is_detected() {
    // It was read as windows-1252, with a zero after each letter.
    let page = "<!doctype html><title>索引</title>";
    let body: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&body, None, "UTF-16LE", EncodingSource::Detected);
    assert_eq!(decode(&body, None, None).text, page);
    // Nothing that is declared has zeros there.
    for declared in ["text/html; charset=gbk", "text/plain; charset=UTF-8"] {
        check(&body, Some(declared), "UTF-16LE", EncodingSource::Detected);
    }
}

#[test]
fn plain_ascii_is_windows_1252_by_default() {
    check(b"", None, "windows-1252", EncodingSource::Default);
    check(b"<p>x", None, "windows-1252", EncodingSource::Default);
}

#[test]
fn undeclared_gb18030_is_detected() {
    let text = "网页去重是爬虫的基本功能。相同内容的网页会占用大量存储空间，浪费带宽。";
    let (bytes, _, _) = encoding_rs::GB18030.encode(text);
    let decoded = decode(&bytes, None, None);
    assert_eq!(decoded.text, text);
    assert_eq!(decoded.source, EncodingSource::Detected);
}

#[test]
fn malformed_sequences_are_replaced_and_counted() {
    let decoded = decode(b"a\xe3\xabb\xff", Some("text/html; charset=utf-8"), None);
    assert_eq!(decoded.text, "a\u{FFFD}b\u{FFFD}");
    assert_eq!(decoded.replaced, 2);
}

#[test]
fn a_replacement_character_of_the_author_is_not_counted() {
    let decoded = decode(
        "\u{FFFD}".as_bytes(),
        Some("text/html; charset=utf-8"),
        None,
    );
    assert_eq!(decoded.replaced, 0);
}

#[test]
fn a_host_name_that_is_no_label_does_no_harm() {
    for tld in ["", "JP", "рф", "a.b", "xn--p1ai"] {
        decode(b"\xdd\xf2\xe0 \xf1\xf2\xf0", None, Some(tld));
    }
}

proptest! {
    #[test]
    fn any_bytes_under_any_header_decode(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        header in "[ -~]{0,40}",
    ) {
        decode(&bytes, Some(&header), Some("cn"));
        decode(&bytes, None, None);
    }

    #[test]
    fn markup_like_bytes_decode(text in "[<>/!?='\" \nmetachrsquivnx-]{0,200}") {
        decode(text.as_bytes(), None, None);
    }

    #[test]
    fn utf_8_comes_back_unchanged(text in "\\PC{0,200}") {
        let decoded = decode(text.as_bytes(), Some("text/html;charset=utf-8"), None);
        prop_assert_eq!(decoded.text, text.strip_prefix('\u{FEFF}').unwrap_or(&text));
    }
}

#[test]
fn a_stale_declaration_does_not_garble_plain_utf8() {
    let page = format!("<meta charset=gb2312>{}", "汉字".repeat(200));
    for content_type in [None, Some("text/html; charset=gbk")] {
        let decoded = decode(page.as_bytes(), content_type, None);
        assert_eq!(
            (decoded.encoding, decoded.source, decoded.overruled),
            ("UTF-8", EncodingSource::Detected, Some("GBK"))
        );
    }
    // Two characters are enough where the other reading is no text.
    let short = decode("<meta charset=gb2312>汉字".as_bytes(), None, None);
    assert_eq!((short.encoding, short.overruled), ("UTF-8", Some("GBK")));
}

/// One bad byte made the whole page windows-1252.
#[test]
fn undeclared_utf_8_with_a_bad_character_is_utf_8() {
    let mut page = "<p>网页去重是爬虫的基本功能。".repeat(3).into_bytes();
    page.extend_from_slice(b"\xe4\xb8</p>");
    check(&page, None, "UTF-8", EncodingSource::Detected);
    assert_eq!(decode(&page, None, None).replaced, 1);
}

const CHINESE: &str = "网页去重是爬虫的基本功能。相同内容的网页会占用大量存储空间，浪费带宽。";

#[test]
fn a_declaration_that_the_bytes_rule_out_is_overruled() {
    let traditional = "網頁去重是網路爬蟲的基本功能，相似的文件具有相似的指紋。";
    let japanese = "これは文字コードの試験のためのページです。日本語の文章を含みます。";
    for (encoding, text) in [
        (encoding_rs::GBK, CHINESE),
        (encoding_rs::BIG5, traditional),
        (encoding_rs::SHIFT_JIS, japanese),
    ] {
        let (bytes, _, _) = encoding.encode(text);
        let decoded = decode(&bytes, Some("text/html; charset=utf-8"), None);
        assert_eq!(decoded.text, text);
        assert_eq!(
            (decoded.source, decoded.overruled),
            (EncodingSource::Detected, Some("UTF-8"))
        );
    }
}

#[test]
fn a_declaration_stands_where_the_bytes_do_not_prove_another_encoding() {
    let utf8 = Some("text/html; charset=utf-8");
    // Some bad bytes in a text in UTF-8.
    let mut cut = FRENCH.as_bytes().to_vec();
    cut.extend_from_slice(&WINDOWS_1252.encode("été, déjà, où").0);
    check(&cut, utf8, "UTF-8", EncodingSource::Http);
    // A comment in GBK below a text in UTF-8.
    let mut mixed = CHINESE.repeat(2).into_bytes();
    mixed.extend_from_slice(&encoding_rs::GBK.encode(CHINESE).0);
    check(&mixed, utf8, "UTF-8", EncodingSource::Http);
}

const FRENCH: &str = "Élève, naïve, façade, déjà, où, été, français, août, Noël, forêt, à, où";

#[test]
fn a_text_in_single_bytes_that_is_called_utf_8_keeps_its_letters() {
    // Each letter with an accent was U+FFFD: a server's default over old pages.
    let polish = "Źródło: gżegżółka, łąka, wężyk, ćma, śnieg, ńandu, półka, żółw, ósmy, ęąśćż";
    for (encoding, text) in [
        (WINDOWS_1252, FRENCH),
        (WINDOWS_1252, "Un café, un thé et une brûlée"),
        (encoding_rs::ISO_8859_2, polish),
    ] {
        let page = format!("<p>{text}");
        let bytes = encoding.encode(&page).0;
        let decoded = decode(&bytes, Some("text/html; charset=utf-8"), None);
        assert_eq!(
            (decoded.text, decoded.overruled),
            (page.clone(), Some("UTF-8"))
        );
        let of_meta = [b"<meta charset=utf-8>", &*bytes].concat();
        assert_eq!(decode(&of_meta, None, None).replaced, 0, "{page}");
    }
}

#[test]
fn a_short_text_in_utf_8_is_read_so_whatever_is_declared() {
    // They were read so from 256 characters on.
    let russian = "Слова и буквы, которых нет в латинице";
    for text in [&CHINESE[..60], FRENCH, russian] {
        for label in [
            "gbk",
            "big5",
            "iso-8859-1",
            "windows-1251",
            "shift_jis",
            "euc-kr",
        ] {
            let page = format!("<meta charset={label}><p>{text}");
            let decoded = decode(page.as_bytes(), None, None);
            assert_eq!(decoded.text, page, "{label}");
        }
    }
    // The header is wrong, and the page says what it is.
    let page = "<meta charset=utf-8><p>café";
    assert_eq!(
        decode(page.as_bytes(), Some("text/html; charset=iso-8859-1"), None).text,
        page
    );
}

#[test]
fn text_that_is_valid_utf_8_by_chance_is_read_as_declared() {
    let page = "<p>目录目录目录目录目录目录";
    let (bytes, _, _) = encoding_rs::GBK.encode(page);
    assert!(std::str::from_utf8(&bytes).is_ok());
    assert_eq!(
        decode(&bytes, Some("text/html; charset=gbk"), None).text,
        page
    );
}

#[test]
fn a_default_gives_way_to_what_the_page_says_or_is() {
    let latin = Some("text/html; charset=ISO-8859-1");
    let russian = "Слова и буквы, которых нет в латинице, и ещё слова";
    for (encoding, text, label) in [
        (encoding_rs::GBK, CHINESE, "gb2312"),
        (encoding_rs::WINDOWS_1251, russian, "windows-1251"),
        (encoding_rs::KOI8_R, russian, "koi8-r"),
        (
            encoding_rs::ISO_8859_7,
            "Λέξεις και γράμματα που δεν είναι λατινικά",
            "iso-8859-7",
        ),
    ] {
        for header in [latin, Some("text/html; charset=utf-8")] {
            let page = format!("<meta charset={label}><p>{text}");
            let decoded = decode(&encoding.encode(&page).0, header, None);
            assert_eq!(
                (decoded.text, decoded.source),
                (page, EncodingSource::Meta),
                "{header:?}"
            );
        }
        // The default of a program that writes pages: what the bytes say.
        let page = format!("<meta charset=iso-8859-1><p>{text}");
        assert_eq!(decode(&encoding.encode(&page).0, None, None).text, page);
    }
    // The element is what is left of a template.
    let page = format!("<meta charset=gb2312><p>{FRENCH}");
    let decoded = decode(&WINDOWS_1252.encode(&page).0, latin, None);
    assert_eq!((decoded.text, decoded.overruled), (page, None));
}

#[test]
fn iso_2022_jp_is_read_as_that_whatever_is_declared() {
    // All its bytes are ASCII, so it was no other encoding that was declared, and words of `$3$l$O`.
    let text = "うなぎは川を下り、遠い海で生まれる。";
    let (bytes, _, _) = encoding_rs::ISO_2022_JP.encode(text);
    for declared in ["utf-8", "iso-8859-1", "shift_jis", "euc-jp"] {
        let header = format!("text/plain; charset={declared}");
        let decoded = decode(&bytes, Some(&header), None);
        assert_eq!(
            (decoded.encoding, decoded.text.as_str()),
            ("ISO-2022-JP", text)
        );
        assert!(decoded.overruled.is_some(), "{declared}");
    }
    check(&bytes, None, "ISO-2022-JP", EncodingSource::Detected);
    check(
        &bytes,
        Some("text/plain; charset=iso-2022-jp"),
        "ISO-2022-JP",
        EncodingSource::Http,
    );
    let colours = b"\x1b[1mbold\x1b[0m";
    check(
        colours,
        Some("text/plain; charset=utf-8"),
        "UTF-8",
        EncodingSource::Http,
    );
}
