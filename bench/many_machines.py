#!/usr/bin/env python3
"""One crawl by several node processes beside the same crawl by one machine.

  many_machines.py --bin target/release/tamis --web WEB --tools TOOLS equal [--nodes 3] [--hosts a,b]
  many_machines.py --bin target/release/tamis --web WEB --tools TOOLS focus [--nodes 3] [--topics a,b] [--pages 1000] [--runs 1]

WEB is a folder of sites with hosts.json (and topics.json, baselines.json), TOOLS holds its server serve_web.py and
its judge judge_crawl.py. A PostgreSQL of its own is made in a temporary folder and taken away again; the server's
programs are those of Debian's package. Everything is on loopback.

equal: all sites, no delay. The same URLs must be finished with the same outcome, but for which copy is kept and which
copies were foreseen; each page is asked for once by the server's log; `check-dir --rejudge` and `cluster check` agree.
focus: a crawl for each topic; the score is the mean harvest of the first pages, as the judge has it, by the nodes and
by one machine.

Says what it found and ends with 1 where a figure is beyond its bar.
"""
import argparse, collections, glob, itertools, json, os, pwd, resource, shutil, socket, subprocess, sys, tempfile, time, urllib.request

DUPLICATES = {"near_duplicate", "exact_duplicate", "predicted_duplicate"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])}: exit {done.returncode}: {done.stdout[-300:]}{done.stderr[-600:]}")
    return done.stdout


class Store:
    """A PostgreSQL server of one's own."""

    def __init__(self, folder):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        if not found:
            sys.exit("PostgreSQL's server is not installed")
        self.bin, self.data, self.port = os.path.dirname(found[-1]), os.path.join(folder, "store"), free_port()
        # The server does not run as root.
        user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        self.as_user = {"user": user.pw_uid, "group": user.pw_gid} if user else {}
        os.makedirs(self.data)
        if user:
            os.chmod(folder, 0o755)
            os.chown(self.data, user.pw_uid, user.pw_gid)
        run([f"{self.bin}/initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync", "-D", self.data],
            cwd="/", **self.as_user)
        with open(f"{self.data}/postgresql.conf", "a") as f:
            f.write(f"\nlisten_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = '{self.data}'\n")
        self.control("start", "-w", "-t", "60")

    def control(self, *args):
        subprocess.run([f"{self.bin}/pg_ctl", "-D", self.data, "-l", f"{self.data}/log", *args], cwd="/",
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.as_user)

    def url(self, role):
        return f"postgres://{role}@127.0.0.1:{self.port}/postgres"


class Web:
    """The sites, served."""

    def __init__(self, a, folder):
        self.port, self.log = free_port(), os.path.join(folder, "requests.jsonl")
        server = os.path.join(a.tools, "serve_web.py")
        self.process = subprocess.Popen([sys.executable, server, "--web", a.web, "--port", str(self.port), "--log", self.log],
                                        stdout=subprocess.DEVNULL)
        end = time.time() + 900
        while time.time() < end and self.process.poll() is None:
            try:
                opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
                opener.open(f"http://127.0.0.1:{self.port}/.tamis/stats", timeout=5).read()
                return
            except OSError:
                time.sleep(0.5)
        sys.exit("the web is not served")

    def requests(self, since):
        with open(self.log) as f:
            rows = (json.loads(line) for line in f)
            return [r for r in rows if r["t0"] >= since and not r["target"].endswith("/robots.txt")]


def config(text, store, name):
    cluster = f'[cluster]\nstore = "{store.url("tamis_node")}"\ncrawl = "{name}"\nttl = "5s"\n' if store else ""
    return text + cluster


