"""The web of the benches, and a crawl of it that is measured."""
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time


class Web:
    """The made-up web on loopback; what was fetched is asked of the server."""

    def __init__(self, server, port, hosts, pages):
        command = [server, str(port), str(hosts), str(pages)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        about = json.loads(self.process.stdout.readline())
        self.pages, self.seeds = about["pages"], about["seeds"]

    def fetched(self):
        """Pages fetched since the last call, pages fetched again, answers that were no page."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class ServedWeb:
    """A web that something else serves: its seeds; nothing is known of what is fetched."""

    def __init__(self, seeds):
        with open(seeds) as file:
            self.seeds = [line.strip() for line in file if line.strip()]
        self.pages = 1

    def fetched(self):
        return {"pages": 0, "again": 0, "other": 0}

    def close(self):
        pass


def tree(root):
    """A process and all below it."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(stat[1]), []).append(int(name))
    found, queue = [], [root]
    while queue:
        process = queue.pop()
        found.append(process)
        queue += children.get(process, [])
    return found


def resident(processes):
    """Resident bytes of processes."""
    total = 0
    for process in processes:
        try:
            total += int(open(f"/proc/{process}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            pass
    return total


def crawl(web, command, timeout=900):
    """Runs a crawler; {seeds}, {out} and {work} in its command stand for the file of seeds, a file to
    write, and an empty directory."""
    work = tempfile.mkdtemp(prefix="tamis-bench-")
    try:
        seeds = os.path.join(work, "seeds.txt")
        with open(seeds, "w") as file:
            file.write("".join(f"{seed}\n" for seed in web.seeds))
        names = {"seeds": seeds, "out": os.path.join(work, "out.jsonl"), "work": os.path.join(work, "crawl")}
        web.fetched()
        with open(os.path.join(work, "log"), "wb") as log:
            began = time.time()
            process = subprocess.Popen([part.format(**names) for part in command], stdout=log, stderr=log, cwd=work)
            peak, ended = [0], threading.Event()

            def watch():
                while not ended.wait(0.1):
                    peak[0] = max(peak[0], resident(tree(process.pid)))
                    if time.time() - began > timeout:
                        process.kill()

            watcher = threading.Thread(target=watch)
            watcher.start()
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.time() - began
            process.returncode = os.waitstatus_to_exitcode(status)
            ended.set()
            watcher.join()
        found = web.fetched()
        if process.returncode:
            print(open(os.path.join(work, "log"), errors="replace").read()[-2000:])
        cpu = used.ru_utime + used.ru_stime
        pages = max(found["pages"], 1)
        return {
            "exit": process.returncode,
            "cpu": 1000 * cpu / pages,
            "rate": found["pages"] / seconds,
            "memory": max(peak[0], used.ru_maxrss * 1024) / 1e6,
            "coverage": found["pages"] / web.pages,
            "again": found["again"],
            "other": found["other"],
        }
    finally:
        shutil.rmtree(work, ignore_errors=True)


def tamis(binary):
    """The command of a whole crawl: robots.txt, archive, both indexes and durable state on, no delay."""
    return [os.path.abspath(binary), "crawl", "--dir", "{work}", "--seeds", "{seeds}", "--allow-private",
            "--delay", "0", "--progress", "none"]
