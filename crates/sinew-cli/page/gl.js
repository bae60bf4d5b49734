// Draws one character into one canvas.

const LINE_FLOATS = 10;
const POINT_FLOATS = 9;

const linear = (hex) => [1, 3, 5].map((i) => (parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2);
const display = (hex, alpha = 1) => [...[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255), alpha];

const LOOKS = {
  light: {
    clear: display("#f3f3f0"),
    clay: ["#cfc6b8", "#b9bec6", "#c9b7a6", "#aebbb2", "#d6cdbf", "#bdb3bd"].map(linear),
    hot: linear("#e8590c"),
    grid: display("#57606a", 0.55),
    shadow: display("#3c3a36", 0.17),
    bone: display("#1f5fae", 0.95),
    joint: display("#ffffff", 1),
    mark: display("#e8590c"),
    solid: linear("#8fa9c9"),
    dark: 0,
  },
  dark: {
    clear: display("#17191d"),
    clay: ["#b3aa9c", "#98a0ab", "#a99886", "#8f9d94", "#bdb4a6", "#a196a3"].map(linear),
    hot: linear("#ff8a3d"),
    grid: display("#aab4c0", 0.42),
    shadow: display("#000000", 0.4),
    bone: display("#7db4ff", 0.95),
    joint: display("#17191d", 1),
    mark: display("#ff9a56"),
    solid: linear("#7392ba"),
    dark: 1,
  },
};

// Parts that do not shine.
const DARK = [0, 0, 0];

class Renderer {
  // Throws if the browser has no WebGL 2.
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, stencil: true, powerPreference: "low-power" });
    if (!gl) throw new Error("WebGL 2 is not available");
    this.gl = gl;
    this.start();
  }

  // Everything that lives on the device; again after a lost context.
  start() {
    const { gl } = this;
    this.mesh = program(gl, MESH_VERTEX, MESH_FRAGMENT);
    this.line = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.point = program(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.grid = program(gl, GRID_VERTEX, GRID_FRAGMENT);
    this.empty = gl.createVertexArray();
    this.lines = instanced(gl, [3, 3, 4]);
    this.points = instanced(gl, [4, 4, 1]);
    this.solid = { vao: gl.createVertexArray(), buffer: gl.createBuffer() };
    gl.bindVertexArray(this.solid.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.solid.buffer);
    attribute(gl, 0, 3, 24, 0);
    attribute(gl, 1, 3, 24, 12);
    gl.bindVertexArray(null);
    this.still = matrixTexture(gl, IDENTITY_AFFINE);
    this.loaded = new Map();
  }

  // Buffers of a scene, made when it is first shown.
  load(scene) {
    if (this.loaded.has(scene)) return this.loaded.get(scene);
    const { gl } = this;
    const parts = scene.meshes.map((mesh) => mesh.primitives.map((part) => uploadPart(gl, part)));
    const instances = scene.instances.map((instance) => {
      const matrices = palette(scene, instance, scene.pose);
      // A morphed mesh that stands in two places needs its own positions for each.
      const own = scene.meshes[instance.mesh].primitives.map((part, i) =>
        part.targets.length ? uploadPart(gl, part) : parts[instance.mesh][i]);
      return { instance, matrices, texture: matrixTexture(gl, matrices), parts: own, morphKey: "" };
    });
    const triangles = instances.reduce((sum, i) => sum + i.parts.reduce((n, p) => n + p.count / 3, 0), 0);
    const entry = { instances, triangles };
    this.loaded.set(scene, entry);
    return entry;
  }

  // Fits the canvas to its place on the page. True if there is something to draw on.
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.round(this.canvas.clientWidth * ratio);
    const height = Math.round(this.canvas.clientHeight * ratio);
    if (width !== this.canvas.width || height !== this.canvas.height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.ratio = ratio;
    return width > 0 && height > 0;
  }

  draw(scene, camera, show) {
    const { gl } = this;
    if (gl.isContextLost() || !this.resize()) return;
    const look = show.dark ? LOOKS.dark : LOOKS.light;
    const loaded = this.load(scene);
    const aspect = this.canvas.width / this.canvas.height;
    const viewProjection = camera.matrix(aspect);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...look.clear);
    gl.clearStencil(0);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const frame = { gl, look, viewProjection, camera, show };
    const meshes = scene.hasMesh && show.mesh;
    this.drawGrid(frame);
    if (meshes) {
      this.updateInstances(scene, loaded);
      this.drawMeshes(frame, scene, loaded);
    }
    if (show.skeleton || !scene.hasMesh) {
      if (meshes) this.drawOverlay(frame, scene);
      else this.drawSolidBones(frame, scene);
    }
    this.drawMark(frame, scene);
    gl.bindVertexArray(null);
  }

  updateInstances(scene, loaded) {
    const { gl } = this;
    for (const entry of loaded.instances) {
      palette(scene, entry.instance, scene.pose, entry.matrices);
      fillMatrixTexture(gl, entry.texture, entry.matrices);
      const parts = scene.meshes[entry.instance.mesh].primitives;
      const most = Math.max(0, ...parts.map((p) => p.targets.length));
      const first = entry.instance.firstWeight;
      const key = most ? scene.pose.weights.subarray(first, first + most).join() : "";
      if (key === entry.morphKey) continue;
      entry.morphKey = key;
      parts.forEach((part, i) => {
        if (!part.targets.length) return;
        gl.bindBuffer(gl.ARRAY_BUFFER, entry.parts[i].position);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, morphed(part, scene.pose.weights, first));
      });
    }
  }

  useMesh({ gl, look, viewProjection, camera }) {
    const { mesh } = this;
    gl.useProgram(mesh.id);
    gl.uniformMatrix4fv(mesh.at.uViewProjection, false, viewProjection);
    gl.uniform3fv(mesh.at.uEye, camera.eye());
    gl.uniform3fv(mesh.at.uHotColour, look.hot);
    gl.uniform3fv(mesh.at.uGlow, DARK);
    gl.uniform3fv(mesh.at.uKey, camera.towards(-0.55, 0.75, 0.55));
    gl.uniform3fv(mesh.at.uFill, camera.towards(0.8, 0.25, 0.3));
    gl.uniform1f(mesh.at.uDark, look.dark);
    gl.uniform4f(mesh.at.uShadow, 0, 0, 0, 0);
    gl.uniform4fv(mesh.at.uShadowColour, look.shadow);
    gl.uniform1i(mesh.at.uPalette, 0);
    gl.uniform1i(mesh.at.uHot, -1);
    gl.activeTexture(gl.TEXTURE0);
    // Where a part has no influences, its node's matrix moves it with full weight.
    gl.vertexAttribI4ui(2, 0, 0, 0, 0);
    gl.vertexAttrib4f(3, 1, 0, 0, 0);
    gl.vertexAttribI4ui(4, 0, 0, 0, 0);
    gl.vertexAttrib4f(5, 0, 0, 0, 0);
  }

  drawMeshes(frame, scene, loaded) {
    const { gl, look, show, camera } = frame;
    this.useMesh(frame);
    const draw = () => {
      for (const { instance, texture, parts } of loaded.instances) {
        gl.bindTexture(gl.TEXTURE_2D, texture.id);
        const skin = instance.skin >= 0 ? scene.skins[instance.skin] : null;
        for (const part of parts) {
          const skinned = skin && part.skinned;
          gl.uniform1i(this.mesh.at.uFirst, skinned ? 1 : 0);
          gl.uniform1i(this.mesh.at.uHot, show.joint < 0 ? -1 : skinned ? skin.joints.indexOf(show.joint) : instance.joint === show.joint ? 0 : -1);
          const [base, glow] = part.colours ?? [look.clay[part.material % look.clay.length], DARK];
          gl.uniform3fv(this.mesh.at.uColour, base);
          gl.uniform3fv(this.mesh.at.uGlow, glow);
          gl.bindVertexArray(part.vao);
          gl.drawElements(gl.TRIANGLES, part.count, part.type, 0);
        }
      }
    };
    draw();
    // Software rendering pays for every vertex twice here, so large meshes go without.
    if (loaded.triangles > 80000 || camera.eye()[1] < camera.ground) return;
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.uniform4f(this.mesh.at.uShadow, -0.22, 0.3, camera.ground, 1);
    draw();
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
  }

  drawGrid({ gl, look, viewProjection, camera }) {
    const { grid } = this;
    gl.useProgram(grid.id);
    gl.uniformMatrix4fv(grid.at.uViewProjection, false, viewProjection);
    gl.uniform4f(grid.at.uGround, camera.target[0], camera.ground, camera.target[2], camera.step * 40);
    gl.uniform1f(grid.at.uStep, camera.step);
    gl.uniform4fv(grid.at.uColour, look.grid);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // Bones as lines and dots over the mesh.
  drawOverlay(frame, scene) {
    const { gl, look } = frame;
    const lines = [];
    const points = [];
    for (const { joint, parent } of scene.bones) {
      const at = place(scene.pose.matrices, joint);
      if (parent >= 0) lines.push(...place(scene.pose.matrices, parent), ...at, ...look.bone);
      points.push(...at, 3.4 * this.ratio, ...look.bone, 0, ...at, 1.9 * this.ratio, ...look.joint, 0);
    }
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    this.drawLines(frame, lines, 1.8);
    this.drawPoints(frame, points);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
  }

  // Bones as bodies, where there is no mesh to see.
  drawSolidBones(frame, scene) {
    const { gl, look, camera } = frame;
    const vertices = [];
    const points = [];
    for (const { joint, parent } of scene.bones) {
      const at = place(scene.pose.matrices, joint);
      if (parent >= 0) octahedron(vertices, place(scene.pose.matrices, parent), at, camera.size);
      points.push(...at, 3 * this.ratio, ...look.bone, 0);
    }
    this.useMesh(frame);
    gl.bindTexture(gl.TEXTURE_2D, this.still.id);
    gl.uniform1i(this.mesh.at.uFirst, 0);
    gl.uniform3fv(this.mesh.at.uColour, look.solid);
    gl.bindVertexArray(this.solid.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.solid.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(vertices), gl.DYNAMIC_DRAW);
    gl.drawArrays(gl.TRIANGLES, 0, vertices.length / 6);
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.uniform4f(this.mesh.at.uShadow, -0.22, 0.3, camera.ground, 1);
    gl.drawArrays(gl.TRIANGLES, 0, vertices.length / 6);
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
    this.drawPoints(frame, points);
    gl.disable(gl.BLEND);
  }

  // The chosen joint: a ring and a dot, and the bone that leads to it.
  drawMark(frame, scene) {
    const { gl, look, show } = frame;
    if (show.joint < 0 || show.joint >= scene.jointCount) return;
    const at = place(scene.pose.matrices, show.joint);
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    const bone = scene.bones.find((b) => b.joint === show.joint);
    if (bone && bone.parent >= 0) this.drawLines(frame, [...place(scene.pose.matrices, bone.parent), ...at, ...look.mark], 3);
    this.drawPoints(frame, [
      ...at, 13 * this.ratio, ...look.mark, 0.82, ...at, 5 * this.ratio, ...look.mark, 0,
      ...at, 2 * this.ratio, 1, 1, 1, 1, 0,
    ]);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
  }

  drawLines({ gl, viewProjection }, floats, width) {
    gl.useProgram(this.line.id);
    gl.uniformMatrix4fv(this.line.at.uViewProjection, false, viewProjection);
    gl.uniform2f(this.line.at.uViewport, this.canvas.width, this.canvas.height);
    gl.uniform1f(this.line.at.uWidth, width * this.ratio);
    drawInstances(gl, this.lines, floats, LINE_FLOATS);
  }

  drawPoints({ gl, viewProjection }, floats) {
    gl.useProgram(this.point.id);
    gl.uniformMatrix4fv(this.point.at.uViewProjection, false, viewProjection);
    gl.uniform2f(this.point.at.uViewport, this.canvas.width, this.canvas.height);
    drawInstances(gl, this.points, floats, POINT_FLOATS);
  }
}

