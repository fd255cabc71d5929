// SPDX-License-Identifier: MIT OR Apache-2.0
// Rows that unfold, the filter and the order of scenarios, and copying of tables.

/** Markup that was deflated and is written in base64. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/** Puts drawings where they are packed, and lets them be used. */
async function draw(place) {
  for (const packed of place.querySelectorAll(".packed")) {
    const text = packed.querySelector("script").textContent;
    packed.className = "unpacking";
    try {
      packed.innerHTML = await unpacked(text);
      packed.className = "drawings";
    } catch {
      packed.textContent =
        "This browser cannot unpack drawings (DecompressionStream); newer ones can.";
    }
  }
  for (const figure of place.querySelectorAll("figure.schedule:not([data-ready])")) {
    figure.dataset.ready = "";
    new Schedule(figure);
  }
}

/** A line of the table, and what unfolds below it. */
class Row {
  constructor(body, place) {
    this.body = body;
    this.place = place;
    this.detail = body.querySelector("tr.detail");
    this.detail.id = `${body.id}-detail`;
    const told = body.querySelectorAll("tr.line, .files, .notes, .measures, .repeat");
    this.text = [...told].map((one) => one.textContent).join(" ").toLowerCase();
    const title = body.querySelector(".title");
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "fold";
    this.button.setAttribute("aria-controls", this.detail.id);
    title.replaceWith(this.button);
    this.button.append(title);
    body.querySelector("tr.line").addEventListener("click", (event) => {
      if (!getSelection().isCollapsed || event.target.closest("a")) return;
      this.open(this.detail.hidden);
    });
  }

  open(open) {
    this.detail.hidden = !open;
    this.body.classList.toggle("open", open);
    this.button.setAttribute("aria-expanded", open);
    return open ? draw(this.detail) : Promise.resolve();
  }

  /** What a column is sorted by: a number, or words. */
  key(column) {
    const cell = this.body.rows[0].cells[column];
    if (!cell.classList.contains("number")) return cell.textContent.trim().toLowerCase();
    return cell.dataset.sort === undefined ? -Infinity : Number(cell.dataset.sort);
  }
}

/** The table of scenarios. */
class Scenarios {
  constructor(table) {
    this.table = table;
    this.rows = [...table.tBodies].map((body, place) => new Row(body, place));
    this.form = document.querySelector("form.filter");
    this.sorted = { column: -1, up: true };
    for (const head of table.tHead.rows[0].cells) this.sortable(head);
    if (this.form) {
      this.form.addEventListener("input", () => this.filter());
      this.form.addEventListener("submit", (event) => event.preventDefault());
      const reset = () => { this.sort(-1, true); this.filter(); };
      this.form.addEventListener("reset", () => setTimeout(reset));
      this.filter();
    }
    for (const row of this.rows) row.open(!this.form);
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#"]');
      if (link && link.hash === location.hash) this.follow();
    });
    this.follow();
  }

  sortable(head) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const column = Number(head.dataset.column);
      const first = !head.classList.contains("number");
      this.sort(column, column === this.sorted.column ? !this.sorted.up : first);
    });
  }

  /** Puts rows in the order of a column; those that are equal, and all for -1, in the page's. */
  sort(column, up) {
    this.sorted = { column, up };
    const order = (one, other) => {
      if (column < 0) return 0;
      const [first, second] = [one.key(column), other.key(column)];
      return (first < second ? -1 : first > second ? 1 : 0) * (up ? 1 : -1);
    };
    const rows = [...this.rows].sort((one, other) => order(one, other) || one.place - other.place);
    this.table.append(...rows.map((row) => row.body));
    for (const head of this.table.tHead.rows[0].cells) {
      if (Number(head.dataset.column) !== column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", up ? "ascending" : "descending");
    }
  }

  filter() {
    const wanted = Object.fromEntries(new FormData(this.form));
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const is = (row, name) => {
      const value = wanted[name];
      if (value === undefined || value === "*") return true;
      const own = row.body.dataset[name];
      return name === "schedulers" ? own.split(" ").includes(value) : own === value;
    };
    const fits = (row) => words.every((word) => row.text.includes(word)) &&
      ["outcome", "disk", "schedulers", "kind", "year"].every((name) => is(row, name));
    let count = 0;
    for (const row of this.rows) {
      row.body.hidden = !fits(row);
      count += row.body.hidden ? 0 : 1;
    }
    this.form.querySelector("output").textContent =
      count === this.rows.length ? `all ${count}` : `${count} of ${this.rows.length}`;
    document.querySelector(".none").hidden = count > 0;
  }

  /** Opens and shows the row that the address names. */
  async follow() {
    const row = this.rows.find((one) => one.body.id === decodeURIComponent(location.hash.slice(1)));
    if (!row) return;
    if (row.body.hidden) this.form.reset();
    await row.open(true);
    row.body.hidden = false;
    row.body.scrollIntoView();
    row.button.focus({ preventScroll: true });
  }
}

/** Copies a text, also where the page may not use the clipboard itself. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function cells(table) {
  const line = (row) => [...row.cells].map((cell) => cell.textContent).join("\t");
  return [...table.rows].map(line).join("\n");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const table = button.parentNode.querySelector("table");
  await copy(table ? cells(table) : button.parentNode.querySelector("code").textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});
for (const table of document.querySelectorAll("table.scenarios")) new Scenarios(table);
