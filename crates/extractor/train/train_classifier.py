"""Labels, weights and the forest for circle.py.

A run of text is labelled by the true content of its page, weighed by its share of it and by what is
known of the truth; LightGBM trains the forest. Needs numpy and lightgbm.
"""
import hashlib, json, re, unicodedata
from collections import Counter
from urllib.parse import urlparse

import lightgbm as lgb
import numpy as np

CJK = r"\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
# Few leaves and few features for each split: there are hundreds of thousands of runs but only some
# thousand pages, and the forest must generalise to other sites.
PARAMETERS = dict(objective="binary", learning_rate=0.06, min_data_in_leaf=60,
                  min_sum_hessian_in_leaf=20, bagging_fraction=0.7, bagging_freq=1,
                  lambda_l2=5, max_bin=63, verbose=-1, num_threads=1, force_col_wise=True)
# The number of trees, the leaves of a tree, the share of features for each split.
SIZE = (400, 14, 0.2)
# The most rows of a page without content that are trained on, and those of a masked copy; all rows
# of content are.
ROWS_MAX, MASKED_ROWS_MAX = 200, 60
# The weight of a run that is labelled by a snippet; other runs weigh their share of their page's content.
SNIPPET_WEIGHT = 0.4
# The weight of each of a page's two masked copies.
MASKED_WEIGHT = 0.125
TRUST = {"zh-gbk": 0.3, "wcxb-rsdraft": 0.6, "readability": 0.6, "newspaper": 0.6}


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


def hash_of(texts):
    return hashlib.sha1("\n".join(texts).encode()).hexdigest()


def site(record):
    parts = (urlparse(record["url"]).hostname or record["id"]).split(".")
    double = len(parts) > 2 and parts[-2] in ("co", "com", "org", "net", "gov", "ac", "edu")
    return ".".join(parts[-3 if double else -2:])


def fold(record):
    """One of eight, by the registrable domain."""
    return int(hashlib.sha1(b"fold " + site(record).encode()).hexdigest()[:8], 16) % 8


def site_share(record):
    """A number from 0 to 1 by the site, to train on a share of the sites."""
    return int(hashlib.sha1(b"share " + site(record).encode()).hexdigest()[:8], 16) / 2**32


def load(truth_file, rows_dir, known):
    """Names and values of the features, and the pages; `known` has labels of pages computed before."""
    names = json.load(open(f"{rows_dir}/names.json"))
    values = np.memmap(f"{rows_dir}/rows.f32", dtype="<f4", mode="r").reshape(-1, len(names))
    truth = {record["id"]: record for record in map(json.loads, open(truth_file, encoding="utf-8"))}
    pages, at = [], 0
    for page in map(json.loads, open(f"{rows_dir}/rows.jsonl", encoding="utf-8")):
        record, count = truth[page["id"]], len(page["texts"])
        if record.get("text") and count:
            key = page["id"], hash_of(page["texts"])
            if key not in known:
                runs = [tokens(text) for text in page["texts"]]
                true = tokens(record["text"])
                known[key] = np.array([len(run) for run in runs]), len(true), labels(runs, true)
            sizes, true, marked = known[key]
            pages.append(dict(record=record, rows=slice(at, at + count), sizes=sizes, truth=true, labels=marked))
        elif count and (record.get("with") or record.get("without")):
            pages.append(dict(record=record, rows=slice(at, at + count), snippets=snippet_labels(page["texts"], record)))
        at += count
    return names, values, pages


def weights(page):
    """A run weighs its share of the page's content; a huge menu is capped."""
    size = np.minimum(page["sizes"], 400) / max(page["truth"], 30)
    size = size * min(1.0, 4.0 / max(size.sum(), 1e-9)) + 0.0005
    return size * trust(page["record"])


def trust(record):
    """The weight of a page by what is known of its truth."""
    if record.get("doubt") or record.get("where", "visible") != "visible":
        return 0.0                        # not a reading of the page, or not of its visible text
    # Drafts by other extractors and re-encoded copies count less.
    return TRUST.get(record["source_set"], 1.0)


class Samples:
    """The runs that are trained on, binned once; the forests of all folds are trained on parts of them.

    `data` is (values, pages, weight, rows) for each source: the most rows of a page without content
    that are trained on; all rows of content are.
    """

    def __init__(self, data):
        x, y, w, self.records, places = [], [], [], [], []
        for values, pages, weight, rows_max in data:
            chance = np.random.RandomState(3)
            for page in pages:
                if trust(page["record"]) == 0.0:
                    continue
                keep, labels, weights = page_samples(page, chance, rows_max)
                x.append(values[page["rows"]][keep])
                y.append(labels[keep])
                w.append(weights[keep] * weight)
                places.append(np.full(keep.sum(), len(self.records)))
                self.records.append(page["record"])
        w = np.concatenate(w)
        self.places = np.concatenate(places)
        self.data = lgb.Dataset(np.vstack(x), np.concatenate(y).astype(float), weight=w / w.mean(),
                                params=PARAMETERS).construct()

    def train(self, size, wanted):
        """A forest trained on the pages whose record `wanted` accepts."""
        wanted = np.array([wanted(record) for record in self.records])
        rounds, leaves, share = size
        parameters = dict(PARAMETERS, num_leaves=leaves, feature_fraction=share, seed=0)
        part = self.data.subset(np.flatnonzero(wanted[self.places]), params=parameters)
        return lgb.train(parameters, part, rounds)


def page_samples(page, chance, rows_max):
    """Which rows of a page are trained on, and the labels and weights of all."""
    if "snippets" in page:
        return page["snippets"] >= 0, page["snippets"], np.full(len(page["snippets"]), SNIPPET_WEIGHT)
    count = len(page["labels"])
    share = min(1.0, rows_max / count)
    keep = page["labels"] | (chance.rand(count) < share)
    return keep, page["labels"], weights(page) / np.where(page["labels"], 1.0, share)


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
