#!/usr/bin/env python3
"""Kill a crawl, and cut its power, at random moments; nothing acknowledged may be lost.

  survive.py --bin target/release/tamis --proxy http://127.0.0.1:8088 --seeds seeds.txt
             [--server COMMAND] [--kills 100] [--cuts 30] [--powercut powercut.c]
             [--delay 20ms] [--random-seed 1] [--pending N] [--work DIR]

Three crawls of one web: one left alone, one killed with SIGKILL again and again, one whose power
is cut again and again: killed, and then set back to what fsync and fdatasync had made durable
(`--powercut`: the source of a library to preload, which copies each file at its syncs). `--pending`
sets limits.pending_in_memory: with a few, most of the queue waits on disk. COMMAND
serves the web; it is started anew for each crawl, so that each meets the same faults.

After every kill and every cut:
  * no page is gone that was acknowledged (shown in the progress, or exported after an earlier one);
  * no URL is finished twice;
  * `check-dir --rejudge` finds nothing. After a cut the views may be damaged, since they are not
    synced: then `check-dir` may say that they will be rebuilt, and nothing else, and after
    `check-dir --repair` it must find nothing at all.
At the end each crawl runs to its end, has what the undisturbed one has, and is checked again.
Exit status 0 when all holds.
"""
import argparse
import json
import os
import random
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from urllib.parse import urlsplit


