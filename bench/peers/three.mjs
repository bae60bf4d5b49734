// three.js AnimationMixer on the clips of clips.json: the rows of `cargo run --release` here, in the same shape.
//
//   SINEW_SHARED=... node bench/peers/three.mjs NODE_FOLDER [--only CLIP] [--rounds N] [--milliseconds N]
//
// NODE_FOLDER (or SINEW_NODE) is where three is installed. Every object that is no joint and carries none is left
// out, so that the hierarchy is the one the others pose. What was posed is compared with an evaluation of the keys
// in plain numbers, before and after; where it is wrong, nothing is printed.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '300' },
  },
});
const nodeFolder = path.resolve(positionals[0] ?? process.env.SINEW_NODE ?? '.');
const resolve = name => pathToFileURL(createRequire(path.join(nodeFolder, 'package.json')).resolve(name)).href;
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
// The loader imports `three` by name from its own folder; the namespace must be that one.
const threeFolder = path.join(nodeFolder, 'node_modules', 'three');
const THREE = await import(pathToFileURL(path.join(threeFolder, 'build', 'three.module.js')).href);
const { GLTFLoader } = await import(resolve('three/addons/loaders/GLTFLoader.js'));

const CROWD = 32, STEP = 1 / 60, WEIGHTS = [0.7, 0.3];
// Of a character's size; three interpolates in double precision, but stores keys in single.
const LIMIT = 1e-4;

/** The file's JSON with its bytes inside and nothing but nodes and motion, and which of its nodes are kept. */
function motionOnly(file) {
  const bytes = fs.readFileSync(file);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
  const bin = bytes.subarray(28 + length, 28 + length + bytes.readUInt32LE(20 + length));
  const parents = new Map(json.nodes.flatMap((n, i) => (n.children ?? []).map(c => [c, i])));
  const kept = new Set();
  for (let joint of (json.skins ?? []).flatMap(s => s.joints)) {
    for (; joint !== undefined; joint = parents.get(joint)) kept.add(joint);
  }
  if (!json.skins) json.nodes.forEach((_, i) => kept.add(i));
  for (const key of ['images', 'textures', 'samplers', 'materials', 'meshes', 'skins', 'cameras']) delete json[key];
  for (const node of json.nodes) {
    for (const key of ['mesh', 'skin', 'camera', 'extensions']) delete node[key];
    if (node.children) node.children = node.children.filter(c => kept.has(c));
    if (!node.children?.length) delete node.children;
  }
  for (const scene of json.scenes) scene.nodes = scene.nodes.filter(n => kept.has(n));
  for (const a of json.animations) a.channels = a.channels.filter(c => kept.has(c.target.node));
  delete json.extensions; delete json.extensionsUsed; delete json.extensionsRequired;
  json.buffers[0].uri = 'data:application/octet-stream;base64,' + bin.toString('base64');
  return { json, kept };
}

const lerp = (a, b, u) => a.map((x, i) => x + (b[i] - x) * u);
const unit = q => { const l = Math.hypot(...q); return q.map(x => x / l); };
/** Along the shorter arc. */
function slerp(a, b, u) {
  let d = a.reduce((sum, x, i) => sum + x * b[i], 0);
  if (d < 0) { b = b.map(x => -x); d = -d; }
  if (d > 1 - 1e-12) return unit(lerp(a, b, u));
  const angle = Math.acos(Math.min(1, d));
  return unit(a.map((x, i) => x * Math.sin((1 - u) * angle) + b[i] * Math.sin(u * angle)));
}

