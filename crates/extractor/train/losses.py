#!/usr/bin/env python3
"""Where a trial of circle.py loses: precision and recall by kind of run, and what was within reach.

    python3 losses.py WORK OUT

WORK and OUT as for circle.py, after its step `text`. For each group of pages it prints the scores of the
trial, those of a perfect choice among the runs, and by kind of run the share of the kept words that
is wrong and the share of the true words that is lost.
"""
import json, pickle, sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

import circle
import train_classifier as trainer

KINDS_MAX = 9


def kind(feature):
    """The kind of a run by its features, a function of their name."""
    log_of_120 = 4.8
    for name, holds in [
        ("nav or footer", feature("in_nav") or feature("in_footer")),
        ("aside", feature("in_aside")),
        ("hidden", feature("hidden")),
        ("form or button", feature("in_form") or feature("in_button")),
        ("figure", feature("in_figure")),
        ("named as comment, related, review", feature("named_aside") < 6),
        ("under a heading of related pages", feature("sign_related") or feature("under_related")),
        ("under a heading of comments", feature("sign_comment") or feature("under_comment")),
        ("byline or date", feature("sign_byline") or feature("sign_date")),
        ("title", feature("title_share") > 0.6 or feature("heading") >= 6),
        ("heading", feature("heading") > 0),
        ("table", feature("in_table")),
        ("link", feature("links") > 0.6),
        ("price", feature("sign_price")),
        ("list item", feature("in_list")),
        ("prose", feature("weight") > log_of_120),
    ]:
        if holds:
            return name
    return "short line"


def scores(words, true):
    return *trainer.precision_recall(words, true), circle.words_f1(words, true)


def groups(record):
    yield record["set"]
    yield f"{record['set']} type={record['page_type']}"
    yield f"lang={record['lang']}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    work, out = map(Path, sys.argv[1:])
    truth = {r["id"]: r for r in map(json.loads, open(work / "truth.jsonl", encoding="utf-8"))}
    names = json.load(open(work / "rows/names.json"))
    place = {name: names.index(name) for name in names}
    values = np.memmap(work / "rows/rows.f32", dtype="<f4", mode="r").reshape(-1, len(names))
    known = pickle.load(open(work / "rows.labels", "rb"))
    pages, wrong, lost = defaultdict(list), defaultdict(Counter), defaultdict(Counter)
    at = 0
    for page in map(json.loads, open(out / "text/rows.jsonl", encoding="utf-8")):
        record, rows = truth[page["id"]], values[at:at + len(page["texts"])]
        at += len(page["texts"])
        if not record.get("text") or not page["texts"]:
            continue
        _, true_count, labels = known[page["id"], trainer.hash_of(page["texts"])]
        true, runs = trainer.tokens(record["text"]), [trainer.tokens(text) for text in page["texts"]]
        perfect = [word for run, label in zip(runs, labels) if label for word in run]
        result = scores(trainer.tokens(page["text"]), true) + scores(perfect, true)
        kept = max(1, sum(len(run) for run, main in zip(runs, page["main"]) if main))
        for group in groups(record):
            pages[group].append(result)
        for run, main, label, row in zip(runs, page["main"], labels, rows):
            if run and main != bool(label):
                losses, whole = (wrong, kept) if main else (lost, max(1, true_count))
                for group in groups(record):
                    losses[group][kind(lambda name: row[place[name]])] += len(run) / whole
    for group, results in sorted(pages.items()):
        p, r, words, best_p, best_r, best_words = np.mean(results, axis=0)
        print(f"{group}: {len(results)} pages  P {p:.3f}  R {r:.3f}  words {words:.4f}"
              f"  perfect choice: P {best_p:.3f}  R {best_r:.3f}  words {best_words:.4f}")
        for name, losses in (("wrong", wrong[group]), ("lost", lost[group])):
            kinds = [f"{kind} {sum / len(results):.4f}" for kind, sum in losses.most_common(KINDS_MAX)]
            print(f"  {name}: " + ", ".join(kinds))


if __name__ == "__main__":
    main()
