#!/usr/bin/env python3
"""Where the CPU of a crawl goes, by stage; see README.md beside this file."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

from web import ServedWeb, Web, crawl, tamis

HERE = os.path.dirname(os.path.abspath(__file__))

# A stage and the functions that name it. The first match on a stack, from the function that ran
# outwards, is the sample's stage.
STAGES = [
    ("segmentation", r"\bsegment::|jieba_rs::"),
    ("near-duplicates", r"\bsimhash::|\bsieve::sketch"),
    ("focus", r"\bfocus::"),
    ("search index", r"\btantivy|\bindex::"),
    # Compressed bodies are unpacked by the library that packs the archive, and settings and state are JSON
    # like the journal: so who calls these libraries names the stage.
    ("bodies unpacked", r"fetcher::decoding"),
    ("HTML to tree", r"html5ever::|extractor::(tokenizer|dom|tree|parse)|encoding_rs::"),
    ("extraction", r"\bextractor::"),
    ("archive", r"\barchive::"),
    ("links and URLs", r"\burl::|psl::|\bfrontier::url"),
    ("frontier", r"\bfrontier::|sled::|\bkv::"),
    ("state", r"\bstate::|\bsieve::"),
    ("network", r"\bfetcher::|hyper|reqwest::|h2::|tokio::net|mio::|tcp_|sock_|inet_"),
    ("runtime and locks", r"\btokio::|parking_lot|crossbeam|futex|pthread_mutex"),
]
# Threads by their names. Pages are read on as many as there are cores; each of the others is one.
ROLES = [
    ("read", "reading pages (a thread for each core)"),
    ("write", "writing: verdicts, archive, journal, state"),
    ("thrd-tantivy", "search index"),
    ("docstore", "search index"),
    ("publish", "publishing: what is handed to the search index"),
    ("net", "network (a few threads)"),
    ("tamis", "dispatching, and the report at the end"),
]
KERNEL = ("kernel: files, memory, scheduling", r"\[\[?kernel|entry_SYSCALL|do_syscall|asm_exc")


def stage_of(stack):
    """The stage of a stack, the function that ran first."""
    for frame in stack:
        for name, pattern in STAGES:
            if re.search(pattern, frame):
                return name
    if any(re.search(KERNEL[1], frame) for frame in stack):
        return KERNEL[0]
    return "other"


def stacks(text):
    """The stacks of `perf script`, each with the name of its thread."""
    thread, stack = "", []
    for line in text.splitlines():
        if not line.strip():
            if stack:
                yield thread, stack
            stack = []
        elif line[0] in " \t":
            stack.append(line.split(None, 1)[-1])
        else:
            thread = line.split()[0]
    if stack:
        yield thread, stack


def role_of(thread):
    """What a thread does, of which there may be several."""
    return next((role for name, role in ROLES if thread.startswith(name)), "others")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tamis", required=True, metavar="BINARY")
    parser.add_argument("--server", default=os.path.join(HERE, "../target/release/examples/serve_bulk"))
    parser.add_argument("--port", type=int, default=8700)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=100, help="pages of each host")
    parser.add_argument("--seeds", help="a file with the seeds of another web that is being served, instead of the made-up one")
    parser.add_argument("--functions", type=int, default=0, help="also the functions that cost most")
    options = parser.parse_args()
    web = ServedWeb(options.seeds) if options.seeds else Web(options.server, options.port, options.hosts, options.pages)
    with tempfile.TemporaryDirectory() as work:
        data = os.path.join(work, "perf.data")
        crawl(web, tamis(options.tamis))
        record = ["perf", "record", "-q", "-F", "499", "--call-graph", "dwarf,32768", "-o", data, "--"]
        measured = crawl(web, record + tamis(options.tamis))
        web.close()
        if measured["exit"]:
            sys.exit("the crawl failed")
        command = ["perf", "script", "-i", data, "-F", "comm,ip,sym,dso", "--no-inline"]
        text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout
    by_stage, by_function, by_role, total = collections.Counter(), collections.Counter(), collections.Counter(), 0
    for thread, stack in stacks(text):
        by_stage[stage_of(stack)] += 1
        by_role[role_of(thread)] += 1
        by_function[stack[0]] += 1
        total += 1
    if not total:
        sys.exit("perf has no samples")
    print(f"| stage | share of the CPU | of {total} samples |")
    print("|---|---|---|")
    for name, count in by_stage.most_common():
        print(f"| {name} | {100 * count / total:.1f} % | {count} |")
    told = options.seeds is None
    print("\n| threads | share of the CPU |" + (" ms a page | pages a second of one core |" if told else ""))
    print("|---|---|" + ("---|---|" if told else ""))
    for name, count in by_role.most_common():
        ms = measured["cpu"] * count / total
        print(f"| {name} | {100 * count / total:.1f} % |" + (f" {ms:.3f} | {1000 / ms:,.0f} |" if told else ""))
    for name, count in by_function.most_common(options.functions):
        print(f"{100 * count / total:5.1f} %  {name}")


if __name__ == "__main__":
    main()
