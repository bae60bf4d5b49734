// Vectors are arrays of three numbers; 4x4 matrices are column-major arrays of sixteen, as WebGL wants
// them. Joint matrices are 3x4, row by row, as the file carries them.

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const normalize = (a) => scale(a, 1 / (length(a) || 1));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function perspective(fovY, aspect, near, far) {
  const f = 1 / Math.tan(fovY / 2);
  const d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0];
}

function lookAt(eye, target, up) {
  const z = normalize(sub(eye, target));
  const x = normalize(cross(up, z));
  const y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}

function multiply4(a, b) {
  const out = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column * 4 + k];
      out[column * 4 + row] = sum;
    }
  }
  return out;
}

// Clip coordinates of a point.
function project(m, p) {
  const at = (row) => m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row];
  return [at(0), at(1), at(2), at(3)];
}

// out[o..] = a[i..] * b[j..], all 3x4.
function multiplyAffine(out, o, a, i, b, j) {
  for (let row = 0; row < 12; row += 4) {
    const x = a[i + row], y = a[i + row + 1], z = a[i + row + 2];
    for (let column = 0; column < 4; column++) {
      out[o + row + column] = x * b[j + column] + y * b[j + 4 + column] + z * b[j + 8 + column];
    }
    out[o + row + 3] += a[i + row + 3];
  }
}

const IDENTITY_AFFINE = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);

// 1, 2 or 5 times a power of ten, at least `rough`.
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((n) => rough / power <= n * (1 + 1e-9));
  return step * power;
}

// 0.02 -> "2 cm"
function metres(value) {
  const tidy = (v) => String(Number(v.toPrecision(3)));
  if (value >= 1000) return `${tidy(value / 1000)} km`;
  if (value >= 1) return `${tidy(value)} m`;
  if (value >= 0.01) return `${tidy(value * 100)} cm`;
  return `${tidy(value * 1000)} mm`;
}
