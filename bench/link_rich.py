#!/usr/bin/env python3
"""A queue that outgrows memory; see README.md beside this file.

Pages that lead to hundreds of new ones each fill the queue a hundred times faster than it is read.
Crawls such a web for some seconds, stops, and starts again; prints how many URLs wait, the resident
memory at its peak, the bytes on disk and written, and how long the start took.
"""
import argparse
import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOSTS = 50
WORDS = [a + b for a in "ka lo mi re tu va".split() for b in "bel dor fin gas hum jet nor pil".split()]


def url(page):
    return f"http://w{page % HOSTS}.test/part{page % 7}/page-{page}-{page * 2654435761 % 1000003}.html"


class Pages(BaseHTTPRequestHandler):
    """Answers as a proxy for all hosts: a tree of pages, so that each link is new."""

    protocol_version = "HTTP/1.1"
    links, pages = 300, 3_000_000

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        page = int(name.split("-")[1]) if name.startswith("page-") else 0
        draw = random.Random(page)
        text = " ".join(draw.choices(WORDS, k=80))
        first = page * self.links + 1
        links = "".join(f'<a href="{url(to)}">{draw.choice(WORDS)}</a> '
                        for to in range(first, min(first + self.links, self.pages)))
        found = not self.path.endswith("/robots.txt")
        body = f"<title>{page}</title><article><h1>Page {page}</h1><p>{text}</p></article><nav>{links}</nav>" if found else ""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def start(options, directory, config):
    command = [options.tamis, "crawl", config, "--dir", directory, "--seed", url(0), "--progress", "json"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def figure(process, file, name):
    """A number that the system keeps of a process."""
    with open(f"/proc/{process.pid}/{file}") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


def stop(process):
    process.send_signal(signal.SIGINT)
    for _ in process.stderr:
        pass
    process.wait()


def told(process):
    """The progress of a crawl, a line at a time."""
    for line in process.stderr:
        if line.startswith("{"):
            yield json.loads(line)


def size(directory):
    files = (os.path.join(at, name) for at, _, names in os.walk(directory) for name in names)
    return sum(os.path.getsize(file) for file in files)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tamis", required=True, metavar="BINARY")
    parser.add_argument("--links", type=int, default=300, help="new links on each page")
    parser.add_argument("--pages", type=int, default=3_000_000)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    Pages.links, Pages.pages = options.links, options.pages
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="tamis-bench-") as work:
        directory, config = os.path.join(work, "crawl"), os.path.join(work, "crawl.toml")
        with open(config, "w") as file:
            file.write(f'[scope]\nmode = "any"\n[network]\nallow_private = true\n'
                       f'proxy = "http://127.0.0.1:{server.server_port}"\n'
                       f'[politeness]\ndelay = "0s"\nconnections_per_host = 4\n[archive]\nbodies = "none"\n')
        process, ends = start(options, directory, config), time.time() + options.seconds
        for shown in told(process):
            if time.time() > ends:
                break
        memory, written = figure(process, "status", "VmHWM") / 1e3, figure(process, "io", "write_bytes") / 1e6
        stop(process)
        disk = size(directory) / 1e6
        print(f"{shown['pages']} pages read, {shown['pending']} URLs wait: {memory:.0f} MB at its peak, "
              f"{disk:.0f} MB on disk, {written:.0f} MB written")

        began, process, running = time.time(), start(options, directory, config), False
        for shown in told(process):
            if running and shown["pages"] > pages:
                break
            running, pages = running or shown["state"] == "running", shown["pages"]
        seconds, memory = time.time() - began, figure(process, "status", "VmHWM") / 1e3
        written = figure(process, "io", "write_bytes") / 1e6
        stop(process)
        print(f"started again: pages were read after {seconds:.1f} s, with {memory:.0f} MB at its peak, "
              f"{written:.0f} MB written by then")


if __name__ == "__main__":
    main()
