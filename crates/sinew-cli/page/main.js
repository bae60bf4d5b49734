// Puts the page together, and gives tests exact control over it.

function boot() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const scenes = data.players.map((raw) => new Scene(raw));
  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const show = { skeleton: !data.bonesHidden, mesh: true, follow: false, joint: -1, dark: dark() };
  const camera = new Camera();
  const views = [...document.querySelectorAll(".view")].map(
    (element) => new View(element, scenes[Number(element.dataset.player)], camera, show));
  const clock = views.length ? new Clock(views, scenes, camera, show) : null;
  if (clock) wireControls(clock, data);
  const findings = wireFindings(data, clock);
  const plots = [...document.querySelectorAll("[data-plot]")].map(
    (figure) => new LinkedPlot(figure, data.plots[Number(figure.dataset.plot)], clock));
  for (const plot of plots) plot.onFinding = findings;
  const choosePlots = wirePlotChoice(plots, clock);
  let place = "";
  clock?.listeners.push(() => {
    plots.forEach((plot) => plot.update());
    const now = `${clock.player}/${clock.clip}`;
    if (now !== place) choosePlots();
    place = now;
  });

  const repaint = () => {
    show.dark = dark();
    clock?.paint();
  };
  document.getElementById("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  if (clock) {
    const watch = new ResizeObserver(() => clock.paint());
    for (const view of views) watch.observe(view.canvas);
    // The clip of the first finding is what the reader came for.
    const first = data.findings.find((finding) => finding.clip !== null && finding.player !== null);
    if (first) clock.selectPlayer(first.player);
    clock.selectClip(first?.clip ?? 0);
  }
  return { clock, scenes };
}

// Resolved when everything has been drawn once.
window.ready = new Promise((resolve, reject) => {
  try {
    const { clock, scenes } = boot();
    // Pauses and draws exactly this time before it returns, cursors included.
    window.setTime = (time, player) => {
      clock?.pause();
      clock?.setTime(time, player);
    };
    window.state = () => {
      if (!clock) return { player: -1, clip: -1, clipName: "", time: 0, duration: 0, playing: false, joint: -1, jointName: "", finding: -1 };
      const { player, clip, time, duration, playing, finding, show: { joint }, scene } = clock;
      return {
        player, clip, clipName: scene.clipName(clip), time, duration, playing, finding, joint,
        jointName: scene.names[joint] ?? "",
        views: clock.views.map((view) => ({ player: scenes.indexOf(view.scene), time: view.time, drawn: Boolean(view.renderer) })),
      };
    };
    resolve();
  } catch (error) {
    reject(error);
    throw error;
  }
});