class Trial:
    """One crawl directory, and what is known to be safe in it."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        self.dir = os.path.join(options.work, name)
        self.shadow = os.path.join(options.work, name + ".durable")
        self.acknowledged, self.wrong, self.rebuilt = set(), [], 0
        for path in (self.dir, self.shadow):
            shutil.rmtree(path, ignore_errors=True)

    def start(self, durable=False):
        o = self.options
        command = [o.bin, "crawl", o.config, "--dir", self.dir, "--seeds", o.seeds, "--delay", o.delay,
                   "--max-pages", "0", "--proxy", o.proxy, "--allow-private", "--progress", "json"]
        environment = dict(os.environ)
        if durable:
            environment.update(LD_PRELOAD=o.preload, POWERCUT_ROOT=self.dir, POWERCUT_DIR=self.shadow)
        self.said = open(os.path.join(o.work, self.name + ".log"), "w+")
        return subprocess.Popen(command, stderr=self.said, env=environment)

    def shown(self):
        """Pages that the progress acknowledged in the last start."""
        self.said.seek(0)
        lines = [line for line in self.said if line.startswith("{") and line.endswith("}\n")]
        self.said.close()
        return max((json.loads(line).get("pages", 0) for line in lines), default=0)

    def run(self, *arguments):
        command = [self.options.bin, *arguments]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def rows(self, what):
        out = self.run("export", self.dir, what)
        if out.returncode:
            if self.acknowledged:
                self.problem(f"export: exit {out.returncode}: {out.stdout.strip()}")
            return []
        return [json.loads(line) for line in out.stdout.splitlines()]

    def problem(self, text):
        self.wrong.append(text)
        print(f"{self.name}: {text}", flush=True)

    def compare(self, shown, when):
        """No page may be gone; gives how many there are."""
        urls = [row["url"] for row in self.rows("pages")]
        if len(urls) != len(set(urls)):
            self.problem(f"{when}: a URL is finished twice")
        if len(urls) < shown:
            self.problem(f"{when}: {shown} pages were shown, {len(urls)} are there")
        lost = self.acknowledged - set(urls)
        if lost:
            self.problem(f"{when}: {len(lost)} pages are lost, {min(lost)} for one")
        self.acknowledged |= set(urls)
        return len(urls)

    def agree(self, when, may_rebuild=False):
        """The archive and its views must agree."""
        found = self.run("check-dir", "--rejudge", self.dir)
        if found.returncode == 0:
            return
        lines = [line.strip() for line in found.stdout.splitlines()]
        if may_rebuild and any("damaged" in line and "the next start rebuilds" in line for line in lines):
            self.rebuilt += 1
            repair = self.run("check-dir", "--repair", self.dir)
            if repair.returncode:
                self.problem(f"{when}: check-dir --repair: exit {repair.returncode}: {repair.stdout.strip()}")
            return self.agree(when + ", repaired")
        self.problem(f"{when}: check-dir: exit {found.returncode}: {' | '.join(lines[:6])}")

    def finish(self):
        """Lets the crawl run to its end; gives its pages."""
        process = self.start()
        process.wait()
        if process.returncode:
            self.problem(f"the last start: exit {process.returncode}")
        self.compare(self.shown(), "at the end")
        self.agree("at the end")
        kept = {row["url"] for row in self.rows("indexed")}
        for row in self.rows("junk"):
            if row["dup_of"] and row["dup_of"] not in kept:
                self.problem(f"{row['url']} is a duplicate of {row['dup_of']}, which is not kept")
        return self.rows("pages")


class Server:
    """The web, started anew for each crawl; nothing when it runs already."""

    def __init__(self, options):
        self.options, self.process = options, None

    def __enter__(self):
        if not self.options.server:
            return
        self.process = subprocess.Popen(shlex.split(self.options.server), stdout=subprocess.DEVNULL)
        address = urlsplit(self.options.proxy)
        for _ in range(600):
            try:
                socket.create_connection((address.hostname, address.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit("the web does not answer")

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait()


def disturb(trial, count, seconds, cut):
    """Starts and kills a crawl `count` times; gives how often it was killed while it ran."""
    chance = random.Random(trial.options.random_seed)
    done = 0
    while done < count:
        process = trial.start(durable=cut)
        # Over the whole crawl, a fifth of them while it starts.
        early = chance.random() < 0.2
        time.sleep(chance.uniform(0.02, 0.4) if early else chance.uniform(0.3, max(0.6, 2 * seconds / count)))
        ran = process.poll() is None
        if ran:
            process.send_signal(signal.SIGKILL)
        process.wait()
        shown = trial.shown()
        if not ran:
            if process.returncode:
                trial.problem(f"exit {process.returncode}: see {trial.name}.log")
            break
        done += 1
        if cut:
            shutil.rmtree(trial.dir)
            shutil.copytree(trial.shadow, trial.dir)
        when = f"{'cut' if cut else 'kill'} {done}"
        if trial.compare(shown, when):
            trial.agree(when, may_rebuild=cut)
        if cut:
            # What lies on the disk at the next start is what the next cut finds.
            shutil.rmtree(trial.shadow)
            shutil.copytree(trial.dir, trial.shadow)
    return done


def missing(name, whole, ended):
    """Counts pages that the undisturbed crawl has and this one has not. A page read under a session
    id or a tracking parameter is not read again without: whichever of them came first will do."""
    def pages(rows):
        return {row["url"].split("?")[0] for row in rows if row["status"] == 200}
    first, second = pages(whole), pages(ended)
    print(f"{name}: {len(ended)} URLs finished; of {len(first)} pages of the undisturbed crawl "
          f"{len(first - second)} missing, {len(second - first)} more", flush=True)
    for url in sorted(first - second)[:5]:
        print(f"  missing: {url}")
    return len(first - second)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--proxy", required=True)
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--server", help="command that serves the web behind the proxy")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--powercut", help="C source of the library that simulates power cuts")
    parser.add_argument("--delay", default="20ms")
    parser.add_argument("--work")
    parser.add_argument("--random-seed", type=int, default=1)
    parser.add_argument("--pending", type=int, help="limits.pending_in_memory")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    temporary = not options.work
    options.work = os.path.abspath(options.work or tempfile.mkdtemp(prefix="survive-"))
    os.makedirs(options.work, exist_ok=True)
    # Small files: a cut copies each at every sync, and the change of files is met as well.
    options.config = os.path.join(options.work, "survive.toml")
    with open(options.config, "w") as file:
        file.write('[archive]\nfile_size = "1 MB"\n')
        if options.pending is not None:
            file.write(f"[limits]\npending_in_memory = {options.pending}\n")
    if options.cuts:
        if not options.powercut:
            parser.error("--cuts needs --powercut")
        options.preload = os.path.join(options.work, "powercut.so")
        command = ["cc", "-shared", "-fPIC", "-O2", "-o", options.preload, options.powercut, "-ldl"]
        subprocess.run(command, check=True)

    whole = Trial(options, "whole")
    with Server(options):
        began = time.time()
        rows = whole.finish()
        seconds = time.time() - began
    print(f"undisturbed: {len(rows)} URLs finished in {seconds:.1f} s", flush=True)
    wrong = len(whole.wrong)
    for name, count, cut in (("killed", options.kills, False), ("cut", options.cuts, True)):
        if not count:
            continue
        trial = Trial(options, name)
        with Server(options):
            done = disturb(trial, count, seconds, cut)
            ended = trial.finish()
        if done < count:
            trial.problem(f"the crawl ended after {done} of {count}: give it more pages or a longer delay")
        print(f"{name} {done} times, views rebuilt {trial.rebuilt} times, {len(trial.wrong)} problems", flush=True)
        wrong += len(trial.wrong) + missing(name, rows, ended)
    if temporary and not wrong:
        shutil.rmtree(options.work)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
