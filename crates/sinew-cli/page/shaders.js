// GLSL for WebGL 2.

const MESH_VERTEX = `#version 300 es
precision highp float;
precision highp int;
uniform mat4 uViewProjection;
uniform highp sampler2D uPalette; // three texels a matrix, 341 matrices a row
uniform int uFirst;               // 0: the node's matrix, 1: the skin's joints
uniform int uHot;                 // joint whose reach is tinted, or -1
uniform vec4 uShadow;             // direction of the light per unit of height, ground height; w > 0: flatten
layout(location = 0) in vec3 aPosition;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in uvec4 aJoints0;
layout(location = 3) in vec4 aWeights0;
layout(location = 4) in uvec4 aJoints1;
layout(location = 5) in vec4 aWeights1;
out vec3 vPosition;
out vec3 vNormal;
out float vHot;

vec4 row(uint joint, int r) {
  int texel = (int(joint) + uFirst) * 3 + r;
  return texelFetch(uPalette, ivec2(texel % 1023, texel / 1023), 0);
}
void influence(uint joint, float weight, inout vec4 r0, inout vec4 r1, inout vec4 r2) {
  if (weight == 0.0) return;
  r0 += weight * row(joint, 0);
  r1 += weight * row(joint, 1);
  r2 += weight * row(joint, 2);
  if (int(joint) == uHot) vHot += weight;
}
void main() {
  vec4 r0 = vec4(0), r1 = vec4(0), r2 = vec4(0);
  vHot = 0.0;
  for (int k = 0; k < 4; k++) influence(aJoints0[k], aWeights0[k], r0, r1, r2);
  for (int k = 0; k < 4; k++) influence(aJoints1[k], aWeights1[k], r0, r1, r2);
  vec4 p = vec4(aPosition, 1.0);
  vPosition = vec3(dot(r0, p), dot(r1, p), dot(r2, p));
  // Cofactors: right for any scale, where the matrix itself is right only for a rotation.
  vNormal = vec3(
    dot(cross(r1.xyz, r2.xyz), aNormal), dot(cross(r2.xyz, r0.xyz), aNormal), dot(cross(r0.xyz, r1.xyz), aNormal));
  if (uShadow.w > 0.0) {
    float height = max(vPosition.y - uShadow.z, 0.0);
    vPosition = vec3(vPosition.x - uShadow.x * height, uShadow.z, vPosition.z - uShadow.y * height);
  }
  gl_Position = uViewProjection * vec4(vPosition, 1.0);
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 uEye;
uniform vec3 uColour;  // linear
uniform vec3 uGlow;    // linear, added whatever the light
uniform vec3 uHotColour;
uniform vec3 uKey;     // towards the main light
uniform vec3 uFill;
uniform float uDark;
uniform vec4 uShadow;
uniform vec4 uShadowColour;
in vec3 vPosition;
in vec3 vNormal;
in float vHot;
out vec4 outColour;

void main() {
  if (uShadow.w > 0.0) { outColour = uShadowColour; return; }
  vec3 toEye = normalize(uEye - vPosition);
  vec3 n = dot(vNormal, vNormal) > 0.0 ? normalize(vNormal) : toEye;
  if (dot(n, toEye) < 0.0) n = -n; // sheets are lit on both sides
  vec3 sky = mix(vec3(0.50, 0.54, 0.60), vec3(0.24, 0.28, 0.34), uDark);
  vec3 ground = mix(vec3(0.30, 0.27, 0.24), vec3(0.10, 0.09, 0.09), uDark);
  vec3 light = mix(ground, sky, 0.5 + 0.5 * n.y);
  float key = max(dot(n, uKey), 0.0);
  light += vec3(0.86, 0.82, 0.76) * key;
  light += vec3(0.12, 0.15, 0.20) * max(dot(n, uFill), 0.0);
  float rim = pow(1.0 - max(dot(n, toEye), 0.0), 3.0);
  vec3 colour = mix(uColour, uHotColour, smoothstep(0.0, 1.0, vHot) * 0.9);
  vec3 lit = colour * light + mix(0.06, 0.16, uDark) * rim * vec3(0.8, 0.9, 1.0);
  float gloss = pow(max(dot(n, normalize(uKey + toEye)), 0.0), 32.0);
  lit += 0.06 * gloss * key + uGlow;
  outColour = vec4(pow(min(lit, vec3(1.0)), vec3(1.0 / 2.2)), 1.0);
}`;

