// One picture on the page: a canvas, what it shows, and the labels over it.

class View {
  constructor(element, scene, camera, show) {
    this.element = element;
    this.canvas = element.querySelector("canvas");
    this.tag = element.querySelector(".tag");
    this.scale = element.querySelector(".scale");
    this.scene = scene;
    this.camera = camera;
    this.apart = [0, 0, 0];
    this.show = show;
    this.clip = 0;
    this.time = 0;
    this.start = [0, 0, 0];
    try {
      this.renderer = new Renderer(this.canvas);
      camera.listen(this.canvas);
      this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
      this.canvas.addEventListener("webglcontextrestored", () => {
        this.renderer.start();
        this.draw();
      });
    } catch (error) {
      this.renderer = null;
      this.canvas.hidden = true;
      element.querySelector(".nogl").hidden = false;
      console.info(`sinew: ${error.message}`);
    }
  }

  aspect() {
    return this.canvas.clientHeight > 0 ? this.canvas.clientWidth / this.canvas.clientHeight : 1.4;
  }

  bounds(clip) {
    return boundsOf(this.scene, clip, this.show.follow);
  }

  // Takes the pose at exactly this time and draws it.
  setTime(clip, time) {
    this.clip = clip;
    this.time = clamp(time, 0, this.scene.duration(clip));
    this.scene.sample(clip, this.time);
  }

  // How far the character has gone along the ground since the clip's start.
  moved() {
    const now = this.scene.centre();
    return [now[0] - this.start[0], 0, now[2] - this.start[2]];
  }

  // `apart`: how far what this view follows is from what the camera does.
  draw(apart = this.apart) {
    this.apart = apart;
    if (!this.renderer) return;
    const { target } = this.camera;
    this.camera.target = add(target, apart);
    this.renderer.draw(this.scene, this.camera, this.show);
    this.camera.target = target;
    this.label();
  }

  label() {
    const { camera, show, scene } = this;
    const level = camera.ground === 0 ? "" : `, at height ${camera.ground < 0 ? "−" : ""}${metres(Math.abs(camera.ground))}`;
    this.scale.textContent = `grid ${metres(camera.step)}${level}`;
    this.canvas.setAttribute("aria-label", `${scene.title}, ${scene.clipName(this.clip)}`);
    const marked = show.joint >= 0 && show.joint < scene.jointCount && camera.last;
    this.tag.hidden = !marked;
    if (!marked) return;
    const [x, y, , w] = project(camera.last, place(scene.pose.matrices, show.joint));
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const at = [((x / w) * 0.5 + 0.5) * width, (0.5 - (y / w) * 0.5) * height];
    this.tag.hidden = w <= 0 || at[0] < 0 || at[0] > width || at[1] < 0 || at[1] > height;
    this.tag.textContent = scene.names[show.joint] || `joint ${show.joint}`;
    const left = at[0] > width * 0.6;
    this.tag.style.transform = `translate(${left ? "-100%" : "0"}, -50%) translate(${Math.round(at[0]) + (left ? -20 : 20)}px, ${Math.round(at[1])}px)`;
  }
}
