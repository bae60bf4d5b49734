// The one time on the page: which character, which clip, when, and whether it runs.

class Clock {
  constructor(views, scenes, camera, show) {
    Object.assign(this, { views, scenes, camera, show });
    this.clip = 0;
    this.time = 0;
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    this.finding = -1;
    this.listeners = [];
    this.last = 0;
    camera.changed = () => this.paint();
  }

  // The scene that controls speak about: the first one shown.
  get scene() {
    return this.views[0].scene;
  }

  get player() {
    return this.scenes.indexOf(this.scene);
  }

  get duration() {
    return Math.max(...this.views.map((view) => view.scene.duration(this.clip)));
  }

  // Frames a second of the clip that is shown, for stepping.
  get rate() {
    return this.scene.clips[this.clip]?.rate || 30;
  }

  shows(player) {
    return this.views.some((view) => view.scene === this.scenes[player]);
  }

  // Puts a character into the picture; beside each other all are there already.
  selectPlayer(player) {
    if (this.shows(player) || !this.scenes[player]) return;
    this.views[0].scene = this.scenes[player];
    this.show.joint = -1;
    this.selectClip(0);
  }

  selectClip(clip) {
    const index = clamp(clip, 0, this.scene.restIndex);
    this.clip = index;
    this.time = 0;
    this.fit();
  }

  // The whole character over the whole clip; a traveller is followed.
  fit(decideFollow = true) {
    if (decideFollow) {
      const still = this.views.map((view) => boundsOf(view.scene, this.clip, true));
      this.show.follow = still.some((b) => b.travel > 0.6 * length(sub(b.high, b.low)));
    }
    const all = this.views.map((view) => view.bounds(this.clip));
    const box = {
      low: [0, 1, 2].map((axis) => Math.min(...all.map((b) => b.low[axis]))),
      high: [0, 1, 2].map((axis) => Math.max(...all.map((b) => b.high[axis]))),
    };
    this.camera.fit(box, Math.min(...this.views.map((view) => view.aspect())));
    for (const view of this.views) {
      view.setTime(this.clip, 0);
      view.start = view.scene.centre();
    }
    this.setTime(this.time);
  }

  // Goes to a joint: marks it, and turns towards it without losing the whole.
  focus(joint) {
    this.show.joint = joint;
    if (joint < 0 || joint >= this.scene.jointCount) return this.paint();
    const box = this.views[0].bounds(this.clip);
    this.camera.fit(box, this.views[0].aspect());
    if (this.show.follow) this.camera.follow(this.views[0].moved());
    const at = place(this.scene.pose.matrices, joint);
    this.camera.target = add(scale(this.camera.target, 0.3), scale(at, 0.7));
    this.camera.distance *= 0.62;
    this.paint();
  }

  // Exactly this time, drawn before it returns. With a player, only that one moves.
  setTime(time, player) {
    const at = Number.isFinite(time) ? clamp(time, 0, this.duration) : 0;
    const moved = this.views.filter((view) => player === undefined || view.scene === this.scenes[player]);
    for (const view of moved) view.setTime(this.clip, at);
    if (moved.length) this.time = at;
    if (this.show.follow) this.camera.follow(this.views[0].moved());
    this.paint();
  }

  paint() {
    for (const view of this.views) view.draw(this.apart(view));
    for (const listen of this.listeners) listen(this);
  }

  // How far a view is from the first where each follows its own character: characters with other bones go other
  // ways, while variants of one are compared in the same place.
  apart(view) {
    const [first] = this.views;
    if (!this.show.follow || view.scene.jointCount === first.scene.jointCount) return [0, 0, 0];
    return sub(view.moved(), first.moved());
  }

  play() {
    if (this.playing || this.duration === 0) return;
    if (!this.loop && this.time >= this.duration) this.time = 0;
    this.playing = true;
    this.last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.advance(Math.max(0, now - this.last) / 1000);
      this.last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.paint();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.paint();
  }

  advance(seconds) {
    const { duration } = this;
    let time = this.time + seconds * this.speed;
    if (time >= duration) {
      if (this.loop && duration > 0) time %= duration;
      else {
        time = duration;
        this.playing = false;
      }
    }
    this.setTime(time);
  }

  step(frames) {
    this.pause();
    const frame = Math.round(this.time * this.rate) + frames;
    this.setTime(clamp(frame / this.rate, 0, this.duration));
  }
}
