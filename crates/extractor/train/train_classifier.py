#!/usr/bin/env python3
"""Train a forest of the classifier (src/classifier/*.txt) on pages with content marked by people.

    cargo run --release -p extractor --example classifier_rows -- DATA ROWS [ODDS]
    python3 train_classifier.py DATA/truth.jsonl ROWS FOREST [--masked MASKED ROWS]

With --folds the pages are split by site and the cross-validated score is printed (of the forest
alone, without the rules that come after it). With --odds the log odds of each page by a forest that
was trained without its site are written; the second forest is trained on these. Needs numpy and lightgbm.
"""
import argparse, hashlib, json, re, sys, unicodedata
from collections import Counter
from urllib.parse import urlparse

import lightgbm as lgb
import numpy as np

CJK = r"\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
# Few leaves and few features for each split: there are tens of thousands of runs but only hundreds
# of pages, and the forest must generalise to other sites.
PARAMETERS = dict(objective="binary", learning_rate=0.06, min_data_in_leaf=60,
                  min_sum_hessian_in_leaf=20, bagging_fraction=0.7, bagging_freq=1,
                  lambda_l2=5, max_bin=63, verbose=-1, num_threads=1)
# For each forest: the number of trees, the leaves of a tree, the share of features for each split.
FIRST, SECOND = (260, 10, 0.2), (75, 7, 0.3)
FOLDS = 8
# The most rows of a page without content that are trained on; all rows of content are.
ROWS_MAX = 200
# The weight of a run that is labelled by a snippet; other runs weigh their share of their page's content.
SNIPPET_WEIGHT = 0.4
# The weight of each of a page's two masked copies.
MASKED_WEIGHT = 0.125


def tokens(text):
    return TOKEN.findall(unicodedata.normalize("NFKC", text or "").lower())


def shingles(words, n=4):
    if len(words) < n:
        return Counter([tuple(words)]) if words else Counter()
    return Counter(zip(*(words[i:] for i in range(n))))


def precision_recall(words, truth):
    page, true = shingles(words), shingles(truth)
    hit = sum((page & true).values())
    return (hit / sum(page.values()) if page else 0.0), (hit / sum(true.values()) if true else 0.0)


def labels(runs, truth):
    """For each run (a list of tokens), whether it is part of the true content.

    A long run is if the truth has its shingles; a short one if the truth has it next to the run
    before or after it. Of a text that is on the page more often than in the truth, the runs with the
    most content around them are chosen.
    """
    grams = {tuple(truth[i:i + 4]) for i in range(max(0, len(truth) - 3))}
    joined = " " + " ".join(truth) + " "
    holds = lambda words: " " + " ".join(words) + " " in joined
    out = np.full(len(runs), -1.0)
    for i, run in enumerate(runs):
        if len(run) >= 4:
            own = [tuple(run[k:k + 4]) for k in range(len(run) - 3)]
            out[i] = sum(gram in grams for gram in own) / len(own)

    def near(i, step):
        i += step
        while 0 <= i < len(runs) and not runs[i]:
            i += step
        return i if 0 <= i < len(runs) else None

    for i, run in enumerate(runs):
        if out[i] >= 0:
            continue
        before, after = near(i, -1), near(i, 1)
        out[i] = bool(run) and (
            before is not None and out[before] > 0.5 and holds(runs[before][-3:] + run)
            or after is not None and holds(run + runs[after][:3]))
    places = {}
    for i, run in enumerate(runs):
        if run and out[i] > 0.5:
            places.setdefault(tuple(run), []).append(i)
    for run, where in places.items():
        wanted = max(1, joined.count(" " + " ".join(run) + " "))
        if len(where) <= wanted:
            continue

        def content_around(i):
            around = [k for k in range(max(0, i - 6), min(len(runs), i + 7)) if k != i and runs[k]]
            sizes = [min(len(runs[k]), 30) for k in around]
            score = sum(max(out[k], 0) * size for k, size in zip(around, sizes)) / (sum(sizes) + 1)
            before, after = near(i, -1), near(i, 1)
            if after is not None and holds(list(run)[-3:] + runs[after][:3]):
                score += 1
            if before is not None and holds(runs[before][-3:] + list(run)[:3]):
                score += 1
            return score

        for i in sorted(where, key=content_around, reverse=True)[wanted:]:
            out[i] = 0
    return out >= 0.5


