#!/usr/bin/env python3
"""Pairs of versions of pages, to judge what `changed` means.

    python3 bench/change_pairs.py --docs docs.jsonl.gz --web WEB --tools TOOLS --tamis target/release/tamis > pairs.jsonl
    python3 bench/change_pairs.py --docs docs.jsonl.gz --but docs/changes-sample.tsv --repo . --crates CRATES \
        --pages EXTRACTION --pages MORE --tamis target/release/tamis --seed 19 > second.jsonl

Half of the pairs are versions that people published (documents of one page at two dates, from a set of
texts with `kind`, `source`, `page` and `rev`). Half are recorded pages with what changes on live pages put
into their markup, and extracted before and after: dates, counters, side bars, adverts, comments, notices,
sentences, paragraphs, list items, words. One line for each: `{id, before, after, bytes_equal,
visible_equal}`, and of recorded pages `html_before` and `html_after`. Drawn by a seed, so the same data give the same pairs.

With `--repo` the first half is made of Markdown files of a git repository at two dates (two in five of
them), of the READMEs and change logs of a folder of crates in two versions (one in five), and of documents
of the set whose pages are not in another sample (`--but`). With `--pages` the recorded pages are those of
folders with `truth.jsonl` and `pages/ID.html.gz`, one page a site.
"""
import argparse, glob, gzip, html, json, os, random, re, subprocess, sys
from urllib.parse import urlsplit


LANGUAGES = {"Chinese (Simplified)", "Chinese (Traditional)", "English", "Italian", "Spanish", "Japanese", "Korean"}


def left_out(paths):
    """What other samples hold: their documents, their pairs of files, and the sites of their pages."""
    ids = [line.split("\t")[0] for path in paths for line in open(path, encoding="utf-8").read().splitlines()[1:]]
    documents = {doc for name in ids for doc in re.findall(r"\bd\d{5}\b", name)}
    sites = {urlsplit(name.split()[-1]).hostname for name in ids if "://" in name}
    return documents | sites | set(ids)


def row(name, before, after):
    return {"id": name, "before": before, "after": after, "bytes_equal": False,
            "visible_equal": before.split() == after.split()}


