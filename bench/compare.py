#!/usr/bin/env python3
"""Crawlers side by side on one web; see README.md beside this file."""
import argparse
import importlib.util
import os
import random
import shutil
import statistics
import sys

from web import Web, crawl, tamis

HERE = os.path.dirname(os.path.abspath(__file__))


def peers(names):
    """The commands of those crawlers that are installed."""
    python = sys.executable
    known = {
        "scrapy": (importlib.util.find_spec("scrapy"), [python, f"{HERE}/peers/scrapy_crawl.py", "{seeds}", "{out}"]),
        "crawlee": (importlib.util.find_spec("crawlee"), [python, f"{HERE}/peers/crawlee_crawl.py", "{seeds}", "{out}"]),
        "spider": (os.environ.get("SPIDER"), [os.environ.get("SPIDER", ""), "{seeds}", "{out}", "64"]),
        "wget2": (shutil.which("wget2"), ["wget2", "-q", "-r", "-l", "inf", "--tries=1", "--max-threads=16", "-P", "{work}", "-i", "{seeds}"]),
    }
    found = {}
    for name in names:
        if name not in known:
            sys.exit(f"unknown crawler {name}: choose of {', '.join(known)}")
        there, command = known[name]
        if there:
            found[name] = command
        else:
            print(f"{name} is not installed: left out")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tamis", action="append", default=[], metavar="NAME=BINARY")
    parser.add_argument("--peers", default="", help="names, separated by commas")
    parser.add_argument("--server", default=os.path.join(HERE, "../target/release/examples/serve_bulk"))
    parser.add_argument("--port", type=int, default=8700)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=100, help="pages of each host")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    commands = {name: tamis(binary) for name, _, binary in (given.partition("=") for given in options.tamis)}
    commands.update(peers([name for name in options.peers.split(",") if name]))
    if not commands:
        parser.error("nothing to compare: give --tamis NAME=BINARY or --peers NAMES")

    web = Web(options.server, options.port, options.hosts, options.pages)
    print(f"{options.hosts} hosts, {web.pages} pages, {options.rounds} rounds; load {os.getloadavg()[0]:.1f}")
    # The server makes each page when it is asked for first: no crawler pays for that.
    crawl(web, next(iter(commands.values())))
    rows = {name: [] for name in commands}
    draw = random.Random(1)
    for number in range(options.rounds):
        order = list(commands)
        draw.shuffle(order)
        for name in order:
            row = crawl(web, commands[name])
            rows[name].append(row)
            print(f"  round {number + 1} {name}: {row['cpu']:.3f} CPU-s for 1,000 pages, exit {row['exit']}", flush=True)
    web.close()

    print("\n| crawler | CPU-s for 1,000 pages (least to most) | pages/s | peak MB | coverage | again | other |")
    print("|---|---|---|---|---|---|---|")
    for name, runs in rows.items():
        median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        cpus = [run["cpu"] for run in runs]
        print(f"| {name} | {median['cpu']:.3f} ({min(cpus):.3f} to {max(cpus):.3f}) | {median['rate']:.0f} "
              f"| {median['memory']:.0f} | {100 * median['coverage']:.1f} % | {median['again']:.0f} | {median['other']:.0f} |")


if __name__ == "__main__":
    main()