const place = (matrices, joint) => [matrices[joint * 12 + 3], matrices[joint * 12 + 7], matrices[joint * 12 + 11]];

// Appends a bone's triangles: position and flat normal.
function octahedron(out, head, tail, size) {
  const along = sub(tail, head);
  const long = length(along);
  if (long < size * 1e-4) return;
  const axis = scale(along, 1 / long);
  const side = normalize(cross(axis, Math.abs(axis[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
  const other = cross(axis, side);
  const girth = clamp(long * 0.11, size * 0.004, size * 0.022);
  const waist = add(head, scale(axis, Math.min(long * 0.18, girth * 2)));
  const ring = [side, other, scale(side, -1), scale(other, -1)].map((d) => add(waist, scale(d, girth)));
  const middle = scale(add(head, tail), 0.5);
  for (let i = 0; i < 4; i++) {
    for (const tip of [head, tail]) {
      const [a, b, c] = [tip, ring[i], ring[(i + 1) % 4]];
      let normal = normalize(cross(sub(b, a), sub(c, a)));
      if (dot(normal, sub(a, middle)) < 0) normal = scale(normal, -1);
      for (const p of [a, b, c]) out.push(...p, ...normal);
    }
  }
}

function program(gl, vertex, fragment) {
  const id = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(id, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
  }
  gl.linkProgram(id);
  if (!gl.getProgramParameter(id, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(id));
  const at = {};
  const count = gl.getProgramParameter(id, gl.ACTIVE_UNIFORMS) || 0;
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(id, i);
    at[name] = gl.getUniformLocation(id, name);
  }
  return { id, at };
}

function attribute(gl, location, size, stride, offset) {
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride, offset);
}

// A vertex array whose attributes advance once an instance.
function instanced(gl, sizes) {
  const vao = gl.createVertexArray();
  const buffer = gl.createBuffer();
  gl.bindVertexArray(vao);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  const stride = sizes.reduce((sum, n) => sum + n, 0) * 4;
  let offset = 0;
  sizes.forEach((size, location) => {
    attribute(gl, location, size, stride, offset);
    gl.vertexAttribDivisor(location, 1);
    offset += size * 4;
  });
  gl.bindVertexArray(null);
  return { vao, buffer };
}

function drawInstances(gl, { vao, buffer }, floats, width) {
  if (!floats.length) return;
  gl.bindVertexArray(vao);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(floats), gl.DYNAMIC_DRAW);
  gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, floats.length / width);
}

function uploadPart(gl, part) {
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  const store = (data, usage = gl.STATIC_DRAW) => {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, usage);
    return buffer;
  };
  const position = store(part.positions, part.targets.length ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
  attribute(gl, 0, 3, 12, 0);
  store(part.normals);
  attribute(gl, 1, 3, 12, 0);
  if (part.perVertex > 0) {
    store(part.joints);
    for (let set = 0; set * 4 < part.perVertex; set++) {
      gl.enableVertexAttribArray(2 + set * 2);
      gl.vertexAttribIPointer(2 + set * 2, 4, gl.UNSIGNED_SHORT, part.perVertex * 2, set * 8);
    }
    store(part.weights);
    for (let set = 0; set * 4 < part.perVertex; set++) attribute(gl, 3 + set * 2, 4, part.perVertex * 4, set * 16);
  }
  const indices = gl.createBuffer();
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, part.indices, gl.STATIC_DRAW);
  gl.bindVertexArray(null);
  return {
    vao, position, count: part.indices.length, skinned: part.perVertex > 0, material: part.material,
    colours: part.colours,
    type: part.indices instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT,
  };
}

// A float texture of three texels a matrix, 341 matrices a row.
function matrixTexture(gl, matrices) {
  const count = matrices.length / 12;
  const width = Math.min(count, 341) * 3;
  const height = Math.ceil(count / 341);
  const id = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, id);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, width, height);
  const texture = { id, width, height, full: new Float32Array(width * height * 4) };
  fillMatrixTexture(gl, texture, matrices);
  return texture;
}

function fillMatrixTexture(gl, { id, width, height, full }, matrices) {
  full.set(matrices);
  gl.bindTexture(gl.TEXTURE_2D, id);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.FLOAT, full);
}
