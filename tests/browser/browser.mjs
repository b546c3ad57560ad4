// A browser without screen, graphics processor and network, and what tests ask it.

import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";

const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

// A new browser with an empty profile; it ends with `close`.
export async function open(profile) {
  return chromium.launchPersistentContext(profile, { executablePath, headless: true, args });
}

// Opens an address in a window of some size; complaints of the page are errors of the test.
export async function visit(browser, address, [width, height] = [1280, 800]) {
  const page = await browser.newPage();
  page.trouble = [];
  page.on("pageerror", (error) => page.trouble.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") page.trouble.push(message.text()); });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    const own = ["file:", "data:"].includes(protocol) || origin === new URL(address).origin;
    if (!own) page.trouble.push(`asks for ${request.url()}`);
  });
  await page.setViewportSize({ width, height });
  await page.goto(address);
  await page.waitForSelector("figure.viewer[data-frame]");
  return page;
}

// Number of the frame that is shown.
export const frameOf = async (page) => +(await page.locator("figure.viewer").getAttribute("data-frame"));

// Waits until the picture is drawn sharply.
export async function settle(page) {
  await page.waitForFunction(() => {
    const { pace, due } = document.querySelector("figure.viewer").viewer;
    return !due && pace.sharp;
  });
}

// The scene as a PNG of 320 × 200 pixels.
export async function picture(page) {
  await settle(page);
  const address = await page.evaluate(() => {
    const { viewer } = document.querySelector("figure.viewer");
    const small = Object.assign(document.createElement("canvas"), { width: 320, height: 200 });
    const pen = small.getContext("2d");
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, 320, 200);
    // The drawing is kept until the script returns only.
    viewer.draw();
    pen.drawImage(viewer.canvas, 0, 0, 320, 200);
    return small.toDataURL("image/png");
  });
  return Buffer.from(address.split(",")[1], "base64");
}

// Mean difference of two pictures of one size, from 0 to 1, and the part of their pixels that differ visibly.
export async function difference(page, one, other) {
  return page.evaluate(async (addresses) => {
    const [a, b] = await Promise.all(addresses.map(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const { width, height } = image;
      const pen = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
      pen.drawImage(image, 0, 0);
      return pen.getImageData(0, 0, width, height).data;
    }));
    if (a.length !== b.length) return { mean: 1, visible: 1 };
    let [sum, visible] = [0, 0];
    for (let i = 0; i < a.length; i += 4) {
      const far = [0, 1, 2].map((k) => Math.abs(a[i + k] - b[i + k]));
      sum += far[0] + far[1] + far[2];
      if (Math.max(...far) > 40) visible++;
    }
    return { mean: sum / (0.75 * 255 * a.length), visible: (4 * visible) / a.length };
  }, [one, other].map((bytes) => `data:image/png;base64,${bytes.toString("base64")}`));
}