/** A glTF animation as keys by node and property. */
function tracks(json, animation) {
  const bin = Buffer.from(json.buffers[0].uri.split(',')[1], 'base64');
  const read = index => {
    const a = json.accessors[index], v = json.bufferViews[a.bufferView], w = { SCALAR: 1, VEC3: 3, VEC4: 4 }[a.type];
    if (a.componentType !== 5126 || a.sparse) throw new Error('expected plain 32-bit floats');
    const at = (v.byteOffset ?? 0) + (a.byteOffset ?? 0), stride = v.byteStride ?? 4 * w;
    return Array.from({ length: a.count }, (_, k) =>
      Array.from({ length: w }, (_, c) => bin.readFloatLE(at + k * stride + 4 * c)));
  };
  return animation.channels.filter(c => c.target.path !== 'weights').map(c => {
    const s = animation.samplers[c.sampler];
    if (s.interpolation === 'CUBICSPLINE') throw new Error('splines are not compared');
    const { node, path: property } = c.target;
    return { node, property, step: s.interpolation === 'STEP', times: read(s.input).flat(), values: read(s.output) };
  });
}

function sample({ property, step, times, values }, t) {
  const next = times.findIndex(k => k > t);
  if (next === 0 || times.length === 1) return values[0];
  if (next < 0) return values.at(-1);
  const u = (t - times[next - 1]) / (times[next] - times[next - 1]);
  if (step) return values[next - 1];
  return (property === 'rotation' ? slerp : lerp)(values[next - 1], values[next], u);
}

/** World matrices by node index, exact; a property that a clip leaves alone is at rest in its share. */
function exact(json, clips, times) {
  const local = json.nodes.map(n => ({
    translation: n.translation ?? [0, 0, 0], rotation: n.rotation ?? [0, 0, 0, 1], scale: n.scale ?? [1, 1, 1] }));
  const rest = structuredClone(local);
  const posed = clips.map((clip, i) => {
    const pose = structuredClone(rest);
    for (const track of clip) pose[track.node][track.property] = sample(track, times[i]);
    return pose;
  });
  local.forEach((l, i) => {
    for (const p of Object.keys(l)) {
      if (posed[0]) l[p] = posed[0][i][p];
      if (posed[1]) l[p] = (p === 'rotation' ? slerp : lerp)(l[p], posed[1][i][p], WEIGHTS[1]);
    }
  });
  const world = new Map();
  const visit = (index, parent) => {
    const { translation, rotation, scale } = local[index];
    const m = new THREE.Matrix4().compose(new THREE.Vector3(...translation),
      new THREE.Quaternion(...unit(rotation)), new THREE.Vector3(...scale)).premultiply(parent);
    world.set(index, m);
    for (const child of json.nodes[index].children ?? []) visit(child, m);
  };
  for (const root of json.scenes[json.scene ?? 0].nodes) visit(root, new THREE.Matrix4());
  return world;
}

async function character({ clip, file, play }) {
  const { json, kept } = motionOnly(path.join(process.env.SINEW_SHARED, 'data', file));
  const gltf = await new Promise((done, fail) => new GLTFLoader().parse(JSON.stringify(json), '', done, fail));
  const find = name => gltf.animations.find(a => a.name === name);
  const keys = play.map(name => tracks(json, json.animations.find(a => a.name === name)));
  gltf.scene.traverse(o => { o.userData = { index: gltf.parser.associations.get(o)?.nodes }; });
  const at = [...exact(json, [], []).entries()].filter(([i]) => kept.has(i))
    .map(([, m]) => new THREE.Vector3().setFromMatrixPosition(m));
  const middle = at.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(at.length);
  const size = Math.max(...at.map(p => p.distanceTo(middle)));
  const moving = keys[0].filter(t => t.values.some(v => v.some((x, i) => Math.abs(x - t.values[0][i]) > 1e-5))).length;
  return { clip, json, scene: gltf.scene, clips: play.map(find), keys, joints: kept.size, size, moving };
}

