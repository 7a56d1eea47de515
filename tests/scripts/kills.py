#!/usr/bin/env python3
"""Kill a crawl at random moments, let it finish, and compare it with one that was left alone.

  kills.py --bin target/release/tamis --proxy http://127.0.0.1:8088 --seeds seeds.txt
           [--kills 25] [--delay 0] [--work DIR] [--random-seed 1]

The web behind the proxy must answer alike each time. After the last kill the crawl runs to its
end; then the fetched URLs must be those of the uninterrupted crawl, `check-dir --rejudge` must
find nothing, and the search index must hold each kept page once. Exit status 0 when all holds.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def crawl(options, directory):
    return [options.bin, "crawl", "--dir", directory, "--seeds", options.seeds, "--delay", options.delay,
            "--max-pages", "0", "--proxy", options.proxy, "--allow-private", "--progress", "none"]


def rows(options, directory, what):
    out = subprocess.run([options.bin, "export", directory, what], check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in out.splitlines()]


def finished(options, directory):
    """URLs for which the crawl made its last fetch."""
    pages = rows(options, directory, "pages")
    urls = [row["url"] for row in pages]
    if len(urls) != len(set(urls)):
        sys.exit(f"{directory}: a URL is finished twice")
    return set(urls)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--proxy", required=True)
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--delay", default="0")
    parser.add_argument("--work")
    parser.add_argument("--random-seed", type=int, default=1)
    options = parser.parse_args()
    work = options.work or tempfile.mkdtemp(prefix="kills-")
    whole, killed = os.path.join(work, "whole"), os.path.join(work, "killed")
    for directory in (whole, killed):
        shutil.rmtree(directory, ignore_errors=True)
    started = time.time()
    subprocess.run(crawl(options, whole), check=True, stderr=subprocess.DEVNULL)
    seconds = time.time() - started
    print(f"uninterrupted: {len(finished(options, whole))} URLs in {seconds:.1f} s")

    chance = random.Random(options.random_seed)
    kills = 0
    for _ in range(options.kills * 4):
        if kills == options.kills:
            break
        process = subprocess.Popen(crawl(options, killed), stderr=subprocess.DEVNULL)
        # Spread so that the kills fall over the whole crawl, the start included.
        time.sleep(chance.uniform(0.05, max(0.3, 2.5 * seconds / options.kills)))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    subprocess.run(crawl(options, killed), check=True, stderr=subprocess.DEVNULL)

    wrong = 0
    first, second = finished(options, whole), finished(options, killed)
    print(f"after {kills} kills: {len(second)} URLs, {len(first - second)} missing, {len(second - first)} more")
    wrong += first != second
    for directory in (whole, killed):
        check = subprocess.run([options.bin, "check-dir", "--rejudge", directory], stdout=subprocess.PIPE, text=True)
        print(f"check-dir {os.path.basename(directory)}: exit {check.returncode}: {check.stdout.strip().splitlines()[-1]}")
        wrong += check.returncode != 0
    kept = {row["url"] for row in rows(options, killed, "indexed")}
    lost = [row["url"] for row in rows(options, killed, "junk") if row["dup_of"] and row["dup_of"] not in kept]
    print(f"{len(kept)} kept; {len(lost)} duplicates of a page that is not kept")
    wrong += bool(lost)
    if not options.work:
        shutil.rmtree(work)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
