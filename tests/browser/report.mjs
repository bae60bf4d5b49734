// Opens report pages in Chromium from disk and holds them to their promises.
//
//   node report.mjs [--shots FOLDER] PAGE.html...
//
// Needs Debian's chromium (or CHROMIUM=path) and `npm install` in this folder. Exit 1 if a promise is broken.

import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

const pages = [];
let shots = null;
for (let i = 2; i < process.argv.length; i++) {
  if (process.argv[i] === "--shots") shots = process.argv[++i];
  else pages.push(resolve(process.argv[i]));
}
if (!pages.length) {
  console.error("usage: node report.mjs [--shots FOLDER] PAGE.html...");
  process.exit(2);
}
if (shots) mkdirSync(shots, { recursive: true });

let broken = 0;
const promise = (text, holds, found = "") => {
  if (!holds) broken++;
  console.log(`${holds ? "ok  " : "FAIL"} ${text}${holds || found === "" ? "" : `: ${found}`}`);
};

// A fingerprint of what a canvas shows, and how many colours it has, taken in the same task as the drawing.
const picture = (page, time) => page.evaluate((time) => {
  window.setTime(time);
  const source = document.querySelector("canvas");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [source.width, source.height];
  const context = copy.getContext("2d");
  context.drawImage(source, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  let sum = 0;
  for (const pixel of pixels) sum = (Math.imul(sum, 31) + pixel) | 0;
  return { sum, colours: new Set(pixels).size, middle: pixels[(copy.height >> 1) * copy.width + (copy.width >> 1)] };
}, time);

const state = (page) => page.evaluate(() => window.state());
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const still = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function open(browser, path, options) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  // The driver remarks on how this test reads the picture back; that is not the page.
  const remark = (text) => text.includes("GPU stall due to ReadPixels");
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !remark(message.text())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const url = pathToFileURL(path).href;
  await page.goto(url);
  await page.evaluate(() => window.ready);
  return { page, context, problems, requests, url };
}

async function shoot(page, path, name, fullPage = true) {
  await still(page);
  if (shots) await page.screenshot({ path: join(shots, `${basename(path, ".html")}-${name}.png`), fullPage });
}

async function checkPlayer(page) {
  const before = await state(page);
  promise("it starts paused at the beginning", !before.playing && before.time === 0, JSON.stringify(before));
  promise("every picture is drawn", before.views.length > 0 && before.views.every((view) => view.drawn));
  const length = before.duration;
  const first = await picture(page, 0);
  promise("the picture is not blank", first.colours > 50, `${first.colours} colours`);
  if (length === 0) return;

  for (const share of [0, 1 / 3, 0.7919, 1]) {
    const wanted = length * share;
    await page.evaluate((time) => window.setTime(time), wanted);
    const { time, playing } = await state(page);
    promise(`setTime(${wanted.toFixed(4)}) is exact`, time === wanted && !playing, String(time));
  }
  const later = await picture(page, length * 0.37);
  promise("the picture changes with time", later.sum !== first.sum);
  const again = await picture(page, 0);
  promise("the same time draws the same pixels", again.sum === first.sum);

  await page.click("#play");
  await page.waitForFunction(() => window.state().time > 0.05, null, { timeout: 20000 });
  promise("play moves time on", (await state(page)).playing);
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Space");
  promise("the space key pauses", !(await state(page)).playing);
  await page.evaluate(() => window.setTime(0));
  await page.keyboard.press("ArrowRight");
  const stepped = (await state(page)).time;
  promise("the right arrow steps one frame", stepped > 0 && stepped < 0.3, String(stepped));

  const bar = await page.locator("#scrub").boundingBox();
  await page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
  const middle = (await state(page)).time;
  promise("a click in the middle of the time bar goes to the middle", Math.abs(middle / length - 0.5) < 0.03, `${middle} of ${length}`);

  const box = await page.locator("canvas").first().boundingBox();
  const still = await picture(page, 0);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 90, box.y + box.height / 2 + 20, { steps: 4 });
  await page.mouse.up();
  promise("dragging turns the view", (await picture(page, 0)).sum !== still.sum);
}

