#!/usr/bin/env python3
"""What it costs a crawl to be served: CPU of one crawl of the bulk web with no server, a server that
nobody watches, one watcher and a hundred, side by side and in turn. Only the crawl's process is counted,
and in it, from /proc, the threads of the server: whole runs differ by more than these take.

  cargo build --release -p tamis && cargo build --release -p testweb --example serve_bulk
  bench/serve_cost.py target/release/tamis target/release/examples/serve_bulk [PAGES] [ROUNDS]
"""
import json, os, pathlib, re, socket, subprocess, sys, tempfile, threading, time


def watch(address, ended, told):
    host, port = address.rsplit(":", 1)
    try:
        stream = socket.create_connection((host, int(port)), timeout=10)
        stream.sendall(f"GET /api/v1/crawls/crawl/events HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
        stream.settimeout(1)
        while not ended.is_set():
            try:
                more = stream.recv(1 << 16)
                if not more:
                    break
                told.append(len(more))
            except TimeoutError:
                pass
    except OSError:
        pass


def serving(pid, seen):
    """Notes the CPU seconds of the server's threads: the last look at each counts."""
    tasks = f"/proc/{pid}/task"
    try:
        for task in os.listdir(tasks):
            stat = pathlib.Path(f"{tasks}/{task}/stat").read_text()
            name, fields = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
            if name.startswith("serve"):
                seen[task] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        pass  # It has ended, or one of its threads has.


def crawl(tamis, seeds, pages, watchers):
    with tempfile.TemporaryDirectory() as temp:
        command = [tamis, "crawl", "--dir", f"{temp}/crawl", "--allow-private", "--delay", "1ms",
                   "--max-pages", str(pages), "--progress", "plain"]
        for seed in seeds:
            command += ["--seed", seed]
        if watchers is not None:
            command += ["--serve", "127.0.0.1:0"]
        ended, told, threads = threading.Event(), [], []
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        def listen():
            for line in child.stderr:
                found = re.search(r"serving on http://([^/]+)/", line)
                if found:
                    time.sleep(0.5)
                    for _ in range(watchers):
                        thread = threading.Thread(target=watch, args=(found.group(1), ended, told))
                        thread.start()
                        threads.append(thread)

        reader = threading.Thread(target=listen)
        reader.start()
        seen = {}
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            serving(child.pid, seen)
            time.sleep(0.2)
        _, _, used = os.wait4(child.pid, 0)
        took = time.monotonic() - began
        ended.set()
        reader.join()
        for thread in threads:
            thread.join()
        return used.ru_utime + used.ru_stime, took, sum(told), sum(seen.values())


def main():
    tamis, bulk = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    pages = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    with socket.socket() as free:
        free.bind(("127.0.1.1", 0))
        port = str(free.getsockname()[1])
    web = subprocess.Popen([bulk, port, "40", "200"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        seeds = json.loads(web.stdout.readline())["seeds"]
        for turn in range(rounds):
            for name, watchers in (("no server", None), ("served, unwatched", 0), ("one watcher", 1), ("100 watchers", 100)):
                cpu, took, told, serve = crawl(tamis, seeds, pages, watchers)
                print(f"round {turn + 1}  {name:18} {1000 * cpu / pages:7.2f} ms CPU a page  {pages / took:6.1f} pages/s  {told:>10} bytes told  "
                      f"serving {100 * serve / (cpu - serve):4.1f} % of the rest", flush=True)
    finally:
        web.stdin.close()
        web.terminate()


if __name__ == "__main__":
    main()