/** One scene and mixer a character, all at different times. */
function lane(c, characters, count, random) {
  const name = ['1 clip', '2 clips blended'][count - 1] + (random ? ', random times' : '');
  const puppets = Array.from({ length: characters }, (_, index) => {
    const scene = c.scene.clone(true), mixer = new THREE.AnimationMixer(scene), objects = [];
    scene.traverse(o => { if (o.userData.index !== undefined) objects.push(o); });
    // The same clip twice is two clips.
    const actions = c.clips.slice(0, count).map((clip, k) => {
      const action = mixer.clipAction(k && clip === c.clips[0] ? clip.clone() : clip).play();
      action.time = clip.duration * (index + 0.37 * k) / characters;
      action.weight = count === 1 ? 1 : WEIGHTS[k];
      return action;
    });
    return { scene, mixer, actions, objects };
  });
  let frame = 0;
  const batch = () => {
    frame++;
    if (random) puppets.forEach((p, i) => p.actions.forEach(a => {
      a.time = ((frame * characters + i) * 0.618033988749895 % 1) * a.getClip().duration;
    }));
    const start = process.hrtime.bigint();
    for (const p of puppets) p.mixer.update(random ? 0 : STEP);
    const posed = process.hrtime.bigint();
    for (const p of puppets) p.scene.updateMatrixWorld(true);
    const done = process.hrtime.bigint();
    return [done - start, posed - start, done - posed].map(ns => Number(ns) / characters / c.joints);
  };
  const check = () => {
    let worst = 0;
    const points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
      .map(p => new THREE.Vector3(...p).multiplyScalar(0.1 * c.size));
    for (const { actions, objects } of puppets) {
      const want = exact(c.json, c.keys.slice(0, count), actions.map(a => a.time));
      for (const o of objects) for (const p of points) {
        const wanted = p.clone().applyMatrix4(want.get(o.userData.index));
        const d = p.clone().applyMatrix4(o.matrixWorld).distanceTo(wanted);
        // NaN stays.
        worst = d <= worst || Number.isNaN(worst) ? worst : d;
      }
      if (objects.length !== c.joints) worst = NaN;
    }
    worst /= c.size;
    if (!(worst <= LIMIT)) throw new Error(`${c.clip}: three.js is off by ${worst} of its size, ${name}`);
    return worst;
  };
  for (let i = 0; i < 40; i++) batch();
  const what = ['update + updateMatrixWorld', 'mixer update', 'updateMatrixWorld'].map(w => `${w}, ${name}`);
  return { c, characters, what, batch, check, max_difference: check(), medians: what.map(() => []) };
}

/** The median of each number over the batches of one round. */
function oneRound({ what, batch }, milliseconds) {
  const batches = what.map(() => []);
  for (let i = 0; i < 3; i++) batch();
  const end = performance.now() + milliseconds;
  while (batches[0].length < 31 || performance.now() < end) batch().forEach((ns, i) => batches[i].push(ns));
  return batches.map(list => list.sort((a, b) => a - b)[list.length >> 1]);
}

const list = JSON.parse(fs.readFileSync(new URL('clips.json', import.meta.url)))
  .filter(e => e.clip.includes(options.only) && e.peers !== false);
const lanes = [];
for (const entry of list) {
  const c = await character(entry);
  // One character stays in the fastest caches, a crowd of objects does not.
  lanes.push(lane(c, 1, 1, false), lane(c, 1, 2, false));
  lanes.push(lane(c, CROWD, 1, false), lane(c, CROWD, 1, true), lane(c, CROWD, 2, false));
}
for (let round = 0; round < +options.rounds; round++) {
  for (const l of lanes) oneRound(l, +options.milliseconds).forEach((ns, i) => l.medians[i].push(ns));
}
for (const l of lanes) l.check();
for (const { c, characters, what, medians, max_difference } of lanes) {
  what.forEach((w, i) => console.log(JSON.stringify({
    peer: 'three.js', version: `r${THREE.REVISION}, node ${process.versions.node}`, clip: c.clip, what: w,
    ns_per_joint: +Math.min(...medians[i]).toFixed(3), worst_round: +Math.max(...medians[i]).toFixed(3),
    joints: c.joints, characters, moving_channels: c.moving, max_difference: +max_difference.toPrecision(2),
  })));
}
