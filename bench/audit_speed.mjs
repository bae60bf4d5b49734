// How fast `sinew audit` is beside the Khronos validator, on every glTF file of the shared data folder, in one
// run: pairs of rounds, the validator in this process after a warm-up, sinew as whole processes that also
// sample and measure every clip.
//
//   SINEW_SHARED=... node bench/audit_speed.mjs target/release/sinew NODE_FOLDER [ROUNDS]
//
// NODE_FOLDER is where gltf-validator is installed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [sinew, nodeFolder, rounds = '5'] = process.argv.slice(2);
const validator = createRequire(path.resolve(nodeFolder, 'package.json'))('gltf-validator');
const data = path.join(process.env.SINEW_SHARED, 'data');
const files = fs.readdirSync(data, { recursive: true })
  .map(f => path.join(data, f)).filter(f => /\.(glb|gltf)$/.test(f)).sort();
const bytes = files.reduce((sum, f) => sum + fs.statSync(f).size, 0);

async function validate() {
  const start = performance.now();
  for (const file of files) {
    await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      uri: path.basename(file),
      externalResourceFunction: uri => fs.promises.readFile(path.resolve(path.dirname(file), decodeURIComponent(uri))),
    }).catch(() => {});
  }
  return performance.now() - start;
}

function audit() {
  const start = performance.now();
  const done = spawnSync(sinew, ['audit', '--quiet', '--format', 'json', ...files], { maxBuffer: 1 << 30 });
  const took = performance.now() - start;
  if (![0, 7].includes(done.status)) throw new Error(`sinew exits ${done.status}: ${done.stderr}`);
  return took;
}

const median = values => values.toSorted((a, b) => a - b)[values.length >> 1];
await validate(); audit();
const pairs = [];
for (let round = 0; round < +rounds; round++) pairs.push([await validate(), audit()]);
const show = (name, ms) => console.log(
  `${name.padEnd(18)} ${ms.toFixed(0).padStart(7)} ms  ${(files.length / ms * 1e3).toFixed(1).padStart(7)} files/s  `
  + `${(bytes / ms / 1e3).toFixed(1).padStart(7)} MB/s`);
console.log(`${files.length} files, ${(bytes / 1e6).toFixed(1)} MB, median of ${pairs.length} rounds`);
show('Khronos validator', median(pairs.map(p => p[0])));
show('sinew audit', median(pairs.map(p => p[1])));
const ratios = pairs.map(p => p[0] / p[1]);
console.log(`ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`);
