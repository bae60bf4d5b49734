// The buttons, lists and keys under the picture.

function wireControls(clock, data) {
  const by = (id) => document.getElementById(id);
  const [play, scrub, time, clip] = ["play", "scrub", "time", "clip"].map(by);
  const character = by("character");

  play.addEventListener("click", () => (clock.playing ? clock.pause() : clock.play()));
  scrub.addEventListener("input", () => {
    clock.pause();
    clock.setTime(Number(scrub.value));
  });
  clip.addEventListener("change", () => {
    clock.selectClip(Number(clip.value));
  });
  character?.addEventListener("change", () => clock.selectPlayer(Number(character.value)));
  by("speed").addEventListener("change", (event) => {
    clock.speed = Number(event.target.value);
  });
  const toggles = {
    loop: () => (clock.loop = !clock.loop),
    "show-skeleton": () => (clock.show.skeleton = !clock.show.skeleton),
    "show-mesh": () => (clock.show.mesh = !clock.show.mesh),
    follow: () => {
      clock.show.follow = !clock.show.follow;
      clock.fit(false);
    },
    frame: () => clock.fit(false),
  };
  for (const [id, act] of Object.entries(toggles)) {
    by(id).addEventListener("click", () => {
      act();
      clock.paint();
    });
  }
  wireKeys(clock, toggles);

  let listed = "";
  clock.listeners.push(() => {
    const key = `${clock.player}/${clock.clip}`;
    if (key !== listed) {
      listed = key;
      listClips(clock, clip);
      if (character) character.value = String(clock.player);
      markTicks(clock, data.findings, by("ticks"));
      scrub.max = String(clock.duration || 1);
      scrub.disabled = clock.duration === 0;
    }
    scrub.value = String(clock.time);
    scrub.style.setProperty("--done", `${clock.duration ? (clock.time / clock.duration) * 100 : 0}%`);
    const text = `${clock.time.toFixed(3)} / ${clock.duration.toFixed(3)} s`;
    time.textContent = text;
    scrub.setAttribute("aria-valuetext", `${clock.time.toFixed(3)} of ${clock.duration.toFixed(3)} seconds`);
    play.classList.toggle("playing", clock.playing);
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    const pressed = { loop: clock.loop, "show-skeleton": clock.show.skeleton, "show-mesh": clock.show.mesh, follow: clock.show.follow };
    for (const [id, on] of Object.entries(pressed)) by(id).setAttribute("aria-pressed", String(on));
    by("show-mesh").hidden = !clock.views.some((view) => view.scene.hasMesh);
    by("show-skeleton").hidden = by("show-mesh").hidden;
  });
}

function listClips(clock, list) {
  const { scene } = clock;
  list.replaceChildren();
  for (let i = 0; i <= scene.restIndex; i++) {
    const option = document.createElement("option");
    option.value = String(i);
    option.textContent = scene.clipName(i);
    if (i < scene.restIndex && scene.clips[i].frames === 0) {
      option.disabled = true;
      option.textContent += " (not in this page)";
    }
    list.append(option);
  }
  list.value = String(clock.clip);
}

// Small marks over the time bar where findings are.
function markTicks(clock, findings, strip) {
  strip.replaceChildren();
  if (clock.duration === 0) return;
  findings.forEach((finding) => {
    if (finding.clip !== clock.clip || !clock.shows(finding.player) || finding.time === null) return;
    const tick = document.createElement("i");
    tick.className = finding.severity;
    tick.style.left = `${clamp(finding.time / clock.duration, 0, 1) * 100}%`;
    strip.append(tick);
  });
}

// Keys work anywhere on the page, except where they already mean something.
function wireKeys(clock, toggles) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName;
    if (tag === "INPUT" && event.target.type !== "range") return;
    if (tag === "SELECT" || tag === "TEXTAREA") return;
    const steps = event.shiftKey ? 10 : 1;
    const acts = {
      ArrowLeft: () => clock.step(-steps),
      ArrowRight: () => clock.step(steps),
      Home: () => clock.step(-Infinity),
      End: () => clock.step(Infinity),
      b: toggles["show-skeleton"], m: toggles["show-mesh"], f: toggles.frame, t: toggles.follow, r: toggles.loop,
    };
    // On a button the space key presses it, and Home and End scroll a page outside the player.
    if (tag !== "BUTTON" && tag !== "SUMMARY" && tag !== "A") acts[" "] = () => (clock.playing ? clock.pause() : clock.play());
    if (!event.target.closest?.(".stage, .drawing")) {
      delete acts.Home;
      delete acts.End;
    }
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
    clock.paint();
  });
}
