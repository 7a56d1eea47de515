// Keeps a page up to date and answers keys. Everything on it can be read without this file.
"use strict";
(() => {
  const body = document.body;
  const crawl = body.dataset.crawl;
  const words = JSON.parse(body.dataset.words || "{}");
  const api = (path) => `/api/v1/crawls/${encodeURIComponent(crawl)}${path}`;
  const at = (id) => document.getElementById(id);
  const count = (n) => n.toLocaleString("en-US");

  // A URL for people: escapes of letters and digits beyond ASCII as these, all else as it stands.
  const readable = (url) => url.replace(/(?:%[c-f][0-9a-f](?:%[89ab][0-9a-f])+)+/gi, (escaped) => {
    try {
      const letters = decodeURIComponent(escaped);
      return /^[\p{L}\p{N}]+$/u.test(letters) ? letters : escaped;
    } catch {
      return escaped;
    }
  });

  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  let fading;
  const say = (text) => {
    at("toast").textContent = text;
    // A line with a caret below it.
    at("toast").classList.toggle("lines", text.includes("\n"));
    clearTimeout(fading);
    fading = setTimeout(() => { at("toast").textContent = ""; }, Math.max(6000, 60 * text.length));
  };

  // The API answers in English; what it says of a mistake is shown in the reader's language.
  const inWords = (text, depth = 0) => {
    if (depth > 2) return text;
    for (const [english, own] of words.problems || []) {
      const parts = english.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      const found = text.match(new RegExp(`^${parts.join("([^]*?)")}$`));
      if (found) return own.split("{}").map((part, at) => part + (at + 1 in found ? inWords(found[at + 1], depth + 1) : "")).join("");
    }
    return text;
  };

  const ask = async (path, told) => {
    const options = { headers: { Accept: "application/json" }, credentials: "same-origin" };
    if (told !== undefined) {
      options.method = "POST";
      options.headers["Content-Type"] = "application/json";
      options.headers["X-Tamis-Csrf"] = body.dataset.csrf;
      options.body = JSON.stringify(told);
    }
    const answer = await fetch(api(path), options);
    const value = await answer.json();
    if (!answer.ok) throw new Error(inWords(value.error || answer.statusText));
    return value;
  };

  // Figures, the chart, lists: what a `status` event changes.
  const bytes = (n) => {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let at = 0;
    while (n >= 1000 && at < units.length - 1) { n /= 1000; at += 1; }
    return `${at === 0 ? n : n.toFixed(1)} ${units[at]}`;
  };
  const seconds = (n) => {
    const s = Math.floor(n);
    const two = (value) => String(value).padStart(2, "0");
    if (n < 0.9995) return `${Math.round(n * 1000)} ms`;
    if (s < 60) return `${n.toFixed(1)} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
    return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  };
  const shown = {
    pages_per_second: (n) => n.toFixed(1),
    received_bytes: bytes,
    duration_seconds: seconds,
  };

  const showState = (state) => {
    const chip = at("state");
    if (!chip || chip.dataset.state === state) return;
    chip.dataset.state = state;
    chip.textContent = words.states[state] || state;
    const runs = ["running", "waiting", "paused"].includes(state);
    const can = { retry: true, pause: runs && state !== "paused", resume: state === "paused", stop: runs, reload: runs };
    for (const button of document.querySelectorAll("[data-do]")) button.hidden = !can[button.dataset.do];
    if (at("steer")) at("steer").hidden = !runs;
  };

  // Why pages were dropped, from the same status as the figures above it.
  const showReasons = (byReason) => {
    const list = document.querySelector("#reasons ul");
    const box = at("reasons");
    if (!box || box.contains(document.activeElement)) return;
    const all = Object.entries(byReason).filter(([, n]) => n > 0);
    if (!list || all.length === 0) return;
    all.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    const drawn = (name, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      return element;
    };
    const rows = all.slice(0, Number(box.dataset.most)).map(([reason, n]) => {
      const row = make("li");
      const address = `/c/${encodeURIComponent(crawl)}/pages?verdict=dropped&reason=${encodeURIComponent(reason)}`;
      const bar = drawn("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" });
      bar.append(
        drawn("rect", { class: "track", width: "100", height: "6" }),
        drawn("rect", { class: "fill-drop", width: (100 * n / all[0][1]).toFixed(1), height: "6" }),
      );
      row.append(make("a", words.reasons[reason] || reason.replaceAll("_", " "), { href: address }), make("span", count(n), { class: "n" }), bar);
      return row;
    });
    for (const none of box.querySelectorAll("p.soft")) none.remove();
    list.replaceChildren(...rows);
  };

  const showCurve = (curve) => {
    const line = at("curve-line");
    if (!line || curve.length === 0) return;
    const [width, height] = [640, 180];
    const last = curve[curve.length - 1];
    const path = curve.map((point, n) => {
      const x = point.pages / Math.max(1, last.pages) * width;
      const y = height - point.kept / Math.max(1, last.kept) * (height - 14);
      return `${n === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    }).join("");
    line.setAttribute("d", path);
    at("curve-area").setAttribute("d", `${path}L${width} ${height}L0 ${height}Z`);
  };

  const showHosts = (hosts) => {
    const table = document.querySelector("#hosts tbody");
    if (!table) return;
    const rows = hosts.map((host) => {
      const row = make("tr");
      const next = host.next_in_seconds > 0 ? `${words.in_time} ${host.next_in_seconds.toFixed(1)} s` : "";
      row.append(
        make("th", host.host, { scope: "row" }),
        make("td", count(host.pending), { class: "n" }),
        make("td", words.waits[host.why] || words.states[host.why] || host.why),
        make("td", next, { class: "n" }),
      );
      return row;
    });
    if (rows.length === 0) {
      const row = make("tr");
      row.append(make("td", words.no_hosts, { colspan: "4", class: "soft" }));
      rows.push(row);
    }
    table.replaceChildren(...rows);
  };

  const showLatest = (latest) => {
    const list = at("latest");
    if (!list || latest.length === 0) return;
    list.replaceChildren(...latest.map((page) => {
      const item = make("li");
      const link = make("a", undefined, { href: `/c/${encodeURIComponent(crawl)}/pages/${page.page}` });
      link.append(make("bdi", page.title));
      item.append(link, " ", make("span", page.host, { class: "soft" }));
      return item;
    }));
  };

  // What the server sorts and words is asked for again: now and then while pages come in, and at once
  // when the crawl does something else.
  let refreshed = Date.now() - 8000;
  let [bestOf, bestIn] = [undefined, undefined];
  let later;
  const refresh = async (kept, state) => {
    if (!at("best") || (kept === bestOf && state === bestIn)) return;
    const wait = state === bestIn ? refreshed + 10000 - Date.now() : 0;
    clearTimeout(later);
    if (wait > 0) {
      later = setTimeout(() => refresh(kept, state).catch(() => {}), wait);
      return;
    }
    [bestOf, bestIn, refreshed] = [kept, state, Date.now()];
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [now, next] = [at("best"), page.getElementById("best")];
    if (next && !now.contains(document.activeElement)) now.replaceChildren(...next.childNodes);
    at("h-best").textContent = page.getElementById("h-best")?.textContent ?? "";
  };

  // Why it stopped, in a sentence. The page itself says more, but its server may end with the crawl.
  let stopped;
  const showStop = (reason) => {
    const box = at("why-stopped");
    if (!box || reason === stopped) return;
    const isNews = stopped !== undefined || !box.textContent;
    stopped = reason;
    box.hidden = !reason;
    if (!isNews) return;
    box.textContent = reason ? words.stops[reason] || "" : "";
  };

  let record = -1;
  const show = (status) => {
    showState(status.state);
    const values = { ...status, pages_read: status.kept + status.dropped, broken_links: status.broken?.links };
    for (const element of document.querySelectorAll("[data-live]")) {
      const key = element.dataset.live;
      if (typeof values[key] !== "number") continue;
      const text = (shown[key] || count)(values[key]);
      if (element.textContent.trim() !== text) element.textContent = text;
    }
    showStop(status.stop_reason);
    showHosts(status.hosts);
    showReasons(status.dropped_by_reason);
    if (status.record !== record) {
      record = status.record;
      showCurve(status.curve);
      showLatest(status.latest);
    }
    refresh(status.kept, status.state).catch(() => {});
    body.dataset.record = String(status.record);
  };

  // Nobody answers: what is shown is what was known last, and nothing can be told to the crawl.
  let lost = false;
  const showLost = () => {
    if (lost) return;
    lost = true;
    for (const button of document.querySelectorAll("[data-do]")) button.hidden = true;
    if (at("steer")) at("steer").hidden = true;
    const chip = at("state");
    if (!chip) return;
    const text = chip.dataset.state === "stopped" ? `${words.states.stopped}${words.comma}${words.states.lost}` : words.states.lost;
    [chip.dataset.state, chip.textContent] = ["lost", text];
  };

  const watch = () => {
    const events = new EventSource(api("/events"));
    events.addEventListener("status", (event) => {
      lost = false;
      show(JSON.parse(event.data));
    });
    events.addEventListener("error", () => {
      showLost();
      if (events.readyState === EventSource.CLOSED) {
        say(words.lost_connection);
        setTimeout(watch, 5000);
      }
    });
    addEventListener("pagehide", () => events.close(), { once: true });
  };

  const sayReloaded = (changes) => {
    if (changes.length === 0) { say(words.reload_same); return; }
    const stays = changes.some((change) => /^\[?topic[.\]]/.test(change)) ? `. ${words.topic_stays}` : "";
    say(`${words.reload_new}${changes.join("; ")}${stays}`);
  };

  const act = async (button) => {
    const what = button.dataset.do;
    if (what === "stop" && !confirm(words.stop_sure)) return;
    button.disabled = true;
    try {
      const told = await ask(`/${what}`, {});
      showState(told.state);
      if (what === "retry") say(`${count(told.urls)} ${words.put_back}`);
      if (what === "reload") sayReloaded(told.changes);
    } catch (error) {
      say(`${words.not_done}${error.message}`);
    }
    button.disabled = false;
  };

  const addSeeds = async (form) => {
    const told = await ask("/seeds", { lines: form.elements.lines.value });
    const parts = ["queued", "seen", "known", "left_out"].filter((key, at) => told[key] > 0 || at === 0);
    say(parts.map((key) => `${count(told[key])} ${words.seeds[key]}`).join(words.comma));
    form.reset();
  };

  // Filters, order and turning pages change a part of the page; the address keeps up.
  let swapping = 0;
  const swap = async (address, id, keep) => {
    swapping += 1;
    const mine = swapping;
    const answer = await fetch(address, { credentials: "same-origin" });
    if (!answer.ok) { location.assign(address); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== swapping) return;
    const [now, next] = [at(id), page.getElementById(id)];
    if (!now || !next) { location.assign(address); return; }
    now.replaceChildren(...next.childNodes);
    const [form, fresh] = [document.querySelector("form[data-swap]"), page.querySelector("form[data-swap]")];
    if (form && fresh) {
      for (const select of form.querySelectorAll("select")) {
        const other = fresh.querySelector(`select[name="${select.name}"]`);
        if (other) { const value = other.value; select.replaceChildren(...other.childNodes); select.value = value; }
      }
      for (const old of form.querySelectorAll("input[type=hidden]")) old.remove();
      form.append(...fresh.querySelectorAll("input[type=hidden]"));
    }
    if (!keep) history.pushState({ swap: id }, "", address);
  };
  const formAddress = (form) => {
    const pairs = [...new FormData(form)].filter(([, value]) => value !== "");
    return `${location.pathname}?${new URLSearchParams(pairs)}`;
  };
  const quietly = (work) => work.catch((error) => say(`${words.not_done}${error.message}`));

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.do) act(button);
    if (button?.dataset.answer) quietly(answer(button.dataset.answer));
    if (button?.dataset.mark) {
      const mark = { page: Number(button.dataset.page), mark: button.dataset.mark, sampled: false };
      // The last mark counts, so the other one takes it back.
      quietly(ask("/audit/marks", mark).then(() => {
        for (const other of document.querySelectorAll("[data-mark]")) other.disabled = other === button;
        at("mark").textContent = words[`marked_${mark.mark}`];
        say(words.marked);
      }));
    }
    const link = event.target.closest("a[data-swap]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
      event.preventDefault();
      quietly(swap(link.href, link.dataset.swap));
    }
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id === "add-seeds") {
      event.preventDefault();
      quietly(addSeeds(event.target));
      return;
    }
    const form = event.target.closest("form[data-swap]");
    if (!form) return;
    event.preventDefault();
    quietly(swap(formAddress(form), form.dataset.swap));
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-swap]");
    if (form && event.target.matches("select")) quietly(swap(formAddress(form), form.dataset.swap));
  });
  let typing;
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-swap]");
    if (!form || !event.target.matches("input[type=search]")) return;
    clearTimeout(typing);
    typing = setTimeout(() => quietly(swap(formAddress(form), form.dataset.swap)), 250);
  });
  addEventListener("popstate", () => location.reload());

  // The audit: one page at a time, one key each.
  let queue = [];
  const showEstimate = (key, side) => {
    const box = document.querySelector(`[data-estimate="${key}"]`);
    const part = (name) => box.querySelector(`[data-part="${name}"]`);
    const has = side.precision !== null;
    const percent = (value) => Math.round(value * 100);
    part("share").textContent = has ? `${percent(side.precision)} %` : "–";
    const [low, high] = has ? [side.low * 100, side.high * 100] : [0, 0];
    part("bar").setAttribute("x", low.toFixed(1));
    part("bar").setAttribute("width", (high - low).toFixed(1));
    part("words").textContent = has
      ? `${words.confidence}${words.colon}${percent(side.low)}–${percent(side.high)} % · n = ${count(side.right + side.wrong)}`
      : words.no_marks;
  };
  const showWrong = (wrong) => {
    at("marked-wrong").hidden = wrong.length === 0;
    at("marked-wrong").querySelector("ul").replaceChildren(...wrong.map((page) => {
      const item = make("li");
      const link = make("a", undefined, { href: `/c/${encodeURIComponent(crawl)}/pages/${page.page}` });
      link.append(make("bdi", readable(page.url)));
      const why = page.reason ? words.reasons[page.reason] || page.reason.replaceAll("_", " ") : words.kept;
      const aside = page.sampled ? "" : ` · ${words.not_in_sample}`;
      item.append(link, " ", make("span", why + aside, { class: "soft" }));
      return item;
    }));
  };
  const showAudit = (audit) => {
    showEstimate("dropped", audit.dropped);
    showEstimate("kept", audit.kept);
    showWrong(audit.wrong);
  };
  const showNext = async () => {
    if (queue.length === 0) {
      const drawn = await ask("/audit/sample?n=10");
      queue = drawn.pages;
      showAudit(drawn.audit);
    }
    const page = queue[0];
    const box = at("audit");
    for (const button of box.querySelectorAll("[data-answer]")) button.disabled = !page;
    if (!page) { at("audit-text").textContent = words.all_marked; return; }
    box.dataset.page = String(page.page);
    const reason = words.reasons[page.reason] || page.reason.replaceAll("_", " ");
    at("audit-was").textContent = page.verdict === "kept" ? words.was_kept : `${words.was_dropped}${reason}`;
    const link = make("a", undefined, { href: `/c/${encodeURIComponent(crawl)}/pages/${page.page}` });
    link.append(make("bdi", page.title || readable(page.url)));
    at("audit-title").replaceChildren(link);
    at("audit-url").textContent = readable(page.url);
    at("audit-text").textContent = "";
    const text = await ask(`/pages/${page.page}`);
    if (queue[0] === page) at("audit-text").textContent = text.text === null ? words.no_text : text.text.slice(0, 4000);
  };
  // One answer at a time, and only for the page that is shown with its text.
  let answering = false;
  const answer = async (mark) => {
    const page = queue[0];
    if (answering || !page || at("audit").dataset.page !== String(page.page)) return;
    answering = true;
    try {
      const audit = await ask("/audit/marks", { page: page.page, mark, sampled: true });
      queue.shift();
      showAudit(audit);
      await showNext();
    } finally {
      answering = false;
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) return;
    if (event.key === "/") {
      const field = document.querySelector("main input[type=search], main input[inputmode=url]");
      event.preventDefault();
      if (field) field.focus(); else if (crawl) location.assign(`/c/${encodeURIComponent(crawl)}/search`);
    }
    const marks = { r: "right", w: "wrong", s: "skip" };
    const mark = marks[event.key.toLowerCase()];
    if (at("audit") && mark && !event.repeat) quietly(answer(mark));
  });

  // On a phone the open tab may lie beyond the edge.
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  if (crawl) watch();
  if (at("audit-title")) quietly(showNext());
})();
