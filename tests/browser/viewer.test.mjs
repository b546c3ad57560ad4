// The page of `impinge view` in a browser: it shows the run, plays, pauses, scrubs and answers clicks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import validator from "gltf-validator";

import { difference, frameOf, open, picture, settle, visit } from "./browser.mjs";
import { impinge, program, run, scene, temporary } from "./runs.mjs";

const folder = temporary();
let browser, cube;

before(async () => {
  cube = run(folder, "drop_cube", "--set", "output.every=5");
  browser = await open(join(folder, "profile"));
});
after(() => browser.close());

// Goes to a time (s) by the script of the page.
const seek = (page, time) => page.evaluate((time) => document.querySelector("figure.viewer").viewer.seek(time), time);

test("the picture is the stored one", async () => {
  const page = await visit(browser, cube.page, [900, 700]);
  await seek(page, 0.15);
  await page.click(".fit");
  await page.selectOption(".colour", "stress");
  const shown = await picture(page);
  const stored = new URL("cube.png", import.meta.url);
  if (process.env.UPDATE) writeFileSync(stored, shown);
  const { mean, visible } = await difference(page, shown, readFileSync(stored));
  assert.ok(mean < 0.01 && visible < 0.02, `mean ${mean}, visible ${visible}; UPDATE=1 stores the new one`);
  // The comparison sees another colouring, another frame and missing arrows.
  await page.selectOption(".colour", "body");
  const painted = await difference(page, await picture(page), shown);
  await page.selectOption(".colour", "stress");
  await page.uncheck(".arrows");
  const bare = await difference(page, await picture(page), shown);
  await seek(page, 0.05);
  const moved = await difference(page, await picture(page), shown);
  for (const other of [painted, moved]) assert.ok(other.visible > 0.02, JSON.stringify(other));
  assert.ok(bare.visible > 0, JSON.stringify(bare));
  assert.deepEqual(page.trouble, []);
  await page.close();
});

test("it opens at the start, plays and pauses", async () => {
  const page = await visit(browser, cube.page);
  assert.equal(await frameOf(page), 0);
  await page.click("button[aria-label=play]");
  await page.waitForFunction(() => +document.querySelector("figure.viewer").dataset.frame > 3);
  await page.click("button[aria-label=pause]");
  await settle(page);
  const paused = await frameOf(page);
  await page.waitForTimeout(400);
  assert.equal(await frameOf(page), paused);
  assert.ok(paused < 100, "the clock stopped before the end");
  await page.click("button[aria-label=play]");
  await page.waitForFunction((paused) => +document.querySelector("figure.viewer").dataset.frame > paused, paused);
  await page.close();
});

test("it stops at the end and plays again from the start", async () => {
  const page = await visit(browser, cube.page);
  await page.selectOption(".speed", "1");
  await page.click("button[aria-label=play]");
  await page.waitForFunction(() => document.querySelector("figure.viewer").dataset.frame === "100");
  await page.waitForSelector("button[aria-label=play]");
  await page.selectOption(".speed", "0.01");
  await page.click("button[aria-label=play]");
  await page.waitForFunction(() => +document.querySelector("figure.viewer").dataset.frame < 50);
  await page.close();
});

test("the slider, the keys and the plots scrub, and the plots follow", async () => {
  const page = await visit(browser, cube.page);
  const mark = () => page.locator(".graph hr").first().evaluate((hr) => hr.getBoundingClientRect().x);
  const left = await mark();
  await page.locator(".frame").fill("30");
  await settle(page);
  assert.equal(await frameOf(page), 30);
  assert.match(await page.locator(".clock").textContent(), /^0\.15 s, step 150$/);
  const middle = await mark();
  assert.ok(middle > left + 50, `${left} to ${middle}`);
  assert.match(await page.locator(".graph p").nth(1).textContent(), /active [1-9]/);
  await page.locator(".stage canvas").press("ArrowRight");
  await settle(page);
  assert.equal(await frameOf(page), 31);
  const graph = await page.locator(".graph canvas").first().boundingBox();
  await page.mouse.click(graph.x + 0.6 * graph.width, graph.y + 60);
  await settle(page);
  assert.ok((await frameOf(page)) > 40);
  await page.close();
});

