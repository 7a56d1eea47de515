#!/usr/bin/env python3
"""The whole circle of the classifier's training: features, a forest for each fold, score on unseen sites.

    python3 circle.py WORK DATA [DATA ...]                 # score on unseen sites
    python3 circle.py WORK DATA [DATA ...] --write         # and train the shipped forest on all pages

Each DATA holds `truth.jsonl` and `pages/ID.html.gz`. A site is in one fold: that of the records' `fold`, or of a file
`folds-*.json` beside a `truth.jsonl` (id to fold), or that of its domain. WORK keeps what each step
made; `--from` begins at a later step: rows, forest, text, score.

Needs numpy and lightgbm, and `cargo build --release -p extractor --examples`.
"""
import argparse, json, multiprocessing, pickle, subprocess, sys
from collections import Counter
from pathlib import Path

import numpy as np

import mask_pages
import train_classifier as trainer

HERE = Path(__file__).resolve().parent
FOREST = HERE / "../src/classifier/forest.txt"
STEPS = ["rows", "forest", "text", "score"]
FOLDS = 8


def pool(work, sources):
    """One directory of pages and truths from several."""
    pages = work / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    folds, records = {}, []
    for source in sources:
        for file in source.glob("folds-*.json"):
            folds.update(json.load(open(file)))
    for source in sources:
        for record in map(json.loads, open(source / "truth.jsonl", encoding="utf-8")):
            name = f"{record['id']}.html.gz"
            if not (pages / name).exists():
                (pages / name).symlink_to((source / "pages" / name).resolve())
            record["set"] = source.name
            record.setdefault("fold", folds.get(record["id"], trainer.fold(record)))
            records.append(record)
    with open(work / "truth.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(record) + "\n" for record in records)
    mask_pages.mask_all(work, work / "masked")


def rows(binary, *arguments):
    subprocess.run([binary, *map(str, arguments)], check=True)


def cached(work, truth, name):
    """Features and labels; labels of unchanged runs are not computed again."""
    file = work / f"{name}.labels"
    known = pickle.load(open(file, "rb")) if file.exists() else {}
    loaded = trainer.load(truth, work / name, known)
    pickle.dump(known, open(file, "wb"))
    return loaded


SHARED = {}


def predicted(fold):
    """The log odds of a fold's pages by a forest trained without them."""
    values, pages, samples, size, wanted = SHARED["task"]
    model = samples.train(size, lambda record: record["fold"] != fold and wanted(record))
    return [(page["rows"], log_odds(model.predict(values[page["rows"]], num_threads=1)))
            for page in pages if page["record"]["fold"] == fold]


def log_odds(probability):
    probability = np.clip(probability, 1e-5, 1 - 1e-5)
    return np.log(probability / (1 - probability))


def unseen_odds(values, pages, samples, size, wanted, jobs):
    """The log odds of all runs, each page's by a forest that was trained without its fold."""
    SHARED["task"] = values, pages, samples, size, wanted
    odds = np.zeros(len(values), dtype="<f4")
    with multiprocessing.get_context("fork").Pool(jobs) as workers:
        for part in workers.imap_unordered(predicted, range(FOLDS), 1):
            for place, own in part:
                odds[place] = own
    return odds


def words_f1(words, truth):
    """F1 of the multisets of words."""
    hit = sum((Counter(words) & Counter(truth)).values())
    return 2 * hit / (len(words) + len(truth)) if words or truth else 1.0


def score(work, out):
    """Prints the score of the texts by set, quality, page type and language."""
    truth = {r["id"]: r for r in map(json.loads, open(work / "truth.jsonl", encoding="utf-8"))}
    pages, guessed = [], Counter()
    for page in map(json.loads, open(out / "text" / "rows.jsonl", encoding="utf-8")):
        record = truth[page["id"]]
        if record.get("text"):
            words, true = trainer.tokens(page["text"]), trainer.tokens(record["text"])
            p, r = trainer.precision_recall(words, true)
            pages.append((record, p, r, words_f1(words, true)))
            guessed[record["page_type"], page["page_type"]] += 1
    json.dump([(r["id"], p, q, w) for r, p, q, w in pages], open(out / "score.json", "w"))
    groups = {}
    for page in pages:
        record = page[0]
        keys = [record["set"], f"{record['set']} {record['source_set']}", f"{record['set']} type={record['page_type']}",
                f"lang={record['lang']}" if record["lang"] in ("zh", "ja", "en") else "lang=other"]
        if record["quality"] == "llm-draft-reviewed":
            keys.append(f"{record['set']} llm-draft")
            keys.append(f"{record['set']} llm-draft type={record['page_type']}")
        for key in keys:
            groups.setdefault(key, []).append(page)
    for name, group in sorted(groups.items()):
        p, r, w = (float(np.mean([page[i] for page in group])) for i in (1, 2, 3))
        print(f"{name:48} {len(group):4} pages  P {p:.3f}  R {r:.3f}  F1 {2 * p * r / (p + r + 1e-9):.4f}  words {w:.4f}")
    return guessed


def size(text):
    trees, leaves, share = text.split(",")
    return int(trees), int(leaves), float(share)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("work", type=Path)
    ap.add_argument("data", type=Path, nargs="+")
    ap.add_argument("--from", dest="begin", choices=STEPS, default="rows", help="the first step to do again")
    ap.add_argument("--out", type=Path, help="where odds and texts of this trial go (WORK)")
    ap.add_argument("--binary", default=str(HERE.parents[2] / "target/release/examples/classifier_rows"))
    ap.add_argument("--size", type=size, default=trainer.SIZE, help="trees,leaves,share of features")
    ap.add_argument("--sites", type=float, default=1.0, help="train on this share of the sites only")
    ap.add_argument("--only", help="train on the pages of this DATA only")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--write", action="store_true", help="write the forest that is shipped")
    a = ap.parse_args()
    work, out = a.work, a.out or a.work
    out.mkdir(parents=True, exist_ok=True)
    do = lambda step: STEPS.index(step) >= STEPS.index(a.begin)
    if do("rows"):
        pool(work, a.data)
        rows(a.binary, work, work / "rows")
        rows(a.binary, work / "masked", work / "rows-masked")
    wanted = lambda record: trainer.site_share(record) < a.sites and record["set"] == (a.only or record["set"])
    if do("forest") or a.write:
        names, values, pages = cached(work, work / "truth.jsonl", "rows")
        masked = cached(work, work / "masked/truth.jsonl", "rows-masked")[1:]
        samples = trainer.Samples([(values, pages, 1.0, trainer.ROWS_MAX),
                                   (*masked, trainer.MASKED_WEIGHT, trainer.MASKED_ROWS_MAX)])
        if do("forest"):
            unseen_odds(values, pages, samples, a.size, wanted, a.jobs).tofile(out / "odds")
        if a.write:
            trainer.write(samples.train(a.size, wanted), names, FOREST)
    if do("text"):
        rows(a.binary, work, out / "text", out / "odds")
    for pair, count in sorted(score(work, out).items()):
        print(*pair, count, file=sys.stderr)


if __name__ == "__main__":
    main()