def squash(text):
    return "".join(tokens(text))


def snippet_labels(texts, record):
    """1 for a run with a wanted snippet, 0 for one with an unwanted snippet, -1 for any other."""
    wanted = [s for s in map(squash, record.get("with") or []) if s]
    unwanted = [s for s in map(squash, record.get("without") or []) if s]
    out = np.full(len(texts), -1)
    for i, text in enumerate(map(squash, texts)):
        # An unwanted snippet inside a long run does not make the whole run unwanted.
        if any(s in text and len(text) < 6 * len(s) + 40 for s in unwanted):
            out[i] = 0
        elif any(s in text for s in wanted):
            out[i] = 1
    return out


def site(record):
    parts = (urlparse(record["url"]).hostname or record["id"]).split(".")
    double = len(parts) > 2 and parts[-2] in ("co", "com", "org", "net", "gov", "ac", "edu")
    return ".".join(parts[-3 if double else -2:])


def load(truth_file, rows_dir):
    names = json.load(open(f"{rows_dir}/names.json"))
    values = np.fromfile(f"{rows_dir}/rows.f32", dtype="<f4").reshape(-1, len(names))
    truth = {record["id"]: record for record in map(json.loads, open(truth_file, encoding="utf-8"))}
    pages, at = [], 0
    for page in map(json.loads, open(f"{rows_dir}/rows.jsonl", encoding="utf-8")):
        record, count = truth[page["id"]], len(page["texts"])
        if record.get("text") and count:
            runs = [tokens(text) for text in page["texts"]]
            true = tokens(record["text"])
            pages.append(dict(record=record, rows=slice(at, at + count), runs=runs, truth=true,
                              labels=labels(runs, true)))
        elif count and (record.get("with") or record.get("without")):
            pages.append(dict(record=record, rows=slice(at, at + count), snippets=snippet_labels(page["texts"], record)))
        at += count
    return names, values, pages


def weights(page):
    """A run weighs its share of the page's content; a huge menu is capped."""
    size = np.minimum([len(run) for run in page["runs"]], 400) / max(len(page["truth"]), 30)
    size = size * min(1.0, 4.0 / max(size.sum(), 1e-9)) + 0.0005
    # Drafts by other extractors and re-encoded copies count less.
    trust = {"zh-gbk": 0.3, "wcxb-rsdraft": 0.6, "readability": 0.6, "newspaper": 0.6, "wcxb-main": 1.5}
    return size * trust.get(page["record"]["source_set"], 1.0)


def samples(values, pages):
    """Features, labels and weights of the runs that are trained on."""
    chance = np.random.RandomState(3)
    x, y, w = [], [], []
    for page in pages:
        if "snippets" in page:
            judged = page["snippets"] >= 0
            x.append(values[page["rows"]][judged])
            y.append(page["snippets"][judged])
            w.append(np.full(judged.sum(), SNIPPET_WEIGHT))
            continue
        count = len(page["labels"])
        share = min(1.0, ROWS_MAX / count)
        keep = page["labels"] | (chance.rand(count) < share)
        x.append(values[page["rows"]][keep])
        y.append(page["labels"][keep])
        w.append((weights(page) / np.where(page["labels"], 1.0, share))[keep])
    return np.vstack(x), np.concatenate(y).astype(float), np.concatenate(w)


def train(data, size, wanted, seed=0):
    """A forest trained on the pages that `wanted` accepts; `data` is (values, pages, weight) for each source."""
    parts = [(*samples(values, [page for page in pages if wanted(page)]), weight)
             for values, pages, weight in data]
    x, y = np.vstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    w = np.concatenate([part[2] * part[3] for part in parts])
    rounds, leaves, share = size
    parameters = dict(PARAMETERS, num_leaves=leaves, feature_fraction=share, seed=seed)
    return lgb.train(parameters, lgb.Dataset(x, y, weight=w / w.mean()), rounds)


