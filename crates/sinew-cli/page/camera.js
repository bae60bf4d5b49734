// A camera that orbits a target: mouse, touch and keys.

const FIELD_OF_VIEW = 0.6;

class Camera {
  constructor() {
    this.yaw = 0.6;
    this.pitch = 0.22;
    this.distance = 3;
    this.target = [0, 0.5, 0];
    this.size = 1;
    this.ground = 0;
    this.step = 0.1;
    this.followed = [0, 0, 0];
    this.changed = () => {};
  }

  // Brings a box into the picture, seen from where the camera stands already.
  fit({ low, high }, aspect) {
    const extent = sub(high, low);
    this.size = Math.max(length(extent), 1e-6);
    this.target = scale(add(low, high), 0.5);
    const back = this.direction();
    const right = [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
    const up = cross(back, right);
    const tall = Math.tan(FIELD_OF_VIEW / 2) * 0.9;
    this.distance = this.size * 0.3;
    for (let corner = 0; corner < 8; corner++) {
      const at = [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? 0.5 : -0.5) * extent[axis]);
      const reach = Math.max(Math.abs(dot(at, up)) / tall, Math.abs(dot(at, right)) / (tall * aspect));
      this.distance = Math.max(this.distance, reach + dot(at, back));
    }
    // The ground is at zero as the format means it, unless the character hangs below.
    this.ground = low[1] < -0.25 * extent[1] ? low[1] : 0;
    if (this.ground + this.size * 2 < low[1]) this.ground = low[1];
    this.step = niceStep(this.size / 14);
    this.followed = [0, 0, 0];
  }

  // Moves along with a travelling character.
  follow(moved) {
    const step = sub(moved, this.followed);
    this.target = add(this.target, [step[0], 0, step[2]]);
    this.followed = moved;
  }

  direction() {
    const flat = Math.cos(this.pitch);
    return [Math.sin(this.yaw) * flat, Math.sin(this.pitch), Math.cos(this.yaw) * flat];
  }

  eye() {
    return add(this.target, scale(this.direction(), this.distance));
  }

  // A direction given as right, up, back of the camera, but upright in the world.
  towards(right, up, back) {
    const [s, c] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    return normalize([c * right + s * back, up, -s * right + c * back]);
  }

  matrix(aspect) {
    const far = this.distance + this.size * 12;
    const lens = perspective(FIELD_OF_VIEW, aspect, Math.max(this.distance * 0.02, far * 1e-5), far);
    this.last = multiply4(lens, lookAt(this.eye(), this.target, [0, 1, 0]));
    return this.last;
  }

  orbit(dx, dy) {
    this.yaw -= dx * 0.008;
    this.pitch = clamp(this.pitch + dy * 0.008, -1.5, 1.5);
    this.changed();
  }

  // By pixels of a picture of the given height.
  pan(dx, dy, height) {
    const unit = (2 * this.distance * Math.tan(FIELD_OF_VIEW / 2)) / height;
    const right = [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
    const up = cross(this.direction(), right);
    this.target = add(this.target, add(scale(right, -dx * unit), scale(up, dy * unit)));
    this.changed();
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, this.size * 0.02, this.size * 20);
    this.changed();
  }

  // Listens on a canvas. Several canvases may share one camera.
  listen(canvas) {
    const held = new Map();
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, { x: event.clientX, y: event.clientY, pan: event.button !== 0 || event.shiftKey });
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
      if (held.size === 1) {
        if (before.pan) this.pan(dx, dy, canvas.clientHeight);
        else this.orbit(dx, dy);
      } else if (held.size === 2) {
        const [other] = [...held].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const apart = Math.hypot(before.x - other.x, before.y - other.y);
        const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        if (apart > 0 && now > 0) this.zoom(apart / now);
        this.pan(dx / 2, dy / 2, canvas.clientHeight);
      }
      before.x = event.clientX;
      before.y = event.clientY;
    });
    const release = (event) => held.delete(event.pointerId);
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    // The page scrolls past a picture that nobody works with.
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(clamp(event.deltaY, -120, 120) * 0.0016));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const moves = {
        a: () => this.orbit(-12, 0), d: () => this.orbit(12, 0), w: () => this.orbit(0, 12), s: () => this.orbit(0, -12),
        j: () => this.pan(14, 0, canvas.clientHeight), l: () => this.pan(-14, 0, canvas.clientHeight),
        i: () => this.pan(0, 14, canvas.clientHeight), k: () => this.pan(0, -14, canvas.clientHeight),
        "+": () => this.zoom(0.9), "=": () => this.zoom(0.9), "-": () => this.zoom(1.1),
      };
      const move = moves[event.key.toLowerCase()];
      if (!move) return;
      event.preventDefault();
      event.stopPropagation();
      move();
    });
  }
}
