// What the tests in a browser share: reports of the examples, and a page that tells of every fault.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const source = new URL("../..", import.meta.url).pathname;
const memuse = process.env.MEMUSE ?? join(source, "build/release/memuse");
export const folder = mkdtempSync(join(tmpdir(), "memuse-web-"));
export const run = (...words) => execFileSync(memuse, words, { cwd: source, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });

/** Makes a database of traces and the report of it. */
export function reportOf(name, traces, more = []) {
  const out = join(folder, name);
  try {
    run("run", ...traces, "-o", out);
  } catch (error) {
    if (error.status !== 1) throw error;
  }
  const database = join(out, "memuse.db");
  const file = join(folder, `${name}.html`);
  run("report", "--db", database, "-o", file, ...more);
  return { database, file, address: `file://${file}` };
}

/** `memuse view` of a database. */
export function serve(database) {
  const child = spawn(memuse, ["view", "--db", database], { cwd: source, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`memuse view ended with ${code}`)));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve({ address: text.split("\n")[0], stop: () => child.kill("SIGINT") });
    });
  });
}

let browser;
export async function openBrowser() {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  return browser;
}
export async function closeBrowser() {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** A page at an address; `faults` collects errors, dialogs and requests to anywhere else. */
export async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  const origin = address.startsWith("file:") ? address.split("#")[0] : new URL(address).origin;
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:") && !url.startsWith("blob:")) faults.push(`request: ${url}`);
  });
  await page.goto(address);
  await page.waitForSelector("html[data-ready]", { timeout: 30_000 });
  return { page, faults, context };
}