test("dragging turns, shift moves, the wheel zooms, and fit shows all again", async () => {
  const page = await visit(browser, cube.page);
  const camera = () => page.evaluate(() => {
    const { turn, tilt, target, distance } = document.querySelector("figure.viewer").viewer.camera;
    return { turn, tilt, target, distance };
  });
  const box = await page.locator(".stage canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const drag = async (dx, dy) => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx, y + dy, { steps: 4 });
    await page.mouse.up();
  };
  const start = await camera();
  const first = await picture(page);
  await drag(90, 30);
  const turned = await camera();
  assert.ok(turned.turn < start.turn && turned.tilt > start.tilt);
  assert.deepEqual(turned.target, start.target);
  assert.ok((await difference(page, await picture(page), first)).visible > 0.02);
  await page.keyboard.down("Shift");
  await drag(50, 0);
  await page.keyboard.up("Shift");
  const moved = await camera();
  assert.equal(moved.turn, turned.turn);
  assert.notDeepEqual(moved.target, turned.target);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(
    (far) => document.querySelector("figure.viewer").viewer.camera.distance < far, moved.distance);
  await page.click(".fit");
  assert.notDeepEqual((await camera()).target, moved.target);
  await page.close();
});

test("a click on a body or an arrow shows its numbers, which follow the time", async () => {
  const page = await visit(browser, cube.page);
  await seek(page, 0.15);
  await page.click(".fit");
  await settle(page);
  const box = await page.locator(".stage canvas").boundingBox();
  const numbers = page.locator(".numbers");
  await page.mouse.click(box.x + box.width / 2, box.y + 0.4 * box.height);
  await numbers.locator("b").waitFor();
  const text = await numbers.textContent();
  assert.match(text, /cube \(body 0\)/);
  assert.match(text, /sum of contact forces1\d\d\.?\d* N/);
  await page.locator(".frame").fill("0");
  await settle(page);
  assert.match(await numbers.textContent(), /nodes in contact0/);
  await page.click(".numbers button");
  await numbers.waitFor({ state: "hidden" });

  await seek(page, 0.15);
  await settle(page);
  // The middle of an arrow on the screen.
  const [ax, ay] = await page.evaluate(() => {
    const { viewer } = document.querySelector("figure.viewer");
    const { frame, camera, canvas } = viewer;
    const largest = frame.touched.reduce((best, vertex) => (frame.force[vertex] > frame.force[best] ? vertex : best));
    const at = 3 * frame.touched.indexOf(largest);
    const p = viewer.film.place(frame, largest).map((part, k) => part + 0.5 * viewer.metres() * frame.forces[at + k]);
    const m = camera.matrix();
    const row = (i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i];
    const [x, y, w] = [row(0), row(1), row(3)];
    return [(0.5 + (0.5 * x) / w) * canvas.clientWidth, (0.5 - (0.5 * y) / w) * canvas.clientHeight];
  });
  await page.mouse.click(box.x + ax, box.y + ay);
  await numbers.locator("b").waitFor();
  assert.match(await numbers.textContent(), /contact of cube.*contact force[\d.]+ N/);
  // A click beside everything closes the numbers.
  await page.mouse.click(box.x + box.width - 5, box.y + box.height - 5);
  await numbers.waitFor({ state: "hidden" });
  await page.close();
});

test("legends name quantity, unit and range", async () => {
  const page = await visit(browser, cube.page);
  const legend = page.locator(".legend");
  const heads = { body: /^cube/, stress: /^von Mises stress, kPa0/, force: /^contact force, N0/,
    ratio: /^volume ratio.*1\.000/ };
  for (const [value, words] of Object.entries(heads)) {
    await page.selectOption(".colour", value);
    await settle(page);
    assert.match(await legend.textContent(), words);
    assert.match(await legend.textContent(), /grid: 50 mm/);
  }
  await page.close();
});

