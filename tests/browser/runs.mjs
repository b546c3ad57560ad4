// Runs of the program, made once, in a temporary folder.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

// The program: as `cargo xtask ci viewer` names it, else that of a usual build.
export const program = process.env.IMPINGE_PROGRAM || join(root, "target/debug/impinge");

export const scene = (name) => join(root, "scenes", `${name}.toml`);

export const impinge = (...options) => execFileSync(program, options, { stdio: ["ignore", "pipe", "inherit"] });

// A folder that is removed at the end.
export function temporary() {
  const folder = mkdtempSync(join(tmpdir(), "impinge-browser-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

// The folder of a run of a scene, and its page.
export function run(folder, name, ...options) {
  const out = join(folder, name);
  impinge("run", scene(name), "--quiet", "--accept-inexact", "--out", out, ...options);
  impinge("view", out, "--quiet");
  return { out, page: `file://${out}.html` };
}