def of_repository(repo, at, random_, count, but):
    """Markdown files of a repository at two commits that follow each other for that file, by language."""
    def git(*words):
        return subprocess.run(["git", "-C", repo, *words], text=True, capture_output=True).stdout
    files = sorted(f for f in set(git("ls-tree", "-r", "--name-only", at).split()) if f.endswith(".md"))
    pairs = {True: [], False: []}
    for file in files:
        commits = git("log", "--reverse", "--format=%h", at, "--", file).split()
        for a, b in zip(commits, commits[1:]):
            pairs["zh" in file].append((file, a, b))
    for chinese in (True, False):
        pairs[chinese] = [(file, a, b) for file, a, b in pairs[chinese] if f"{file} {a}..{b}" not in but]
        for file, a, b in random_.sample(pairs[chinese], min(count // 2, len(pairs[chinese]))):
            before, after = git("show", f"{a}:{file}"), git("show", f"{b}:{file}")
            if before and after and max(len(before), len(after)) < 60_000:
                yield row(f"{file} {a}..{b}", before, after)


def of_crates(folder, random_, count, but):
    """READMEs and change logs of crates that are there in two versions."""
    versions = {}
    for path in sorted(glob.glob(f"{folder}/*/*.md")):
        named = re.fullmatch(r"(.+)-(\d+\.\d+\.\d+.*)", os.path.basename(os.path.dirname(path)))
        if named:
            versions.setdefault((named.group(1), os.path.basename(path)), []).append((named.group(2), path))
    pairs = []
    for (crate, file), found in sorted(versions.items()):
        for (a, old), (b, new) in zip(found, found[1:]):
            texts = [open(path, encoding="utf-8", errors="replace").read() for path in (old, new)]
            if texts[0] != texts[1] and max(map(len, texts)) < 60_000:
                pairs.append(row(f"{crate}/{file} {a}..{b}", *texts))
    pairs = [pair for pair in pairs if pair["id"] not in but]
    yield from random_.sample(pairs, min(count, len(pairs)))


def natural(path, random_, count, but=frozenset()):
    pages = {}
    for line in gzip.open(path, "rt", encoding="utf-8"):
        doc = json.loads(line)
        if doc["kind"] == "version":
            # A menu of languages stands in some of these texts.
            doc["text"] = "\n".join(l for l in doc["text"].split("\n") if l.strip() not in LANGUAGES)
            pages.setdefault((doc["lang"], doc["source"], doc["page"]), []).append(doc)
    pairs = {"zh": [], "en": []}
    for (lang, _, _), docs in sorted(pages.items()):
        if any(doc["id"] in but for doc in docs):
            continue
        docs.sort(key=lambda doc: (doc["rev"], doc["id"]))
        for a, b in zip(docs, docs[1:]):
            if a["text"] != b["text"] and max(len(a["text"]), len(b["text"])) < 20_000:
                pairs[lang].append((a, b))
    for lang in ("zh", "en"):
        for a, b in random_.sample(pairs[lang], count // 2):
            yield {"id": f"{a['id']}-{b['id']}", "before": a["text"], "after": b["text"],
                   "bytes_equal": False, "visible_equal": a["text"].split() == b["text"].split()}


PARAGRAPH = re.compile(r"<p(?:\s[^>]*)?>(?:(?!</?p[\s>]).){80,1500}?</p>", re.S | re.I)
HEADING = re.compile(r"</h[123]>", re.I)
ITEM = re.compile(r"<li(?:\s[^>]*)?>(?:(?!</?li[\s>]).){10,400}?</li>", re.S | re.I)


def words_of(markup):
    return html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", markup)))


def insert(page, at, what):
    return page[:at] + what + page[at:]


def edit(page, others, random_):
    """One edit of a page's markup, of a kind that live sites make: (name, page) or none."""
    chinese = len(re.findall(r"[一-鿿]", page)) > 400
    paragraphs = list(PARAGRAPH.finditer(page))
    other = random_.choice(others)
    theirs = [m.group(0) for m in PARAGRAPH.finditer(other)]
    headings = [m.end() for m in HEADING.finditer(page)]
    body_end = page.lower().rfind("</body>")
    if len(paragraphs) < 3 or not headings or body_end < 0 or not theirs:
        return None
    middle = paragraphs[random_.randrange(len(paragraphs))]
    n = random_.randrange(2, 9_000)
    day = f"{random_.randrange(2015, 2026)}-{random_.randrange(1, 13):02}-{random_.randrange(1, 29):02}"
    titles = [t for t in (words_of(m.group(0)).strip() for m in ITEM.finditer(other)) if t][:5] or ["News"]
    links = "".join(f'<li><a href="/p/{i}.html">{html.escape(t[:60])}</a></li>' for i, t in enumerate(titles))
    kind = random_.choice(EDITS)
    if kind == "date":
        label = "发布于" if chinese else "Posted on"
        new = f'<div class="post-meta">{label} {day}</div>'
        old = f'<div class="post-meta">{label} 2014-03-02</div>'
        return kind, insert(page, headings[0], old), insert(page, headings[0], new)
    if kind == "counter":
        label = ("阅读 {} 次 · 评论 {}" if chinese else "{} views · {} comments")
        old, new = (f'<div class="meta"><span>{label.format(k, k // 9)}</span></div>' for k in (n, n + 57))
        return kind, insert(page, headings[0], old), insert(page, headings[0], new)
    if kind == "updated":
        label = ("最后更新：{}" if chinese else "Last updated: {}")
        at = paragraphs[-1].end()
        return kind, insert(page, at, f"<p>{label.format('2013-01-05')}</p>"), insert(page, at, f"<p>{label.format(day)}</p>")
    if kind == "sidebar":
        label = "最新文章" if chinese else "Recent posts"
        return kind, page, insert(page, body_end, f'<div class="sidebar widget"><h3>{label}</h3><ul>{links}</ul></div>')
    if kind == "related":
        label = "相关文章" if chinese else "Related articles"
        return kind, page, insert(page, paragraphs[-1].end(), f'<div class="related-posts"><h4>{label}</h4><ul>{links}</ul></div>')
    if kind == "advert":
        text = "限时优惠：云服务器 3 折起，立即抢购！" if chinese else "Sponsored: save 40% on hosting today. Sign up now!"
        return kind, page, insert(page, middle.end(), f'<div class="ad-banner"><a href="https://ads.example/x">{text}</a></div>')
    if kind == "copyright":
        return kind, insert(page, body_end, '<div class="footer">Copyright © 2013</div>'), insert(page, body_end, '<div class="footer">Copyright © 2025 All rights reserved</div>')
    if kind == "notice":
        text = "本站将于周日凌晨维护，届时无法访问。" if chinese else "We use cookies to improve your experience. Accept all"
        at = re.search(r"<body[^>]*>", page, re.I)
        return (kind, page, insert(page, at.end(), f'<div class="notice">{text}</div>')) if at else None
    if kind == "sentence":
        sentence = re.split(r"(?<=[。.!?])\s*", words_of(random_.choice(theirs)).strip())[0][:300]
        return kind, page, insert(page, middle.end() - len("</p>"), " " + html.escape(sentence))
    if kind == "paragraph":
        return kind, page, insert(page, middle.end(), random_.choice(theirs))
    if kind == "removed":
        return kind, page, page[:middle.start()] + page[middle.end():]
    if kind == "replaced":
        return kind, page, page[:middle.start()] + random_.choice(theirs) + page[middle.end():]
    if kind == "comment":
        text = words_of(random_.choice(theirs)).strip()[:160]
        who = "网友" if chinese else "guest"
        box = f'<div id="comments"><div class="comment"><b>{who}{n}</b><p>{html.escape(text)}</p></div></div>'
        return kind, page, insert(page, paragraphs[-1].end(), box)
    if kind == "typo":
        words = [m for m in re.finditer(r"(?<=[ >])[a-z]{6,}(?=[ .,<])" if not chinese else r"[一-鿿]{2}", middle.group(0))]
        if not words:
            return None
        word = random_.choice(words)
        at = middle.start() + word.start()
        swapped = word.group(0)[1] + word.group(0)[0] + word.group(0)[2:]
        return kind, page[:at] + swapped + page[at + len(swapped):], page
    if kind == "number":
        numbers = list(re.finditer(r"(?<=[ >])\d{1,4}(?=[ .,%<])", middle.group(0)))
        if not numbers:
            return None
        at = middle.start() + random_.choice(numbers).start()
        return kind, page, page[:at] + re.sub(r"^\d+", str(n), page[at:], count=1)
    if kind == "markup":
        return kind, page, page.replace("<p>", '<p class="t2">').replace("<h2>", '<h2 id="x1">') + "<!-- built 1234 -->"
    items = list(ITEM.finditer(page))
    if not items:
        return None
    return kind, page, insert(page, random_.choice(items).end(), f"<li>{html.escape(titles[0][:120])}</li>")


EDITS = ["date", "counter", "updated", "sidebar", "related", "advert", "copyright", "notice", "sentence", "sentence",
         "paragraph", "paragraph", "removed", "removed", "replaced", "comment", "typo", "number", "markup", "item"]


def of_web(args, random_, count):
    """Recorded pages by URL, drawn."""
    sys.path.insert(0, args.tools)
    import webfmt
    web = webfmt.Web(args.web)
    records = sorted((r for r in web.recs if r.is_html() and 4_000 < r.blen < 200_000), key=lambda r: r.url)
    for record in random_.sample(records, min(len(records), count * 12)):
        yield record.url, web.body(record)


def of_folders(args, random_, count):
    """Pages of folders of pages, one a site; those in Chinese first, as far as there are any."""
    rows = [(folder, json.loads(line)) for folder in args.pages for line in open(f"{folder}/truth.jsonl", encoding="utf-8")]
    rows.sort(key=lambda pair: pair[1]["id"])
    random_.shuffle(rows)
    rows.sort(key=lambda pair: pair[1].get("lang") != "zh")
    sites = set()
    for folder, page in rows:
        site = urlsplit(page["url"]).hostname
        if site and site not in sites and site not in args.left_out:
            sites.add(site)
            yield page["url"], gzip.open(f"{folder}/pages/{page['id']}.html.gz").read()


def made(args, random_, count):
    by_host, lines, kinds, edited_pages = {}, [], {}, {}
    texts = {}
    for url, page in (of_folders if args.pages else of_web)(args, random_, count):
        try:
            texts[url] = page.decode("utf-8")
        except UnicodeDecodeError:
            continue
        # What is put into a page is taken from another page of its site, or of its language.
        chinese = len(re.findall(r"[一-鿿]", texts[url])) > 400
        by_host.setdefault(str(chinese) if args.pages else url.split("/")[2], []).append(url)
    for url in texts:
        if len(kinds) == count:
            break
        siblings = next(urls for urls in by_host.values() if url in urls)
        others = [texts[o] for o in siblings if o != url][:8]
        edited = edit(texts[url], others, random_) if others else None
        if not edited:
            continue
        kind, before, after = edited
        kinds[url] = (kind, words_of(before).split() == words_of(after).split())
        edited_pages[url] = (before, after)
        for which, page in (("before", before), ("after", after)):
            lines.append(json.dumps({"id": f"{which} {url}", "html": page, "url": url}))
    answers = subprocess.run([args.tamis, "extract", "--jsonl", "-"], input="\n".join(lines), text=True,
                             capture_output=True, check=True).stdout
    extracted = {}
    for line in answers.splitlines():
        row = json.loads(line)
        extracted[row["id"]] = row.get("text") or ""
    for url, (kind, visible_equal) in kinds.items():
        yield {"id": f"{kind} {url}", "before": extracted[f"before {url}"], "after": extracted[f"after {url}"],
               "html_before": edited_pages[url][0], "html_after": edited_pages[url][1],
               "bytes_equal": False, "visible_equal": visible_equal}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", required=True, help="texts with versions, JSONL, gzipped")
    parser.add_argument("--web", help="a recorded web")
    parser.add_argument("--tools", help="the folder of webfmt.py, which reads it")
    parser.add_argument("--pages", action="append", default=[], help="in its place: a folder of pages; may be repeated")
    parser.add_argument("--but", action="append", default=[], help="labels of another sample, whose documents and sites are left out; may be repeated")
    parser.add_argument("--repo", help="a git repository, whose Markdown files have versions")
    parser.add_argument("--at", default="HEAD", help="its last commit that is looked at")
    parser.add_argument("--crates", help="a folder of crates, some of them in two versions")
    parser.add_argument("--tamis", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=18)
    args = parser.parse_args()
    args.left_out = left_out(args.but)
    half, first = args.count // 2, []
    if args.repo:
        first += of_repository(args.repo, args.at, random.Random(args.seed), half * 2 // 5, args.left_out)
        first += of_crates(args.crates, random.Random(args.seed), half // 5, args.left_out)
    first += natural(args.docs, random.Random(args.seed), half - len(first), args.left_out)
    for pair in [*first, *made(args, random.Random(args.seed), half)]:
        print(json.dumps(pair, ensure_ascii=False))


if __name__ == "__main__":
    main()
