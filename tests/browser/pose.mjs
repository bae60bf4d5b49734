// Runs the page's own decoding and skinning outside the browser, and compares them with `sinew sample --skin`.
//
//   node pose.mjs SINEW FILE.glb PAGE.html
//
// Needs nothing but node. Exit 1 if a joint or a vertex is further off than the player's arithmetic explains.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [sinew, file, page] = process.argv.slice(2);
if (!page) {
  console.error("usage: node pose.mjs SINEW FILE.glb PAGE.html");
  process.exit(2);
}
const folder = join(dirname(fileURLToPath(import.meta.url)), "../../crates/sinew-cli/page");
const source = ["math.js", "scene.js"].map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
const { Scene, palette, morphed } = new Function(`${source}\nreturn { Scene, palette, morphed };`)();

const html = readFileSync(page, "utf8");
const data = JSON.parse(html.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1]);
const scene = new Scene(data.players[0]);

// The vertices of one part as the vertex shader places them.
function placed(part, instance, pose) {
  const matrices = palette(scene, instance, pose);
  const skinned = instance.skin >= 0 && part.perVertex > 0;
  const positions = morphed(part, pose.weights, instance.firstWeight);
  return Array.from({ length: part.vertices }, (_, v) => {
    const p = [0, 1, 2].map((axis) => positions[v * 3 + axis]);
    const out = [0, 0, 0];
    for (let k = 0; k < (skinned ? part.perVertex : 1); k++) {
      const weight = skinned ? part.weights[v * part.perVertex + k] : 1;
      const m = skinned ? (part.joints[v * part.perVertex + k] + 1) * 12 : 0;
      for (let row = 0; row < 3; row++) {
        const r = m + row * 4;
        out[row] += weight * (matrices[r] * p[0] + matrices[r + 1] * p[1] + matrices[r + 2] * p[2] + matrices[r + 3]);
      }
    }
    return out;
  });
}

const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
let worst = 0;
let size = 0;
let compared = 0;
scene.clips.forEach((clip, index) => {
  if (clip.frames < 2) return;
  const times = [0, Math.floor(clip.frames / 3) / clip.rate, clip.duration];
  const printed = execFileSync(sinew, ["sample", file, "--clip", String(index), "--times", times.join(","), "--skin"], { maxBuffer: 1 << 30 });
  JSON.parse(printed).frames.forEach((frame, i) => {
    const pose = scene.sample(index, times[i]);
    const parts = scene.instances.flatMap((instance) => scene.meshes[instance.mesh].primitives.map((part) => placed(part, instance, pose)));
    for (const skinned of frame.skinned) {
      const exact = Array.from({ length: skinned.positions.length / (skinned.positions[0].length ? 1 : 3) }, (_, v) =>
        skinned.positions[0].length ? skinned.positions[v] : skinned.positions.slice(v * 3, v * 3 + 3));
      for (const at of exact) size = Math.max(size, far(at, [0, 0, 0]));
      // Meshes stand in another order on the page, so each is matched by its nearest counterpart.
      const errors = parts.filter((part) => part.length === exact.length).map((part) => Math.max(...part.map((p, v) => far(p, exact[v]))));
      worst = Math.max(worst, Math.min(...errors));
      compared += exact.length;
    }
  });
});
const relative = worst / size;
console.log(`${compared} vertices compared, worst ${(worst * 1000).toPrecision(3)} mm, ${relative.toExponential(1)} of the size`);
process.exit(compared > 0 && relative < 1e-5 ? 0 : 1);
