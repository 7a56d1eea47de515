#!/usr/bin/env python3
"""What a page that has not changed costs when a crawl comes back to it: the CPU of a round over the bulk
web, whose pages all answer 304, beside that of the requests alone, in turn.

  cargo build --release -p tamis && cargo build --release -p testweb --example serve_bulk \\
      && cargo build --release -p fetcher --example ask_again
  bench/unchanged.py target/release/tamis target/release/examples [HOSTS] [PAGES] [ROUNDS]

A round is timed as a whole: planning, the start and the end of the crawl, visits, records, what is said.
The first round has the validators from the first answers, further ones from the visits before.
"""
import json, os, pathlib, subprocess, sys, tempfile


def used_by(command, **more):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command[:3]} failed: {said[-2000:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    tamis, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    hosts, pages, rounds = (int(n) for n in (sys.argv[3:] + ["20", "250", "3"][len(sys.argv) - 3:]))
    web = subprocess.Popen([examples / "serve_bulk", "8760", str(hosts), str(pages)],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    seeds = json.loads(web.stdout.readline())["seeds"]
    with tempfile.TemporaryDirectory() as temp:
        config = f"{temp}/again.toml"
        pathlib.Path(config).write_text('[again]\nmin = "0s"\n')
        crawl = [tamis, "crawl", config, "--dir", f"{temp}/crawl", "--allow-private", "--delay", "0s", "--concurrency", "16",
                 "--progress", "none"]
        for seed in seeds:
            crawl += ["--seed", seed]
        used_by(crawl)
        rows = subprocess.run([tamis, "export", f"{temp}/crawl", "pages"], capture_output=True, text=True).stdout
        urls = [json.loads(row)["url"] for row in rows.splitlines()]
        pathlib.Path(f"{temp}/urls").write_text("\n".join(urls) + "\n")
        print(f"{len(urls)} pages")
        for turn in range(rounds):
            own, memory = used_by([*crawl, "--again"])
            told = subprocess.run([tamis, "changes", f"{temp}/crawl"], capture_output=True, text=True).stderr
            asked = subprocess.run([examples / "ask_again", f"{temp}/urls", "16"], capture_output=True, text=True)
            count, unchanged, alone = asked.stdout.split()
            beyond = 1_000 * (own - float(alone)) / len(urls)
            print(f"round {turn + 1}: {own:.2f} CPU-s, {memory:.0f} MB; {count} requests alone ({unchanged} of them 304): {alone} CPU-s; "
                  f"beyond them {beyond:.3f} ms a page")
            print(f"  {told.strip().splitlines()[-1]}")
    web.stdin.close()
    web.wait()


main()