def choose(probability, runs):
    """As classifier.rs does: the threshold with the largest expected mean of precision and recall."""
    size = np.array([len(run) for run in runs], float)
    order = np.argsort(-probability, kind="stable")
    right, kept = np.cumsum(probability[order] * size[order]), np.cumsum(size[order])
    expected = 0.53 * right / (kept + 1e-9) + 0.47 * right / ((probability * size).sum() + 1e-9)
    return probability >= np.clip(probability[order[np.argmax(expected)]], 0.05, 0.7)


def unseen(data, folds, size):
    """Each page with the probabilities of a forest that was trained without its site."""
    fold = lambda page: int(hashlib.sha1(site(page["record"]).encode()).hexdigest(), 16) % folds
    values, pages, _ = data[0]
    for k in range(folds):
        model = train(data, size, lambda page: fold(page) != k)
        for page in pages:
            if fold(page) == k:
                yield page, model.predict(values[page["rows"]])


def cross_validate(data, folds, size):
    scores = []
    for page, probability in unseen(data, folds, size):
        if "labels" in page:
            chosen = choose(probability, page["runs"])
            words = [word for run, kept in zip(page["runs"], chosen) if kept for word in run]
            scores.append((page["record"], *precision_recall(words, page["truth"])))
    groups = {"all": scores}
    for score in scores:
        groups.setdefault(score[0]["source_set"], []).append(score)
        groups.setdefault("type " + score[0]["page_type"], []).append(score)
    for name, group in groups.items():
        p, r = np.mean([s[1] for s in group]), np.mean([s[2] for s in group])
        print(f"{name:24} {len(group):4} pages  P {p:.3f}  R {r:.3f}  F1 {2 * p * r / (p + r):.4f}")


def write_odds(names, data, size, target):
    values = data[0][0]
    odds = np.zeros(len(values), dtype="<f4")
    for page, probability in unseen(data, FOLDS, size):
        probability = np.clip(probability, 1e-5, 1 - 1e-5)
        odds[page["rows"]] = np.log(probability / (1 - probability))
    if "odds" in names:                   # the classifier takes the mean of both forests
        odds = (odds + values[:, names.index("odds")]) / 2
    odds.astype("<f4").tofile(target)


def write(model, names, target):
    lines = ["# Made by train/train_classifier.py; see train/README.md.", " ".join(names)]
    for tree in model.dump_model()["tree_info"]:
        splits, leaves, todo = [], [], [(tree["tree_structure"], None, None)]
        while todo:                       # parents before children, so every split leads forward
            node, parent, side = todo.pop(0)
            if "leaf_value" in node:
                place = ~len(leaves)
                leaves.append(f"{node['leaf_value']:.5g}")
            else:
                place = len(splits)
                splits.append([node["split_feature"], f"{node['threshold']:.7g}", None, None])
                todo += [(node["left_child"], place, 2), (node["right_child"], place, 3)]
            if parent is not None:
                splits[parent][side] = place
        if splits:
            lines.append(";".join(" ".join(map(str, split)) for split in splits) + ";|" + " ".join(leaves))
    with open(target, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("truth")
    ap.add_argument("rows")
    ap.add_argument("forest", nargs="?")
    ap.add_argument("--second", action="store_true", help="the second forest, of rows made with ODDS")
    ap.add_argument("--folds", type=int, help="cross-validate by site instead of writing")
    ap.add_argument("--masked", nargs=2, metavar=("MASKED", "ROWS"),
                    help="pages of mask_pages.py and their rows, to train on besides")
    ap.add_argument("--odds", metavar="FILE", help="write the log odds of unseen folds instead")
    a = ap.parse_args()
    names, values, pages = load(a.truth, a.rows)
    data = [(values, pages, 1.0)]
    if a.masked:
        data.append((*load(f"{a.masked[0]}/truth.jsonl", a.masked[1])[1:], MASKED_WEIGHT))
    size = SECOND if a.second else FIRST
    if a.folds:
        cross_validate(data, a.folds, size)
    elif a.odds:
        write_odds(names, data, size, a.odds)
    elif a.forest:
        write(train(data, size, lambda page: True), names, a.forest)
    else:
        sys.exit("name the forest to write, or give --folds or --odds")


if __name__ == "__main__":
    main()
