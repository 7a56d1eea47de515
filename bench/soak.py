#!/usr/bin/env python3
"""A long crawl of the made-up web, watched: memory, CPU for each page, open files and bytes on disk as the pages come.

  cargo build --release --bin tamis && cargo build --release -p testweb --example serve_bulk
  bench/soak.py target/release/tamis target/release/examples/serve_bulk [HOSTS] [PAGES] [ROWS]

One line for each share of the pages, of the CPU since the line before. What a crawl of ten times the pages would take
follows where memory and the CPU for a page are flat.
"""
import json, os, pathlib, signal, subprocess, sys, tempfile, time

TICKS = os.sysconf("SC_CLK_TCK")


def figures(pid, folder):
    stat = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    rss = int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    disk = sum(file.stat().st_blocks * 512 for file in pathlib.Path(folder).rglob("*") if file.is_file())
    return (int(stat[11]) + int(stat[12])) / TICKS, rss, len(os.listdir(f"/proc/{pid}/fd")), disk


def main():
    tamis, server = sys.argv[1:3]
    hosts, pages, rows = (int(n) for n in (sys.argv[3:] + ["20", "10000", "20"][len(sys.argv) - 3:]))
    web = subprocess.Popen([server, "18770", str(hosts), str(pages)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    seeds = json.loads(web.stdout.readline())["seeds"]
    with tempfile.TemporaryDirectory() as temp:
        folder = f"{temp}/crawl"
        command = [tamis, "crawl", "--dir", folder, "--allow-private", "--delay", "0", "--progress", "json"]
        for seed in seeds:
            command += ["--seed", seed]
        crawl = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        began, due, before = time.time(), 0, (0, 0.0)
        print("| pages | kept | minutes | MB resident | CPU ms a page | open files | kB on disk a page |\n|--:|--:|--:|--:|--:|--:|--:|", flush=True)
        for line in crawl.stderr:
            event = json.loads(line)
            done = event.get("pages", 0)
            if event.get("event") != "progress" or done < due or done == before[0]:
                continue
            due = done + hosts * pages // rows
            cpu, rss, files, disk = figures(crawl.pid, folder)
            print(f"| {done:,} | {event['indexed']:,} | {(time.time() - began) / 60:.1f} | {rss:.0f} | "
                  f"{1000 * (cpu - before[1]) / (done - before[0]):.2f} | {files} | {disk / done / 1000:.1f} |", flush=True)
            before = (done, cpu)
        crawl.wait()
        again = subprocess.run([tamis, "check-dir", folder], capture_output=True, text=True)
        print(f"exit {crawl.returncode} after {(time.time() - began) / 60:.1f} minutes; check-dir: {again.stdout.strip().splitlines()[-1:]}")
    web.stdin.close()
    web.send_signal(signal.SIGTERM)
    web.wait()


main()