// Thick lines: each instance is a segment, widened on screen.
const LINE_VERTEX = `#version 300 es
precision highp float;
uniform mat4 uViewProjection;
uniform vec2 uViewport; // pixels
uniform float uWidth;   // pixels
layout(location = 0) in vec3 aFrom;
layout(location = 1) in vec3 aTo;
layout(location = 2) in vec4 aColour;
out vec4 vColour;
out float vSide;
void main() {
  vec4 a = uViewProjection * vec4(aFrom, 1.0), b = uViewProjection * vec4(aTo, 1.0);
  const float near = 1e-4;
  if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * uViewport;
  vec2 across = dot(along, along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
  vec4 end = (gl_VertexID & 1) == 0 ? a : b;
  vSide = (gl_VertexID & 2) == 0 ? -1.0 : 1.0;
  end.xy += across * vSide * (uWidth + 1.0) / uViewport * end.w;
  vColour = aColour;
  gl_Position = end;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
uniform float uWidth;
in vec4 vColour;
in float vSide;
out vec4 outColour;
void main() {
  float edge = (1.0 - abs(vSide)) * (uWidth + 1.0) * 0.5;
  outColour = vColour * vec4(1.0, 1.0, 1.0, clamp(edge, 0.0, 1.0));
}`;

// Discs of a size on screen.
const POINT_VERTEX = `#version 300 es
precision highp float;
uniform mat4 uViewProjection;
uniform vec2 uViewport;
layout(location = 0) in vec4 aPlace; // position, radius in pixels
layout(location = 1) in vec4 aColour;
layout(location = 2) in float aRing; // 0: filled, else share of the radius that is open
out vec2 vAt;
out vec4 vColour;
out float vRadius;
out float vRing;
void main() {
  vAt = vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, (gl_VertexID & 2) == 0 ? -1.0 : 1.0);
  vColour = aColour;
  vRadius = aPlace.w;
  vRing = aRing;
  vec4 p = uViewProjection * vec4(aPlace.xyz, 1.0);
  p.xy += vAt * (aPlace.w + 1.0) * 2.0 / uViewport * p.w;
  gl_Position = p;
}`;

const POINT_FRAGMENT = `#version 300 es
precision highp float;
in vec2 vAt;
in vec4 vColour;
in float vRadius;
in float vRing;
out vec4 outColour;
void main() {
  float r = length(vAt) * (vRadius + 1.0);
  float cover = clamp(vRadius - r + 0.5, 0.0, 1.0);
  if (vRing > 0.0) cover *= clamp(r - vRadius * vRing + 0.5, 0.0, 1.0);
  outColour = vColour * vec4(1.0, 1.0, 1.0, cover);
}`;

// A ground that never ends: lines by distance to the next multiple, fading outwards.
const GRID_VERTEX = `#version 300 es
precision highp float;
uniform mat4 uViewProjection;
uniform vec4 uGround; // centre x, height, centre z, half size
out vec2 vAt;
void main() {
  vec2 corner = vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, (gl_VertexID & 2) == 0 ? -1.0 : 1.0);
  vAt = uGround.xz + corner * uGround.w;
  gl_Position = uViewProjection * vec4(vAt.x, uGround.y, vAt.y, 1.0);
}`;

const GRID_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 uGround;
uniform float uStep;
uniform vec4 uColour;
in vec2 vAt;
out vec4 outColour;
float lines(float every, float width) {
  vec2 at = vAt / every;
  vec2 slope = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(slope, vec2(1e-6));
  // Lines closer than a few pixels melt into an even tone instead of a moiré.
  vec2 line = clamp(width + 0.5 - near, 0.0, 1.0) * clamp(1.5 - slope * 3.0, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  float away = length(vAt - uGround.xz) / uGround.w;
  float fade = pow(clamp(1.0 - away, 0.0, 1.0), 1.5);
  float tone = max(lines(uStep, 0.5) * 0.42, lines(uStep * 5.0, 0.6) * 0.85);
  outColour = vec4(uColour.rgb, uColour.a * tone * fade);
}`;
