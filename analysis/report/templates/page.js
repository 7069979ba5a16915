"use strict";
// Tables sort by a column, charts hide series. Without this the page is complete.
for (const head of document.querySelectorAll("th")) {
  const table = head.closest("table");
  if (table.tBodies[0].rows.length < 3) continue;
  const button = document.createElement("button");
  button.className = "sort";
  button.type = "button";
  button.title = "Sort by this column";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => {
      const cell = row.cells[head.cellIndex];
      return "value" in cell.dataset
        ? (cell.dataset.value === "" ? NaN : Number(cell.dataset.value))
        : cell.textContent;
    };
    const order = (a, b) => {
      if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return a - b;
    };
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, other) => {
      const a = value(one), b = value(other);
      if (Number.isNaN(a) || Number.isNaN(b)) return order(a, b);
      return down ? order(b, a) : order(a, b);
    });
    table.tBodies[0].append(...rows);
  });
}
for (const figure of document.querySelectorAll("figure[data-series]")) {
  const names = JSON.parse(figure.dataset.series);
  const start = figure.id.replace(/^figure-/, "");
  const bar = document.createElement("div");
  bar.className = "series";
  names.forEach((name, number) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      for (const part of figure.querySelectorAll(`[id^="${start}-series-${number}-"]`)) {
        part.classList.toggle("off", !shown);
      }
    });
    bar.append(button);
  });
  figure.querySelector(".drawing").before(bar);
}
// What is folded away is printed as well, but for the data of charts.
const folded = () => document.querySelectorAll("section > details:not([open])");
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...folded()];
  for (const one of opened) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of opened) one.open = false;
});
