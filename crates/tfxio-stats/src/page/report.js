"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const features = all("tbody[data-f]");
  const state = { scale: "linear", words: [], type: "", flags: "" };

  // Elements and numbers.

  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const draw = (name, attributes, title) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (title !== undefined) {
      const child = document.createElementNS(SVG, "title");
      child.textContent = title;
      element.append(child);
    }
    return element;
  };
  const shown = (number) => {
    if (!Number.isFinite(number)) return String(number).replace("Infinity", "∞");
    const size = Math.abs(number);
    if (size !== 0 && (size >= 1e15 || size < 1e-4)) return number.toExponential(3);
    const digits = Number.isInteger(number) ? 0 : Math.max(0, Math.min(6, 4 - Math.floor(Math.log10(size))));
    return number.toLocaleString("en", { maximumFractionDigits: digits });
  };
  const name = (side) => data.names[side];
  const title = (body) => body.querySelector("th bdi").textContent;

  // Charts. A chart is of up to two sides: { h: [edges, counts], q: [edges], v: [[label, count]…] }.

  const WIDTH = 240, HEIGHT = 51, BASE = 12;
  const numbers = (list) => list.map(Number);
  const finite = (edges) => edges.filter(Number.isFinite);

  // The bars of one side: from, to, share of the side's largest count (or 1), what a pointer is told.
  const bars = (side, kind) => {
    if (kind === "quantiles" && side.q) {
      const edges = numbers(side.q);
      return edges.slice(1).map((to, at) => [edges[at], to, 1, `${shown(edges[at])} to ${shown(to)}: 1/${edges.length - 1} of the values`]);
    }
    if (!side.h) return [];
    const edges = numbers(side.h[0]);
    return numbers(side.h[1]).map((count, at) =>
      [edges[at], edges[at + 1], count, `${shown(edges[at])} to ${shown(edges[at + 1])}: ${shown(count)}`]);
  };
  const height = (count, most) => {
    if (!(most > 0) || !(count > 0)) return 0;
    const share = state.scale === "log" ? Math.log1p(count) / Math.log1p(most) : count / most;
    return Math.max(share, 0.03);
  };

  const histogram = (svg, sides, frame) => {
    const kind = state.scale;
    const drawn = sides.map((side) => bars(side, kind));
    const ends = finite(drawn.flat().flatMap(([from, to]) => [from, to]));
    const low = ends.reduce((a, b) => Math.min(a, b), Infinity);
    const high = ends.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low <= high)) return false;
    // Halves, so that the range of the largest numbers is finite.
    const span = high / 2 - low / 2;
    const x = (value) => (span > 0 ? Math.max(0, Math.min(1, (value / 2 - low / 2) / span)) : 0.5) * frame.width;
    const room = frame.height - BASE;
    drawn.forEach((list, at) => {
      const most = list.reduce((most, [, , count]) => Math.max(most, count), 0);
      const lanes = kind === "quantiles" ? drawn.length : 1;
      list.forEach(([from, to, count, text], number) => {
        let left = x(from), right = x(to);
        if (right - left < 2) { left = Math.max(0, Math.min((left + right) / 2, frame.width - 1) - 1); right = left + 2; }
        const tall = kind === "quantiles" ? room / lanes - 2 : height(count, most) * room;
        const top = kind === "quantiles" ? 1 + at * (room / lanes) : room - tall;
        const rect = draw("rect", { x: left.toFixed(1), y: top.toFixed(1), width: Math.max(1, right - left - 0.6).toFixed(1), height: tall.toFixed(1), class: at ? "other" : "first" }, sides.length > 1 ? `${name(at)}: ${text}` : text);
        if (kind === "quantiles" && number % 2) rect.setAttribute("fill-opacity", "0.35");
        svg.append(rect);
      });
    });
    svg.append(draw("line", { x1: 0, x2: frame.width, y1: room + 0.5, y2: room + 0.5, class: "axis" }));
    const label = (value, at, anchor) => {
      const text = draw("text", { x: at, y: frame.height - 2, "text-anchor": anchor });
      text.textContent = shown(value);
      svg.append(text);
    };
    if (span > 0) { label(low, 0, "start"); label(high, frame.width, "end"); } else label(low, frame.width / 2, "middle");
    return true;
  };

  const ranks = (svg, sides, frame) => {
    const labels = [];
    for (const side of sides) for (const [label] of side.v ?? []) if (!labels.includes(label)) labels.push(label);
    if (!labels.length) return false;
    const some = labels.slice(0, frame.ranks);
    const step = frame.width / some.length;
    const room = frame.height - BASE;
    sides.forEach((side, at) => {
      const counts = new Map(side.v ?? []);
      const most = (side.v ?? []).reduce((most, [, count]) => Math.max(most, count), 0);
      some.forEach((label, number) => {
        const count = Number(counts.get(label) ?? 0);
        const tall = height(count, most) * room;
        const wide = Math.max(1, Math.min(step, 40) / sides.length - 1);
        const what = `${label}: ${shown(count)}`;
        svg.append(draw("rect", { x: (number * step + at * wide).toFixed(1), y: (room - tall).toFixed(1), width: wide.toFixed(1), height: tall.toFixed(1), class: at ? "other" : "first" }, sides.length > 1 ? `${name(at)}: ${what}` : what));
      });
    });
    svg.append(draw("line", { x1: 0, x2: frame.width, y1: room + 0.5, y2: room + 0.5, class: "axis" }));
    const fits = Math.floor((step - 4) / 5.5);
    some.slice(0, fits < 3 ? 1 : some.length).forEach((label, number) => {
      const letters = Array.from(label), most = fits < 3 ? 40 : fits;
      const text = draw("text", { x: number * step, y: frame.height - 2 });
      text.textContent = letters.length > most ? letters.slice(0, most - 1).join("") + "…" : label;
      svg.append(text);
    });
    return true;
  };

  // A chart in words, each side by itself.
  const summary = (what, sides) => sides.length > 1 ? sides.map((side, at) => `${name(at)}: ${summary_of(what, side)}`).join("; ") : summary_of(what, sides[0]);
  const summary_of = (what, side) => {
    if (side.v) return `Most frequent values of ${what}: ` + side.v.slice(0, 3).map(([label, count]) => `${label} ${shown(Number(count))}`).join(", ");
    const list = bars(side, state.scale);
    if (!list.length) return `${what}: no values`;
    const top = list.reduce((best, bar) => (bar[2] > best[2] ? bar : best));
    const range = `${shown(list[0][0])} to ${shown(list[list.length - 1][1])}`;
    if (state.scale === "quantiles") return `Quantiles of ${what}: ${[list[0][0], ...list.map((bar) => bar[1])].map(shown).join(", ")}`;
    return `Histogram of ${what}, ${list.length} buckets from ${range}; most values ${top[3]}`;
  };

  const chart = (where, what, sides, frame) => {
    const svg = draw("svg", { viewBox: `0 0 ${frame.width} ${frame.height}`, preserveAspectRatio: "xMinYMid meet", role: "img", "aria-label": summary(what, sides) });
    if (sides.length > 1 && state.scale !== "quantiles") svg.setAttribute("class", "both");
    const is_drawn = sides.some((side) => side.v) ? ranks(svg, sides, frame) : histogram(svg, sides, frame);
    where.replaceChildren(is_drawn ? svg : make("span", "no values", { class: "faint" }));
  };

  const small = { width: WIDTH, height: HEIGHT, ranks: 10 };
  const large = { width: 576, height: 144, ranks: 20 };
  const sides = (body) => data.features[Number(body.dataset.f)].map((side) => side ?? {});
  const chart_of = (where) => {
    const body = where.closest("tbody");
    chart(where, title(body), sides(body), small);
    where.dataset.scale = state.scale;
  };

  const charts = all("tbody[data-f] .chart");
  const visible = new Set();
  const redraw = () => visible.forEach((where) => { if (where.dataset.scale !== state.scale) chart_of(where); });
  // What is seen first is drawn at once; the rest when it comes into view.
  const draw_first = () => {
    for (const where of charts) {
      const box = where.getBoundingClientRect();
      if (box.height > 0 && box.top < window.innerHeight && box.bottom > 0) visible.add(where);
    }
    redraw();
  };
  if ("IntersectionObserver" in window) {
    const watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) visible.add(entry.target); else visible.delete(entry.target);
      }
      redraw();
    }, { rootMargin: "200px" });
    charts.forEach((where) => watcher.observe(where));
  } else {
    charts.forEach((where) => visible.add(where));
    redraw();
  }
  window.addEventListener("beforeprint", () => charts.forEach((where) => { if (where.dataset.scale !== state.scale) chart_of(where); }));

  // What a feature has beyond its row.

  const table = (caption, rows) => {
    const element = make("table");
    element.append(make("caption", caption));
    const body = make("tbody");
    for (const [key, value] of rows) {
      const row = make("tr");
      const head = make("th", undefined, { scope: "row" });
      head.append(make("bdi", key));
      row.append(head, make("td", value));
      body.append(row);
    }
    element.append(body);
    return element;
  };
  const side_of = (side, at, what) => {
    const part = make("div");
    if (data.names.length > 1) part.append(make("h4", name(at)));
    if (side.m) part.append(table("Numbers", side.m));
    if (side.v) {
      const left = side.u ? `, ${shown(Number(side.u))} more not shown` : "";
      part.append(table(`Most frequent values${left}`, side.v.map(([label, count]) => [label, shown(Number(count))])));
    }
    if (side.q) {
      const edges = numbers(side.q);
      part.append(table("Quantiles", edges.map((edge, at) => [`${shown((100 * at) / (edges.length - 1))} %`, shown(edge)])));
    }
    if (side.l) {
      const edges = numbers(side.l);
      part.append(table("Values in a row, quantiles", edges.map((edge, at) => [`${shown((100 * at) / (edges.length - 1))} %`, shown(edge)])));
    }
    for (const [label, buckets] of side.c ?? []) part.append(table(label, buckets.map(([key, count]) => [key, shown(Number(count))])));
    if (!part.querySelector("table")) part.append(make("p", `${what} has no numbers here.`, { class: "faint" }));
    return part;
  };
  const more = (body) => {
    const row = make("tr", undefined, { class: "more", id: `${body.id}-more` });
    const cell = make("td", undefined, { colspan: body.closest("table").tHead.rows[0].cells.length });
    const both = sides(body), what = title(body);
    if (both.some((side) => side.h || side.q || side.v)) {
      const where = make("div", undefined, { class: "chart large" });
      cell.append(where);
      chart(where, what, both, large);
    }
    const list = make("div", undefined, { class: "sides" });
    both.forEach((side, at) => list.append(side_of(side, at, what)));
    cell.append(list);
    row.append(cell);
    body.append(row);
  };
  for (const body of features) {
    const head = body.querySelector("th");
    const text = head.querySelector("bdi");
    const button = make("button", undefined, { type: "button", "aria-expanded": "false", "aria-controls": `${body.id}-more` });
    text.replaceWith(button);
    button.append(text);
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      const row = body.querySelector("tr.more");
      if (open) row?.remove(); else more(body);
    });
  }

  // Sorting: the text of cells are numbers with commas between thousands, or text.

  const key = (cell, is_text) => {
    const text = cell?.textContent.trim() ?? "";
    if (is_text) return text.toLowerCase();
    const number = parseFloat(text.replace(/[,<]/g, "").replace("∞", "Infinity"));
    return Number.isNaN(number) ? undefined : number;
  };
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a < b ? -1 : a > b ? 1 : 0);
  for (const head of all("table.features thead th[data-sort]")) {
    const button = make("button", head.textContent, { type: "button" });
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    const at = Array.from(head.parentNode.children).indexOf(head);
    button.addEventListener("click", () => {
      const is_text = head.dataset.sort === "text";
      const was = head.getAttribute("aria-sort");
      const first = is_text ? "ascending" : "descending";
      const next = was === "none" ? first : was === "ascending" ? "descending" : "ascending";
      for (const other of head.parentNode.children) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", next);
      const owner = head.closest("table");
      const rows = all("tbody[data-f]", owner).map((body) => [key(body.rows[0].cells[at], is_text), body]);
      const turn = next === "ascending" ? 1 : -1;
      rows.sort(([a, x], [b, y]) => {
        if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
        return turn * compare(a, b) || Number(x.dataset.f) - Number(y.dataset.f);
      });
      owner.append(...rows.map(([, body]) => body));
      say(`Sorted by ${button.textContent}, ${next}.`);
    });
  }

  // Searching and filtering.

  const found = $("found");
  const say = (text) => { found.textContent = text; };
  const plural = (count, thing) => `${shown(count)} ${thing}${count === 1 ? "" : "s"}`;
  const slice = $("slice");
  const filter = () => {
    let matching = 0, total = 0;
    for (const body of features) {
      const text = title(body).toLowerCase();
      const is_match = state.words.every((word) => text.includes(word))
        && (!state.type || body.dataset.type === state.type)
        && Array.from(state.flags).every((flag) => body.dataset.flags?.includes(flag));
      body.hidden = !is_match;
      if (body.closest("section.slice").hidden) continue;
      total += 1;
      if (is_match) matching += 1;
    }
    for (const owner of all("table.features")) {
      const none = owner.querySelector("tbody.empty");
      if (none) none.hidden = all("tbody[data-f]", owner).some((body) => !body.hidden);
    }
    say(matching === total ? plural(total, "feature") : `${shown(matching)} of ${plural(total, "feature")}`);
  };
  const choose = () => {
    if (slice) all("section.slice").forEach((section) => { section.hidden = section.id !== slice.value; });
    filter();
  };
  $("search").addEventListener("input", (event) => {
    state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    filter();
  });
  $("type").addEventListener("change", (event) => { state.type = event.target.value; filter(); });
  for (const box of all("input[data-flag]")) {
    box.addEventListener("change", () => {
      state.flags = all("input[data-flag]").filter((box) => box.checked).map((box) => box.dataset.flag).join("");
      filter();
    });
  }
  slice?.addEventListener("change", choose);
  $("scale").addEventListener("change", (event) => {
    state.scale = event.target.value;
    redraw();
    for (const where of all(".more .large")) {
      const body = where.closest("tbody");
      chart(where, title(body), sides(body), large);
    }
  });

  // A link to a feature shows it, whatever is searched for.
  const reveal = () => {
    const body = document.getElementById(location.hash.slice(1));
    if (!body?.matches("tbody[data-f]")) return;
    const section = body.closest("section.slice");
    if (slice && section.hidden) { slice.value = section.id; choose(); }
    if (body.hidden) {
      $("search").value = "";
      $("type").value = "";
      all("input[data-flag]").forEach((box) => { box.checked = false; });
      Object.assign(state, { words: [], type: "", flags: "" });
      filter();
    }
    body.scrollIntoView({ block: "center" });
    body.querySelector("button").focus({ preventScroll: true });
  };
  window.addEventListener("hashchange", reveal);

  // The theme follows the system until it is chosen.

  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const theme = $("theme");
  const label = () => { theme.setAttribute("aria-pressed", String(dark())); };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    label();
  });
  label();

  document.addEventListener("keydown", (event) => {
    const is_typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !is_typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      $("search").focus();
    }
  });

  $("controls").hidden = false;
  choose();
  draw_first();
  reveal();
})();
