// The data block decoded: a character, and its pose at any time.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const floatsOf = (base64) => new Float32Array(bytesOf(base64).buffer);

class Scene {
  constructor(raw) {
    this.raw = raw;
    this.title = raw.title;
    this.names = raw.names;
    this.parents = raw.parents;
    this.jointCount = raw.names.length;
    this.rest = floatsOf(raw.rest);
    this.restWeights = floatsOf(raw.restWeights);
    this.clips = raw.clips.map((clip) => ({ ...clip, matrices: null, weights: null, packed: clip }));
    this.skins = raw.skins.map((skin) => ({ joints: skin.joints, inverseBind: floatsOf(skin.inverseBind) }));
    this.meshes = raw.meshes.map((mesh) => ({ ...mesh, primitives: mesh.primitives.map(decodePrimitive) }));
    this.instances = raw.instances;
    // Each drawn joint with its nearest drawn ancestor, or -1.
    this.bones = [];
    raw.bones.forEach((drawn, joint) => {
      if (!drawn) return;
      let parent = raw.parents[joint];
      while (parent >= 0 && !raw.bones[parent]) parent = raw.parents[parent];
      this.bones.push({ joint, parent });
    });
    this.hasMesh = this.instances.length > 0;
    this.pose = { matrices: this.rest.slice(), weights: this.restWeights.slice() };
  }

  // Index of the rest pose in the clip list: after the clips.
  get restIndex() {
    return this.clips.length;
  }

  duration(clip) {
    return clip < this.clips.length && this.clips[clip].frames > 0 ? this.clips[clip].duration : 0;
  }

  clipName(clip) {
    return clip < this.clips.length ? this.clips[clip].name || `Clip ${clip}` : "Rest pose";
  }

  // Fills `pose` with the matrices and morph weights at `time`, which is clamped to the clip.
  sample(index, time, pose = this.pose) {
    const clip = this.clips[index];
    if (!clip || clip.frames === 0) {
      pose.matrices.set(this.rest);
      pose.weights.set(this.restWeights);
      return pose;
    }
    if (!clip.matrices) {
      clip.matrices = floatsOf(clip.packed.matrices);
      clip.weights = floatsOf(clip.packed.weights);
    }
    const last = clip.frames - 1;
    // Frame times are i / rate, the last one is the duration.
    const from = clamp(Math.floor(time * clip.rate + 1e-9), 0, Math.max(last - 1, 0));
    const start = from / clip.rate;
    const end = from + 1 >= last ? clip.duration : (from + 1) / clip.rate;
    const share = last === 0 ? 0 : clamp((time - start) / (end - start), 0, 1);
    lerpRow(pose.matrices, clip.matrices, from, Math.min(from + 1, last), share);
    lerpRow(pose.weights, clip.weights, from, Math.min(from + 1, last), share);
    return pose;
  }

  newPose() {
    return { matrices: this.rest.slice(), weights: this.restWeights.slice() };
  }

  // Mean place of the drawn joints: what a following camera follows.
  centre(pose = this.pose) {
    const centre = [0, 0, 0];
    for (const { joint } of this.bones) {
      for (let axis = 0; axis < 3; axis++) centre[axis] += pose.matrices[joint * 12 + axis * 4 + 3] / this.bones.length;
    }
    return centre;
  }
}

function lerpRow(out, table, a, b, share) {
  const width = out.length;
  for (let i = 0; i < width; i++) {
    const from = table[a * width + i];
    out[i] = from + (table[b * width + i] - from) * share;
  }
}

function decodePrimitive(raw) {
  const index = bytesOf(raw.indices).buffer;
  const part = {
    vertices: raw.vertices,
    positions: floatsOf(raw.positions),
    indices: raw.wide ? new Uint32Array(index) : new Uint16Array(index),
    perVertex: raw.perVertex,
    joints: new Uint16Array(bytesOf(raw.joints).buffer),
    weights: floatsOf(raw.weights),
    targets: raw.targets.map(floatsOf),
    material: raw.material,
    colours: raw.colours,
  };
  const packed = new Int16Array(bytesOf(raw.normals).buffer);
  part.normals = packed.length ? Float32Array.from(packed, (n) => n / 32767) : smoothNormals(part);
  return part;
}

