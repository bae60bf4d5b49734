// Cursors on the curves, and scrubbing by them.

class LinkedPlot {
  constructor(figure, raw, clock) {
    this.raw = raw;
    this.clock = clock;
    this.figure = figure;
    this.series = raw.series.map(floatsOf);
    this.drawings = [...figure.querySelectorAll("svg.plot")].map((svg) => ({
      svg,
      cursor: svg.querySelector(".cursor"),
      line: svg.querySelector(".cursor line"),
      dots: [...svg.querySelectorAll(".cursor circle")],
      ...Object.fromEntries(Object.entries(svg.dataset).map(([key, value]) => [key, Number(value)])),
    }));
    this.values = [...figure.querySelectorAll(".legend li")].map((item) => item.querySelector("output"));
    this.scrubber = figure.querySelector(".scrubber");
    if (this.scrubber) this.listen();
  }

  get followed() {
    return this.scrubber && this.clock && this.raw.clip === this.clock.clip && this.raw.players.some((p) => this.clock.shows(p));
  }

  // Puts the player on this plot's clip if it is elsewhere.
  take() {
    const { clock, raw } = this;
    clock.pause();
    if (this.followed) return;
    clock.selectPlayer(raw.players[0]);
    clock.selectClip(raw.clip);
  }

  go(time) {
    this.take();
    if (this.raw.joint !== null && this.clock.show.joint !== this.raw.joint) this.clock.show.joint = this.raw.joint;
    this.clock.setTime(clamp(time, this.drawings[0].x0, this.drawings[0].x1));
  }

  shown() {
    return this.drawings.find(({ svg }) => svg.clientWidth > 0 || svg.getBoundingClientRect().width > 0) ?? this.drawings[0];
  }

  // Time under the pointer.
  timeAt(event) {
    const drawing = this.shown();
    const box = drawing.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * drawing.svg.viewBox.baseVal.width;
    return drawing.x0 + ((x - drawing.left) / (drawing.right - drawing.left)) * (drawing.x1 - drawing.x0);
  }

  // The finding whose mark is within a fingertip of the pointer, or -1.
  markAt(event) {
    const drawing = this.shown();
    const perPixel = (drawing.x1 - drawing.x0) / drawing.svg.getBoundingClientRect().width;
    const time = this.timeAt(event);
    let best = -1;
    let nearest = 9 * perPixel;
    for (const { x, finding } of this.raw.markers) {
      if (finding === null || !(Math.abs(x - time) < nearest)) continue;
      nearest = Math.abs(x - time);
      best = finding;
    }
    return best;
  }

  listen() {
    const { scrubber } = this;
    let dragged = false;
    scrubber.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      scrubber.setPointerCapture(event.pointerId);
      dragged = true;
      const finding = this.markAt(event);
      if (finding >= 0 && this.onFinding) this.onFinding(finding);
      else this.go(this.timeAt(event));
    });
    scrubber.addEventListener("pointermove", (event) => {
      if (dragged && scrubber.hasPointerCapture(event.pointerId)) this.go(this.timeAt(event));
    });
    scrubber.addEventListener("pointerup", () => (dragged = false));
    scrubber.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 10 : 1;
      const acts = {
        ArrowLeft: () => this.clock.step(-step), ArrowDown: () => this.clock.step(-step),
        ArrowRight: () => this.clock.step(step), ArrowUp: () => this.clock.step(step),
        Home: () => this.go(this.drawings[0].x0), End: () => this.go(this.drawings[0].x1),
      };
      if (!acts[event.key]) return;
      event.preventDefault();
      this.take();
      acts[event.key]();
    });
  }

  // Called whenever the time changes.
  update() {
    const on = Boolean(this.followed);
    this.figure.classList.toggle("followed", on);
    for (const drawing of this.drawings) drawing.cursor.setAttribute("visibility", on ? "visible" : "hidden");
    if (!on) {
      for (const value of this.values) if (value) value.textContent = "";
      return;
    }
    const { time } = this.clock;
    const { y0, y1 } = this.drawings[0];
    // What cannot be told from zero on the axis is printed as zero, not as rounding noise.
    const heights = this.series.map((points) => valueAt(points, time)).map((y) => (Math.abs(y) < (y1 - y0) * 1e-7 ? 0 : y));
    for (const { cursor, dots, left, right, top, bottom, x0, x1, y0, y1 } of this.drawings) {
      const x = left + ((clamp(time, x0, x1) - x0) / (x1 - x0)) * (right - left);
      cursor.setAttribute("transform", `translate(${x.toFixed(2)} 0)`);
      dots.forEach((dot, i) => {
        const y = bottom - ((heights[i] - y0) / (y1 - y0)) * (bottom - top);
        const inside = y >= top - 1 && y <= bottom + 1;
        dot.setAttribute("visibility", inside ? "inherit" : "hidden");
        if (inside) dot.setAttribute("cy", y.toFixed(2));
      });
    }
    this.values.forEach((value, i) => {
      if (value && i < heights.length) value.textContent = Number.isFinite(heights[i]) ? `${figures(heights[i])} ${this.raw.unit}` : "–";
    });
    const { scrubber, drawings: [{ x0, x1 }] } = this;
    scrubber.setAttribute("aria-valuemin", x0);
    scrubber.setAttribute("aria-valuemax", x1);
    scrubber.setAttribute("aria-valuenow", time.toFixed(3));
    scrubber.setAttribute("aria-valuetext", `${time.toFixed(3)} seconds`);
  }
}

// With many curves, those of the clip in the player are shown unless the reader asks for all.
function wirePlotChoice(plots, clock) {
  const choice = document.getElementById("plot-choice");
  if (!choice || !clock || plots.length <= 6) return () => {};
  const nothing = document.getElementById("no-plots");
  let all = false;
  choice.hidden = false;
  const apply = () => {
    let shown = 0;
    for (const plot of plots) {
      plot.figure.hidden = !all && plot.scrubber !== null && !plot.followed;
      if (!plot.figure.hidden) shown++;
    }
    nothing.hidden = shown > 0;
  };
  for (const button of choice.children) {
    button.addEventListener("click", () => {
      all = button.dataset.all === "true";
      for (const other of choice.children) other.ariaPressed = String(other === button);
      apply();
    });
  }
  return apply;
}

// Linear between the points on both sides; NaN in gaps and outside.
function valueAt(points, x) {
  const count = points.length / 2;
  // Points are single precision, so an end may lie a hair inside.
  const slack = 1e-6 * Math.max(1, Math.abs(x));
  if (count === 0 || x < points[0] - slack || x > points[(count - 1) * 2] + slack) return NaN;
  let low = 0;
  let high = count - 1;
  while (low < high - 1) {
    const middle = (low + high) >> 1;
    if (points[middle * 2] <= x) low = middle;
    else high = middle;
  }
  const [xa, ya, xb, yb] = [points[low * 2], points[low * 2 + 1], points[high * 2], points[high * 2 + 1]];
  if (xb <= xa) return yb;
  const share = clamp((x - xa) / (xb - xa), 0, 1);
  // On a point its own value counts, even beside a gap.
  if (share === 0) return ya;
  if (share === 1) return yb;
  return ya + (yb - ya) * share;
}

// Four significant figures, plainly where that is short.
function figures(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(2);
  const decimals = size === 0 ? 0 : clamp(3 - Math.floor(Math.log10(size)), 0, 5);
  return value.toFixed(decimals).replace("-", "−");
}
