(() => {
  document.documentElement.classList.add("live");
  const number = (text) => { const n = parseFloat(text); return Number.isNaN(n) ? -Infinity : n; };
  for (const table of document.querySelectorAll("table.rows")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => head.querySelector("button").addEventListener("click", () => {
      const isNumber = head.classList.contains("n");
      const before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : isNumber;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[at].textContent;
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => isNumber ? number(key(a)) - number(key(b)) : key(a).localeCompare(key(b)));
      if (down) rows.reverse();
      table.tBodies[0].append(...rows);
    }));
  }
  for (const input of document.querySelectorAll("input[data-for]")) {
    const rows = [...document.getElementById(input.dataset.for).tBodies[0].rows];
    // Made when somebody filters: most readers do not, and there are thousands of rows.
    let texts = null;
    const said = document.getElementById(input.dataset.for + "-count");
    const run = () => {
      texts ??= rows.map((row) => row.textContent.toLowerCase());
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, at) => {
        const wanted = words.every((word) => texts[at].includes(word));
        row.hidden = !wanted;
        shown += wanted ? 1 : 0;
      });
      said.textContent = shown + " / " + rows.length;
    };
    input.addEventListener("input", run);
    // A browser that goes back fills the field in again.
    if (input.value) run(); else said.textContent = rows.length + " / " + rows.length;
  }
  for (const link of document.querySelectorAll("a[data-filter]")) {
    link.addEventListener("click", () => {
      const input = document.getElementById(link.getAttribute("href").slice(1) + "-rows-filter");
      if (!input) return;
      input.value = link.dataset.filter;
      input.dispatchEvent(new Event("input"));
    });
  }
})();