async function checkFindings(page) {
  const rows = page.locator("#findings tbody tr.shows");
  const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).findings);
  let tried = 0;
  for (let i = 0; i < (await rows.count()) && tried < 3; i++) {
    const index = Number(await rows.nth(i).getAttribute("data-finding"));
    const want = data[index];
    if (want.clip === null || want.time === null) continue;
    tried++;
    if (tried === 2) {
      await rows.nth(i).locator(".goto").focus();
      await page.keyboard.press("Enter");
    } else {
      await rows.nth(i).locator(".message").click();
    }
    const now = await state(page);
    const there = now.clip === want.clip && Math.abs(now.time - Math.min(want.time, now.duration)) < 1e-9 && now.joint === (want.joint ?? -1) && now.player === want.player;
    promise(`finding ${index} takes the player to its clip, time and joint`, there, `${JSON.stringify(want)} became ${JSON.stringify(now)}`);
  }
  const chips = page.locator(".chip");
  if (await chips.count()) {
    const severity = await chips.first().getAttribute("data-severity");
    await chips.first().click();
    promise("a severity can be filtered out", (await page.locator(`#findings tbody tr[data-severity="${severity}"]:visible`).count()) === 0);
    await chips.first().click();
    await page.locator("#findings th button").first().click();
    const more = page.locator("#more");
    if (await more.isVisible()) await more.click();
    promise("sorting keeps every row", (await page.locator("#findings tbody tr:visible").count()) === data.length);
  }
}

async function checkPlots(page) {
  const choice = page.locator("#plot-choice");
  if ((await choice.count()) && (await choice.isVisible())) await choice.locator("[data-all=true]").click();
  const scrubber = page.locator(".scrubber").first();
  if (!(await scrubber.count())) return;
  await scrubber.scrollIntoViewIfNeeded();
  const box = await scrubber.boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.45);
  await page.mouse.down();
  const down = (await state(page)).time;
  await page.mouse.move(box.x + box.width * 0.62, box.y + box.height * 0.45, { steps: 3 });
  await page.mouse.up();
  const up = (await state(page)).time;
  promise("dragging over a curve scrubs", up > down, `${down} to ${up}`);
  promise("its cursor shows", await scrubber.evaluate((s) => s.parentElement.querySelector(".cursor").getAttribute("visibility") === "visible"));
  await scrubber.focus();
  await page.keyboard.press("ArrowLeft");
  promise("arrow keys on a curve step", (await state(page)).time < up);
}

async function check(browser, path) {
  console.log(`\n${basename(path)}`);
  const desktop = await open(browser, path, { colorScheme: "light" });
  const { page } = desktop;
  await shoot(page, path, "light");
  const hasPlayer = (await page.locator("canvas").count()) > 0;
  if (hasPlayer) await checkPlayer(page);
  await checkFindings(page);
  if (hasPlayer) await checkPlots(page);
  await shoot(page, path, "light-used", false);
  promise("no horizontal overflow at 1440 px", (await overflow(page)) <= 0, `${await overflow(page)} px`);
  const light = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.click("#theme");
  const toggled = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  promise("the switch turns light into dark", light !== toggled, toggled);
  promise("no console message", desktop.problems.length === 0, desktop.problems.join(" | "));
  promise("no request but the page itself", desktop.requests.every((url) => url === desktop.url), desktop.requests.join(" "));
  await desktop.context.close();

  for (const [name, options] of [
    ["dark", { colorScheme: "dark" }],
    ["phone-light", { colorScheme: "light", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
    ["phone-dark", { colorScheme: "dark", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }],
  ]) {
    const opened = await open(browser, path, options);
    const findings = opened.page.locator("#findings tr.shows .goto");
    if (name === "dark" && (await findings.count())) await findings.first().click();
    await shoot(opened.page, path, name);
    promise(`${name}: no horizontal overflow`, (await overflow(opened.page)) <= 0, `${await overflow(opened.page)} px`);
    if (hasPlayer) promise(`${name}: the picture is drawn`, (await picture(opened.page, 0)).colours > 50);
    promise(`${name}: no console message`, opened.problems.length === 0, opened.problems.join(" | "));
    await opened.context.close();
  }
}

async function checkWithoutWebgl(profile, path) {
  console.log(`\n${basename(path)} without WebGL`);
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...ARGUMENTS.filter((a) => !a.includes("swiftshader")), "--disable-3d-apis"], headless: true,
  });
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(pathToFileURL(path).href);
  await page.evaluate(() => window.ready);
  if (await page.locator(".nogl").count()) promise("the page says that WebGL 2 is missing", await page.locator(".nogl").first().isVisible());
  const rows = page.locator("#findings tr.shows .goto");
  if (await rows.count()) {
    await rows.first().click();
    promise("findings still set the time", (await state(page)).finding >= 0);
  }
  promise("nothing throws", problems.length === 0, problems.join(" | "));
  await browser.close();
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS, headless: true });
const profile = mkdtempSync(join(tmpdir(), "sinew-browser-"));
try {
  for (const path of pages) await check(browser, path);
  await checkWithoutWebgl(profile, pages[0]);
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(broken ? `\n${broken} promises broken` : "\nall promises hold");
process.exit(broken ? 1 : 0);