// Area-weighted, one normal for all vertices at one place, so that texture seams do not show.
function smoothNormals({ positions, indices, vertices }) {
  const places = new Map();
  const place = new Uint32Array(vertices);
  for (let v = 0; v < vertices; v++) {
    const key = `${positions[v * 3]},${positions[v * 3 + 1]},${positions[v * 3 + 2]}`;
    if (!places.has(key)) places.set(key, places.size);
    place[v] = places.get(key);
  }
  const at = (v) => [positions[v * 3], positions[v * 3 + 1], positions[v * 3 + 2]];
  const sums = new Float32Array(places.size * 3);
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const [a, b, c] = [at(indices[i]), at(indices[i + 1]), at(indices[i + 2])];
    const normal = cross(sub(b, a), sub(c, a));
    for (let corner = 0; corner < 3; corner++) {
      const base = place[indices[i + corner]] * 3;
      for (let axis = 0; axis < 3; axis++) sums[base + axis] += normal[axis];
    }
  }
  const normals = new Float32Array(vertices * 3);
  for (let v = 0; v < vertices; v++) normals.set(normalize(sums.subarray(place[v] * 3, place[v] * 3 + 3)), v * 3);
  return normals;
}

// The smallest box around the drawn character over a clip, relative to `centre` of each frame when
// `following`. Every so many vertices are looked at, which is near enough for a camera.
function boundsOf(scene, clip, following) {
  const box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
  const pose = scene.newPose();
  const duration = scene.duration(clip);
  const frames = duration > 0 ? 8 : 1;
  let start = null;
  let travel = 0;
  for (let frame = 0; frame < frames; frame++) {
    scene.sample(clip, frames > 1 ? (duration * frame) / (frames - 1) : 0, pose);
    const centre = scene.centre(pose);
    start = start ?? centre;
    const moved = [centre[0] - start[0], 0, centre[2] - start[2]];
    travel = Math.max(travel, length(moved));
    const grow = (p) => {
      for (let axis = 0; axis < 3; axis++) {
        const value = p[axis] - (following ? moved[axis] : 0);
        if (!Number.isFinite(value)) continue;
        if (value < box.low[axis]) box.low[axis] = value;
        if (value > box.high[axis]) box.high[axis] = value;
      }
    };
    for (const { joint } of scene.bones) {
      grow([pose.matrices[joint * 12 + 3], pose.matrices[joint * 12 + 7], pose.matrices[joint * 12 + 11]]);
    }
    for (const instance of scene.instances) {
      const skinning = palette(scene, instance, pose);
      for (const part of scene.meshes[instance.mesh].primitives) growByVertices(part, instance, skinning, grow);
    }
  }
  if (!(box.low[0] <= box.high[0])) return { low: [-0.5, 0, -0.5], high: [0.5, 1, 0.5], travel: 0 };
  return { ...box, travel };
}

function growByVertices(part, instance, skinning, grow) {
  const stride = Math.max(1, Math.ceil(part.vertices / 1500));
  const skinned = instance.skin >= 0 && part.perVertex > 0;
  for (let v = 0; v < part.vertices; v += stride) {
    const [x, y, z] = [part.positions[v * 3], part.positions[v * 3 + 1], part.positions[v * 3 + 2]];
    const point = [0, 0, 0];
    for (let k = 0; k < (skinned ? part.perVertex : 1); k++) {
      const weight = skinned ? part.weights[v * part.perVertex + k] : 1;
      if (weight === 0) continue;
      const m = skinned ? (part.joints[v * part.perVertex + k] + 1) * 12 : 0;
      for (let row = 0; row < 3; row++) {
        const r = m + row * 4;
        point[row] += weight * (skinning[r] * x + skinning[r + 1] * y + skinning[r + 2] * z + skinning[r + 3]);
      }
    }
    grow(point);
  }
}

// The matrices of one instance: first the node's own, for parts without influences, then one a joint of
// its skin. glTF 2.0, 3.7.3.3: a skinned mesh follows its joints only, not its node.
function palette(scene, instance, pose, out) {
  const skin = instance.skin >= 0 ? scene.skins[instance.skin] : null;
  const count = 1 + (skin ? skin.joints.length : 0);
  const matrices = out ?? new Float32Array(count * 12);
  multiplyAffine(matrices, 0, pose.matrices, instance.joint * 12, IDENTITY_AFFINE, 0);
  for (let i = 1; i < count; i++) {
    multiplyAffine(matrices, i * 12, pose.matrices, skin.joints[i - 1] * 12, skin.inverseBind, (i - 1) * 12);
  }
  return matrices;
}

// Positions of a part under its morph weights (glTF 2.0, 3.7.2.2).
function morphed(part, weights, first) {
  const out = part.positions.slice();
  part.targets.forEach((target, index) => {
    const weight = weights[first + index] ?? 0;
    if (weight === 0 || target.length === 0) return;
    for (let i = 0; i < out.length; i++) out[i] += weight * target[i];
  });
  return out;
}