def crawl(a, web, store, folder, name, text, nodes):
    """-> directories, seconds, CPU seconds."""
    path = os.path.join(folder, f"{name}.toml")
    open(path, "w").write(config(text, store, name))
    if store:
        run([a.bin, "cluster", "init", path, "--store", store.url("postgres")])
    dirs, running = [os.path.join(folder, f"{name}-{n}") for n in range(nodes)], []
    began, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for d in dirs:
        command = [a.bin, "crawl", path, "--dir", d, "--proxy", f"http://127.0.0.1:{web.port}", "--allow-private", "--progress", "none"]
        running.append((d, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(d + ".log", "w"))))
    for d, process in running:
        code = process.wait(a.timeout)
        if code:
            sys.exit(f"{d}: exit {code}: {open(d + '.log').read()[-600:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return dirs, time.time() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def export(a, dirs, what):
    more = [x for d in dirs[1:] for x in ("--with", d)]
    return [json.loads(line) for line in run([a.bin, "export", dirs[0], what, *more]).splitlines()]


def fate(row):
    reason = row["reason"]
    if row["verdict"] == "indexed" or reason in DUPLICATES or reason and reason.startswith("predicted"):
        return "kept or a copy"
    return f"{row['outcome']} {row['verdict']} {reason}"


def equal(a, web, store, folder):
    sites = json.load(open(os.path.join(a.web, "hosts.json")))["hosts"]
    wanted = [h for h in sites if not a.hosts or h in a.hosts.split(",")]
    seeds = [s for h in wanted for s in sites[h]["seeds"]]
    text = (f"[crawl]\nconcurrency = 8\n[seeds]\nurls = {json.dumps(seeds)}\n[scope]\nhosts = {json.dumps(wanted)}\n"
            '[politeness]\ndelay = "0s"\nconnections_per_host = 8\n')
    one, seconds, cpu = crawl(a, web, None, folder, "alone", text, 1)
    began = time.time()
    many, seconds_many, cpu_many = crawl(a, web, store, folder, "many", text, a.nodes)
    asked = collections.Counter(r["url"] for r in web.requests(began))
    alone, together = export(a, one, "pages"), export(a, many, "pages")
    a_by, t_by = {r["url"]: r for r in alone}, {r["url"]: r for r in together}
    only = [sorted(a_by.keys() - t_by.keys()), sorted(t_by.keys() - a_by.keys())]
    other = [u for u in a_by.keys() & t_by.keys() if fate(a_by[u]) != fate(t_by[u])]
    kept = [{(r["fingerprint"], r["words"]) for r in rows if r["verdict"] == "indexed"} for rows in (alone, together)]
    print(f"one machine: {len(alone)} URLs, {len(kept[0])} texts, {seconds:.0f} s, {cpu:.1f} CPU-s")
    print(f"{a.nodes} nodes: {len(together)} URLs, {len(kept[1])} texts, {seconds_many:.0f} s, {cpu_many:.1f} CPU-s "
          f"({cpu_many / cpu:.2f} of one machine's)")
    by_node = collections.Counter(r["host"] for r in together)
    print(f"finished by each node: {[len(export(a, [d], 'pages')) for d in many]}, of {len(by_node)} hosts")
    print(f"only by one machine: {len(only[0])} {only[0][:3]}; only by the nodes: {len(only[1])} {only[1][:3]}")
    print(f"other fates: {len(other)} {[(u, fate(a_by[u]), fate(t_by[u])) for u in other[:3]]}")
    print(f"texts kept by one alone: {len(kept[0] - kept[1])}, by the nodes alone: {len(kept[1] - kept[0])}")
    twice = {u: n for u, n in asked.items() if n > 1}
    print(f"asked for more than once by the server's log: {len(twice)} {list(twice.items())[:3]}")
    finished = collections.Counter(r["url"] for r in together)
    print(f"finished more than once: {sum(n > 1 for n in finished.values())}")
    print("check-dir --rejudge:", run([a.bin, "check-dir", *many, "--rejudge"]).strip().splitlines()[-1])
    print("cluster check:", run([a.bin, "cluster", "check", *[x for d in many for x in ("--dir", d)]]).strip().splitlines()[-1])
    return not (only[0] or only[1] or any(n > 1 for n in finished.values()))


def harvest(a, folder, topic, dirs, name):
    rows = export(a, dirs, "fetches")
    rows.sort(key=lambda r: r["at"])
    path, out = os.path.join(folder, f"{name}.jsonl"), os.path.join(folder, f"{name}.json")
    with open(path, "w") as f:
        f.writelines(json.dumps(r) + "\n" for r in rows)
    run([sys.executable, os.path.join(a.tools, "judge_crawl.py"), "--web", a.web, "--topic", topic["id"], "--crawl", path, "--out", out])
    return json.load(open(out))["harvest"]["mean_harvest_1000"]


def focus(a, web, store, folder):
    topics = json.load(open(os.path.join(a.web, "topics.json")))
    sums = [0.0, 0.0]
    topics = [t for t in topics if not a.topics or t["id"] in a.topics.split(",")]
    for run_number, t in itertools.product(range(a.runs), topics):
        text = (f"[crawl]\nmax_pages = {int(a.pages * 1.3) + 50}\nconcurrency = 4\n[seeds]\nurls = {json.dumps(t['seeds'])}\n"
                f'[scope]\nmode = "host"\nhosts = {json.dumps(t["hosts"])}\n[politeness]\ndelay = "0s"\nconnections_per_host = 4\n'
                f"[topic]\nkeywords = {json.dumps(t['keywords'], ensure_ascii=False)}\n"
                f"examples = {json.dumps(t.get('examples') or [])}\n")
        name = t["id"].replace("-", "_") + (f"_{run_number + 1}" if a.runs > 1 else "")
        one, *_ = crawl(a, web, None, folder, f"one_{name}", text, 1)
        many, *_ = crawl(a, web, store, folder, name, text, a.nodes)
        scores = harvest(a, folder, t, one, f"one_{name}"), harvest(a, folder, t, many, f"many_{name}")
        fetched = [len(export(a, [d], "fetches")) for d in many]
        sums = [sums[0] + scores[0], sums[1] + scores[1]]
        print(f"{t['id']:26} one {scores[0]:.3f}  {a.nodes} nodes {scores[1]:.3f}  fetched by each {fetched}", flush=True)
    count = a.runs * len(topics)
    print(f"mean of {count}: one {sums[0] / count:.3f}, {a.nodes} nodes {sums[1] / count:.3f}, "
          f"{sums[1] / sums[0]:.3f} of one")
    return sums[1] >= 0.95 * sums[0]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("what", choices=["equal", "focus"])
    ap.add_argument("--bin", required=True)
    ap.add_argument("--web", required=True)
    ap.add_argument("--tools", required=True)
    ap.add_argument("--nodes", type=int, default=3)
    ap.add_argument("--hosts", default="")
    ap.add_argument("--topics", default="")
    ap.add_argument("--pages", type=int, default=1000)
    ap.add_argument("--runs", type=int, default=1, help="of each topic")
    ap.add_argument("--timeout", type=int, default=3600, help="seconds for one crawl")
    ap.add_argument("--keep", help="work in this folder and keep it")
    a = ap.parse_args()
    a.bin = os.path.abspath(a.bin)
    folder = a.keep or tempfile.mkdtemp(prefix="nodes-")
    os.makedirs(folder, exist_ok=True)
    store = web = None
    try:
        store = Store(folder)
        web = Web(a, folder)
        is_well = {"equal": equal, "focus": focus}[a.what](a, web, store, folder)
    finally:
        if web:
            web.process.terminate()
        if store:
            store.control("stop", "-m", "immediate")
        if not a.keep:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if is_well else 1)


if __name__ == "__main__":
    main()
