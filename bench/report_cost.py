#!/usr/bin/env python3
"""What a report costs: size of the HTML, time and memory to make it, time until a browser shows it.

    cargo run --release -p report --example synthetic_crawl -- /tmp/big 100000
    bench/report_cost.py target/release/tamis /tmp/big

Prints a line of JSON; exit 1 where a bar is missed. The browser is a headless Chromium, told what to
do by its debugging pipe; opened is a page when the first frame after its load event can be drawn.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HTML_BYTES_MAX = 3_000_000
OPEN_SECONDS_MAX = 2.0

SHOWN = """new Promise((done) => {
  const frame = () => requestAnimationFrame(() => setTimeout(done, 0));
  if (document.readyState === "complete") frame(); else addEventListener("load", () => setTimeout(frame, 0));
}).then(() => document.querySelectorAll("*").length)"""


class Browser:
    """A headless Chromium with one page, and files of its own."""

    def __init__(self, folder):
        commands, answers = f"{folder}/commands", f"{folder}/answers"
        os.mkfifo(commands)
        os.mkfifo(answers)
        shell = (
            'exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run '
            '--disable-background-networking --remote-debugging-pipe --user-data-dir="$0/profile" '
            '--window-size=1280,900 about:blank 3<"$0/commands" 4>"$0/answers"'
        )
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["sh", "-c", shell, folder], **quiet)
        self.commands = open(commands, "wb", buffering=0)
        self.answers = open(answers, "rb", buffering=0)
        self.heard, self.number, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]

    def call(self, method, **parameters):
        """Tells it something and gives its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.heard:
                more = self.answers.read(1 << 20)
                if not more:
                    raise RuntimeError("the browser has ended")
                self.heard += more
            one, self.heard = self.heard.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path):
        """Opens a file; gives the seconds until it is shown, and its elements."""
        began = time.monotonic()
        self.call("Page.navigate", url=path.resolve().as_uri())
        asked = {"expression": SHOWN, "awaitPromise": True, "returnByValue": True}
        elements = self.call("Runtime.evaluate", **asked)["result"]["value"]
        return time.monotonic() - began, elements

    def end(self):
        self.process.terminate()
        self.process.wait()


def make(tamis, crawl, html):
    """Makes the report; gives wall seconds, CPU seconds and the peak of memory in MB."""
    began = time.monotonic()
    child = subprocess.Popen([tamis, "report", crawl, "--format", "html", "--out", html, "-q"])
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"tamis report ended with {child.returncode}")
    return time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def opened(html, times):
    """Seconds until a fresh browser shows the page, each time, and the page's elements."""
    seconds = []
    for _ in range(times):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            browser = Browser(folder)
            took, elements = browser.open(html)
            seconds.append(took)
            browser.end()
    return seconds, elements


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("tamis", help="the binary, a release build")
    arguments.add_argument("crawl", help="a crawl's directory")
    arguments.add_argument("--times", type=int, default=5, help="browsers that open it, one after the other")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        html = Path(folder) / "report.html"
        wall, cpu, peak = make(given.tamis, given.crawl, html)
        seconds, elements = opened(html, given.times)
        size = html.stat().st_size
    told = {
        "html_bytes": size,
        "elements": elements,
        "report_s": round(wall, 2),
        "report_cpu_s": round(cpu, 2),
        "peak_mb": round(peak, 1),
        "open_s": [round(took, 2) for took in seconds],
        "open_median_s": round(statistics.median(seconds), 2),
        "load": os.getloadavg()[0],
    }
    print(json.dumps(told))
    return 0 if size < HTML_BYTES_MAX and told["open_median_s"] < OPEN_SECONDS_MAX else 1


if __name__ == "__main__":
    sys.exit(main())