test("a telephone shows all of it, and two fingers zoom", async () => {
  const page = await visit(browser, cube.page, [390, 844]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} pixels wide`);
  for (const control of [".play", ".frame", ".speed", ".colour", ".fit", ".graph canvas"]) {
    const box = await page.locator(control).first().boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, control);
  }
  const before = await page.evaluate(() => {
    const { canvas, camera } = document.querySelector("figure.viewer").viewer;
    const { distance } = camera;
    canvas.setPointerCapture = () => {};
    const send = (kind, pointerId, x, y) => {
      const { left, top } = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new PointerEvent(kind, { pointerId, clientX: left + x, clientY: top + y, buttons: 1 }));
    };
    send("pointerdown", 1, 150, 200);
    send("pointerdown", 2, 200, 200);
    send("pointermove", 2, 250, 200);
    send("pointerup", 1, 150, 200);
    send("pointerup", 2, 250, 200);
    return distance;
  });
  const after = await page.evaluate(() => document.querySelector("figure.viewer").viewer.camera.distance);
  assert.ok(Math.abs(after / before - 0.5) < 0.01, `${before} to ${after}`);
  assert.deepEqual(page.trouble, []);
  await page.close();
});

test("a served film is the same", async () => {
  const server = spawn(program, ["view", cube.out, "--serve"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const lines = createInterface(server.stdout);
    const line = await new Promise((resolve) => lines.once("line", resolve));
    const served = await visit(browser, line.match(/http:\S+/)[0]);
    const file = await visit(browser, cube.page);
    for (const page of [served, file]) await seek(page, 0.15);
    const { visible } = await difference(file, await picture(served), await picture(file));
    // The camera shows the box around a sample of the frames, where the page has all of them.
    assert.ok(visible < 0.01, `${visible}`);
    assert.deepEqual(served.trouble, []);
    await served.close();
    await file.close();
  } finally {
    server.kill();
  }
});

test("the report of a comparison has the film", async () => {
  const out = join(folder, "report.html");
  const steps = ["--steps", "150", "--from", "140"];
  impinge("compare", scene("drop_cube"), "--methods", "cr,ica", ...steps, "--quiet", "--report", out);
  const page = await visit(browser, `file://${out}`, [390, 844]);
  assert.equal(await frameOf(page), 0);
  await page.click("button[aria-label=play]");
  await page.waitForFunction(() => +document.querySelector("figure.viewer").dataset.frame > 2);
  await page.click("button[aria-label=pause]");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} pixels wide`);
  assert.deepEqual(page.trouble, []);
  await page.close();
});

test("exported pictures and films open as pictures", async () => {
  const page = await visit(browser, cube.page);
  for (const [name, frames] of [["cube.png", 1], ["cube.apng", 11]]) {
    const out = join(folder, name);
    impinge("export", cube.out, out, "--size", "320", "200", "--every", "10", "--quiet");
    const found = await page.evaluate(async (text) => {
      const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const decoder = new ImageDecoder({ data, type: "image/png" });
      await decoder.tracks.ready;
      const { frameCount } = decoder.tracks.selectedTrack;
      const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
      return [frameCount, image.displayWidth, image.displayHeight];
    }, readFileSync(out).toString("base64"));
    assert.deepEqual(found, [frames, 320, 200], name);
  }
  await page.close();
});

test("the validator of glTF finds nothing in exported models", async () => {
  const spin = run(folder, "rigid_stack", "--steps", "20", "--set", "output.every=5");
  for (const { out } of [cube, spin]) {
    impinge("export", out, `${out}.glb`, "--quiet");
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(`${out}.glb`)));
    const found = issues.messages.filter(({ severity }) => severity < 2);
    assert.deepEqual(found, []);
    assert.ok(info.animationCount === 1 && info.totalTriangleCount > 10, JSON.stringify(info));
  }
});
