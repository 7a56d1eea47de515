#!/usr/bin/env python3
"""What hostile hosts cost: each does its worst to a crawl of its own, and the cost is measured.

  hostile.py --bin target/release/tamis [--only NAME]... [--markdown]

The hosts are served on loopback by this script. For each case the real binary crawls one URL; the
table tells time, CPU seconds, peak memory, requests, bytes that the host could send, and the fate
of the URL. `calm` is one small page, for comparison. Exit status 1 when a case costs more than its
bound. The br case needs Python's brotli, the zstd case zstandard or Python 3.14; without them they
are left out, and it is said.
"""
import argparse
import asyncio
import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from urllib.parse import urlsplit

MIB = 1 << 20
BOMB_BYTES = 1 << 30
WAIT = """
import json, os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
_, status, used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def pieces(unit, total):
    for _ in range(total // len(unit)):
        yield unit


def squeezed(compressor, head=b""):
    """A page of a gigabyte that compresses some 1,000 times."""
    out = [compressor.compress(head)] if head else []
    out += [compressor.compress(piece) for piece in pieces(b"<p>" + b"a" * (MIB - 3), BOMB_BYTES)]
    return b"".join(out) + compressor.flush()


def brotli_bomb():
    import brotli

    class Stream:
        def __init__(self):
            self.inner = brotli.Compressor(quality=1)
            self.compress = self.inner.process
            self.flush = self.inner.finish
    return squeezed(Stream())


def zstd_bomb():
    try:
        from compression import zstd
        return squeezed(zstd.ZstdCompressor(level=1))
    except ImportError:
        import zstandard
        return squeezed(zstandard.ZstdCompressor(level=1).compressobj())


def page(body):
    return b"<!DOCTYPE html><html><head><title>x</title></head><body>" + body + b"</body></html>"


def many_links():
    return gzip.compress(page(b"".join(b"<a href=/%d>x</a>" % n for n in range(1_000_000))), 6, mtime=0)


# Bodies that take long to make.
BODIES = {
    "gzip": lambda: squeezed(zlib.compressobj(9, wbits=31)),
    "deflate": lambda: squeezed(zlib.compressobj(9)),
    "br": brotli_bomb,
    "zstd": zstd_bomb,
    "links": many_links,
}


class Host:
    """Serves every case by the name of its host; counts requests and bytes."""

    def __init__(self):
        self.requests, self.sent, self.bodies = 0, 0, {}

    async def serve(self, reader, writer):
        try:
            while True:
                request = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)
                target = urlsplit(request[1].decode())
                if target.path == "/robots.txt" and target.hostname != "robots.test":
                    await self.send(writer, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", count=False)
                    continue
                self.requests += 1
                await getattr(self, target.hostname.split(".")[0])(target, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def send(self, writer, data, count=True):
        writer.write(data)
        await writer.drain()
        self.sent += len(data) if count else 0

    async def answer(self, writer, body, *headers, length=None):
        lines = ["HTTP/1.1 200 OK", "Content-Type: text/html", f"Content-Length: {len(body) if length is None else length}", *headers]
        await self.send(writer, ("\r\n".join(lines) + "\r\n\r\n").encode())
        for start in range(0, len(body), 1 << 16):
            await self.send(writer, body[start:start + (1 << 16)])

    async def endless(self, writer, unit, pause=0.0):
        while True:
            await self.send(writer, unit)
            await asyncio.sleep(pause)

    async def calm(self, _, writer):
        await self.answer(writer, page(b"<p>" + b"Calm words of a small page. " * 40))

    async def drip(self, _, writer):
        await self.answer(writer, b"", length=1_000_000)
        await self.endless(writer, b"x", 1.0)

    async def silent(self, _, writer):
        await asyncio.sleep(10_000)

    async def long(self, _, writer):
        await self.answer(writer, b"", length=10_000_000_000)
        await self.endless(writer, b"<p>word " * 8_192)

    async def gzip(self, _, writer):
        await self.answer(writer, self.bodies["gzip"], "Content-Encoding: gzip")

    async def deflate(self, _, writer):
        await self.answer(writer, self.bodies["deflate"], "Content-Encoding: deflate")

    async def br(self, _, writer):
        await self.answer(writer, self.bodies["br"], "Content-Encoding: br")

    async def zstd(self, _, writer):
        await self.answer(writer, self.bodies["zstd"], "Content-Encoding: zstd")

    async def nested(self, _, writer):
        await self.answer(writer, page(b"<div>" * 100_000 + b"deep"))

    async def formatted(self, _, writer):
        await self.answer(writer, page(b"<b><i><a href=#>" * 30_000 + b"</p><table>" * 3_000))

    async def attributes(self, _, writer):
        await self.answer(writer, page(b"<p " + b" ".join(b"a%d=%d" % (n, n) for n in range(500_000)) + b">x"))

    async def letters(self, _, writer):
        await self.answer(writer, page(b"<p a b c d e f g h i>" * 470_000))

    async def links(self, _, writer):
        await self.answer(writer, self.bodies["links"], "Content-Encoding: gzip")

    async def redirects(self, target, writer):
        step = int(target.path.strip("/") or 0)
        if step < 100_000:
            await self.send(writer, b"HTTP/1.1 302 Found\r\nLocation: /%d\r\nContent-Length: 0\r\n\r\n" % (step + 1))
        else:
            await self.calm(target, writer)

    async def headers(self, _, writer):
        await self.send(writer, b"HTTP/1.1 200 OK\r\n")
        await self.endless(writer, b"X-Header: " + b"y" * 500 + b"\r\n")

    async def robots(self, target, writer):
        if target.path != "/robots.txt":
            return await self.calm(target, writer)
        await self.answer(writer, b"", length=10_000_000_000)
        await self.endless(writer, b"Disallow: /*a*b*c*d*e*f$\n" * 2_000)


# Each case with the most it may cost: seconds, CPU seconds, MiB of memory above the calm case,
# requests, MB sent. Time is that of the limits and of `politeness.attempts`, memory that of the
# limits of one page: under 300 MB in all.
CASES = {
    "calm": (10, 3, 0, 1, 1),
    "drip": (200, 3, 50, 4, 1),
    "silent": (300, 3, 50, 4, 1),
    "long": (60, 10, 230, 1, 30),
    "gzip": (60, 10, 230, 1, 2),
    "deflate": (60, 10, 230, 1, 2),
    "br": (60, 10, 230, 1, 2),
    "zstd": (60, 10, 230, 1, 2),
    "nested": (60, 10, 230, 1, 2),
    "formatted": (60, 15, 230, 1, 2),
    "attributes": (60, 10, 230, 1, 8),
    "letters": (60, 10, 230, 1, 11),
    "links": (60, 15, 230, 1, 8),
    "redirects": (60, 3, 50, 11, 1),
    "headers": (60, 3, 50, 4, 30),
    "robots": (60, 5, 100, 2, 30),
}


def run(options, port, host, case):
    """Crawls one case; gives its cost and what became of the URL."""
    host.requests, host.sent = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        directory = os.path.join(folder, "crawl")
        command = [options.bin, "crawl", "--dir", directory, "--seed", f"http://{case}.test/0", "--delay", "0", "--progress", "none",
                   "--allow-private", "--proxy", f"http://127.0.0.1:{port}", "--max-pages", "1" if case == "links" else "0"]
        began = time.time()
        # A small process in between: peak memory counts from the fork on, and this one is large.
        waited = subprocess.run([sys.executable, "-S", "-c", WAIT, *command], stdout=subprocess.PIPE, check=True).stdout
        code, cpu, kib = json.loads(waited)
        seconds = time.time() - began
        with os.popen(f"'{options.bin}' export '{directory}' pages") as rows:
            pages = [json.loads(row) for row in rows]
        with os.popen(f"'{options.bin}' export '{directory}' fetches") as rows:
            taken = sum(json.loads(row).get("bytes") or 0 for row in rows)
    last = pages[-1] if pages else {}
    fate = last.get("reason") or last.get("verdict") or "nothing"
    return {"case": case, "exit": code, "seconds": seconds, "cpu": cpu, "mib": kib / 1024, "requests": host.requests, "sent": host.sent / 1e6, "taken": taken / 1e6, "fate": fate}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", action="append", choices=CASES)
    parser.add_argument("--markdown", action="store_true", help="print a table for docs/limits.md")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    host = Host()
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(host.serve, "127.0.0.1", 0))
    port = server.sockets[0].getsockname()[1]
    threading.Thread(target=loop.run_forever, daemon=True).start()

    form = "| {case} | {seconds:.1f} | {cpu:.2f} | {mib:.0f} | {requests} | {sent:.2f} | {taken:.2f} | {fate} |" if options.markdown else \
        "{case:11} {seconds:7.1f} s {cpu:6.2f} s CPU {mib:5.0f} MiB {requests:3} requests {sent:8.2f} MB sent {taken:7.2f} MB taken  {fate}"
    calm, wrong = 0.0, []
    for case in dict.fromkeys(["calm", *(options.only or CASES)]):
        try:
            # Made before the clock runs: the making takes longer than the crawl.
            if case in BODIES:
                host.bodies[case] = BODIES[case]()
        except ImportError as error:
            print(f"{case}: left out, {error}")
            continue
        cost = run(options, port, host, case)
        calm = calm or cost["mib"]
        print(form.format(**cost), flush=True)
        bounds = dict(zip(("seconds", "cpu", "mib", "requests", "sent"), CASES[case]))
        bounds["mib"] += calm * 1.2
        wrong += [f"{case}: {what} is {cost[what]:.1f}, at most {most:.1f} allowed" for what, most in bounds.items() if cost[what] > most]
        # 1 is the exit of a crawl that could read no page.
        if cost["exit"] not in (0, 1) or cost["fate"] == "nothing":
            wrong.append(f"{case}: exit {cost['exit']}, {cost['fate']}")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
