#!/usr/bin/env python3
"""Write copies of labelled pages with their class names, roles and semantic tags masked.

    python3 mask_pages.py DATA MASKED

Each page gets two copies. In `ID~names` classes and ids are replaced by meaningless ones (equal
names stay equal), and roles, microdata and data attributes are removed. In `ID~tags` article, main,
nav and other semantic elements are plain divs, too. A forest that is also trained on these depends
less on one kind of evidence, and is better on pages without class names.
"""
import gzip, hashlib, json, re, sys
from pathlib import Path

VALUE = rb"""("[^"]*"|'[^']*'|[^\s"'>]+)"""
START = re.compile(rb"<[a-zA-Z/][^<>]*>")
NAMES = re.compile(rb"(\s(?:class|id)\s*=\s*)" + VALUE, re.I)
MARKS = re.compile(rb"\s(?:role|itemprop|itemtype|data-[\w-]+|aria-[\w-]+)\s*=\s*" + VALUE, re.I)
TAGS = re.compile(rb"(</?)(?:article|main|section|header|footer|nav|aside|figure|figcaption)\b", re.I)


def meaningless(match, seed):
    names = match.group(2).strip(b"\"'").split()
    hashed = (b"x" + hashlib.md5(seed + name).hexdigest()[:5].encode() for name in names)
    return match.group(1) + b'"' + b" ".join(hashed) + b'"'


def mask(html, seed, tags):
    def tag(match):
        text = NAMES.sub(lambda names: meaningless(names, seed), match.group())
        text = MARKS.sub(b"", text)
        return TAGS.sub(rb"\1div", text) if tags else text

    return START.sub(tag, html)


def mask_all(data, masked):
    """Writes the copies of all pages of `data`."""
    (masked / "pages").mkdir(parents=True, exist_ok=True)
    with open(masked / "truth.jsonl", "w", encoding="utf-8") as truth:
        for record in map(json.loads, open(data / "truth.jsonl", encoding="utf-8")):
            html = gzip.open(data / "pages" / f"{record['id']}.html.gz").read()
            for kind in ("names", "tags"):
                name = f"{record['id']}~{kind}"
                truth.write(json.dumps(dict(record, id=name)) + "\n")
                with gzip.open(masked / "pages" / f"{name}.html.gz", "wb", 1) as page:
                    page.write(mask(html, name.encode(), kind == "tags"))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    mask_all(*map(Path, sys.argv[1:]))
