// The findings table: to the place on a click, sorted by a heading, filtered by severity.

const SEVERITIES = ["error", "warning", "info"];

function wireFindings(data, clock) {
  const table = document.getElementById("findings");
  if (!table) return () => {};
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const announce = document.getElementById("announce");

  const show = (index) => {
    const finding = data.findings[index];
    const row = rows[index];
    if (!finding || !row) return;
    for (const other of rows) other.classList.toggle("chosen", other === row);
    const fix = row.querySelector("details");
    if (fix) fix.open = true;
    if (!clock || finding.player === null || (finding.clip === null && finding.joint === null)) return;
    clock.pause();
    clock.finding = index;
    clock.selectPlayer(finding.player);
    // A finding about the rig itself is shown on the rest pose only if no clip is running already.
    if (finding.clip !== null && finding.clip !== clock.clip) clock.selectClip(finding.clip);
    if (finding.time !== null) clock.setTime(finding.time);
    clock.focus(finding.joint ?? -1);
    const name = finding.joint === null ? "" : `, ${clock.scene.names[finding.joint]}`;
    if (announce) announce.textContent = `${clock.scene.clipName(clock.clip)}, ${clock.time.toFixed(3)} seconds${name}`;
    bringIntoView(document.querySelector(".stage"));
  };

  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    // Selecting text in a row, or opening what to do, is not a click on it.
    if (row && !event.target.closest("summary") && !String(getSelection())) show(Number(row.dataset.finding));
  });
  const apply = wireFilter(table);
  wireSorting(table, rows, data.findings, apply);
  return show;
}

// Scrolls only if less than half of it can be seen.
function bringIntoView(element) {
  if (!element) return;
  const { top, bottom, height } = element.getBoundingClientRect();
  const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (seen < Math.min(height, innerHeight) * 0.5) element.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
}

function wireSorting(table, rows, findings, sorted) {
  const keys = [
    (row, finding) => SEVERITIES.indexOf(finding.severity),
    (row) => row.cells[1].textContent,
    (row, finding) => [finding.player ?? 1e9, finding.clip ?? 1e9, finding.time ?? 1e9],
    (row) => parseFloat(row.cells[3].textContent.replace("−", "-")),
  ];
  const compare = (a, b) => {
    if (Array.isArray(a)) return a.reduce((found, value, i) => found || value - b[i], 0);
    if (typeof a === "string") return a.localeCompare(b);
    return (Number.isNaN(a) ? -Infinity : a) - (Number.isNaN(b) ? -Infinity : b);
  };
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = heading.querySelector("button");
    button?.addEventListener("click", () => {
      const down = heading.ariaSort === "ascending";
      for (const other of table.tHead.rows[0].cells) if (other.ariaSort) other.ariaSort = "none";
      heading.ariaSort = down ? "descending" : "ascending";
      const index = (row) => Number(row.dataset.finding);
      const key = (row) => keys[column](row, findings[index(row)]);
      const order = [...rows].sort((a, b) => (down ? -1 : 1) * compare(key(a), key(b)) || index(a) - index(b));
      table.tBodies[0].append(...order);
      sorted();
    });
  });
}

// Rows that are shown before the reader asks for the rest.
const FIRST_ROWS = 25;

function wireFilter(table) {
  const chips = [...document.querySelectorAll(".chip")];
  const none = document.getElementById("none-left");
  const more = document.getElementById("more");
  let all = table.tBodies[0].rows.length <= FIRST_ROWS + 5;
  const apply = () => {
    const on = new Set(chips.filter((c) => c.ariaPressed === "true").map((c) => c.dataset.severity));
    const wanted = [...table.tBodies[0].rows].filter((row) => {
      row.hidden = !on.has(row.dataset.severity);
      return !row.hidden;
    });
    if (!all) for (const row of wanted.slice(FIRST_ROWS)) row.hidden = true;
    const left = all ? 0 : wanted.length - FIRST_ROWS;
    more.hidden = left <= 0;
    more.textContent = `Show ${left} more`;
    none.hidden = wanted.length > 0;
  };
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.ariaPressed = String(chip.ariaPressed !== "true");
      apply();
    });
  }
  more.addEventListener("click", () => {
    all = true;
    apply();
  });
  apply();
  return apply;
}
